/** Tables of a Batch, step by step. A released step is never changed; add a new one below it. */
import type { Migrations } from '../../kernel/migrate.ts';

/** As release 0.1 stored rows and messages: a row per record and per request, and indexes of messages. */
const OLD_TABLES = `
CREATE TABLE IF NOT EXISTS message (
  message INTEGER PRIMARY KEY, upload_id TEXT NOT NULL UNIQUE, file_name TEXT, bytes INTEGER NOT NULL, sha256 TEXT NOT NULL,
  received_at_ms INTEGER NOT NULL, state TEXT NOT NULL DEFAULT 'unread', records_before INTEGER, records INTEGER, content TEXT,
  problems TEXT, notes TEXT, is_told INTEGER, is_announced INTEGER, uploaded_by TEXT
);
CREATE INDEX IF NOT EXISTS unread_message ON message (message) WHERE state = 'unread';
CREATE INDEX IF NOT EXISTS untold_message ON message (message) WHERE is_told = 0;
CREATE INDEX IF NOT EXISTS unannounced_message ON message (message) WHERE is_announced = 0;
CREATE INDEX IF NOT EXISTS faulty_message ON message (message) WHERE problems IS NOT NULL;
CREATE INDEX IF NOT EXISTS message_in_order ON message (records_before, message);
CREATE INDEX IF NOT EXISTS message_of_record ON message (records_before) WHERE records IS NULL OR records > 0;
CREATE TABLE IF NOT EXISTS message_counts (id INTEGER PRIMARY KEY CHECK (id = 1), json TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS record (
  record INTEGER PRIMARY KEY, line INTEGER NOT NULL, byte_from INTEGER NOT NULL, byte_to INTEGER NOT NULL,
  state TEXT NOT NULL, problems TEXT, group_record INTEGER,
  replaces TEXT, replaced_by TEXT, place TEXT, looked_up TEXT
);
CREATE INDEX IF NOT EXISTS record_of_group ON record (group_record) WHERE group_record IS NOT NULL;
CREATE TABLE IF NOT EXISTS request (
  record INTEGER NOT NULL, request INTEGER NOT NULL, kind TEXT NOT NULL, subject TEXT NOT NULL, scac TEXT NOT NULL,
  body TEXT NOT NULL, state TEXT NOT NULL, reason TEXT, outcome TEXT, revision INTEGER NOT NULL DEFAULT 0,
  attempts INTEGER NOT NULL DEFAULT 0, status INTEGER, answer TEXT, possible_duplicate INTEGER NOT NULL DEFAULT 0,
  late INTEGER NOT NULL DEFAULT 0, into_batch_id TEXT, into_record INTEGER, into_request INTEGER, into_state TEXT,
  next_at_ms INTEGER, decided_at_ms INTEGER, evidence TEXT, generation INTEGER NOT NULL DEFAULT 1, retried_at_ms INTEGER, diff TEXT, action TEXT,
  surprises TEXT, PRIMARY KEY (record, request)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS ended_request ON request (kind, state, into_state, reason, outcome, possible_duplicate, generation)
  WHERE CASE state WHEN 'coalesced' THEN into_state ELSE state END IN ('rejected', 'dead', 'cancelled');
CREATE INDEX IF NOT EXISTS letter ON request (record, request) WHERE CASE state WHEN 'coalesced' THEN into_state ELSE state END IN ('held', 'rejected', 'dead', 'cancelled');
CREATE INDEX IF NOT EXISTS invalid_record ON record (state, record) WHERE state = 'invalid';
`;

/**
 * `chosen`: requests to send again, until their subject has them; `generation` the one they get. `earlier`: never
 * changed. `last_*`: the result of the step of that number, so that it can be requested again.
 */
