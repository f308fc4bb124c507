/**
 * An object's SQL storage on SQLite in memory. Statements between two commits are one transaction; what a dead instance
 * still tries to do goes nowhere.
 */
import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from 'node:sqlite';
import { JOURNAL } from '../../src/kernel/journal-table.ts';
import { type StoredText, textIn } from '../../src/kernel/packed-text.ts';
import { JournalImage } from './journal-image.ts';

type Row = Record<string, SQLOutputValue>;

/** Bound parameters of one statement, and bytes of one value (Durable Objects > Platform > Limits). */
const PARAMETERS_MAX = 100;
const VALUE_BYTES_MAX = 2 * 1024 * 1024;
/** No text of fewer characters can be too long: a character takes at most three bytes. */
const SURE_CHARACTERS = Math.floor(VALUE_BYTES_MAX / 3);

/** A limit that is bare SQLite looks at when it plans, so that each new value would plan the statement anew. */
const BARE_LIMIT = /\bLIMIT (\?\d*)/g;

/** Statements that make or change tables. */
const DEFINES = /^\s*(?:CREATE|ALTER|DROP)\b/i;
const MAKES_IF_MISSING = /^\s*CREATE TABLE IF NOT EXISTS [^;]*;?\s*$/i;
/** Says which version the tables are of, so that it stays with them. */
const VERSION_TABLE = 'schema_version';

const WRITTEN_TABLE = /^\s*(?:INSERT(?: OR \w+)? INTO|REPLACE INTO|UPDATE(?: OR \w+)?|DELETE FROM) (\w+)/i;

interface Prepared {
  statement: StatementSync;
  kind: 'read' | 'write' | 'returning';
  /** The table it writes. */
  table: string;
  /** A row of its values, which come as an array: much cheaper than as an object. */
  rowOf: (values: SQLOutputValue[]) => Row;
  /** What it read by its one parameter, as long as nothing is written. */
  known: Map<SQLInputValue | undefined, SQLOutputValue[][]>;
  knownAt: number;
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

/** A database that keeps its tables, and the version they are of, from seed to seed: emptying them is much cheaper than making them. */
export class ObjectDatabase {
  readonly #database = new DatabaseSync(':memory:');
  readonly #prepared = new Map<string, Prepared>();
  readonly #begin = this.#database.prepare('BEGIN');
  readonly #commit = this.#database.prepare('COMMIT');
  readonly #rollback = this.#database.prepare('ROLLBACK');
  readonly #beginInner = this.#database.prepare('SAVEPOINT inner_transaction');
  readonly #endInner = this.#database.prepare('RELEASE inner_transaction');
  readonly #clearing = new Map<string, StatementSync>();
  #isOpen = false;
  /** Tables were made or changed by what is not committed yet. */
  #hasNewTables = false;
  /** Texts that made a table which is still there: run again, they change nothing. */
  readonly #made = new Set<string>();
  /** Counts whatever may change what is read. */
  #edition = 0;
  /** Tables that something was written to since they were emptied. */
  readonly #written = new Set<string>();
  /** Tables that triggers write. */
  readonly #watched = new Set<string>();
  /** A table of it counts its rows for ever. */
  #counts = false;
  readonly #watches: (database: ObjectDatabase) => string;
  /** Told by triggers: which invariant broke, and where. */
  onBreach: (invariant: string, what: string) => void = () => undefined;

  readonly #image: JournalImage | undefined;
  #journalAsked: StatementSync | undefined;

