/** The tables that loads and orders have in common, as release 0.1 makes them. Never changed: what comes later is a step of each. */

/**
 * `before` and `after`: JSON of the request as it stood and as it stands then.
 */
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
