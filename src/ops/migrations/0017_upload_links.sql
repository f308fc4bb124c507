-- Links that let somebody without a key send files for a partner, until a day. The link is shown once; stored is its SHA-256.
CREATE TABLE upload_link (
  link_id TEXT PRIMARY KEY,     -- l_…: never the id of a key
  link_sha256 TEXT NOT NULL UNIQUE,
  partner TEXT NOT NULL,
  environment TEXT NOT NULL CHECK (environment IN ('test', 'production')),
  channel TEXT NOT NULL,
  scacs TEXT NOT NULL,          -- JSON array
  mappings TEXT,                -- JSON array; NULL: all of the partner's
  note TEXT NOT NULL,           -- for whom it is
  made_by TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  ends_at_ms INTEGER NOT NULL,
  opened_at_ms INTEGER,         -- when somebody opened it last; NULL: nobody yet
  revoked_at_ms INTEGER
) WITHOUT ROWID;
CREATE INDEX upload_link_of ON upload_link (partner, environment, created_at_ms);
