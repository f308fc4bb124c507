/** D1 on SQLite in memory, with the tables of the index of all batches: for tests of what is written there. */
import { readFileSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';

const STEPS = ['0008_batch_index', '0010_batch_dollars', '0013_issues_and_minutes', '0019_faults'];

export function aDirectory(): { database: D1Database; read(sql: string): unknown[][] } {
  const database = new DatabaseSync(':memory:');
  for (const name of STEPS) database.exec(readFileSync(`src/ops/migrations/${name}.sql`, 'utf8'));
  const bound = (sql: string, values: readonly SQLInputValue[]) => ({
    run: async () => ({ meta: { changes: Number(database.prepare(sql).run(...values).changes) } }),
    all: async () => ({ results: database.prepare(sql).all(...values) }),
    first: async () => database.prepare(sql).get(...values) ?? null,
  });
  const d1 = {
    prepare: (sql: string) => ({ bind: (...values: SQLInputValue[]) => bound(sql, values) }),
    batch: async (statements: { run(): Promise<unknown> }[]) => {
      database.exec('BEGIN');
      for (const statement of statements) await statement.run();
      database.exec('COMMIT');
    },
  };
  const read = (sql: string): unknown[][] =>
    database
      .prepare(sql)
      .all()
      .map((row) => Object.values(row));
  return { database: d1 as unknown as D1Database, read };
}
