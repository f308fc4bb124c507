-- What is agreed with a partner about envelopes of interchanges, per environment. No row: the usual.
CREATE TABLE partner_envelope (
  partner TEXT NOT NULL REFERENCES partner (partner),
  environment TEXT NOT NULL CHECK (environment IN ('test', 'production')),
  rules TEXT NOT NULL,      -- JSON
  key_id TEXT NOT NULL,     -- of the operator who set it
  key_name TEXT NOT NULL,
  changed_at TEXT NOT NULL,
  PRIMARY KEY (partner, environment)
) WITHOUT ROWID;
