-- Whose orders the order feed of a partner follows, per environment: one pair each, and no pair twice. The object of the pair
-- keeps the same, so that two partners never share one.
CREATE TABLE order_feed (
  partner TEXT NOT NULL REFERENCES partner (partner),
  environment TEXT NOT NULL CHECK (environment IN ('test', 'production')),
  partner_id TEXT NOT NULL,
  client_id TEXT NOT NULL,
  channel TEXT NOT NULL,
  scac TEXT NOT NULL,
  poll_minutes INTEGER NOT NULL,
  repairs_per_minute INTEGER NOT NULL,
  edition INTEGER NOT NULL,  -- counts from 1: of two changes made from one edition, one fails
  PRIMARY KEY (environment, partner),
  UNIQUE (environment, partner_id, client_id)
) WITHOUT ROWID;

-- Who set what when; append-only.
CREATE TABLE order_feed_change (
  partner TEXT NOT NULL REFERENCES partner (partner),
  environment TEXT NOT NULL,
  edition INTEGER NOT NULL,
  settings TEXT NOT NULL,    -- JSON
  key_id TEXT NOT NULL,      -- of the operator who set it
  key_name TEXT NOT NULL,
  changed_at TEXT NOT NULL,
  note TEXT NOT NULL,
  PRIMARY KEY (environment, partner, edition)
) WITHOUT ROWID;

-- How answers of the upstream are read, per environment and name. Append-only: the newest edition counts; no row: the usual.
CREATE TABLE answer_mapping (
  environment TEXT NOT NULL CHECK (environment IN ('test', 'production')),
  name TEXT NOT NULL,
  edition INTEGER NOT NULL,
  mapping TEXT NOT NULL,     -- JSON
  key_id TEXT NOT NULL,
  key_name TEXT NOT NULL,
  changed_at TEXT NOT NULL,
  note TEXT NOT NULL,
  PRIMARY KEY (environment, name, edition)
) WITHOUT ROWID;
