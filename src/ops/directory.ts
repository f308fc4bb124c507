/** The partner directory in D1: who a presented key is. A database that is down is said to be down, never "wrong key". */
import type { PartnerDirectory, SignIn } from '../intake/ports.ts';
import { log, messageOf } from '../kernel/log.ts';
import type { Environment } from '../kernel/names.ts';
import { sha256Hex } from '../kernel/secret.ts';
import { readKey } from './keys.ts';

interface KeyRow {
  key_id: string;
  partner: string;
  environment: Environment;
  secret_sha256: string;
  channel: string;
  scacs: string;
  mappings: string | null;
  expires_at: string | null;
  revoked_at: string | null;
}

/** Compared when the id is unknown, so that an unknown id takes as long as a wrong secret. */
const NOBODY_SHA256 = '0'.repeat(64);

export function partnerDirectory(database: D1Database, nowMs: () => number): PartnerDirectory {
  return {
    async signIn(presented): Promise<SignIn> {
      const parts = readKey(presented);
      let row: KeyRow | null = null;
      try {
        if (parts) {
          row = await database.prepare('SELECT * FROM partner_key WHERE key_id = ?').bind(parts.keyId).first<KeyRow>();
        }
      } catch (thrown) {
        log('error', 'directory_unavailable', { detail: messageOf(thrown) });
        return { outcome: 'unavailable' };
      }
      const presentedSha256 = await sha256Hex(new TextEncoder().encode(parts?.secret ?? ''));
      const same = sameText(presentedSha256, row?.secret_sha256 ?? NOBODY_SHA256);
      return row && same && isAlive(row, nowMs())
        ? { outcome: 'known', principal: principalOf(row) }
        : { outcome: 'unknown' };
    },
  };
}

/** Both sides are hashes of one length; the comparison takes the same time wherever they differ. */
function sameText(one: string, other: string): boolean {
  const encoder = new TextEncoder();
  return crypto.subtle.timingSafeEqual(encoder.encode(one), encoder.encode(other));
}

const isAlive = (row: KeyRow, nowMs: number): boolean =>
  row.revoked_at === null && (row.expires_at === null || Date.parse(row.expires_at) > nowMs);

const principalOf = (row: KeyRow) => ({
  keyId: row.key_id,
  environment: row.environment,
  partner: row.partner,
  channel: row.channel,
  scacs: JSON.parse(row.scacs) as string[],
  mappings: row.mappings === null ? null : (JSON.parse(row.mappings) as string[]),
});
