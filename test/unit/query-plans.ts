/** How SQLite reads what a query asks for, on the tables that an object class makes. */
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import type { Migrations } from '../../src/kernel/migrate.ts';

/** @returns what each statement of `run` does, in the words of EXPLAIN QUERY PLAN. */
export function plansOf(
  { steps, fresh }: Migrations,
  run: (sql: SqlStorage) => void,
): { text: string; plan: string[] }[] {
  const database = new DatabaseSync(':memory:');
  for (const step of fresh === undefined ? steps : [fresh])
    step.run?.({ exec: (text: string) => database.exec(text) } as unknown as SqlStorage, {} as SyncKvStorage);
  const found: { text: string; plan: string[] }[] = [];
  const exec = (text: string, ...values: SQLInputValue[]) => {
    const rows = database.prepare(`EXPLAIN QUERY PLAN ${text}`).all(...values) as { detail: string }[];
    found.push({ text, plan: rows.map(({ detail }) => detail) });
    return { toArray: () => database.prepare(text).all(...values) };
  };
  run({ exec } as unknown as SqlStorage);
  database.close();
  return found;
}