const TABLES = `
CREATE TABLE IF NOT EXISTS kept (name TEXT PRIMARY KEY, json TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS traced_load (scac TEXT NOT NULL, subject TEXT NOT NULL, PRIMARY KEY (scac, subject)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS open_group (id INTEGER PRIMARY KEY CHECK (id = 1), json TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS closed_group (file INTEGER NOT NULL, key TEXT NOT NULL, PRIMARY KEY (file, key)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS staged_group (
  file INTEGER NOT NULL, key TEXT NOT NULL, first INTEGER NOT NULL UNIQUE, rows INTEGER NOT NULL, characters INTEGER NOT NULL,
  too_large INTEGER NOT NULL DEFAULT 0, doubtful_record INTEGER, PRIMARY KEY (file, key)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS staged_row (
  first INTEGER NOT NULL, record INTEGER NOT NULL, json TEXT NOT NULL, PRIMARY KEY (first, record)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS staged_file (file INTEGER PRIMARY KEY, columns TEXT NOT NULL, cut INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS look_up (
  message INTEGER NOT NULL, key TEXT NOT NULL, asked TEXT NOT NULL, answer TEXT NOT NULL, PRIMARY KEY (message, key)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS watch (id INTEGER PRIMARY KEY CHECK (id = 1), pass TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS poked (
  scac TEXT NOT NULL, subject TEXT NOT NULL, pokes INTEGER NOT NULL, at_ms INTEGER NOT NULL,
  quiet_until_ms INTEGER NOT NULL, PRIMARY KEY (scac, subject)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS action (
  seq INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL, who TEXT NOT NULL, what TEXT NOT NULL, detail TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS chosen (
  record INTEGER NOT NULL, request INTEGER NOT NULL, generation INTEGER NOT NULL, PRIMARY KEY (record, request)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS earlier (
  record INTEGER NOT NULL, request INTEGER NOT NULL, generation INTEGER NOT NULL, state TEXT NOT NULL, reason TEXT,
  outcome TEXT, attempts INTEGER NOT NULL, status INTEGER, answer TEXT, decided_at_ms INTEGER,
  PRIMARY KEY (record, request, generation)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS replay (
  action_id TEXT PRIMARY KEY, begun_at_ms INTEGER NOT NULL, requests INTEGER NOT NULL, chosen INTEGER NOT NULL DEFAULT 0,
  skipped INTEGER NOT NULL DEFAULT 0, step INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS replay_item (
  action_id TEXT NOT NULL, record INTEGER NOT NULL, request INTEGER NOT NULL, generation INTEGER NOT NULL,
  PRIMARY KEY (action_id, record, request)
) WITHOUT ROWID;
`;

/**
 * `resolved_by`: the row delivered in its place. `claim`: rows that replace rows of earlier batches (`record` of
 * `batch_id`), until those are notified; `by_*`: what was delivered, once something was. Corrections of release 0.1
 * have theirs from what their file named.
 */
const CLAIM_TABLES = `
CREATE TABLE claim (
  own INTEGER PRIMARY KEY, batch_id TEXT NOT NULL, record INTEGER NOT NULL, by_batch_id TEXT, by_record INTEGER
);
CREATE INDEX due_claim ON claim (batch_id, own) WHERE by_batch_id IS NOT NULL;
`;
const CLAIMS = `
ALTER TABLE record ADD COLUMN resolved_by TEXT;
${CLAIM_TABLES}
INSERT INTO claim (own, batch_id, record, by_batch_id, by_record)
SELECT record, substr(replaces, 1, instr(replaces, '/') - 1), CAST(substr(replaces, instr(replaces, '/') + 1) AS INTEGER),
  CASE WHEN state IN ('delivered', 'duplicate') THEN (SELECT json->>'batchId' FROM kept WHERE name = 'ticket') END,
  CASE WHEN state IN ('delivered', 'duplicate') THEN record END
FROM record WHERE replaces GLOB 'b_*/[1-9]*' AND state NOT IN ('skipped', 'valid');
`;

/**
 * Rows in slices. `slice`: what was read of neighbouring rows; its other columns say what it has, so that it need not be
 * read. `slice_outcomes`: what became of its requests, up to an entry of `outcome_log`. `letter`: rows and requests that
 * are not delivered. It has the name of an index that release 0.1 creates whenever a batch starts: that fails over a
 * table, so 0.1 can do nothing with a batch in slices. Long texts are the last columns: what stands before them is read
 * without them.
 */
