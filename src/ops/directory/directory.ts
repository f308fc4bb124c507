/** The partner directory in D1: who a presented key is. A database that is down is said to be down, never "wrong key". */
import { DEFAULT_RULES, type EnvelopeRules } from '../../batch/envelopes/rules.ts';
import type { PartnerDirectory, Principal, SignIn } from '../../intake/ports.ts';
import type { Environment } from '../../kernel/names.ts';
import { findKey, type KeyRow } from './key-rows.ts';
import { readKey } from './keys.ts';

interface PartnerKeyRow extends KeyRow {
  partner: string;
  environment: Environment;
  channel: string;
  scacs: string;
  mappings: string | null;
  rules: string | null;
  partner_id: string | null;
  client_id: string | null;
}

export function partnerDirectory(database: D1Database, nowMs: () => number): PartnerDirectory {
  const look = (keyId: string): Promise<PartnerKeyRow | null> =>
    database
      .prepare(
        `SELECT partner_key.*, (
           SELECT rules FROM partner_envelope AS agreed
           WHERE agreed.partner = partner_key.partner AND agreed.environment = partner_key.environment
           ORDER BY edition DESC LIMIT 1
         ) AS rules, order_feed.partner_id, order_feed.client_id
         FROM partner_key LEFT JOIN order_feed
           ON order_feed.partner = partner_key.partner AND order_feed.environment = partner_key.environment
         WHERE key_id = ?`,
      )
      .bind(keyId)
      .first<PartnerKeyRow>();
  return {
    async signIn(presented): Promise<SignIn> {
      const found = await findKey(readKey(presented), look, nowMs());
      if (!found.ok) return { outcome: 'unavailable' };
      return found.value ? { outcome: 'known', principal: principalOf(found.value) } : { outcome: 'unknown' };
    },
  };
}

const principalOf = (row: PartnerKeyRow): Principal => ({
  keyId: row.key_id,
  environment: row.environment,
  partner: row.partner,
  channel: row.channel,
  scacs: JSON.parse(row.scacs) as string[],
  mappings: row.mappings === null ? null : (JSON.parse(row.mappings) as string[]),
  envelopes: row.rules === null ? DEFAULT_RULES : (JSON.parse(row.rules) as EnvelopeRules),
  orderPair:
    row.partner_id === null || row.client_id === null ? null : { partnerId: row.partner_id, clientId: row.client_id },
});
