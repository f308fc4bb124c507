-- Mappings that partners propose: an operator publishes or declines each. The documents are as they were written.
CREATE TABLE mapping_proposal (
  environment TEXT NOT NULL CHECK (environment IN ('test', 'production')),
  proposal_id TEXT NOT NULL,
  partner TEXT NOT NULL,
  name TEXT NOT NULL,
  written TEXT NOT NULL,
  code_lists TEXT NOT NULL,     -- JSON: the texts of code lists that come with it
  note TEXT NOT NULL,
  proposed_by TEXT NOT NULL,    -- id of the partner's key
  proposed_at TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('open', 'published', 'declined', 'withdrawn')),
  decided_by TEXT,              -- NULL: nobody yet; a partner itself withdraws
  decided_at TEXT,
  reason TEXT,
  PRIMARY KEY (environment, proposal_id)
) WITHOUT ROWID;
CREATE INDEX mapping_proposal_newest ON mapping_proposal (environment, state, proposed_at);
CREATE INDEX mapping_proposal_of ON mapping_proposal (environment, partner, proposed_at);
