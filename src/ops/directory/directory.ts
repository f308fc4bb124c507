/**
 * The partner directory in D1: who a presented key belongs to. A database that is down is reported as such, never as
 * "wrong key".
 */
import { DEFAULT_RULES, type EnvelopeRules } from '../../batch/envelopes/validate.ts';
import type { KeyDirectory, PartnerDirectory, Principal } from '../../intake/ports.ts';
import { iso } from '../../kernel/clock.ts';
import { log, messageOf } from '../../kernel/log.ts';
import type { Environment } from '../../kernel/names.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import { BusyKeys } from './busy-keys.ts';
import { findKey, isAlive, type KeyRow, readKey, readOpsKey } from './keys.ts';
import { KEY_USE_NOTED_MS } from './limits.ts';

interface UsedKeyRow extends KeyRow {
  last_used_at: string | null;
}

interface PartnerKeyRow extends UsedKeyRow {
  partner: string;
  environment: Environment;
  channel: string;
  scacs: string;
  mappings: string | null;
  rules: string | null;
  partner_id: string | null;
  client_id: string | null;
}

/** Lets work go on after the answer; left out: the use of keys is not noted. */
type Later = (work: Promise<unknown>) => void;

/** @property ofKey the holder of a key by its id alone, for a session; null: the key was revoked or has ended. */
type PartnerKeys = PartnerDirectory & { ofKey(keyId: string): Promise<Principal | null> };

export function partnerDirectory(database: D1Database, nowMs: () => number, later?: Later): PartnerKeys {
  const look = (keyId: string): Promise<PartnerKeyRow | null> =>
    database
      .prepare(
        `SELECT partner_key.*, (
           SELECT rules FROM partner_envelope AS agreed
           WHERE agreed.partner = partner_key.partner AND agreed.environment = partner_key.environment
           ORDER BY edition DESC LIMIT 1
         ) AS rules, order_feed.partner_id, order_feed.client_id
         FROM partner_key
         JOIN partner ON partner.partner = partner_key.partner AND partner.is_enabled = 1
         LEFT JOIN order_feed
           ON order_feed.partner = partner_key.partner AND order_feed.environment = partner_key.environment
         WHERE key_id = ?`,
      )
      .bind(keyId)
      .first<PartnerKeyRow>();
  const noteUse = useNoted(database, 'partner_key', nowMs, later);
  return {
    ...keyDirectory(
      async (presented) => findKey(readKey(presented), (keyId) => busy.find(keyId, nowMs(), look), nowMs()),
      principalOf,
      noteUse,
    ),
    ofKey: async (keyId) => {
      if (LINK_ID_FORM.test(keyId)) return ofLink(database, keyId, nowMs());
      const row = await look(keyId);
      return row !== null && isAlive(row, nowMs()) ? principalOf(row) : null;
    },
  };
}

const busy = new BusyKeys<PartnerKeyRow>();

/** Whoever came by an upload link, as long as it is open and its partner is let in. */
async function ofLink(database: D1Database, linkId: string, nowMs: number): Promise<Principal | null> {
  const row = await database
    .prepare(
      `SELECT upload_link.*, link_id AS key_id, (
         SELECT rules FROM partner_envelope AS agreed
         WHERE agreed.partner = upload_link.partner AND agreed.environment = upload_link.environment
         ORDER BY edition DESC LIMIT 1
       ) AS rules, order_feed.partner_id, order_feed.client_id
       FROM upload_link
       JOIN partner ON partner.partner = upload_link.partner AND partner.is_enabled = 1
       LEFT JOIN order_feed
         ON order_feed.partner = upload_link.partner AND order_feed.environment = upload_link.environment
       WHERE link_id = ? AND revoked_at_ms IS NULL AND ends_at_ms > ?`,
    )
    .bind(linkId, nowMs)
    .first<PartnerKeyRow>();
  return row === null ? null : { ...principalOf(row), isLink: true };
}

/** Never the id of a key: those are hexadecimal. */
const LINK_ID_FORM = /^l_[0-9a-f]{32}$/;

const keyDirectory = <Row, Who>(
  find: (presented: string) => Promise<Result<Row | undefined, 'unavailable'>>,
  whoOf: (row: Row) => Who,
  noteUse: (row: Row) => void,
): KeyDirectory<Who> => ({
  async signIn(presented) {
    const found = await find(presented);
    if (!found.ok) return { outcome: 'unavailable' };
    if (found.value === undefined) return { outcome: 'unknown' };
    noteUse(found.value);
    return { outcome: 'known', principal: whoOf(found.value) };
  },
});

