/**
 * Partner keys: `<prefix>_<id>_<secret>`. The id finds the row, the secret's SHA-256 is compared, the secret is never stored.
 */
import type { Environment } from '../kernel/names.ts';
import { hex } from '../kernel/secret.ts';

/** The environment stands in the prefix for people; what counts is the row. */
const PREFIXES: Record<Environment, string> = { test: 'tltest', production: 'tllive' };
const KEY_FORM = /^(tltest|tllive)_([0-9a-f]{16})_([0-9a-f]{64})$/;

export interface KeyParts {
  keyId: string;
  secret: string;
}

export function readKey(presented: string): KeyParts | undefined {
  const match = KEY_FORM.exec(presented);
  return match?.[2] && match[3] ? { keyId: match[2], secret: match[3] } : undefined;
}

/** @param random 40 random bytes: 8 for the id, 32 (256 bits) for the secret. */
export function newKey(environment: Environment, random: Uint8Array<ArrayBuffer>): KeyParts & { key: string } {
  if (random.byteLength < 40) throw new Error('a key needs 40 random bytes');
  const keyId = hex(random.slice(0, 8).buffer);
  const secret = hex(random.slice(8, 40).buffer);
  return { keyId, secret, key: `${PREFIXES[environment]}_${keyId}_${secret}` };
}
