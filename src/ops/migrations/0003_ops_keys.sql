-- Keys of those who operate the bridge. The secret is shown once; stored is its SHA-256.
CREATE TABLE ops_key (
  key_id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('viewer', 'operator', 'admin')),
  environments TEXT NOT NULL, -- JSON array
  secret_sha256 TEXT NOT NULL,
  created_at TEXT NOT NULL,
  expires_at TEXT,
  revoked_at TEXT
) WITHOUT ROWID;
