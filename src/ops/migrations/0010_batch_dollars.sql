-- What each batch has taken so far, at list price; NULL: it began before this was counted.
ALTER TABLE batch_index ADD COLUMN dollars REAL;
