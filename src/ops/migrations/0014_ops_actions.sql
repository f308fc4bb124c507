-- What operators did with undelivered requests, for the list of actions. Written before a bulk action begins, and after a single
-- decision was made. How far a bulk action is, its object says.
CREATE TABLE ops_action (
  environment TEXT NOT NULL CHECK (environment IN ('test', 'production')),
  action_id TEXT NOT NULL,
  kind TEXT NOT NULL,          -- replay, decisions (about many requests), decision (about one)
  partner TEXT,                -- NULL: of several
  about TEXT NOT NULL,         -- of one decision: batch/record/request; otherwise empty
  decision TEXT,               -- NULL: a replay
  requests INTEGER NOT NULL,
  who TEXT NOT NULL,           -- id of the key or the person
  name TEXT NOT NULL,
  why TEXT NOT NULL,
  begun_at_ms INTEGER NOT NULL,
  PRIMARY KEY (environment, action_id)
) WITHOUT ROWID;
CREATE INDEX ops_action_newest ON ops_action (environment, begun_at_ms, action_id);