  /** @param watches triggers to be made once these tables are there. @param className of the object. */
  constructor(watches: (database: ObjectDatabase) => string, className = '') {
    this.#watches = watches;
    this.#image = JournalImage.of(className);
    this.#database.function('breach', (invariant, what) => {
      this.onBreach(String(invariant), String(what));
      return null;
    });
  }

  /** While it stays the same, what is read does, too. */
  get changes(): number {
    return this.#edition;
  }

  get hasUncommitted(): boolean {
    return this.#isOpen;
  }

  get tables(): string[] {
    const sql = `SELECT name FROM sqlite_master WHERE type = 'table'`;
    return (this.#rows(this.#prepare(sql), []) as { name: string }[]).map(({ name }) => name);
  }

  /** @param values as the platform takes them: bytes as an ArrayBuffer. */
  exec(sql: string, values: readonly (SQLInputValue | ArrayBuffer)[]): Cursor {
    if (DEFINES.test(sql)) return this.#define(sql);
    const bindings = values.map((value) => (value instanceof ArrayBuffer ? new Uint8Array(value) : value));
    for (const value of bindings) requireShort(value);
    if (bindings.length > PARAMETERS_MAX) throw new Error('too many SQL variables: SQLITE_ERROR');
    const prepared = this.#prepare(sql);
    if (prepared.kind === 'read') return new Cursor(this.#rows(prepared, bindings), 0);
    this.#open();
    this.#edition += 1;
    this.#written.add(prepared.table);
    if (prepared.kind === 'returning') {
      const rows = valuesOf(prepared.statement, bindings).map(prepared.rowOf);
      return new Cursor(rows, rows.length);
    }
    const written = new Cursor(NOTHING, Number(prepared.statement.run(...bindings).changes));
    if (prepared.table === JOURNAL && sql.startsWith('INSERT')) this.#keepImage(textIn(values[1] as StoredText));
    return written;
  }

  #keepImage(entry: string): void {
    this.#image?.apply(entry, (sql, ...bindings) => {
      const { statement, table } = this.#prepare(sql);
      this.#written.add(table);
      statement.run(...bindings);
    });
  }

  /** For the checks: what is committed, when asked between two turns. */
  read<T>(sql: string, ...bindings: SQLInputValue[]): T[] {
    if (this.#image !== undefined && !this.#hasJournal()) return []; // an object without an entry has no rows
    return this.#rows(this.#prepare(sql), bindings) as T[];
  }

  #hasJournal(): boolean {
    this.#journalAsked ??= this.#database.prepare(`SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?`);
    return this.#journalAsked.get(JOURNAL) !== undefined;
  }

  #rows(prepared: Prepared, bindings: readonly SQLInputValue[]): Row[] {
    const { statement, rowOf, known } = prepared;
    if (bindings.length > 1) return valuesOf(statement, bindings).map(rowOf);
    if (prepared.knownAt !== this.#edition) {
      known.clear();
      prepared.knownAt = this.#edition;
    }
    let values = known.get(bindings[0]);
    if (values === undefined) {
      values = valuesOf(statement, bindings);
      known.set(bindings[0], values);
    }
    return values.map(rowOf);
  }

  transaction<T>(run: () => T): T {
    this.#open();
    this.#beginInner.run();
    try {
      const result = run();
      this.#endInner.run();
      return result;
    } catch (thrown) {
      this.#database.exec('ROLLBACK TO inner_transaction; RELEASE inner_transaction');
      this.#edition += 1;
      if (this.#hasNewTables) this.#forgetTables();
      throw thrown;
    }
  }

  commit(): void {
    if (this.#isOpen) this.#commit.run();
    this.#isOpen = false;
    this.#hasNewTables = false;
  }

  rollback(): void {
    if (this.#isOpen) this.#rollback.run();
    this.#isOpen = false;
    this.#edition += 1;
    if (this.#hasNewTables) this.#forgetTables();
  }

  /** Empty again, as for an object that never was. */
  clear(): void {
    this.rollback();
    this.onBreach = () => undefined;
    this.#begin.run();
    this.#written.delete(VERSION_TABLE);
    for (const table of this.#written) this.#clear(table);
    for (const table of this.#watched) this.#clear(table);
    if (this.#written.size > 0 && this.#counts) this.#clear('sqlite_sequence');
    this.#commit.run();
    this.#written.clear();
    this.#edition += 1;
  }

  #clear(table: string): void {
    let statement = this.#clearing.get(table);
    if (statement === undefined) {
      if (!this.#hasTable(table)) return; // made and written in a transaction that was rolled back
      statement = this.#database.prepare(`DELETE FROM "${table}"`);
      this.#clearing.set(table, statement);
    }
    statement.run();
  }

  #hasTable(name: string): boolean {
    return (
      this.#database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?").get(name) !== undefined
    );
  }

  #open(): void {
    if (!this.#isOpen) this.#begin.run();
    this.#isOpen = true;
  }

  #define(sql: string): Cursor {
    if (this.#made.has(sql)) return new Cursor(NOTHING, 0);
    this.#database.exec(sql);
    if (sql.includes(`TABLE IF NOT EXISTS ${JOURNAL}`)) this.#database.exec(this.#image?.definition() ?? '');
    this.#edition += 1;
    this.#hasNewTables = this.#isOpen;
    this.#forgetStatements();
    this.#counts ||= /\bAUTOINCREMENT\b/.test(sql);
    const watches = this.#watches(this);
    if (watches !== '') this.#database.exec(watches);
    for (const [, table = ''] of watches.matchAll(/CREATE TABLE IF NOT EXISTS (\w+)/g)) this.#watched.add(table);
    if (MAKES_IF_MISSING.test(sql)) this.#made.add(sql);
    else this.#made.clear();
    return new Cursor(NOTHING, 0);
  }

  #forgetTables(): void {
    this.#made.clear();
    this.#forgetStatements();
  }

  /** What they read may have other columns now. */
  #forgetStatements(): void {
    this.#prepared.clear();
    this.#clearing.clear();
  }

  #prepare(sql: string): Prepared {
    const known = this.#prepared.get(sql);
    if (known !== undefined) return known;
    const kind = /^\s*(SELECT|WITH)/i.test(sql) ? 'read' : /\bRETURNING\b/.test(sql) ? 'returning' : 'write';
    const table = WRITTEN_TABLE.exec(sql)?.[1] ?? '';
    if (kind !== 'read' && table === '') throw new Error(`which table does this write? ${sql}`);
    const statement = this.#database.prepare(sql.replace(BARE_LIMIT, 'LIMIT ($1 + 0)'));
    statement.setReturnArrays(true);
    const rowOf = rowMaker(statement.columns().map(({ name }) => name));
    const prepared: Prepared = { statement, kind, table, rowOf, known: new Map(), knownAt: this.#edition };
    this.#prepared.set(sql, prepared);
    return prepared;
  }
}

/** @returns arrays, as its statement was told to. */
const valuesOf = (statement: StatementSync, bindings: readonly SQLInputValue[]): SQLOutputValue[][] =>
  statement.all(...bindings) as unknown as SQLOutputValue[][];

const rowMakers = new Map<string, Prepared['rowOf']>();

/** Written out, so that all rows of a statement have one shape; made once per shape. */
function rowMaker(columns: readonly string[]): Prepared['rowOf'] {
  const members = columns.map((name, at) => `${JSON.stringify(name)}: values[${at}]`).join(', ');
  const known = rowMakers.get(members);
  if (known !== undefined) return known;
  const made = new Function('values', `return {${members}}`) as Prepared['rowOf'];
  rowMakers.set(members, made);
  return made;
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
    return this.#free.get(className)?.pop() ?? new ObjectDatabase(this.#watches, className);
  }

  giveBack(className: string, database: ObjectDatabase): void {
    database.clear();
    const free = this.#free.get(className) ?? [];
    free.push(database);
    this.#free.set(className, free);
  }
}
