/**
 * Runs beside the Worker, in its process: counts what its objects ask of their storage and of each other, and what the Worker
 * asks of the stores. Nothing of it is known to the Worker, and no table by its name, so that any commit can be counted.
 * Node strips the types (`counting.ts`); so nothing is imported here.
 */

/** Rows as the runtime bills them: an index that is touched is a row more. */
export interface SqlCounts {
  statements: number;
  rowsWritten: number;
  rowsRead: number;
}

/** Of one class of objects. */
export interface ObjectCounts extends SqlCounts {
  /** Each is billed as a row written, which `rowsWritten` does not include. */
  alarmsSet: number;
  alarmRuns: number;
  /** By the Worker and by objects: methods and `fetch`, each of which is billed as a request. */
  calls: number;
  /** Of the storage beside statements, such as `sync` or `setAlarm`. */
  storageCalls: number;
  tables: Record<string, SqlCounts>;
}

export interface Counts {
  objects: Record<string, ObjectCounts>;
  /** By store (`kv`, `r2`, `d1`) how often each operation was called; of D1 also rows. */
  stores: Record<string, Record<string, number>>;
  /** That reached the Worker from outside, crons too. */
  requests: number;
}

/** Names of bindings; of objects with their class. */
export interface CountedBindings {
  objects: Readonly<Record<string, string>>;
  kv: readonly string[];
  r2: readonly string[];
  d1: readonly string[];
}

