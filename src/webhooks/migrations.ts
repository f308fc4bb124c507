/** What Webhooks stores, step by step. A step that was released is never changed; a new one is added below it. */
import type { Migrations } from '../kernel/migrate.ts';

/**
 * `round_attempts`: since it was told or sent again; the schedule counts these.
 */
const TABLES = `
CREATE TABLE IF NOT EXISTS scope (id INTEGER PRIMARY KEY CHECK (id = 1), environment TEXT NOT NULL, partner TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS target (
  id TEXT PRIMARY KEY, edition INTEGER NOT NULL, url TEXT NOT NULL, events TEXT NOT NULL, is_enabled INTEGER NOT NULL,
  is_deleted INTEGER NOT NULL, generation INTEGER NOT NULL, rotated_at_ms INTEGER,
  failing_since_ms INTEGER, disabled_reason TEXT, disabled_at_ms INTEGER
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS event (
  event_id TEXT PRIMARY KEY, type TEXT NOT NULL, told_at_ms INTEGER NOT NULL, body TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS event_by_age ON event (told_at_ms);
CREATE TABLE IF NOT EXISTS delivery (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, event_id TEXT NOT NULL, target_id TEXT NOT NULL, state TEXT NOT NULL DEFAULT 'waiting',
  attempts INTEGER NOT NULL DEFAULT 0, round_attempts INTEGER NOT NULL DEFAULT 0, due_ms INTEGER,
  last_at_ms INTEGER, last_status INTEGER, last_detail TEXT, again_by TEXT, again_at_ms INTEGER, UNIQUE (event_id, target_id)
);
CREATE INDEX IF NOT EXISTS open_delivery ON delivery (target_id, due_ms, seq) WHERE due_ms IS NOT NULL;
CREATE INDEX IF NOT EXISTS delivery_of_target ON delivery (target_id, seq);
`;

export const WEBHOOK_MIGRATIONS: Migrations = {
  of: 'Webhooks',
  steps: [{ number: 1, run: (sql) => sql.exec(TABLES) }],
};
