-- Whom published mappings are for, per environment. Append-only: of each name the newest edition counts. No row: the name is shipped, or
-- was published before there were owners and is not assigned yet.
CREATE TABLE mapping_owner (
  environment TEXT NOT NULL CHECK (environment IN ('test', 'production')),
  name TEXT NOT NULL,
  edition INTEGER NOT NULL,  -- counts from 1: of two changes made from one edition, one fails
  owners TEXT NOT NULL,      -- JSON: an array of partners, or "everybody"
  key_id TEXT NOT NULL,      -- of the operator who set it
  key_name TEXT NOT NULL,
  changed_at TEXT NOT NULL,
  note TEXT NOT NULL,
  PRIMARY KEY (environment, name, edition)
) WITHOUT ROWID;

-- What is published already and was never shipped (its first publication replaced nothing) belongs to the partners whose keys name it.
INSERT INTO mapping_owner (environment, name, edition, owners, key_id, key_name, changed_at, note)
SELECT c.environment, c.name, 1, json_group_array(DISTINCT k.partner), '', 'upgrade', strftime('%Y-%m-%dT%H:%M:%fZ', 'now'),
  'Assigned to the partners whose keys name it.'
FROM publication_current c
JOIN partner_key k ON k.environment = c.environment AND k.revoked_at IS NULL AND k.mappings IS NOT NULL
JOIN json_each(k.mappings) named ON named.value = c.name
WHERE c.artifact = 'mapping' AND (
  SELECT p.before_sha256 FROM publication p
  WHERE p.environment = c.environment AND p.artifact = 'mapping' AND p.name = c.name
  ORDER BY p.edition LIMIT 1
) IS NULL
GROUP BY c.environment, c.name;
