/** Who operates the bridge: keys with a role, in D1. A partner's key is nobody here. */
import type { Environment } from '../../kernel/names.ts';
import { findKey, type KeyRow } from './key-rows.ts';
import { readOpsKey } from './keys.ts';

/** Each may do what those before it may: look; publish, roll back and edit; change who may do what. */
export const OPS_ROLES = ['viewer', 'operator', 'admin'] as const;
export type OpsRole = (typeof OPS_ROLES)[number];

export const mayActAs = (has: OpsRole, needed: OpsRole): boolean => OPS_ROLES.indexOf(has) >= OPS_ROLES.indexOf(needed);

export interface OpsPrincipal {
  keyId: string;
  /** Of the person or the program that holds the key, for the history. */
  name: string;
  role: OpsRole;
  environments: readonly Environment[];
}

export type OpsSignIn =
  | { outcome: 'known'; principal: OpsPrincipal }
  /** No such key, a wrong one, a revoked one, or a partner's: deliberately one answer for all. */
  | { outcome: 'unknown' }
  /** The directory cannot be read; the key may well be right. */
  | { outcome: 'unavailable' };

export interface OpsDirectory {
  /** @param presented the whole key text as sent. */
  signIn(presented: string): Promise<OpsSignIn>;
}

interface OpsKeyRow extends KeyRow {
  name: string;
  role: OpsRole;
  environments: string;
}

export function opsDirectory(database: D1Database, nowMs: () => number): OpsDirectory {
  const look = (keyId: string): Promise<OpsKeyRow | null> =>
    database.prepare('SELECT * FROM ops_key WHERE key_id = ?').bind(keyId).first<OpsKeyRow>();
  return {
    async signIn(presented) {
      const found = await findKey(readOpsKey(presented), look, nowMs());
      if (!found.ok) return { outcome: 'unavailable' };
      return found.value ? { outcome: 'known', principal: principalOf(found.value) } : { outcome: 'unknown' };
    },
  };
}

const principalOf = ({ key_id, name, role, environments }: OpsKeyRow): OpsPrincipal => ({
  keyId: key_id,
  name,
  role,
  environments: JSON.parse(environments) as Environment[],
});
