-- What is agreed with a partner about envelopes of interchanges, per environment. Append-only: the newest edition counts; no row: the usual.
CREATE TABLE partner_envelope (
  partner TEXT NOT NULL REFERENCES partner (partner),
  environment TEXT NOT NULL CHECK (environment IN ('test', 'production')),
  edition INTEGER NOT NULL,  -- counts from 1: of two changes made from one edition, one fails
  rules TEXT NOT NULL,       -- JSON
  key_id TEXT NOT NULL,      -- of the operator who set it
  key_name TEXT NOT NULL,
  changed_at TEXT NOT NULL,
  note TEXT NOT NULL,
  PRIMARY KEY (partner, environment, edition)
) WITHOUT ROWID;
