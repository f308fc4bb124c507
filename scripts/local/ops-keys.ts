/** A key of someone who operates the bridge, as SQL for the directory. Shown once; the database gets its hash. */
import { randomBytes } from 'node:crypto';
import { issuedOpsKey, type OpsKeyWanted } from '../../src/ops/directory/issued-keys.ts';
import { insertSql, type MadeKey, sqlValues } from './partner-keys.ts';

/** @property expiresAt absent: it does not expire. */
export type NewOpsKey = Omit<OpsKeyWanted, 'expiresAt'> & { expiresAt?: string | null };

export function makeOpsKey({ expiresAt = null, ...wanted }: NewOpsKey): MadeKey {
  const { key, keyId, row } = issuedOpsKey({ ...wanted, expiresAt }, new Uint8Array(randomBytes(40)), Date.now());
  return { key, keyId, sql: insertSql('ops_key', row) };
}

export const revokeOpsKeySql = (keyId: string): string =>
  `UPDATE ops_key SET revoked_at = ${sqlValues(new Date().toISOString())} WHERE key_id = ${sqlValues(keyId)} AND revoked_at IS NULL RETURNING key_id`;
