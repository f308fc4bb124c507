/** Where a journal (`row-journal.ts`) is stored, and what that says of its object before it is read. */
import type { StoredVersion } from './migrate.ts';

/**
 * The table of a journal in SQL. It has the name of an index that release 0.1 creates whenever an object starts: SQLite refuses an
 * index under the name of a table, so that release can do nothing with an object that has a journal.
 */
export const JOURNAL = 'open_lookup';

/**
 * Made with the first entry: an object that was only asked stores nothing. `version`: of the forms of its rows; the last
 * entry's is that of the object.
 */
export const JOURNAL_TABLE = `CREATE TABLE IF NOT EXISTS ${JOURNAL} (n INTEGER PRIMARY KEY, entry TEXT NOT NULL, version INTEGER NOT NULL)`;

/** What is stored under its name. Asked before its table is: most loads are new, and a statement that fails takes ten times as long. */
const storedAs = (sql: SqlStorage): string | undefined =>
  sql.exec<{ type: string }>('SELECT type FROM sqlite_master WHERE name = ?', JOURNAL).toArray()[0]?.type;
export const hasJournal = (sql: SqlStorage): boolean => storedAs(sql) === 'table';

/** For objects that store a journal and nothing else. */
export const JOURNAL_VERSION: StoredVersion = {
  read(sql) {
    const stored = storedAs(sql);
    if (stored !== 'table') return stored === undefined ? 'new' : null;
    const last = `SELECT version FROM ${JOURNAL} ORDER BY n DESC LIMIT 1`;
    return sql.exec<{ version: number }>(last).toArray()[0]?.version ?? null;
  },
  /** Without an entry there is nothing to say: the first one says it. */
  write(sql, version) {
    if (hasJournal(sql))
      sql.exec(`UPDATE ${JOURNAL} SET version = ? WHERE n = (SELECT max(n) FROM ${JOURNAL})`, version);
  },
};
