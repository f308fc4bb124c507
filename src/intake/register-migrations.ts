/** Tables of an IntakeRegister, step by step. A released step is never changed; add a new one below it. */
import type { Migrations } from '../kernel/migrate.ts';

/** `message` as release 0.1 stored it. `part`: what its batch was still to be notified of. */
const OLD_MESSAGES = `
CREATE TABLE IF NOT EXISTS message (
  upload_id TEXT PRIMARY KEY, batch_id TEXT NOT NULL, message INTEGER NOT NULL, sha256 TEXT NOT NULL,
  received_at_ms INTEGER NOT NULL, part TEXT, UNIQUE (batch_id, message)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS unplaced_message ON message (received_at_ms) WHERE part IS NOT NULL;
`;

const TABLES = `
CREATE TABLE IF NOT EXISTS claim (
  seq INTEGER PRIMARY KEY, digest TEXT NOT NULL, batch_id TEXT NOT NULL, claimed_at_ms INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS claim_digest ON claim (digest);
CREATE TABLE IF NOT EXISTS idempotency (
  key TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, batch_id TEXT NOT NULL, claimed_at_ms INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS reservation (key TEXT PRIMARY KEY, batch_id TEXT NOT NULL, until_ms INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS batch (
  seq INTEGER PRIMARY KEY, batch_id TEXT NOT NULL UNIQUE, ticket TEXT NOT NULL, created INTEGER NOT NULL DEFAULT 0,
  state TEXT NOT NULL DEFAULT 'open', opening INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE IF NOT EXISTS audit (
  seq INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL, who TEXT NOT NULL, what TEXT NOT NULL, batch_id TEXT NOT NULL,
  detail TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS rounds (id INTEGER PRIMARY KEY CHECK (id = 1), json TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS open_batch ON batch (seq) WHERE state = 'open';
CREATE INDEX IF NOT EXISTS uncreated_batch ON batch (seq) WHERE created = 0;
CREATE TABLE IF NOT EXISTS own_control (
  number INTEGER PRIMARY KEY AUTOINCREMENT, batch_id TEXT NOT NULL, interchange INTEGER NOT NULL,
  UNIQUE (batch_id, interchange)
);
CREATE TABLE IF NOT EXISTS interchange (
  key TEXT PRIMARY KEY, digest TEXT NOT NULL, batch_id TEXT NOT NULL, claimed_at_ms INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS roll (
  batch_id TEXT PRIMARY KEY, day TEXT NOT NULL, terms TEXT NOT NULL, messages INTEGER NOT NULL, bytes INTEGER NOT NULL,
  is_open INTEGER NOT NULL
) WITHOUT ROWID;
CREATE UNIQUE INDEX IF NOT EXISTS open_roll ON roll (day, terms) WHERE is_open = 1;
`;

/** Every claim first deletes what is past its retention: it must not scan the whole table for it. */
const RETENTION_ENDS = `
CREATE INDEX claim_age ON claim (claimed_at_ms);
CREATE INDEX idempotency_age ON idempotency (claimed_at_ms);
CREATE INDEX interchange_age ON interchange (claimed_at_ms);
`;

/**
 * A message is one row without an index. `unplaced_message`: before `since` no message is unplaced; an index of release
 * 0.1 had this name, so that it cannot start over these tables.
 */
const UNPLACED = 'CREATE TABLE unplaced_message (id INTEGER PRIMARY KEY CHECK (id = 1), since TEXT NOT NULL);';
const MESSAGES = `
CREATE TABLE message (
  upload_id TEXT PRIMARY KEY, batch_id TEXT NOT NULL, message INTEGER NOT NULL, sha256 TEXT NOT NULL,
  received_at_ms INTEGER NOT NULL, bytes INTEGER, file_name TEXT, uploaded_by TEXT
) WITHOUT ROWID;
${UNPLACED}
`;

/** Open rolling batches take no more: how many messages they have is counted from the rows of these from now on. */
const OLD_MESSAGES_CHANGE = `
ALTER TABLE message ADD COLUMN bytes INTEGER;
ALTER TABLE message ADD COLUMN file_name TEXT;
ALTER TABLE message ADD COLUMN uploaded_by TEXT;
UPDATE message SET bytes = part->>'bytes', file_name = part->>'fileName', uploaded_by = part->>'uploadedBy' WHERE part IS NOT NULL;
CREATE TABLE since_unplaced AS SELECT coalesce((SELECT min(upload_id) FROM message WHERE part IS NOT NULL),
  (SELECT max(upload_id) || '~' FROM message), '') AS since;
DROP INDEX unplaced_message;
${UNPLACED}
INSERT INTO unplaced_message (id, since) SELECT 1, since FROM since_unplaced;
DROP TABLE since_unplaced;
UPDATE roll SET is_open = 0 WHERE is_open = 1;
`;

/**
 * By withdrawn batch; and by forced upload, what it has taken over. @property kind the table it came from, or that it was
 * taken over. compared its fingerprint or digest there.
 */
const RELEASED = `
CREATE TABLE released (
  batch_id TEXT NOT NULL, kind TEXT NOT NULL, key TEXT NOT NULL, compared TEXT NOT NULL, upload_id TEXT NOT NULL,
  claimed_at_ms INTEGER NOT NULL, PRIMARY KEY (batch_id, kind, key)
) WITHOUT ROWID;
`;

export const REGISTER_MIGRATIONS: Migrations = {
  of: 'IntakeRegister',
  steps: [
    { number: 1, run: (sql) => sql.exec(TABLES + OLD_MESSAGES) },
    { number: 2, run: (sql) => sql.exec(RETENTION_ENDS) },
    { number: 3, run: (sql) => sql.exec(OLD_MESSAGES_CHANGE) },
    { number: 4, run: (sql) => sql.exec(RELEASED) },
  ],
  fresh: {
    old: { type: 'table', name: 'claim' },
    run: (sql) => sql.exec(TABLES + MESSAGES + RETENTION_ENDS + RELEASED),
  },
};
