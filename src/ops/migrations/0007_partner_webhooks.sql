-- Where a partner wants to be told of its batches, per environment. Append-only: of each target the newest edition counts. No secret is stored.
CREATE TABLE partner_webhook (
  partner TEXT NOT NULL REFERENCES partner (partner),
  environment TEXT NOT NULL CHECK (environment IN ('test', 'production')),
  target TEXT NOT NULL,
  edition INTEGER NOT NULL,     -- counts from 1: of two changes made from one edition, one fails
  action TEXT NOT NULL CHECK (action IN ('register', 'change', 'rotate', 'delete')),
  url TEXT NOT NULL,
  events TEXT NOT NULL,         -- JSON array
  is_enabled INTEGER NOT NULL CHECK (is_enabled IN (0, 1)),
  generation INTEGER NOT NULL,  -- of its signing key; never one that was before, also where it is registered again
  rotated_at_ms INTEGER,        -- when the key before it was replaced and may sign on for a while; NULL: none may
  key_id TEXT NOT NULL,         -- of the operator who set it
  key_name TEXT NOT NULL,
  changed_at TEXT NOT NULL,
  note TEXT NOT NULL,
  PRIMARY KEY (partner, environment, target, edition)
) WITHOUT ROWID;
