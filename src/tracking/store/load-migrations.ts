/** What a Load stores, step by step. A step that was released is never changed; a new one is added below it. */
import type { Migrations } from '../../kernel/migrate.ts';
import { SUBJECT_TABLES } from './subject-migrations.ts';

/**
 * `set_no` and `part` say where a set stands in its lane: a half keeps its number and begins at its own point.
 * `at_ms` stands also where the event says no time: then when it was accepted. Nobody asks for `happened`. `known`: 0 until its turn came, 1 while it counts, 2 where it was not taken.
 */
const TABLES = `
CREATE TABLE IF NOT EXISTS trace_set (
  seq INTEGER PRIMARY KEY, set_no INTEGER NOT NULL, part INTEGER NOT NULL, points INTEGER NOT NULL,
  overflowed INTEGER NOT NULL DEFAULT 0, body TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS released (batch_id TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS loose_point ON request (event_at_ms, seq)
  WHERE event_at_ms IS NOT NULL AND into_seq IS NULL AND state = 'queued';
CREATE INDEX IF NOT EXISTS set_point ON request (into_seq) WHERE into_seq IS NOT NULL;
CREATE INDEX IF NOT EXISTS equal_request ON request (business_key, seq) WHERE business_key IS NOT NULL AND state NOT IN ('duplicate', 'rejected', 'cancelled');
CREATE TABLE IF NOT EXISTS event (
  seq INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL, what TEXT, time TEXT, stop INTEGER, place TEXT, latitude REAL,
  longitude REAL, happened INTEGER NOT NULL DEFAULT 0, phase TEXT, role TEXT, stop_key TEXT, resource TEXT,
  known INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE IF NOT EXISTS stop_met (stop INTEGER PRIMARY KEY);
CREATE INDEX IF NOT EXISTS event_time ON event (at_ms, seq);
CREATE INDEX IF NOT EXISTS event_at_stop ON event (stop_key, phase, at_ms) WHERE known = 1 AND stop_key IS NOT NULL;
CREATE INDEX IF NOT EXISTS event_role ON event (role, at_ms) WHERE known = 1 AND role IS NOT NULL;
CREATE INDEX IF NOT EXISTS event_position ON event (resource, at_ms) WHERE known = 1 AND latitude IS NOT NULL;
`;

export const LOAD_MIGRATIONS: Migrations = {
  of: 'Load',
  steps: [{ number: 1, run: (sql) => sql.exec(SUBJECT_TABLES + TABLES) }],
};
