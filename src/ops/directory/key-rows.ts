/** The row of a presented key, when there is one, its secret is right and it is alive. Partners' and operators' keys alike. */
import { log, messageOf } from '../../kernel/log.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import { sha256Hex } from '../../kernel/secret.ts';
import type { KeyParts } from './keys.ts';

/** What every table of keys has. */
export interface KeyRow {
  key_id: string;
  secret_sha256: string;
  expires_at: string | null;
  revoked_at: string | null;
}

/** Compared when the id is unknown, so that an unknown id takes as long as a wrong secret. */
const NOBODY_SHA256 = '0'.repeat(64);

/**
 * @param parts undefined when the text presented is no key of this kind: it is compared all the same.
 * @returns undefined for an unknown, wrong, expired or revoked key, all alike; `unavailable` when that cannot be known.
 */
export async function findKey<Row extends KeyRow>(
  parts: KeyParts | undefined,
  look: (keyId: string) => Promise<Row | null>,
  nowMs: number,
): Promise<Result<Row | undefined, 'unavailable'>> {
  let row: Row | null = null;
  try {
    if (parts) row = await look(parts.keyId);
  } catch (thrown) {
    log('error', 'directory_unavailable', { detail: messageOf(thrown) });
    return err('unavailable');
  }
  const presentedSha256 = await sha256Hex(new TextEncoder().encode(parts?.secret ?? ''));
  const same = sameText(presentedSha256, row?.secret_sha256 ?? NOBODY_SHA256);
  return ok(row && same && isAlive(row, nowMs) ? row : undefined);
}

/** Both sides are hashes of one length; the comparison takes the same time wherever they differ. */
function sameText(one: string, other: string): boolean {
  const encoder = new TextEncoder();
  return crypto.subtle.timingSafeEqual(encoder.encode(one), encoder.encode(other));
}

const isAlive = (row: KeyRow, nowMs: number): boolean =>
  row.revoked_at === null && (row.expires_at === null || Date.parse(row.expires_at) > nowMs);
