-- Where operators are told of alerts, per environment. The columns of partner_webhook, whose code reads and writes both; no partner stands
-- behind it, so it is a table of its own.
CREATE TABLE alert_webhook (
  partner TEXT NOT NULL,        -- always the same: whose object sends
  environment TEXT NOT NULL CHECK (environment IN ('test', 'production')),
  target TEXT NOT NULL,
  edition INTEGER NOT NULL,
  action TEXT NOT NULL CHECK (action IN ('register', 'change', 'rotate', 'delete')),
  url TEXT NOT NULL,
  events TEXT NOT NULL,         -- JSON array
  is_enabled INTEGER NOT NULL CHECK (is_enabled IN (0, 1)),
  generation INTEGER NOT NULL,
  rotated_at_ms INTEGER,
  key_id TEXT NOT NULL,
  key_name TEXT NOT NULL,
  changed_at TEXT NOT NULL,
  note TEXT NOT NULL,
  PRIMARY KEY (partner, environment, target, edition)
) WITHOUT ROWID;

-- Alerts that were raised, so that each is told once, and its end.
CREATE TABLE raised_alert (
  environment TEXT NOT NULL CHECK (environment IN ('test', 'production')),
  code TEXT NOT NULL,
  about TEXT NOT NULL,
  part TEXT NOT NULL,           -- of what it is about; empty: all of it
  raised_at_ms INTEGER NOT NULL, -- when it was first seen: tells it from the next one of the same
  state TEXT NOT NULL DEFAULT 'new' CHECK (state IN ('new', 'notified', 'over')), -- new, over: to be told
  round INTEGER NOT NULL DEFAULT 1, -- of telling it: one more whenever the webhook is set while it stands
  gone_at_ms INTEGER,           -- since when it is not seen; NULL: it is seen
  alert TEXT NOT NULL,          -- JSON: what is told of it, the same at every try
  PRIMARY KEY (environment, code, about, part)
) WITHOUT ROWID;
