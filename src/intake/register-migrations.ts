/** Tables of an IntakeRegister, step by step. A released step is never changed; add a new one below it. */
import type { Migrations } from '../kernel/migrate.ts';

/** `part`: what its batch must still be notified of; NULL: the batch has it. */
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
CREATE TABLE IF NOT EXISTS message (
  upload_id TEXT PRIMARY KEY, batch_id TEXT NOT NULL, message INTEGER NOT NULL, sha256 TEXT NOT NULL,
  received_at_ms INTEGER NOT NULL, part TEXT, UNIQUE (batch_id, message)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS unplaced_message ON message (received_at_ms) WHERE part IS NOT NULL;
`;

/** Every claim first deletes what is past its retention: it must not scan the whole table for it. */
const RETENTION_ENDS = `
CREATE INDEX claim_age ON claim (claimed_at_ms);
CREATE INDEX idempotency_age ON idempotency (claimed_at_ms);
CREATE INDEX interchange_age ON interchange (claimed_at_ms);
`;

export const REGISTER_MIGRATIONS: Migrations = {
  of: 'IntakeRegister',
  steps: [
    { number: 1, run: (sql) => sql.exec(TABLES) },
    { number: 2, run: (sql) => sql.exec(RETENTION_ENDS) },
  ],
};
