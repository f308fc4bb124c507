/**
 * Keys of partners and of operators as they are made: the row, the text that is shown once, and the state of a key.
 * Pure: the random bytes and the clock are passed in. The stores of the directory and the command line share it.
 */
import { HOUR_MS, iso } from '../../kernel/clock.ts';
import type { Environment } from '../../kernel/names.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import { sha256Hex } from '../../kernel/secret.ts';
import type { OpsRole } from './directory.ts';
import { type KeyRow, newKey, newOpsKey } from './keys.ts';
import { KEY_ENDING_MS, KEY_LIFETIME_MS } from './limits.ts';

/** @property mappings null: every mapping. expiresAt: ISO time; null: it does not end. */
export interface PartnerKeyWanted {
  partner: string;
  environment: Environment;
  channel: string;
  scacs: readonly string[];
  mappings: readonly string[] | null;
  expiresAt: string | null;
}

/** @property name of the person or the program that gets it: it is in the history of what they change. */
export interface OpsKeyWanted {
  name: string;
  role: OpsRole;
  environments: readonly Environment[];
  expiresAt: string | null;
}

/** @property key shown once. row: by column. */
export interface IssuedKey {
  key: string;
  keyId: string;
  row: Readonly<Record<string, string | null>>;
}

/** @param random as for `newKey`. */
export function issuedPartnerKey(wanted: PartnerKeyWanted, random: Uint8Array<ArrayBuffer>, nowMs: number): IssuedKey {
  const { key, keyId, secret } = newKey(wanted.environment, random);
  const row = {
    key_id: keyId,
    partner: wanted.partner,
    environment: wanted.environment,
    secret_sha256: sha256Hex(secret),
    channel: wanted.channel,
    scacs: JSON.stringify(wanted.scacs),
    mappings: wanted.mappings === null ? null : JSON.stringify(wanted.mappings),
    created_at: iso(nowMs),
    expires_at: wanted.expiresAt,
  };
  return { key, keyId, row };
}

/** @param random as for `newKey`. */
export function issuedOpsKey(wanted: OpsKeyWanted, random: Uint8Array<ArrayBuffer>, nowMs: number): IssuedKey {
  const { key, keyId, secret } = newOpsKey(random);
  const row = {
    key_id: keyId,
    name: wanted.name,
    role: wanted.role,
    environments: JSON.stringify(wanted.environments),
    secret_sha256: sha256Hex(secret),
    created_at: iso(nowMs),
    expires_at: wanted.expiresAt,
  };
  return { key, keyId, row };
}

/** What a caller writes for "no end". */
export const NEVER = 'never';

/**
 * When a key ends: the end of a day (UTC), or never; a year from now where nothing is said.
 * @returns what is wrong with the text.
 */
export function keyEnd(text: string | undefined, nowMs: number): Result<string | null, 'not_a_day' | 'in_the_past'> {
  if (text === undefined) return ok(iso(nowMs + KEY_LIFETIME_MS));
  if (text === NEVER) return ok(null);
  const atMs = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T23:59:59Z`) : Number.NaN;
  if (Number.isNaN(atMs) || iso(atMs).slice(0, 10) !== text) return err('not_a_day');
  return atMs > nowMs ? ok(iso(atMs)) : err('in_the_past');
}

/** When a key that is rotated ends: after the overlap, or at its own end if that comes first. */
export function rotatedEnd(expiresAt: string | null, overlapHours: number, nowMs: number): string {
  const afterMs = nowMs + overlapHours * HOUR_MS;
  return expiresAt !== null && Date.parse(expiresAt) < afterMs ? expiresAt : iso(afterMs);
}

/**
 * - `live`: it works.
 * - `ending`: it works, and ends within two weeks: its holder needs another.
 * - `replaced`: it works on until its end, and another took its place.
 * - `ended`: its time is over.
 * - `revoked`: an admin ended it.
 */
export type KeyState = 'live' | 'ending' | 'replaced' | 'ended' | 'revoked';

export const WORKING_STATES: ReadonlySet<KeyState> = new Set<KeyState>(['live', 'ending', 'replaced']);

export function stateOfKey(
  row: Pick<KeyRow, 'revoked_at' | 'expires_at'> & { replaced_by: string | null },
  nowMs: number,
): KeyState {
  if (row.revoked_at !== null) return 'revoked';
  const endsMs = row.expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(row.expires_at);
  if (endsMs <= nowMs) return 'ended';
  if (row.replaced_by !== null) return 'replaced';
  return endsMs - nowMs <= KEY_ENDING_MS ? 'ending' : 'live';
}
