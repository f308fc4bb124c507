/** Objects as `wrangler dev` stores them: a SQLite file each, written here as their class writes it. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { type LoadTables, loadTables, type OrderTables, orderTables } from '../../src/tracking/store/subject-tables.ts';

/** @returns the path of its file. */
export function writeObject(
  persistTo: string,
  { className, name = 'a1' }: { className: string; name?: string },
  run: (sql: SqlStorage) => void,
): string {
  const folder = join(persistTo, 'v3', 'do', `transload-${className}`);
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${name}.sqlite`);
  const database = new DatabaseSync(path);
  const exec = (text: string, ...values: SQLInputValue[]) =>
    values.length === 0 ? database.exec(text) : database.prepare(text).all(...values);
  run({ exec } as unknown as SqlStorage);
  database.close();
  return path;
}

/** A load with these rows, stored in one commit. */
export const writeLoad = (persistTo: string, name: string, put: (tables: LoadTables) => void): string =>
  writeObject(persistTo, { className: 'Load', name }, (sql) => committed(loadTables(sql), put));

export const writeOrder = (persistTo: string, name: string, put: (tables: OrderTables) => void): string =>
  writeObject(persistTo, { className: 'Order', name }, (sql) => committed(orderTables(sql), put));

function committed<T extends LoadTables | OrderTables>(tables: T, put: (tables: T) => void): void {
  tables.journal.commit(() => put(tables));
}
