-- Truth for partners and their keys. A key is stored as the SHA-256 of its secret; the secret itself is shown once.
CREATE TABLE partner (
  partner TEXT PRIMARY KEY,
  display_name TEXT NOT NULL,
  created_at TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE partner_key (
  key_id TEXT PRIMARY KEY,
  partner TEXT NOT NULL REFERENCES partner (partner),
  environment TEXT NOT NULL CHECK (environment IN ('test', 'production')),
  secret_sha256 TEXT NOT NULL,
  channel TEXT NOT NULL,
  scacs TEXT NOT NULL,    -- JSON array
  mappings TEXT,          -- JSON array; NULL: every mapping
  created_at TEXT NOT NULL,
  expires_at TEXT,
  revoked_at TEXT
) WITHOUT ROWID;
