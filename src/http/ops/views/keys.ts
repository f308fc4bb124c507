/** Keys → the API's shapes. The secret is in none of them: it is shown by the one answer that made it. */

import { stateOfKey } from '../../../ops/directory/issued-keys.ts';
import type { StoredKey, StoredOpsKey, StoredPartnerKey } from '../../../ops/directory/key-store.ts';
import type { Answered } from '../../contract/contract.ts';

const keyView = (row: StoredKey, nowMs: number) => ({
  keyId: row.key_id,
  state: stateOfKey(row, nowMs),
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  revokedAt: row.revoked_at,
  /** To the hour. */
  lastUsedAt: row.last_used_at,
  replacedBy: row.replaced_by,
});

export type PartnerKeyView = Answered<'GET /v1/ops/partners/{name}/keys'>['keys'][number];
export const partnerKeyView = (row: StoredPartnerKey, nowMs: number) => ({
  ...keyView(row, nowMs),
  channel: row.channel,
  scacs: JSON.parse(row.scacs) as string[],
  /** null: every mapping. */
  mappings: row.mappings === null ? null : (JSON.parse(row.mappings) as string[]),
});

export type OpsKeyView = Answered<'GET /v1/ops/operator-keys'>['keys'][number];
export const opsKeyView = (row: StoredOpsKey, nowMs: number) => ({
  ...keyView(row, nowMs),
  name: row.name,
  role: row.role,
  environments: JSON.parse(row.environments) as string[],
});
