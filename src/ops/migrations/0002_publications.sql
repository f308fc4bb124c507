-- What names stood for, per environment. Append-only: no statement updates or deletes a row.
CREATE TABLE publication (
  environment TEXT NOT NULL CHECK (environment IN ('test', 'production')),
  edition INTEGER NOT NULL,   -- counts the changes of an environment from 1: of two changes made from one edition, one fails whole
  ordinal INTEGER NOT NULL,   -- 0: what was asked for; 1, 2, …: the mappings that an edited code list took along
  artifact TEXT NOT NULL CHECK (artifact IN ('mapping', 'code_list')),
  name TEXT NOT NULL,
  sha256 TEXT NOT NULL,       -- a mapping's: its version in R2 under mappings/<sha256>; a code list's: its canonical text
  written TEXT NOT NULL,      -- the YAML as written
  is_bundled INTEGER NOT NULL CHECK (is_bundled IN (0, 1)), -- 1: from here on the name stands for whatever is bundled
  summary TEXT NOT NULL,      -- JSON: what lists and admission need to know, so that no document is opened for them
  action TEXT NOT NULL CHECK (action IN ('publish', 'rollback', 'code_list')),
  before_sha256 TEXT,         -- what the name stood for until then; NULL: nothing
  because_of TEXT,            -- the code list whose edit republished this mapping
  key_id TEXT NOT NULL,
  key_name TEXT NOT NULL,
  published_at TEXT NOT NULL,
  note TEXT NOT NULL,
  PRIMARY KEY (environment, edition, ordinal)
);

CREATE INDEX publication_by_name ON publication (environment, artifact, name, edition);

-- Where each name points now. A name without a row stands for what is bundled.
CREATE TABLE publication_current (
  environment TEXT NOT NULL,
  artifact TEXT NOT NULL,
  name TEXT NOT NULL,
  edition INTEGER NOT NULL,
  ordinal INTEGER NOT NULL,
  PRIMARY KEY (environment, artifact, name),
  FOREIGN KEY (environment, edition, ordinal) REFERENCES publication (environment, edition, ordinal)
) WITHOUT ROWID;
