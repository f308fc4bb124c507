/** A key of someone who operates the bridge, as SQL for the directory. Shown once; the database gets its hash. */
import { createHash, randomBytes } from 'node:crypto';
import type { Environment } from '../../src/kernel/names.ts';
import type { OpsRole } from '../../src/ops/directory/directory.ts';
import { newOpsKey } from '../../src/ops/directory/keys.ts';
import { type MadeKey, sqlValues } from './partner-keys.ts';

export interface NewOpsKey {
  /** Of the person or the program that gets it: it stands in the history of what they change. */
  name: string;
  role: OpsRole;
  environments: readonly Environment[];
  /** ISO time; null or absent: it does not expire. */
  expiresAt?: string | null;
}

export function makeOpsKey({ name, role, environments, expiresAt = null }: NewOpsKey): MadeKey {
  const { key, keyId, secret } = newOpsKey(new Uint8Array(randomBytes(40)));
  const secretSha256 = createHash('sha256').update(secret).digest('hex');
  const now = new Date().toISOString();
  const row = sqlValues(keyId, name, role, JSON.stringify(environments), secretSha256, now, expiresAt);
  const sql =
    'INSERT INTO ops_key (key_id, name, role, environments, secret_sha256, created_at, expires_at) ' +
    `VALUES (${row});\n`;
  return { key, keyId, sql };
}

export const revokeOpsKeySql = (keyId: string): string =>
  `UPDATE ops_key SET revoked_at = ${sqlValues(new Date().toISOString())} WHERE key_id = ${sqlValues(keyId)};\n`;
