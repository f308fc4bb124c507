-- Undelivered rows that failed alike, over all batches of an environment. What is true is what the batches say: `npm run index` has
-- each write its own numbers anew. What people said about an issue stands here alone.
CREATE TABLE issue (
  environment TEXT NOT NULL CHECK (environment IN ('test', 'production')),
  issue TEXT NOT NULL,          -- beginning of the SHA-256 of the key
  key TEXT NOT NULL,            -- what such rows share, as the batches have it
  code TEXT NOT NULL,           -- of the problem; or the reason, or the state
  about TEXT NOT NULL,          -- JSON: the cause, from the first row that had it; `form` says its version
  first_seen_ms INTEGER NOT NULL,
  last_seen_ms INTEGER NOT NULL, -- when the last of its batches was done with it; of a batch that has it, see there
  resolved_at_ms INTEGER,       -- since when no batch has rows of it; NULL: some have
  reopened INTEGER NOT NULL DEFAULT 0, -- how often it came back
  decision TEXT CHECK (decision IN ('acknowledged', 'muted')), -- NULL: nobody said anything since it was opened
  muted_until_ms INTEGER,
  key_id TEXT,                  -- of the operator who said so
  key_name TEXT,
  decided_at_ms INTEGER,
  why TEXT,
  PRIMARY KEY (environment, issue)
) WITHOUT ROWID;

-- How many rows of an issue a batch has now. Written by the batch itself, which sets its own numbers and never adds to them.
CREATE TABLE issue_batch (
  environment TEXT NOT NULL,
  issue TEXT NOT NULL,
  batch_id TEXT NOT NULL,
  partner TEXT NOT NULL,
  mapping TEXT NOT NULL,
  file_name TEXT,
  row_count INTEGER NOT NULL,
  request_count INTEGER NOT NULL, -- of these, requests that ended or are held
  held INTEGER NOT NULL,          -- of these, how many wait for a decision
  first_seen_ms INTEGER NOT NULL,
  last_seen_ms INTEGER NOT NULL,
  examples TEXT NOT NULL,         -- JSON: the first rows
  PRIMARY KEY (environment, issue, batch_id)
) WITHOUT ROWID;
CREATE INDEX issue_batch_of_batch ON issue_batch (environment, batch_id);

-- What ended when: of each batch by the minute; later, of all batches of a partner and channel by the hour (batch_id ''). A batch sets
-- its own numbers. l0 … l11: deliveries by how long they took since their file came in, see batch/core/minutes.ts.
CREATE TABLE minute_total (
  environment TEXT NOT NULL,
  minute INTEGER NOT NULL,      -- since 1970
  batch_id TEXT NOT NULL,
  partner TEXT NOT NULL,
  channel TEXT NOT NULL,
  delivered INTEGER NOT NULL,   -- requests
  refused INTEGER NOT NULL,     -- requests
  invalid INTEGER NOT NULL,     -- rows that never became requests
  l0 INTEGER NOT NULL, l1 INTEGER NOT NULL, l2 INTEGER NOT NULL, l3 INTEGER NOT NULL,
  l4 INTEGER NOT NULL, l5 INTEGER NOT NULL, l6 INTEGER NOT NULL, l7 INTEGER NOT NULL,
  l8 INTEGER NOT NULL, l9 INTEGER NOT NULL, l10 INTEGER NOT NULL, l11 INTEGER NOT NULL,
  PRIMARY KEY (environment, minute, batch_id, partner, channel)
) WITHOUT ROWID;

-- Whose credentials a batch is sent with; NULL: it wrote its row before this was listed.
ALTER TABLE batch_index ADD COLUMN channel TEXT;
