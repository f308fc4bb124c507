/**
 * Keys: `<prefix>_<id>_<secret>`. The id finds the row, the secret's SHA-256 is compared, the secret is never stored.
 *
 * A partner's key and an operator's never look alike, so that neither is ever looked for among the other.
 */
import type { Environment } from '../../kernel/names.ts';
import { hex } from '../../kernel/secret.ts';

/** The environment stands in the prefix for people; what counts is the row. */
const PREFIXES: Record<Environment, string> = { test: 'tltest', production: 'tllive' };
const OPS_PREFIX = 'tlops';
const KEY_FORM = /^(?:tltest|tllive)_([0-9a-f]{16})_([0-9a-f]{64})$/;
const OPS_KEY_FORM = /^tlops_([0-9a-f]{16})_([0-9a-f]{64})$/;

export interface KeyParts {
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
