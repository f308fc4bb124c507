-- What went wrong in the bridge itself, by the minute: answers of 5xx, wake-ups that failed. An isolate adds what it counted; nothing of
-- a request is in it.
CREATE TABLE fault_minute (
  minute INTEGER NOT NULL,      -- since 1970
  event TEXT NOT NULL,          -- as the log has it
  count INTEGER NOT NULL,
  PRIMARY KEY (minute, event)
) WITHOUT ROWID;

-- Open batches alone: what is waiting is summed over them.
CREATE INDEX batch_index_open ON batch_index (environment, received_at_ms) WHERE settled_at_ms IS NULL;
