/** What an Order stores, step by step. A step that was released is never changed; a new one is added below it. */
import type { Migrations } from '../../kernel/migrate.ts';
import { SUBJECT_TABLES } from './subject-migrations.ts';

/**
 * `refused_operation`: taken, and not done after all. `ended`: the cancel that ended an incarnation was accepted. `foreign_order`: ids that stood under the reference before a create was sent.
 * `after_seq`: the last operation there was; `diff`: JSON of what it changed; NULL where nothing was known.
 * `feed_link`: whose the order is, as its first document that says so says; `since_ms`: when the first of what its feed has not heard of came in; `told`: what that knows of it, heard at `heard_at_ms`; `told_at_ms`: of the last word to it.
 */
const TABLES = `
CREATE TABLE IF NOT EXISTS accepted (
  seq INTEGER PRIMARY KEY, incarnation INTEGER NOT NULL, order_id TEXT NOT NULL, document TEXT NOT NULL, scac TEXT NOT NULL,
  accepted_at_ms INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS refused_operation (seq INTEGER PRIMARY KEY);
CREATE TABLE IF NOT EXISTS ended (incarnation INTEGER PRIMARY KEY, seq INTEGER NOT NULL, ended_at_ms INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS foreign_order (order_id TEXT PRIMARY KEY, seq INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS loaded_base (
  number INTEGER PRIMARY KEY, after_seq INTEGER NOT NULL, incarnation INTEGER NOT NULL, order_id TEXT NOT NULL,
  document TEXT NOT NULL, loaded_at_ms INTEGER NOT NULL, key_id TEXT NOT NULL, author TEXT NOT NULL, why TEXT NOT NULL, diff TEXT
);
CREATE TABLE IF NOT EXISTS operation (
  seq INTEGER PRIMARY KEY, does TEXT NOT NULL, incarnation INTEGER, order_id TEXT, body TEXT NOT NULL, document TEXT, lines TEXT
);
CREATE TABLE IF NOT EXISTS counted_delta (
  incarnation INTEGER NOT NULL, line TEXT NOT NULL, amount REAL NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (incarnation, line)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS followed (seq INTEGER PRIMARY KEY, order_id TEXT NOT NULL, does TEXT NOT NULL, at_ms INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS order_status (
  seq INTEGER PRIMARY KEY, hash TEXT NOT NULL, order_id TEXT, code TEXT NOT NULL, at_ms INTEGER NOT NULL,
  level TEXT NOT NULL, place TEXT NOT NULL, learned_at_ms INTEGER NOT NULL, corrects INTEGER
);
CREATE INDEX IF NOT EXISTS correction ON order_status (corrects, seq) WHERE corrects IS NOT NULL;
CREATE TABLE IF NOT EXISTS feed_link (
  id INTEGER PRIMARY KEY CHECK (id = 1), pair TEXT NOT NULL, taken_at_ms INTEGER NOT NULL, since_ms INTEGER NOT NULL, told TEXT,
  told_at_ms INTEGER NOT NULL DEFAULT 0, heard_at_ms INTEGER NOT NULL DEFAULT 0
);
`;

export const ORDER_MIGRATIONS: Migrations = {
  of: 'Order',
  steps: [{ number: 1, run: (sql) => sql.exec(SUBJECT_TABLES + TABLES) }],
};