/** Notes that a key is used: at most once an hour, after the answer, and never in its way. */
function useNoted(database: D1Database, table: 'partner_key' | 'ops_key', nowMs: () => number, later?: Later) {
  return ({ key_id: keyId, last_used_at: usedAt }: UsedKeyRow): void => {
    const now = nowMs();
    if (later === undefined || (usedAt !== null && now - Date.parse(usedAt) < KEY_USE_NOTED_MS)) return;
    const noted = database.prepare(`UPDATE ${table} SET last_used_at = ? WHERE key_id = ?`).bind(iso(now), keyId);
    later(noted.run().catch((thrown: unknown) => log('warn', 'key_use_not_noted', { detail: messageOf(thrown) })));
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

/* Operators: keys with a role, in D1. A partner's key is unknown here. */

/** Each role includes those before it: look; publish, roll back and edit; change who may do what. */
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

export type OpsDirectory = KeyDirectory<OpsPrincipal>;

interface OpsKeyRow extends UsedKeyRow {
  name: string;
  role: OpsRole;
  environments: string;
}

export function opsDirectory(database: D1Database, nowMs: () => number, later?: Later): OpsDirectory {
  const look = (keyId: string): Promise<OpsKeyRow | null> =>
    database.prepare('SELECT * FROM ops_key WHERE key_id = ?').bind(keyId).first<OpsKeyRow>();
  const noteUse = useNoted(database, 'ops_key', nowMs, later);
  return keyDirectory(async (presented) => findKey(readOpsKey(presented), look, nowMs()), operatorOf, noteUse);
}

const operatorOf = ({ key_id, name, role, environments }: OpsKeyRow): OpsPrincipal => ({
  keyId: key_id,
  name,
  role,
  environments: JSON.parse(environments) as Environment[],
});

/** Who makes a change, and why. */
export interface ChangeAuthor {
  keyId: string;
  author: string;
  note: string;
  atMs: number;
}

/* Work on the directory (D1), which may be down: that is an answer, not a bug. */

export interface DirectoryUnavailable {
  code: 'directory_unavailable';
}

export async function directoryReached<T, E>(
  work: () => Promise<Result<T, E>>,
): Promise<Result<T, E | DirectoryUnavailable>> {
  try {
    return await work();
  } catch (thrown) {
    log('error', 'directory_unavailable', { detail: messageOf(thrown) });
    return err({ code: 'directory_unavailable' });
  }
}

/** The page of a list that a run of the cron is for: if it has more than one run can call, the next run continues. */
export async function ofRun<T>(
  run: number,
  most: number,
  list: { count(): Promise<number>; page(limit: number, offset: number): Promise<T[]> },
): Promise<T[]> {
  const pages = Math.max(1, Math.ceil((await list.count()) / most));
  return list.page(most, (run % pages) * most);
}

/* The partners of an environment, in D1: those that have a channel in it, or ever had a key. */

export type PartnerList = ReturnType<typeof partnerList>;

export const partnerList = (database: D1Database) => ({
  /** Sorted. */
  names: (environment: Environment) =>
    directoryReached<string[], never>(async () => {
      const sql = `SELECT partner FROM partner_key WHERE environment = ?1
                   UNION SELECT partner FROM partner_channel WHERE environment = ?1`;
      const { results } = await database.prepare(sql).bind(environment).all<{ partner: string }>();
      return ok(results.map(({ partner }) => partner).sort());
    }),
  /** The SCACs that partners may use or ever used, by partner name, sorted. */
  scacs: (environment: Environment) =>
    directoryReached<Map<string, string[]>, never>(async () => {
      const sql = `SELECT partner, value AS scac FROM partner_key, json_each(scacs) WHERE environment = ?1
                   UNION SELECT partner, value FROM upload_link, json_each(scacs) WHERE environment = ?1
                   ORDER BY partner, scac`;
      const { results } = await database.prepare(sql).bind(environment).all<{ partner: string; scac: string }>();
      const known = Map.groupBy(results, ({ partner }) => partner);
      return ok(new Map([...known].map(([partner, rows]) => [partner, rows.map(({ scac }) => scac)])));
    }),
});
