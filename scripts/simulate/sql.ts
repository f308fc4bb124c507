/**
 * An object's SQL storage on SQLite in memory. Statements between two commits are one transaction; what a dead instance
 * still tries to do goes nowhere.
 */
import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from 'node:sqlite';

type Row = Record<string, SQLOutputValue>;

/** Bound parameters of one statement, and bytes of one value (Durable Objects > Platform > Limits). */
const PARAMETERS_MAX = 100;
const VALUE_BYTES_MAX = 2 * 1024 * 1024;
/** No text of fewer characters can be too long: a character takes at most three bytes. */
const SURE_CHARACTERS = Math.floor(VALUE_BYTES_MAX / 3);

/** A limit that is bare SQLite looks at when it plans, so that each new value would plan the statement anew. */
const BARE_LIMIT = /\bLIMIT (\?\d*)/g;

interface Prepared {
  statement: StatementSync;
  kind: 'read' | 'write' | 'returning';
}

/** What a statement gives back, as the platform's cursor. Everything was read when it is made. */
export class Cursor {
  readonly #rows: Row[];
  readonly rowsWritten: number;

  constructor(rows: Row[], rowsWritten: number) {
    this.#rows = rows;
    this.rowsWritten = rowsWritten;
  }

  toArray(): Row[] {
    return this.#rows;
  }

  one(): Row {
    const [row] = this.#rows;
    if (row === undefined || this.#rows.length > 1) {
      throw new Error(`Expected exactly one result from SQL query, but got ${this.#rows.length}`);
    }
    return row;
  }

  [Symbol.iterator](): Iterator<Row> {
    return this.#rows[Symbol.iterator]();
  }
}

const NOTHING: Row[] = [];

/** A database that keeps its tables from seed to seed: emptying them is much cheaper than making them. */
export class ObjectDatabase {
  readonly #database = new DatabaseSync(':memory:');
  readonly #prepared = new Map<string, Prepared>();
  readonly #schemas = new Set<string>();
  readonly #begin = this.#database.prepare('BEGIN');
  readonly #commit = this.#database.prepare('COMMIT');
  readonly #rollback = this.#database.prepare('ROLLBACK');
  #clearing: StatementSync[] | undefined;
  #isOpen = false;
  readonly #watches: (database: ObjectDatabase) => string;
  /** Told by triggers: which invariant broke, and where. */
  onBreach: (invariant: string, what: string) => void = () => undefined;

  /** @param watches triggers to be made once these tables are there. */
  constructor(watches: (database: ObjectDatabase) => string) {
    this.#watches = watches;
    this.#database.function('breach', (invariant, what) => {
      this.onBreach(String(invariant), String(what));
      return null;
    });
  }

  get hasUncommitted(): boolean {
    return this.#isOpen;
  }

  get tables(): string[] {
    const sql = `SELECT name FROM sqlite_master WHERE type = 'table'`;
    return this.read<{ name: string }>(sql).map(({ name }) => name);
  }

  exec(sql: string, bindings: readonly SQLInputValue[]): Cursor {
    if (this.#schemas.has(sql)) return new Cursor(NOTHING, 0);
    if (/^\s*CREATE/i.test(sql)) return this.#create(sql);
    for (const value of bindings) requireShort(value);
    if (bindings.length > PARAMETERS_MAX) throw new Error('too many SQL variables: SQLITE_ERROR');
    const { statement, kind } = this.#prepare(sql);
    if (kind === 'read') return new Cursor(statement.all(...bindings), 0);
    this.#open();
    if (kind === 'returning') {
      const rows = statement.all(...bindings);
      return new Cursor(rows, rows.length);
    }
    return new Cursor(NOTHING, Number(statement.run(...bindings).changes));
  }

  /** For the checks: what is committed, when asked between two turns. */
  read<T>(sql: string, ...bindings: SQLInputValue[]): T[] {
    return this.#prepare(sql).statement.all(...bindings) as T[];
  }

  transaction<T>(run: () => T): T {
    this.#open();
    this.#database.exec('SAVEPOINT inner_transaction');
    try {
      const result = run();
      this.#database.exec('RELEASE inner_transaction');
      return result;
    } catch (thrown) {
      this.#database.exec('ROLLBACK TO inner_transaction; RELEASE inner_transaction');
      throw thrown;
    }
  }

  commit(): void {
    if (this.#isOpen) this.#commit.run();
    this.#isOpen = false;
  }

  rollback(): void {
    if (this.#isOpen) this.#rollback.run();
    this.#isOpen = false;
  }

  /** Empty again, as for an object that never was. */
  clear(): void {
    this.rollback();
    this.onBreach = () => undefined;
    this.#clearing ??= this.tables.map((table) => this.#database.prepare(`DELETE FROM "${table}"`));
    this.#begin.run();
    for (const statement of this.#clearing) statement.run();
    this.#commit.run();
  }

  #open(): void {
    if (!this.#isOpen) this.#begin.run();
    this.#isOpen = true;
  }

  #create(sql: string): Cursor {
    this.#database.exec(sql);
    this.#clearing = undefined;
    if (this.#isOpen) return new Cursor(NOTHING, 0); // it may be rolled back: run again next time
    this.#schemas.add(sql);
    const watches = this.#watches(this);
    if (watches !== '') this.#database.exec(watches);
    return new Cursor(NOTHING, 0);
  }

  #prepare(sql: string): Prepared {
    const known = this.#prepared.get(sql);
    if (known !== undefined) return known;
    const kind = /^\s*(SELECT|WITH)/i.test(sql) ? 'read' : /\bRETURNING\b/.test(sql) ? 'returning' : 'write';
    const prepared: Prepared = { statement: this.#database.prepare(sql.replace(BARE_LIMIT, 'LIMIT ($1 + 0)')), kind };
    this.#prepared.set(sql, prepared);
    return prepared;
  }
}

function requireShort(value: SQLInputValue): void {
  if (typeof value !== 'string' || value.length <= SURE_CHARACTERS) return;
  if (Buffer.byteLength(value) > VALUE_BYTES_MAX) throw new Error('string or blob too big: SQLITE_TOOBIG');
}

/** Databases by class, used again from seed to seed. */
export class DatabasePool {
  readonly #free = new Map<string, ObjectDatabase[]>();
  readonly #watches: (database: ObjectDatabase) => string;

  constructor(watches: (database: ObjectDatabase) => string) {
    this.#watches = watches;
  }

  take(className: string): ObjectDatabase {
    return this.#free.get(className)?.pop() ?? new ObjectDatabase(this.#watches);
  }

  giveBack(className: string, database: ObjectDatabase): void {
    database.clear();
    const free = this.#free.get(className) ?? [];
    free.push(database);
    this.#free.set(className, free);
  }
}
