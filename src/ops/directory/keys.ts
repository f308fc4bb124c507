/**
 * Keys: `<prefix>_<id>_<secret>`. The id finds the row, the secret's SHA-256 is compared, the secret is never stored.
 * Keys of partners and of operators have different prefixes, so that neither is ever looked up among the other.
 */

import { log, messageOf } from '../../kernel/log.ts';
import type { Environment } from '../../kernel/names.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import { hex, sha256Hex } from '../../kernel/secret.ts';

/** The prefix shows the environment to people; only the row counts. */
const PREFIXES: Record<Environment, string> = { test: 'tltest', production: 'tllive' };
const OPS_PREFIX = 'tlops';
const KEY_FORM = /^(?:tltest|tllive)_([0-9a-f]{16})_([0-9a-f]{64})$/;
const OPS_KEY_FORM = /^tlops_([0-9a-f]{16})_([0-9a-f]{64})$/;

interface KeyParts {
  keyId: string;
  secret: string;
}

export const readKey = (presented: string): KeyParts | undefined => partsOf(KEY_FORM.exec(presented));
export const readOpsKey = (presented: string): KeyParts | undefined => partsOf(OPS_KEY_FORM.exec(presented));

const partsOf = (match: RegExpExecArray | null): KeyParts | undefined =>
  match?.[1] && match[2] ? { keyId: match[1], secret: match[2] } : undefined;

/** @param random 40 random bytes: 8 for the id, 32 (256 bits) for the secret. */
export const newKey = (environment: Environment, random: Uint8Array<ArrayBuffer>): KeyParts & { key: string } =>
  keyOf(PREFIXES[environment], random);

/** @param random as for `newKey`. */
export const newOpsKey = (random: Uint8Array<ArrayBuffer>): KeyParts & { key: string } => keyOf(OPS_PREFIX, random);

function keyOf(prefix: string, random: Uint8Array<ArrayBuffer>): KeyParts & { key: string } {
  if (random.byteLength < 40) throw new Error('a key needs 40 random bytes');
  const keyId = hex(random.slice(0, 8).buffer);
  const secret = hex(random.slice(8, 40).buffer);
  return { keyId, secret, key: `${prefix}_${keyId}_${secret}` };
}

/*
 * The row of a presented key, if there is one, its secret is right and it is valid. The same for partners' and
 * operators' keys.
 */

/** The columns of every table of keys. */
export interface KeyRow {
  key_id: string;
  secret_sha256: string;
  expires_at: string | null;
  revoked_at: string | null;
}

/** Compared when the id is unknown, so that an unknown id takes as long as a wrong secret. */
const NOBODY_SHA256 = '0'.repeat(64);

/**
 * @param parts undefined when the presented text is no key of this kind: a comparison is made all the same.
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
  const presentedSha256 = sha256Hex(parts?.secret ?? '');
  const same = sameText(presentedSha256, row?.secret_sha256 ?? NOBODY_SHA256);
  return ok(row && same && isAlive(row, nowMs) ? row : undefined);
}

/** Both sides are hashes of one length; the comparison takes the same time wherever they differ. */
function sameText(one: string, other: string): boolean {
  const encoder = new TextEncoder();
  return crypto.subtle.timingSafeEqual(encoder.encode(one), encoder.encode(other));
}

export const isAlive = (row: KeyRow, nowMs: number): boolean =>
  row.revoked_at === null && (row.expires_at === null || Date.parse(row.expires_at) > nowMs);
