/**
 * Single values of a batch. The object is their only writer, so they are read once and answered from memory. The ticket
 * has a row of its own; all others, which change together, are one row, so that a commit writes it once. Each is decoded
 * when it is read, once for each start of the object.
 */
import { storedValue } from './documents.ts';

/** The row of all values that change. */
const STATE = 'state';
/** Written once, at creation. */
const TICKET = 'ticket';

interface KnownValue {
  value: unknown;
  /** As it is stored. */
  json: string;
}

/** Where a batch stores what it has. */
export type BatchStorage = Pick<DurableObjectStorage, 'sql' | 'transactionSync'>;

export class StoredValues {
  readonly #storage: BatchStorage;
  readonly #forgotten: () => void;
  #loaded: Map<string, KnownValue> | undefined;
  #commits = 0;
  #hasChanged = false;

  /** @param forgotten what else is known goes with the values: it may go by what was only noted among them. */
  constructor(storage: BatchStorage, forgotten: () => void = () => undefined) {
    this.#storage = storage;
    this.#forgotten = forgotten;
  }

  get #known(): Map<string, KnownValue> {
    this.#loaded ??= this.#load();
    return this.#loaded;
  }

  /** Release 0.1 stored each value as a row of its own; what the common row has is newer. */
  #load(): Map<string, KnownValue> {
    const known = new Map<string, KnownValue>();
    let state = '{}';
    const stored = this.#storage.sql.exec<{ name: string; json: string }>('SELECT name, json FROM kept');
    for (const { name, json } of stored) {
      if (name === STATE) state = json;
      else known.set(name, { value: Object.freeze(storedValue(name, JSON.parse(json))), json });
    }
    for (const [name, value] of Object.entries(JSON.parse(state) as Record<string, unknown>))
      known.set(name, { value: Object.freeze(storedValue(name, value)), json: JSON.stringify(value) });
    return known;
  }

  get<T>(name: string): T | undefined {
    return this.#known.get(name)?.value as T | undefined;
  }

  put(name: string, value: unknown): void {
    const known = knownValue(JSON.stringify(value));
    this.#known.set(name, known);
    if (name === TICKET) this.#writing(() => this.#write(TICKET, known.json));
    else if (this.#commits > 0) this.#hasChanged = true;
    else this.#writing(() => this.#writeState());
  }

  /** In memory alone, until something else is put: for what is found out again if it is lost. */
  note(name: string, value: unknown): void {
    this.#known.set(name, knownValue(JSON.stringify(value)));
  }

  /**
   * What `work` puts is written once, when it ends; it must not wait for anything. If it throws, nothing that it stored
   * is there, here or in other tables. Calls may be nested: the outermost counts.
   */
  commit<T>(work: () => T): T {
    this.#commits += 1;
    try {
      return this.#commits > 1 ? work() : this.#storage.transactionSync(() => this.#written(work()));
    } catch (thrown) {
      this.#forget();
      throw thrown;
    } finally {
      this.#commits -= 1;
    }
  }

  /** Memory may say what is not stored. */
  #forget(): void {
    this.#loaded = undefined;
    this.#hasChanged = false;
    this.#forgotten();
  }

  #written<T>(result: T): T {
    if (this.#hasChanged) this.#writeState();
    return result;
  }

  #writing(write: () => void): void {
    try {
      write();
    } catch (thrown) {
      this.#forget();
      throw thrown;
    }
  }

  #writeState(): void {
    const members = [...this.#known].filter(([name]) => name !== TICKET);
    this.#write(STATE, `{${members.map(([name, { json }]) => `${JSON.stringify(name)}:${json}`).join(',')}}`);
    this.#hasChanged = false;
  }

  #write(name: string, json: string): void {
    const sql = 'INSERT INTO kept (name, json) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET json = excluded.json';
    this.#storage.sql.exec(sql, name, json);
  }
}

/** Frozen, for many read the same one. */
const knownValue = (json: string): KnownValue => ({ value: Object.freeze(JSON.parse(json)), json });
