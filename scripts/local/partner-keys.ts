/** A partner and a key of its own as SQL for the directory. The key is shown once; the database gets its hash. */
import { createHash, randomBytes } from 'node:crypto';
import type { Environment } from '../../src/kernel/names.ts';
import { newKey } from '../../src/ops/directory/keys.ts';

export interface NewPartnerKey {
  partner: string;
  displayName: string;
  environment: Environment;
  channel: string;
  scacs: readonly string[];
  /** null: every mapping. */
  mappings: readonly string[] | null;
  /** ISO time; null or absent: it does not expire. */
  expiresAt?: string | null;
}

export interface MadeKey {
  key: string;
  keyId: string;
  sql: string;
}

export function makePartnerKey(wanted: NewPartnerKey): MadeKey {
  const { key, keyId, secret } = newKey(wanted.environment, new Uint8Array(randomBytes(40)));
  const now = new Date().toISOString();
  const secretSha256 = createHash('sha256').update(secret).digest('hex');
  const scacs = JSON.stringify(wanted.scacs);
  const mappings = wanted.mappings === null ? null : JSON.stringify(wanted.mappings);
  const partner = sqlValues(wanted.partner, wanted.displayName, now);
  const row = sqlValues(
    keyId,
    wanted.partner,
    wanted.environment,
    secretSha256,
    wanted.channel,
    scacs,
    mappings,
    now,
    wanted.expiresAt ?? null,
  );
  const sql =
    `INSERT OR IGNORE INTO partner (partner, display_name, created_at) VALUES (${partner});\n` +
    'INSERT INTO partner_key (key_id, partner, environment, secret_sha256, channel, scacs, mappings, created_at, expires_at) ' +
    `VALUES (${row});\n`;
  return { key, keyId, sql };
}

export const revokeKeySql = (keyId: string): string =>
  `UPDATE partner_key SET revoked_at = ${sqlValues(new Date().toISOString())} WHERE key_id = ${sqlValues(keyId)};\n`;

/** Texts as SQL literals; null as NULL. */
export const sqlValues = (...texts: (string | null)[]): string =>
  texts.map((text) => (text === null ? 'NULL' : `'${text.replaceAll("'", "''")}'`)).join(', ');
