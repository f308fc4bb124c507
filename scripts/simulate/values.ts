/** The values that an object stores beside its tables (`ctx.storage.kv`), in the same transactions as those. */
import type { ObjectDatabase } from './sql.ts';

const TABLE = 'stored_value';

/** Their table is made with the first value: few objects have one. */
export function valuesIn(database: ObjectDatabase) {
  const rows = (text: string, ...bindings: string[]): { key: string; value: string }[] =>
    database.tables.includes(TABLE)
      ? (database.exec(text, bindings).toArray() as unknown as { key: string; value: string }[])
      : [];
  return {
    get: (key: string): unknown => {
      const [row] = rows(`SELECT key, value FROM ${TABLE} WHERE key = ?`, key);
      return row === undefined ? undefined : JSON.parse(row.value);
    },
    put: (key: string, value: unknown): void => {
      if (!database.tables.includes(TABLE))
        database.exec(`CREATE TABLE ${TABLE} (key TEXT PRIMARY KEY, value TEXT NOT NULL)`, []);
      rows(
        `INSERT OR REPLACE INTO ${TABLE} (key, value) VALUES (?, ?) RETURNING key, value`,
        key,
        JSON.stringify(value),
      );
    },
    delete: (key: string): boolean => rows(`DELETE FROM ${TABLE} WHERE key = ? RETURNING key, value`, key).length > 0,
    list: ({ prefix }: { prefix: string }): [string, unknown][] =>
      rows(`SELECT key, value FROM ${TABLE} WHERE substr(key, 1, length(?1)) = ?1 ORDER BY key`, prefix).map(
        ({ key, value }): [string, unknown] => [key, JSON.parse(value)],
      ),
  };
}
