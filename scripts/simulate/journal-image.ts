/**
 * The rows of a load or an order as tables beside its journal, in its own database: kept by what is written to the
 * journal, in the same transaction, so that checks can ask for them, and triggers watch what may never change.
 */
import type { SQLInputValue } from 'node:sqlite';
import type { RowChange, Rows, StoredChange } from '../../src/kernel/row-journal.ts';
import { loadTables, orderTables } from '../../src/tracking/store/subject-tables.ts';

type ImageRow = Record<string, SQLInputValue>;
type Write = (sql: string, ...bindings: SQLInputValue[]) => void;

/** Key of a row of the image. */
const KEY = 'image_key';

export class JournalImage {
  /** By their number in the journal. */
  readonly #tables: readonly Rows<ImageRow>[];

  private constructor(tables: readonly Rows<ImageRow>[]) {
    this.#tables = tables;
  }

  /** @returns undefined for a class that has no journal. */
  static of(className: string): JournalImage | undefined {
    const nothing = undefined as unknown as SqlStorage; // only what is stored is read, and nothing is stored
    const made = className === 'Load' ? loadTables(nothing) : className === 'Order' ? orderTables(nothing) : undefined;
    if (made === undefined) return undefined;
    const { journal: _, ...tables } = made;
    return new JournalImage(Object.values(tables) as unknown as Rows<ImageRow>[]);
  }

  get names(): string[] {
    return this.#tables.map(({ form }) => form.name);
  }

  definition(): string {
    return this.#tables
      .map(({ form }) => {
        const columns = Object.keys(form.columns).map((name) => `"${name}"`);
        return `CREATE TABLE IF NOT EXISTS ${form.name} (${columns.join(', ')}, ${KEY} PRIMARY KEY);`;
      })
      .join('\n');
  }

  /** @param entry of the journal. */
  apply(entry: string, write: Write): void {
    for (const stored of JSON.parse(entry) as StoredChange[]) {
      const rows = this.#tables[stored[0]];
      if (rows === undefined) throw new Error(`a change of table ${stored[0]}`);
      for (const change of rows.changesIn(stored)) this.#write(rows, change, write);
    }
  }

  #write({ form }: Rows<ImageRow>, change: RowChange<ImageRow>, write: Write): void {
    switch (change.did) {
      case 'put': {
        const names = Object.keys(form.columns);
        const values = names.map((name) => change.row[name] ?? null);
        const places = [...names, KEY].map(() => '?').join(', ');
        write(`INSERT OR REPLACE INTO ${form.name} VALUES (${places})`, ...values, form.keyOf(change.row));
        return;
      }
      case 'patch': {
        const names = Object.keys(change.to);
        const cells = names.map((name) => `"${name}" = ?`).join(', ');
        const values = names.map((name) => change.to[name] ?? null);
        write(`UPDATE ${form.name} SET ${cells} WHERE ${KEY} = ?`, ...values, change.key);
        return;
      }
      case 'drop':
        write(`DELETE FROM ${form.name} WHERE ${KEY} = ?`, change.key);
    }
  }
}