const SLICES = `
CREATE TABLE slice (
  id INTEGER PRIMARY KEY, first INTEGER NOT NULL, last INTEGER NOT NULL, rows INTEGER NOT NULL, requests INTEGER NOT NULL,
  orders INTEGER NOT NULL, characters INTEGER NOT NULL, states TEXT, read_records TEXT NOT NULL, read_requests TEXT NOT NULL
);
CREATE TABLE slice_outcomes (
  slice INTEGER NOT NULL, piece INTEGER NOT NULL, ended INTEGER NOT NULL, states TEXT, outcomes TEXT NOT NULL,
  PRIMARY KEY (slice, piece)
) WITHOUT ROWID;
CREATE TABLE outcome_log (slot INTEGER PRIMARY KEY, n INTEGER NOT NULL, counts TEXT NOT NULL, outcomes TEXT NOT NULL);
CREATE TABLE long_body (
  record INTEGER NOT NULL, request INTEGER NOT NULL, body TEXT NOT NULL, PRIMARY KEY (record, request)
) WITHOUT ROWID;
CREATE TABLE letter (
  record INTEGER NOT NULL, request INTEGER NOT NULL, state TEXT NOT NULL, generation INTEGER NOT NULL, kind TEXT, subject TEXT,
  reason TEXT, status INTEGER, may_have_arrived INTEGER NOT NULL, codes TEXT, issue TEXT NOT NULL, PRIMARY KEY (record, request)
) WITHOUT ROWID;
CREATE INDEX letter_issue ON letter (issue);
CREATE TABLE replacement (record INTEGER PRIMARY KEY, replaced_by TEXT, resolved_by TEXT);
`;

/** What became of the sets whose rows are in the slice, and of envelopes and sets without rows before them. */
const SET_OUTCOMES = 'ALTER TABLE slice ADD COLUMN sets TEXT;';

/** What was read of messages, of many in a row. */
const MESSAGE_PAGES = 'CREATE TABLE message_page (page INTEGER PRIMARY KEY, json TEXT NOT NULL);';

/**
 * What is asked of messages is answered from memory, so that a message does not write an index six times. Only releases
 * 0.1 and 0.2 filled the columns from `state` on, but for the last.
 */
const MESSAGES = `
CREATE TABLE message (
  message INTEGER PRIMARY KEY, upload_id TEXT NOT NULL, file_name TEXT, bytes INTEGER NOT NULL, sha256 TEXT NOT NULL,
  received_at_ms INTEGER NOT NULL, state TEXT NOT NULL DEFAULT 'unread', records_before INTEGER, records INTEGER, content TEXT,
  problems TEXT, notes TEXT, is_told INTEGER, is_announced INTEGER, uploaded_by TEXT
);
`;
const OLD_INDEXES = `
DROP INDEX letter;
DROP INDEX unread_message;
DROP INDEX untold_message;
DROP INDEX unannounced_message;
DROP INDEX faulty_message;
DROP INDEX message_in_order;
DROP INDEX message_of_record;
`;

/** Of a batch of release 0.1: its rows are brought into slices when they are first used, `OldRows`. */
const OLD_ROWS = `
INSERT INTO kept (name, json)
SELECT 'oldRows', json_object('after', 0, 'last', last) FROM (SELECT max(record) AS last FROM record) WHERE last IS NOT NULL;
`;

export const BATCH_MIGRATIONS: Migrations = {
  of: 'Batch',
  steps: [
    { number: 1, run: (sql) => sql.exec(OLD_TABLES + TABLES) },
    { number: 2, run: (sql) => sql.exec(CLAIMS) },
    { number: 3, run: (sql) => sql.exec(OLD_INDEXES + SLICES + OLD_ROWS) },
    { number: 4, run: (sql) => sql.exec(MESSAGE_PAGES) },
    { number: 5, run: (sql) => sql.exec(SET_OUTCOMES) },
  ],
  fresh: {
    old: { type: 'table', name: 'kept' },
    run: (sql) => sql.exec(TABLES + MESSAGES + MESSAGE_PAGES + CLAIM_TABLES + SLICES + SET_OUTCOMES),
  },
};
