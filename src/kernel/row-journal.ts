/**
 * Rows of an object that live in memory and are stored as one append-only journal: an entry per commit, with what
 * changed. The rows are a pure fold of the entries. A new object makes one table, and a commit writes one row.
 *
 * Rows are immutable: a change makes a new one, so what a caller holds never changes under its hands.
 */
import { hasJournal, JOURNAL, JOURNAL_TABLE } from './journal-table.ts';
import { orNoTable } from './migrate.ts';
import { type PackableRow, type Packed, packedRows, rowsIn } from './packed-rows.ts';
import { packedText, type StoredText, textIn } from './packed-text.ts';

export type Cell = string | number | null;
/** A column without a default is always stored; a function computes what is not stored from the rest of the row. */
type Column<R> = Cell | typeof STORED | ((row: R) => Cell);
export const STORED: unique symbol = Symbol('stored');

/**
 * @property columns their numbers, counted from 0 in this order, stand in stored entries: new ones are added at the
 * end, and none is ever removed or moved.
 */
export interface TableForm<R> {
  name: string;
  keyOf(row: R): string | number;
  columns: { readonly [C in keyof R]-?: Column<R> };
}

/** What became of a row; null: it was not there before, or is gone. */
type RowWatcher<R> = (after: R | null, before: R | null) => void;

/** Kinds of stored changes. */
const PUT = 0;
const PATCH = 1;
const DROP = 2;
const PACK = 3;
/** `[table, kind, …]`: put and patch have pairs of column and value; a patch and a drop begin with the row's key. */
export type StoredChange = [table: number, kind: number, ...rest: unknown[]];

/** What a stored change says of one row. */
export type RowChange<R> =
  | { did: 'put'; row: R }
  | { did: 'patch'; key: string | number; to: Partial<R> }
  | { did: 'drop'; key: string | number };

interface NumberedColumn<R> {
  name: keyof R & string;
  number: number;
  column: Column<R>;
}

/** Rows of one table of the journal, by key, in the order in which they came. */
export class Rows<R extends object> {
  readonly form: TableForm<R>;
  readonly #columns: readonly NumberedColumn<R>[];
  readonly #numbers: ReadonlyMap<string, number>;
  readonly #rows = new Map<string | number, R>();
  readonly #watchers: RowWatcher<R>[] = [];
  readonly #table: number;
  readonly #changed: (change: StoredChange) => void;

  constructor(form: TableForm<R>, table: number, changed: (change: StoredChange) => void) {
    this.form = form;
    const names = Object.keys(form.columns) as (keyof R & string)[];
    this.#columns = names.map((name, number) => ({ name, number, column: form.columns[name] }));
    this.#numbers = new Map(names.map((name, number) => [name, number]));
    this.#table = table;
    this.#changed = changed;
  }

  get size(): number {
    return this.#rows.size;
  }

  get = (key: string | number): R | undefined => this.#rows.get(key);
  has = (key: string | number): boolean => this.#rows.has(key);
  values = (): IterableIterator<R> => this.#rows.values();

  /** Told of every change, and of every row that is read from the journal: keeps an index. */
  watch(watcher: RowWatcher<R>): void {
    this.#watchers.push(watcher);
  }

