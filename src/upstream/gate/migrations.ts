/** What an UpstreamGate stores, step by step. A step that was released is never changed; a new one is added below it. */
import type { Migrations } from '../../kernel/migrate.ts';

const TABLES = `
CREATE TABLE IF NOT EXISTS channel (id INTEGER PRIMARY KEY CHECK (id = 1), name TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS token (id INTEGER PRIMARY KEY CHECK (id = 1), held TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS breaker (scope TEXT PRIMARY KEY, kept TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS failing_read (api TEXT PRIMARY KEY, kept TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS audit (
  id INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL, key_id TEXT NOT NULL, author TEXT NOT NULL, reason TEXT NOT NULL,
  scope TEXT NOT NULL, before TEXT NOT NULL
);
`;

export const GATE_MIGRATIONS: Migrations = {
  of: 'UpstreamGate',
  steps: [{ number: 1, run: (sql) => sql.exec(TABLES) }],
};
