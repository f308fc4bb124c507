-- Every batch of an environment, one row each, for lists that look across partners. Written by the batch itself: when it is created,
-- now and then while it is open, and at its end; deleted with it. What is true is what the batch says: `npm run index` writes all anew.
CREATE TABLE batch_index (
  environment TEXT NOT NULL CHECK (environment IN ('test', 'production')),
  batch_id TEXT NOT NULL,
  partner TEXT NOT NULL,
  mapping TEXT NOT NULL,
  mapping_sha256 TEXT NOT NULL,
  scac TEXT,
  file_name TEXT,              -- NULL: it came without one, or several messages share the batch
  messages INTEGER,            -- how many share it; NULL: it is of one upload
  bytes INTEGER NOT NULL,
  is_dry_run INTEGER NOT NULL CHECK (is_dry_run IN (0, 1)),
  received_at_ms INTEGER NOT NULL,
  settled_at_ms INTEGER,       -- NULL: it is open
  state TEXT NOT NULL,
  is_cancelled INTEGER NOT NULL CHECK (is_cancelled IN (0, 1)),
  row_count INTEGER NOT NULL,
  row_states TEXT NOT NULL,    -- JSON: rows per state
  held INTEGER NOT NULL,       -- rows that wait for a decision
  refused INTEGER NOT NULL,    -- rows that were not delivered and will not be by themselves
  trouble TEXT,                -- why the batch cannot go on; NULL: it can
  needs_somebody INTEGER NOT NULL CHECK (needs_somebody IN (0, 1)),
  written_at_ms INTEGER NOT NULL,
  revision INTEGER NOT NULL,   -- counts what the batch wrote: what comes late never replaces what was written after it
  PRIMARY KEY (environment, batch_id)
) WITHOUT ROWID;
CREATE INDEX batch_index_newest ON batch_index (environment, received_at_ms, batch_id);
CREATE INDEX batch_index_of_partner ON batch_index (environment, partner, received_at_ms, batch_id);
CREATE INDEX batch_index_needs ON batch_index (environment, received_at_ms, batch_id) WHERE needs_somebody = 1;
