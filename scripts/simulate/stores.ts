/** The bridge's stored files and its cache of tokens, in memory: they fail and grow stale as the seed says. */
import type { World } from './world.ts';

interface PutOptions {
  customMetadata?: Record<string, string>;
}

/** Answers of polls: whoever stores one, and is told that it failed, cannot know. */
const isPoll = (key: string): boolean => key.startsWith('feeds/');

/** Files by key; strongly consistent. */
export class Files {
  readonly stored = new Map<string, Uint8Array>();
  readonly #metadata = new Map<string, Record<string, string>>();
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  get(key: string, options: { range?: { offset: number; length: number } } = {}): Promise<unknown> {
    return this.#answer(() => {
      const bytes = this.stored.get(key);
      if (bytes === undefined) return null;
      const { offset = 0, length = bytes.byteLength } = options.range ?? {};
      return storedBody(bytes.slice(offset, offset + length));
    });
  }

  head(key: string): Promise<unknown> {
    return this.#answer(() => {
      const bytes = this.stored.get(key);
      if (bytes === undefined) return null;
      return { key, size: bytes.byteLength, customMetadata: this.#metadata.get(key) ?? {} };
    });
  }

  put(key: string, bytes: Uint8Array, { customMetadata }: PutOptions = {}): Promise<unknown> {
    const keep = () => {
      this.stored.set(key, bytes);
      if (customMetadata !== undefined) this.#metadata.set(key, customMetadata);
      return { key };
    };
    return this.#answer(keep, () => {
      if (isPoll(key) && this.#world.dice() < 0.5) keep();
    });
  }

  list({ prefix = '' }: { prefix?: string } = {}): Promise<unknown> {
    return this.#answer(() => {
      const keys = [...this.stored.keys()].filter((key) => key.startsWith(prefix));
      return {
        objects: keys.map((key) => ({ key, uploaded: new Date(this.#world.nowMs) })),
        truncated: false,
        delimitedPrefixes: [],
      };
    });
  }

  delete(keys: string | string[]): Promise<unknown> {
    return this.#answer(() => {
      for (const key of [keys].flat()) this.stored.delete(key);
    });
  }

  /** @param fail what it does all the same where it fails. */
  #answer<T>(answer: () => T, fail: () => void = () => undefined): Promise<T> {
    const world = this.#world;
    return world.outside((settle) => {
      const fails = world.chance(world.faults.filesFail);
      const ms = 1 + world.dice() * 30;
      if (fails) {
        return void world.after(ms, () => {
          fail();
          settle.reject(new Error('storage: internal error'));
        });
      }
      world.after(ms, () => settle.resolve(answer()));
    });
  }
}

/** What the bridge reads of a stored object: whole, or through a reader that brings its own memory. */
const storedBody = (bytes: Uint8Array) => ({
  text: async () => new TextDecoder().decode(bytes),
  arrayBuffer: async () => bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength),
  body: {
    getReader: () => ({
      readAtLeast: async (_: number, view: Uint8Array) => {
        view.set(bytes);
        return { done: false, value: view.subarray(0, bytes.byteLength) };
      },
      read: async () => ({ done: true, value: undefined }),
      cancel: async () => undefined,
    }),
  },
});

/** The directory, of which batches know their row of the index alone: what stands in it, by batch. */
export class Directory {
  readonly index = new Map<string, Record<string, unknown>>();
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  prepare(sql: string) {
    const write = (values: readonly unknown[]) => () => this.#run(sql, values);
    return { bind: (...values: unknown[]) => ({ write: write(values), run: () => this.#answer(write(values)) }) };
  }

  /** All of them, or none. */
  batch(statements: readonly { write: () => void }[]): Promise<void> {
    return this.#answer(() => {
      for (const { write } of statements) write();
    });
  }

  /** Of the table of batches alone. */
  #run(sql: string, values: readonly unknown[]): void {
    if (!/^\w+ (?:FROM|INTO) batch_index\b/.test(sql)) return;
    if (sql.startsWith('DELETE')) return void this.index.delete(String(values[1]));
    const names = (/\(([^)]+)\) VALUES/.exec(sql)?.[1] ?? '').split(', ');
    const row = Object.fromEntries(names.map((name, at) => [name, values[at]]));
    const known = this.index.get(String(row.batch_id));
    if (Number(known?.revision ?? 0) <= Number(row.revision)) this.index.set(String(row.batch_id), row);
  }

  /** Where it fails, it may have written all the same. */
  #answer<T>(answer: () => T): Promise<T> {
    const world = this.#world;
    return world.outside((settle) => {
      const fails = world.chance(world.faults.filesFail);
      const ms = 1 + world.dice() * 50;
      if (!fails) return void world.after(ms, () => settle.resolve(answer()));
      if (world.dice() < 0.5) world.after(ms + world.dice() * 10_000, () => void answer());
      world.after(ms, () => settle.reject(new Error('directory: internal error')));
    });
  }
}

/** Values by key; a read may give what stood there before. */
export class Cache {
  readonly #kept = new Map<string, { now: string; before: string | null }>();
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  get(key: string): Promise<unknown> {
    const world = this.#world;
    return this.#answer(() => {
      const kept = this.#kept.get(key);
      const text = kept === undefined ? null : world.chance(world.faults.cacheStale) ? kept.before : kept.now;
      return text === null ? null : (JSON.parse(text) as unknown);
    });
  }

  put(key: string, text: string): Promise<unknown> {
    return this.#answer(() => void this.#kept.set(key, { now: text, before: this.#kept.get(key)?.now ?? null }));
  }

  #answer<T>(answer: () => T): Promise<T> {
    const world = this.#world;
    return world.outside((settle) => {
      const fails = world.chance(world.faults.cacheFails);
      const ms = 1 + world.dice() * 20;
      if (fails) return void world.after(ms, () => settle.reject(new Error('cache: internal error')));
      world.after(ms, () => settle.resolve(answer()));
    });
  }
}