  /** A new row, or another one in place of that with its key. */
  put(row: R): void {
    for (const change of this.#changesOf(row)) this.#changed(change);
    this.#set(row);
  }

  /** Many rows in few changes: values that all of them share are stored once. */
  putAll(rows: readonly R[]): void {
    for (const change of this.#allOf(rows)) this.#changed(change);
    for (const row of rows) this.#set(row);
  }

  /** @returns the row as it is now. Values that stay as they are are not stored. @throws if there is no such row. */
  patch(key: string | number, to: Partial<R>): R {
    const before = this.#rows.get(key);
    if (before === undefined) throw new Error(`no row ${key} in ${this.form.name}`);
    const change: StoredChange = [this.#table, PATCH, key];
    let after: R | null = null;
    for (const name in to) {
      if (to[name] === before[name]) continue;
      after ??= { ...before };
      after[name] = to[name] as R[typeof name];
      change.push(this.#numbers.get(name), to[name]);
    }
    if (after === null) return before;
    this.#changed(change);
    this.#set(after);
    return after;
  }

  drop(key: string | number): void {
    if (this.#remove(key)) this.#changed([this.#table, DROP, key]);
  }

  /** Applies what was stored. */
  apply(stored: StoredChange): void {
    for (const change of this.changesIn(stored)) {
      switch (change.did) {
        case 'put':
          this.#set(change.row);
          break;
        case 'patch': {
          const before = this.#rows.get(change.key);
          if (before !== undefined) this.#set({ ...before, ...change.to });
          break;
        }
        case 'drop':
          this.#remove(change.key);
      }
    }
  }

  /** What a stored change says. */
  changesIn([, kind, ...rest]: StoredChange): RowChange<R>[] {
    switch (kind) {
      case PUT:
        return [{ did: 'put', row: this.#whole(this.#fromCells(rest)) }];
      case PATCH: {
        const [key, ...pairs] = rest as [string | number, ...unknown[]];
        return [{ did: 'patch', key, to: this.#fromCells(pairs) }];
      }
      case DROP:
        return [{ did: 'drop', key: rest[0] as string | number }];
      case PACK:
        return this.#unpacked(rest[0] as Packed).map((row) => ({ did: 'put', row }));
      default:
        throw new Error(`a stored change of unknown kind ${kind} in ${this.form.name}`);
    }
  }

  /** Everything, as the changes that make it. */
  all = (): Iterable<StoredChange> => this.#allOf([...this.#rows.values()]);

  *#allOf(rows: readonly R[]): Iterable<StoredChange> {
    for (const some of inParts(rows)) {
      const [only] = some;
      if (only !== undefined && some.length === 1) yield* this.#changesOf(only);
      else yield this.#packed(some);
    }
  }

  /** One change; of a row too long for one entry, its long texts come after all the rest, one by one. */
  #changesOf(row: R): StoredChange[] {
    if (charactersOf(row) <= ENTRY_CHARACTERS_MAX) return [[this.#table, PUT, ...this.#cells(row)]];
    const cells = this.#columns.map(({ name, number }): [number, Cell] => [number, row[name] as Cell]);
    const long = cells.filter(([, cell]) => isLong(cell));
    return [
      [this.#table, PUT, ...cells.flatMap(([number, cell]) => [number, isLong(cell) ? '' : cell])],
      ...long.map(([number, cell]): StoredChange => [this.#table, PATCH, this.form.keyOf(row), number, cell]),
    ];
  }

  empty(): void {
    for (const key of [...this.#rows.keys()]) this.#remove(key);
  }

  #set(row: R): void {
    const key = this.form.keyOf(row);
    const before = this.#rows.get(key) ?? null;
    this.#rows.set(key, row);
    for (const watcher of this.#watchers) watcher(row, before);
  }

  #remove(key: string | number): boolean {
    const before = this.#rows.get(key);
    if (before === undefined) return false;
    this.#rows.delete(key);
    for (const watcher of this.#watchers) watcher(null, before);
    return true;
  }

  /** Number and value of each cell that is stored. */
  #cells(row: R): unknown[] {
    const cells: unknown[] = [];
    for (const { name, number, column } of this.#columns) {
      if (row[name] !== defaultIn(column, row)) cells.push(number, row[name]);
    }
    return cells;
  }

  #fromCells(pairs: readonly unknown[]): Partial<R> {
    const row: Partial<R> = {};
    for (let at = 0; at < pairs.length; at += 2) {
      row[this.#nameOf(Number(pairs[at]))] = pairs[at + 1] as R[keyof R & string];
    }
    return row;
  }

  #nameOf(number: number): keyof R & string {
    const name = this.#columns[number]?.name;
    if (name === undefined) throw new Error(`a stored column of unknown number ${number} in ${this.form.name}`);
    return name;
  }

  /** Plain defaults first: computed ones are made of them. */
  #whole(stored: Partial<R>): R {
    const row = {} as R;
    for (const { name, column } of this.#columns) {
      row[name] = (
        name in stored ? stored[name] : typeof column === 'function' ? null : column
      ) as (typeof row)[typeof name];
    }
    for (const { name, column } of this.#columns) {
      if (typeof column === 'function' && !(name in stored)) row[name] = column(row) as (typeof row)[typeof name];
    }
    return row;
  }

  #packed(rows: readonly R[]): StoredChange {
    const stored = rows.map((row): PackableRow => {
      const cells: Record<string, Cell> = {};
      for (const { name, number, column } of this.#columns) {
        if (row[name] !== defaultIn(column, row)) cells[number] = row[name] as Cell;
      }
      return cells;
    });
    return [this.#table, PACK, packedRows(stored)];
  }

  #unpacked = (packed: Packed): R[] =>
    rowsIn<Record<string, Cell>>(packed).map((cells) => this.#whole(this.#fromCells(Object.entries(cells).flat())));
}

const defaultIn = <R>(column: Column<R>, row: R): unknown => (typeof column === 'function' ? column(row) : column);

/** Characters of one entry. A stored text may have 2 MB, and a character takes up to three bytes. */
const ENTRY_CHARACTERS_MAX = 500_000;
/** A text that is stored by itself where its row is too long for one entry. */
const LONG_CHARACTERS = 10_000;
const isLong = (cell: Cell): boolean => typeof cell === 'string' && cell.length > LONG_CHARACTERS;

/** What a row takes besides its longest texts; only to cut long lists. */
const ROW_CHARACTERS = 200;

function* inParts<R extends object>(rows: readonly R[]): Iterable<readonly R[]> {
  let from = 0;
  let characters = 0;
  for (const [index, row] of rows.entries()) {
    const own = charactersOf(row);
    if (characters + own > ENTRY_CHARACTERS_MAX / 2 && index > from) {
      yield rows.slice(from, index);
      from = index;
      characters = 0;
    }
    characters += own;
  }
  if (from < rows.length) yield rows.slice(from);
}

function charactersOf(row: object): number {
  let sum = ROW_CHARACTERS;
  for (const cell of Object.values(row)) if (typeof cell === 'string') sum += cell.length;
  return sum;
}

/**
 * The journal is written anew, in as few entries as its rows need, when what was appended since the last time has this
 * many characters and is longer than the rest. Ours: a start reads a few MB in some ten ms.
 */
const REWRITE_CHARACTERS = 1_000_000;

export class RowJournal {
  readonly #sql: SqlStorage;
  readonly #version: number;
  readonly #tables: Rows<never>[] = [];
  readonly #pending: string[] = [];
  #isBehind = false;
  #isOpen = false;
  #last = 0;
  /** Characters of the entries that hold everything, and of those appended since. */
  #baseCharacters = 0;
  #tailCharacters = 0;

  /** @param version of the forms of its tables. */
  constructor(sql: SqlStorage, version: number) {
    this.#sql = sql;
    this.#version = version;
  }

  /** Tables are known by their number: they are always made in the same order. */
  table<R extends object>(form: TableForm<R>): Rows<R> {
    const rows = new Rows<R>(form, this.#tables.length, (change) => this.#changed(change));
    this.#tables.push(rows as unknown as Rows<never>);
    return rows;
  }

  /** Reads what is stored. Call it once all tables are made and watched. */
  read(): this {
    let characters = 0;
    this.#last = 0;
    const all = `SELECT n, entry FROM ${JOURNAL} ORDER BY n`;
    type Stored = { n: number; entry: StoredText };
    for (const { n, entry: stored } of hasJournal(this.#sql) ? this.#sql.exec<Stored>(all) : []) {
      const entry = textIn(stored);
      for (const change of JSON.parse(entry) as StoredChange[]) this.#rowsOf(change).apply(change);
      this.#last = n;
      characters += entry.length;
    }
    this.#baseCharacters = characters;
    this.#tailCharacters = 0;
    return this;
  }

  /**
   * Runs what changes rows and stores it as one entry, with what was left for later. Synchronous. One inside another
   * belongs to the outer one. If it throws, nothing of it stays.
   */
  commit<T>(run: () => T): T {
    return this.#within(run, () => this.#append());
  }

  /**
   * The same, but stored with the next commit, as part of its entry: for what may be lost with the process without
   * harm. The caller flushes before it waits for anything.
   */
  commitSoon<T>(run: () => T): T {
    return this.#within(run, () => undefined);
  }

  /** What was left for later could not be stored when it was to be, and still waits for the next commit. */
  get isBehind(): boolean {
    return this.#isBehind;
  }

  /** Stores what was left for the next commit. */
  flush = (): void => this.commit(() => undefined);

  #within<T>(run: () => T, end: () => void): T {
    if (this.#isOpen) return run();
    const before = this.#pending.length;
    this.#isOpen = true;
    try {
      const result = run();
      end();
      return result;
    } catch (thrown) {
      this.#undo(before);
      throw thrown;
    } finally {
      this.#isOpen = false;
    }
  }

  /** What was left for later before is stored, or left once more; the rows are read again. */
  #undo(before: number): void {
    this.#pending.length = Math.min(before, this.#pending.length);
    try {
      this.#append();
    } catch {
      this.#isBehind = true; // others left it, and were not told that it is gone: their own flush stores it, or fails
    }
    for (const rows of this.#tables) rows.empty();
    this.read();
    for (const text of this.#pending) {
      const change = JSON.parse(text) as StoredChange;
      this.#rowsOf(change).apply(change);
    }
  }

  #changed(change: StoredChange): void {
    if (!this.#isOpen) throw new Error('a row was changed outside a commit');
    this.#pending.push(JSON.stringify(change));
  }

  /** All or nothing: what one statement wrote stays where a later one of the same turn throws. */
  #append(): void {
    if (this.#pending.length === 0) return;
    const before = this.#last;
    try {
      for (const entry of entriesOf(this.#pending)) this.#insert(entry);
      if (this.#tailCharacters > Math.max(REWRITE_CHARACTERS, this.#baseCharacters)) this.#rewrite();
    } catch (thrown) {
      orNoTable(() => void this.#sql.exec(`DELETE FROM ${JOURNAL} WHERE n > ?`, before), undefined);
      throw thrown;
    }
    this.#pending.length = 0;
    this.#isBehind = false;
  }

  #insert(entry: string): void {
    if (this.#last === 0) this.#sql.exec(JOURNAL_TABLE);
    const sql = `INSERT INTO ${JOURNAL} (n, entry, version) VALUES (?, ?, ?)`;
    this.#sql.exec(sql, this.#last + 1, packedText(entry), this.#version);
    this.#last += 1;
    this.#tailCharacters += entry.length;
  }

  /** Synchronous, so it is one commit with what was just appended. */
  #rewrite(): void {
    const last = this.#last;
    this.#tailCharacters = 0;
    const changes = this.#tables.flatMap((rows) => [...rows.all()].map((change) => JSON.stringify(change)));
    for (const entry of entriesOf(changes)) this.#insert(entry);
    this.#sql.exec(`DELETE FROM ${JOURNAL} WHERE n <= ?`, last); // last: where the new ones find no room, the old ones stay
    this.#baseCharacters = this.#tailCharacters;
    this.#tailCharacters = 0;
  }

  #rowsOf([table]: StoredChange): Rows<never> {
    const rows = this.#tables[table];
    if (rows === undefined) throw new Error(`a stored change of unknown table ${table}`);
    return rows;
  }
}

function* entriesOf(changes: readonly string[]): Iterable<string> {
  let some: string[] = [];
  let characters = 0;
  for (const change of changes) {
    if (characters + change.length > ENTRY_CHARACTERS_MAX && some.length > 0) {
      yield `[${some.join(',')}]`;
      some = [];
      characters = 0;
    }
    some.push(change);
    characters += change.length;
  }
  if (some.length > 0) yield `[${some.join(',')}]`;
}
