/** A partner and a key of its own as SQL for the directory. The key is shown once; the database gets its hash. */
import { randomBytes } from 'node:crypto';
import { issuedPartnerKey, type PartnerKeyWanted } from '../../src/ops/directory/issued-keys.ts';

/** @property expiresAt absent: it does not expire. */
export type NewPartnerKey = Omit<PartnerKeyWanted, 'expiresAt'> & { displayName: string; expiresAt?: string | null };

export interface MadeKey {
  key: string;
  keyId: string;
  sql: string;
}

export function makePartnerKey({ displayName, expiresAt = null, ...wanted }: NewPartnerKey): MadeKey {
  const random = new Uint8Array(randomBytes(40));
  const { key, keyId, row } = issuedPartnerKey({ ...wanted, expiresAt }, random, Date.now());
  const { partner, environment, channel } = wanted;
  const sql =
    `INSERT OR IGNORE INTO partner (partner, display_name, created_at) VALUES (${sqlValues(partner, displayName, row.created_at ?? '')});\n` +
    `INSERT OR IGNORE INTO partner_channel (partner, environment, channel) VALUES (${sqlValues(partner, environment, channel)});\n` +
    insertSql('partner_key', row);
  return { key, keyId, sql };
}

export const insertSql = (table: string, row: Readonly<Record<string, string | null>>): string =>
  `INSERT INTO ${table} (${Object.keys(row).join(', ')}) VALUES (${sqlValues(...Object.values(row))});\n`;

export const revokeKeySql = (keyId: string): string =>
  `UPDATE partner_key SET revoked_at = ${sqlValues(new Date().toISOString())} WHERE key_id = ${sqlValues(keyId)} AND revoked_at IS NULL RETURNING partner, environment`;

/** @property environment null: both. */
interface DirectoryChange {
  environment: string | null;
  action: string;
  about: string;
  why: string;
  detail: Readonly<Record<string, string>>;
}

/** What was done beside the bridge stands in its audit, too. */
export const auditSql = ({ environment, action, about, why, detail }: DirectoryChange): string =>
  `INSERT INTO audit_entry (at_ms, environment, actor, action, about, why, detail) VALUES (${Date.now()}, ${sqlValues(environment, 'the command line', action, about, why, JSON.stringify({ form: 1, ...detail }))});\n`;

/** Texts as SQL literals; null as NULL. */
export const sqlValues = (...texts: (string | null)[]): string =>
  texts.map((text) => (text === null ? 'NULL' : `'${text.replaceAll("'", "''")}'`)).join(', ');
