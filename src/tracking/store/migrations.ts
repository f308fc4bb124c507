/** What loads and orders of release 0.1 stored in tables, and how it comes into their journals. */

import { JOURNAL, JOURNAL_VERSION } from '../../kernel/journal-table.ts';
import { type Fresh, type Migrations, orNoTable } from '../../kernel/migrate.ts';
import type { Cell, Rows } from '../../kernel/row-journal.ts';
import {
  LOAD_VERSION,
  type LoadTables,
  loadTables,
  ORDER_VERSION,
  type OrderTables,
  orderTables,
} from './subject-tables.ts';

/* The tables of 0.1 are never changed: it creates them, with their indexes, whenever an object starts. */

/** `before` and `after`: JSON of the request before and after the decision. */
export const SUBJECT_TABLES = `
CREATE TABLE IF NOT EXISTS identity (id INTEGER PRIMARY KEY CHECK (id = 1), named TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS request (
  seq INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, lane TEXT NOT NULL, batch_id TEXT NOT NULL, record INTEGER NOT NULL,
  request INTEGER NOT NULL, generation INTEGER NOT NULL, kind TEXT NOT NULL, scac TEXT NOT NULL, channel TEXT NOT NULL, body TEXT NOT NULL,
  live INTEGER NOT NULL, forced INTEGER NOT NULL DEFAULT 0, business_key TEXT, awaits_seq INTEGER, uploaded_by TEXT, accepted_at_ms INTEGER NOT NULL, taken_at_ms INTEGER NOT NULL, deadline_ms INTEGER NOT NULL,
  hold_unclear INTEGER NOT NULL DEFAULT 0, load_wait_until_ms INTEGER, strict INTEGER NOT NULL DEFAULT 0,
  surprise_policy TEXT, surprises TEXT,
  event_at_ms INTEGER, state TEXT NOT NULL DEFAULT 'queued', into_seq INTEGER, reason TEXT, outcome TEXT, evidence TEXT, at_ms INTEGER,
  first_tried_at_ms INTEGER, tries INTEGER NOT NULL DEFAULT 0, attempts INTEGER NOT NULL DEFAULT 0,
  had_unknown INTEGER NOT NULL DEFAULT 0, possible_duplicate INTEGER NOT NULL DEFAULT 0, late INTEGER NOT NULL DEFAULT 0,
  revision INTEGER NOT NULL DEFAULT 0, status INTEGER, answer TEXT NOT NULL DEFAULT '', decided_at_ms INTEGER NOT NULL DEFAULT 0,
  diff TEXT, action TEXT
);
CREATE TABLE IF NOT EXISTS attempt (
  seq INTEGER NOT NULL, attempt INTEGER NOT NULL, purpose TEXT NOT NULL DEFAULT 'send', started_at_ms INTEGER NOT NULL, request_sha256 TEXT NOT NULL,
  token_fingerprint TEXT, carries TEXT, effect TEXT, status INTEGER, headers TEXT, body TEXT, body_end TEXT,
  body_encoding TEXT, detail TEXT, latency_ms INTEGER, PRIMARY KEY (seq, attempt)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS open_lookup ON attempt (seq) WHERE effect IS NULL AND purpose <> 'send';
CREATE TABLE IF NOT EXISTS outbox (seq INTEGER PRIMARY KEY, revision INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS decision (
  number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, seq INTEGER NOT NULL, at_ms INTEGER NOT NULL, who TEXT NOT NULL,
  name TEXT NOT NULL, why TEXT NOT NULL, decision TEXT NOT NULL, order_id TEXT, outcome TEXT, before TEXT NOT NULL,
  after TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS decision_of_request ON decision (seq);
`;

/**
 * `set_no` and `part`: the position of a set in its lane; a half keeps the number and begins at its own point. `at_ms`:
 * the time of the event or, if it has none, when it was accepted. `happened` is not read. `known`: 0 until its step, 1
 * while it counts, 2 where it was not applied.
 */
export const LOAD_TABLES = `
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

/** A new object makes its journal with the first entry. */
const NOTHING: Fresh = { old: { type: 'index', name: JOURNAL }, run: null };

/** A released step is never changed; new ones are added below it, and raise the version. */
export const LOAD_MIGRATIONS: Migrations = {
  of: 'Load',
  steps: [{ number: LOAD_VERSION, run: (sql) => bringIn(sql, SUBJECT_TABLES + LOAD_TABLES, loadTables(sql)) }],
  fresh: NOTHING,
  version: JOURNAL_VERSION,
};

/**
 * `refused_operation`: accepted, and not done after all. `ended`: the cancel that ended an incarnation was accepted.
 * `foreign_order`: ids that existed under the reference before a create was sent. `after_seq`: the last operation at
 * the time; `diff`: JSON of what it changed; NULL where nothing was known. `feed_link`: whose the order is, from the
 * first document that says so; `since_ms`: when the first operation came in that its feed was not notified of; `told`:
 * what the feed knows, as confirmed at `heard_at_ms`; `told_at_ms`: time of the last notification.
 */
export const ORDER_TABLES = `
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

/** As for loads. */
export const ORDER_MIGRATIONS: Migrations = {
  of: 'Order',
  steps: [{ number: ORDER_VERSION, run: (sql) => bringIn(sql, SUBJECT_TABLES + ORDER_TABLES, orderTables(sql)) }],
  fresh: NOTHING,
  version: JOURNAL_VERSION,
};

/*
 * From the tables of release 0.1 into the journal. The tables stay as they are and are not read again: they go with the
 * object.
 */

/** Of a load of 0.1: a row of its `event` table that was checked. */
const AUDITED = 'SELECT seq, known FROM event WHERE known > 0';
/** What was sent before it had a row there counts; anything else is checked at its step first. */
const NEVER_AUDITED = `SELECT seq, 1 AS known FROM request WHERE seq NOT IN (SELECT seq FROM event)
  AND (first_tried_at_ms IS NOT NULL OR state = 'coalesced') AND state NOT IN ('rejected', 'cancelled', 'duplicate')
  AND outcome IS NOT 'not_applied'`;

/** @param lacking creates what is missing of the tables of 0.1. */
function bringIn(sql: SqlStorage, lacking: string, { journal, ...tables }: LoadTables | OrderTables): void {
  sql.exec(lacking);
  sql.exec(`DROP INDEX ${JOURNAL}`); // the journal takes its name
  journal.commit(() => {
    for (const rows of Object.values(tables) as Rows<Record<string, Cell>>[]) {
      const { name, columns } = rows.form;
      const stored =
        name === 'audited' ? `${AUDITED} UNION ALL ${NEVER_AUDITED} ORDER BY seq` : `SELECT * FROM ${name}`;
      rows.putAll([...sql.exec<Record<string, Cell>>(stored)].map((row) => only(row, Object.keys(columns))));
    }
  });
}

/** The columns that are still read. */
const only = (row: Record<string, Cell>, columns: readonly string[]): Record<string, Cell> =>
  Object.fromEntries(columns.map((column) => [column, row[column] ?? null]));

/** Whether anything was ever stored. Creates no tables, so that a made-up name leaves nothing. */
export const isWritten = (sql: SqlStorage): boolean =>
  typeof JOURNAL_VERSION.read(sql) === 'number' ||
  orNoTable(() => sql.exec('SELECT 1 FROM identity LIMIT 1').toArray().length > 0, false);
