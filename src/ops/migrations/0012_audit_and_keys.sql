-- What operators did, one row each: who, what, about what, why. Rows are only added, and deleted when their life has ended.
CREATE TABLE audit_entry (
  id INTEGER PRIMARY KEY,
  at_ms INTEGER NOT NULL,
  environment TEXT CHECK (environment IN ('test', 'production')), -- NULL: it concerns both
  actor TEXT NOT NULL,       -- the name of the person or the program
  action TEXT NOT NULL,      -- such as mapping.publish
  about TEXT NOT NULL,       -- such as partner/acme
  why TEXT NOT NULL,         -- '': none was given
  detail TEXT NOT NULL       -- JSON, never a secret
);
CREATE INDEX audit_entry_newest ON audit_entry (at_ms, id);
CREATE INDEX audit_entry_about ON audit_entry (about, at_ms, id);

-- What the histories of single things know already.
INSERT INTO audit_entry (at_ms, environment, actor, action, about, why, detail)
SELECT coalesce(unixepoch(published_at), 0) * 1000, environment, key_name,
  CASE
    WHEN action = 'rollback' THEN artifact || '.rollback'
    WHEN action = 'code_list' THEN 'code_list.edit'
    ELSE artifact || '.publish'
  END,
  replace(artifact, '_', '-') || '/' || name, note, json_object('form', 1, 'by', key_id, 'sha256', sha256)
FROM publication WHERE ordinal = 0 ORDER BY edition;
INSERT INTO audit_entry (at_ms, environment, actor, action, about, why, detail)
SELECT coalesce(unixepoch(changed_at), 0) * 1000, environment, key_name, 'mapping.owners', 'mapping/' || name, note,
  json_object('form', 1, 'by', key_id)
FROM mapping_owner;
INSERT INTO audit_entry (at_ms, environment, actor, action, about, why, detail)
SELECT coalesce(unixepoch(changed_at), 0) * 1000, environment, key_name, 'envelopes.set', 'partner/' || partner, note,
  json_object('form', 1, 'by', key_id)
FROM partner_envelope;
INSERT INTO audit_entry (at_ms, environment, actor, action, about, why, detail)
SELECT coalesce(unixepoch(changed_at), 0) * 1000, environment, key_name, 'feed.set', 'partner/' || partner, note,
  json_object('form', 1, 'by', key_id)
FROM order_feed_change;
INSERT INTO audit_entry (at_ms, environment, actor, action, about, why, detail)
SELECT coalesce(unixepoch(changed_at), 0) * 1000, environment, key_name, 'answer_mapping.set', 'answer-mapping/' || name, note,
  json_object('form', 1, 'by', key_id)
FROM answer_mapping;
INSERT INTO audit_entry (at_ms, environment, actor, action, about, why, detail)
SELECT coalesce(unixepoch(changed_at), 0) * 1000, environment, key_name,
  CASE action WHEN 'rotate' THEN 'webhook.rotate' WHEN 'delete' THEN 'webhook.delete' ELSE 'webhook.set' END,
  'partner/' || partner, note, json_object('form', 1, 'by', key_id, 'target', target)
FROM partner_webhook;

-- A partner that is switched off is refused at once, whatever its keys say.
ALTER TABLE partner ADD COLUMN is_enabled INTEGER NOT NULL DEFAULT 1 CHECK (is_enabled IN (0, 1));

-- The channel that new keys of a partner get, per environment. A partner is one of an environment from its channel there on.
CREATE TABLE partner_channel (
  partner TEXT NOT NULL REFERENCES partner (partner),
  environment TEXT NOT NULL CHECK (environment IN ('test', 'production')),
  channel TEXT NOT NULL,
  PRIMARY KEY (partner, environment)
) WITHOUT ROWID;
INSERT INTO partner_channel (partner, environment, channel)
SELECT partner, environment, channel FROM (
  SELECT partner, environment, channel,
    row_number() OVER (PARTITION BY partner, environment ORDER BY revoked_at IS NULL DESC, created_at DESC, key_id) AS place
  FROM partner_key
) WHERE place = 1;

-- When a key was last used, to the hour; which key took its place, where it was rotated.
ALTER TABLE partner_key ADD COLUMN last_used_at TEXT;
ALTER TABLE partner_key ADD COLUMN replaced_by TEXT;
ALTER TABLE ops_key ADD COLUMN last_used_at TEXT;
ALTER TABLE ops_key ADD COLUMN replaced_by TEXT;
