-- Those who operate the bridge through its pages. Programs have keys (ops_key).
CREATE TABLE person (
  person_id TEXT PRIMARY KEY,
  name TEXT NOT NULL COLLATE NOCASE,
  role TEXT NOT NULL CHECK (role IN ('viewer', 'operator', 'admin')),
  environments TEXT NOT NULL,  -- JSON array
  password TEXT,               -- its hash, with the form of it in front; NULL: none is set
  invited_by TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  last_seen_at_ms INTEGER,     -- when they signed in last; NULL: never
  removed_at_ms INTEGER        -- NULL: they may sign in
) WITHOUT ROWID;
CREATE UNIQUE INDEX person_name ON person (name) WHERE removed_at_ms IS NULL;

-- Links that sign in once. The link is shown once; stored is its SHA-256.
CREATE TABLE sign_in_link (
  link_sha256 TEXT PRIMARY KEY,
  person_id TEXT NOT NULL REFERENCES person (person_id),
  ends_at_ms INTEGER NOT NULL,
  used_at_ms INTEGER           -- NULL: nobody opened it yet
) WITHOUT ROWID;
CREATE INDEX sign_in_link_of ON sign_in_link (person_id);

CREATE TABLE passkey (
  credential_id TEXT PRIMARY KEY,  -- base64url, as the browser names it
  person_id TEXT NOT NULL REFERENCES person (person_id),
  name TEXT NOT NULL,
  public_key TEXT NOT NULL,        -- COSE, base64url
  counter INTEGER NOT NULL,
  transports TEXT NOT NULL,        -- JSON array
  created_at_ms INTEGER NOT NULL,
  used_at_ms INTEGER
) WITHOUT ROWID;
CREATE INDEX passkey_of ON passkey (person_id);

-- Challenges that a passkey has answered: no answer is taken twice. Kept as long as a challenge is accepted.
CREATE TABLE passkey_challenge (
  challenge TEXT PRIMARY KEY,
  ends_at_ms INTEGER NOT NULL
) WITHOUT ROWID;

-- Who is signed in. The token is in the browser's cookie alone; stored is its SHA-256.
CREATE TABLE console_session (
  token_sha256 TEXT PRIMARY KEY,
  session_id TEXT NOT NULL UNIQUE, -- for people to see and end it by
  person_id TEXT REFERENCES person (person_id), -- NULL: a partner's
  partner_key_id TEXT,         -- the key that was exchanged; NULL: a person's
  signed_in_by TEXT NOT NULL CHECK (signed_in_by IN ('link', 'password', 'passkey', 'key')),
  browser TEXT NOT NULL,       -- what it calls itself, shortened
  csrf TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  used_at_ms INTEGER NOT NULL, -- to the minute
  CHECK ((person_id IS NULL) <> (partner_key_id IS NULL))
) WITHOUT ROWID;
CREATE INDEX console_session_of_person ON console_session (person_id);
CREATE INDEX console_session_of_key ON console_session (partner_key_id);
CREATE INDEX console_session_age ON console_session (created_at_ms);

-- Browsers in which a person has signed in: strangers who guess do not slow them down.
CREATE TABLE known_browser (
  browser_sha256 TEXT NOT NULL,
  person_id TEXT NOT NULL REFERENCES person (person_id),
  seen_at_ms INTEGER NOT NULL,
  PRIMARY KEY (browser_sha256, person_id)
) WITHOUT ROWID;

-- How often somebody was wrong, by address, by name, by key and by known browser. A try is counted before it is checked.
CREATE TABLE sign_in_try (
  about TEXT PRIMARY KEY,
  failures INTEGER NOT NULL,
  at_ms INTEGER NOT NULL,
  next_at_ms INTEGER NOT NULL  -- no try is checked before
) WITHOUT ROWID;
CREATE INDEX sign_in_try_age ON sign_in_try (at_ms);