const WRITTEN = /\b(?:INTO|UPDATE(?:\s+OR\s+\w+)?|DELETE\s+FROM)\s+["[`]?(\w+)/i;
const READ = /\b(?:FROM|JOIN)\s+["[`]?(?!json_each\b|json_tree\b)(\w+)/i;
export const SCHEMA = '(schema)';
const NO_TABLE = '-';

/** @returns the table that a statement writes, or else the first that it reads. */
export function tableOf(statement: string): string {
  if (/^\s*(?:CREATE|ALTER|DROP)\b/i.test(statement)) return SCHEMA;
  return (WRITTEN.exec(statement) ?? READ.exec(statement))?.[1]?.toLowerCase() ?? NO_TABLE;
}

const QUOTED_OR_END = /'[^']*'|"[^"]*"|--[^\n]*|\/\*[\s\S]*?\*\/|;/g;

/** A cursor says only what the last of several statements did, so they are run one by one. */
export function statementsIn(text: string): string[] {
  if (!text.includes(';') || /\bTRIGGER\b/i.test(text)) return [text];
  const ends = [...text.matchAll(QUOTED_OR_END)].filter(([found]) => found === ';').map(({ index }) => index);
  const parts = [...ends, text.length].map((end, at) => text.slice(at === 0 ? 0 : (ends[at - 1] ?? 0) + 1, end));
  return parts.filter((part) => part.replaceAll(/--[^\n]*|\/\*[\s\S]*?\*\//g, '').trim() !== '');
}

type Callable = (...parameters: unknown[]) => unknown;
type Members = Record<string, Callable>;

interface Cursor {
  rowsWritten: number;
  rowsRead: number;
}

interface Storage {
  sql: { exec(text: string, ...values: unknown[]): Cursor };
  kv?: object;
}

/** @property kv, `storage` what an operation of the storage itself bills: rows written and rows read. */
const ROWS_OF_CALL: Readonly<Record<string, Pick<SqlCounts, 'rowsWritten' | 'rowsRead'>>> = {
  put: { rowsWritten: 1, rowsRead: 0 },
  delete: { rowsWritten: 1, rowsRead: 0 },
  get: { rowsWritten: 0, rowsRead: 1 },
  list: { rowsWritten: 0, rowsRead: 1 },
};
const STORAGE_CALLS = [
  ...['sync', 'transaction', 'transactionSync', 'setAlarm', 'getAlarm', 'deleteAlarm', 'deleteAll'],
  ...Object.keys(ROWS_OF_CALL),
] as const;

const noSql = (): SqlCounts => ({ statements: 0, rowsWritten: 0, rowsRead: 0 });

export class Counting {
  readonly #bindings: CountedBindings;
  readonly #environments = new WeakMap<object, object>();
  /** Cursors say what they read when they are at their end, which is before the next task. */
  readonly #open: { cursor: Cursor; className: string; table: string }[] = [];
  counts: Counts = { objects: {}, stores: {}, requests: 0 };

  constructor(bindings: CountedBindings) {
    this.#bindings = bindings;
  }

  forget(): void {
    this.counts = { objects: {}, stores: {}, requests: 0 };
  }

  /** @returns the class, whose objects are counted. */
  // biome-ignore lint/suspicious/noExplicitAny: a mixin's constructor takes any parameters
  classOf<Base extends new (...parameters: any[]) => object>(className: string, base: Base): Base {
    const counting = this;
    const counted = class extends base {
      // biome-ignore lint/suspicious/noExplicitAny: as above
      constructor(...[ctx, env]: any[]) {
        counting.#watch(className, ctx.storage);
        super(ctx, counting.environment(env));
      }
    };
    const { alarm } = base.prototype as { alarm?: Callable };
    if (alarm !== undefined)
      Object.defineProperty(counted.prototype, 'alarm', {
        value(this: object, ...parameters: unknown[]) {
          counting.#object(className).alarmRuns += 1;
          return alarm.apply(this, parameters);
        },
      });
    return counted;
  }

  /** @returns the same bindings, with everything counted that goes through them. */
  environment<Env extends object>(env: Env): Env {
    const known = this.#environments.get(env);
    if (known !== undefined) return known as Env;
    const { objects, kv, r2, d1 } = this.#bindings;
    const of = (names: readonly string[], wrap: (binding: object) => object) =>
      names.map((name) => [name, wrap((env as Record<string, object>)[name] as object)]);
    const counted = {
      ...env,
      ...Object.fromEntries([
        ...of(kv, (binding) => this.#store('kv', binding)),
        ...of(r2, (binding) => this.#store('r2', binding)),
        ...of(d1, (binding) => this.#database(binding)),
        ...Object.entries(objects).flatMap(([name, className]) =>
          of([name], (binding) => this.#namespace(className, binding)),
        ),
      ]),
    };
    this.#environments.set(env, counted);
    return counted;
  }

  #object(className: string): ObjectCounts {
    const none = { ...noSql(), alarmsSet: 0, alarmRuns: 0, calls: 0, storageCalls: 0, tables: {} };
    return entryOf(this.counts.objects, className, none);
  }

  #rows(className: string, table: string, rows: SqlCounts): void {
    const object = this.#object(className);
    for (const counts of [object, entryOf(object.tables, table, noSql())]) {
      counts.statements += rows.statements;
      counts.rowsWritten += rows.rowsWritten;
      counts.rowsRead += rows.rowsRead;
    }
  }

  #close(): void {
    for (const { cursor, className, table } of this.#open.splice(0))
      this.#rows(className, table, { statements: 1, rowsWritten: cursor.rowsWritten, rowsRead: cursor.rowsRead });
  }

  #watch(className: string, storage: Storage): void {
    const { sql } = storage;
    const { exec } = sql;
    const run = (text: string, values: unknown[]): Cursor => {
      const cursor = exec.call(sql, text, ...values);
      if (this.#open.push({ cursor, className, table: tableOf(text) }) === 1) queueMicrotask(() => this.#close());
      return cursor;
    };
    Object.defineProperty(sql, 'exec', {
      value: (text: string, ...values: unknown[]) => {
        const statements = statementsIn(text);
        for (const statement of statements.slice(0, -1)) run(statement, []);
        return run(statements.at(-1) ?? text, values);
      },
    });
    this.#watchCalls(className, 'storage', storage);
    if (storage.kv !== undefined) this.#watchCalls(className, 'storage.kv', storage.kv);
  }

  #watchCalls(className: string, what: string, target: object): void {
    for (const name of STORAGE_CALLS) {
      const call = (target as Members)[name];
      if (typeof call !== 'function') continue;
      Object.defineProperty(target, name, {
        value: (...parameters: unknown[]) => {
          const object = this.#object(className);
          object.storageCalls += 1;
          if (name === 'setAlarm') object.alarmsSet += 1;
          const rows = ROWS_OF_CALL[name];
          if (rows !== undefined) this.#rows(className, `(${what})`, { statements: 0, ...rows });
          return call.apply(target, parameters);
        },
      });
    }
  }

  #namespace(className: string, namespace: object): object {
    return passing(namespace, (name, call) => {
      if (name !== 'get' && name !== 'getByName') return call;
      return (...parameters) => this.#stub(className, call(...parameters) as object);
    });
  }

  #stub(className: string, stub: object): object {
    return passing(stub, (_, call) => (...parameters) => {
      this.#object(className).calls += 1;
      return call(...parameters);
    });
  }

  #operation(store: string, name: string, by = 1): void {
    const operations = entryOf(this.counts.stores, store, {});
    operations[name] = (operations[name] ?? 0) + by;
  }

  #store(store: string, binding: object): object {
    return passing(binding, (name, call) => (...parameters) => {
      this.#operation(store, name);
      const result = call(...parameters);
      return /MultipartUpload$/.test(name) ? this.#multipart(store, result as object | Promise<object>) : result;
    });
  }

  #multipart(store: string, upload: object | Promise<object>): object {
    return upload instanceof Promise ? upload.then((made) => this.#store(store, made)) : this.#store(store, upload);
  }

  #database(database: object): object {
    const counted = new WeakMap<object, object>();
    const note = (result: D1Result): D1Result => {
      this.#operation('d1', 'queries');
      this.#operation('d1', 'rowsRead', result.meta.rows_read);
      this.#operation('d1', 'rowsWritten', result.meta.rows_written);
      return result;
    };
    const statement = (of: object): object => {
      const proxy = passing(of, (name, call) => {
        if (name === 'bind') return (...values) => statement(call(...values) as object);
        const all = async () => note((await (of as Members).all?.()) as D1Result);
        if (name === 'first') return async (column) => firstOf(await all(), column as string | undefined);
        return name === 'all' || name === 'run' ? async () => note((await call()) as D1Result) : call;
      });
      counted.set(proxy, of);
      return proxy;
    };
    return passing(database, (name, call) => {
      if (name === 'prepare') return (text) => statement(call(text) as object);
      if (name !== 'batch') return call;
      return async (list) => {
        const results = await call((list as object[]).map((each) => counted.get(each) ?? each));
        return (results as D1Result[]).map(note);
      };
    });
  }
}

/** @returns what stands under the name, from now on at least `none`. */
function entryOf<Value>(entries: Record<string, Value>, name: string, none: Value): Value {
  entries[name] ??= none;
  return entries[name];
}

interface D1Result {
  results: Record<string, unknown>[];
  meta: { rows_read: number; rows_written: number };
}

/** As `first()` answers, which itself says nothing of rows. */
function firstOf({ results: [row] }: D1Result, column: string | undefined): unknown {
  if (row === undefined) return null;
  return column === undefined ? row : row[column];
}

/** The same object, each of whose methods can be looked at. A stub makes its methods up: they are only ever called on it. */
function passing(target: object, method: (name: string, call: Callable) => Callable): object {
  return new Proxy(target, {
    get(_, name) {
      const member = Reflect.get(target, name) as unknown;
      if (typeof member !== 'function') return member;
      const call: Callable = (...parameters) => (target as Record<string | symbol, Callable>)[name]?.(...parameters);
      return typeof name === 'symbol' ? call : method(name, call);
    },
  });
}
