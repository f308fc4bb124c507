/**
 * The keys of one table in D1: making, rotating and revoking them, each in one transaction with its entry of the audit.
 * What may be is part of the statement, so that two admins at once never make a third key.
 */
import { iso } from '../../kernel/clock.ts';
import type { Environment } from '../../kernel/names.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import { type AuditFacts, auditStatement } from './audit.ts';
import { type DirectoryUnavailable, directoryReached, type OpsRole } from './directory.ts';
import { type IssuedKey, rotatedEnd } from './issued-keys.ts';
import type { KeyRow } from './keys.ts';
import { KEYS_LIVE_MAX, KEYS_SHOWN, OPS_KEYS_SHOWN } from './limits.ts';

export interface StoredKey extends KeyRow {
  created_at: string;
  last_used_at: string | null;
  replaced_by: string | null;
}

export type KeyRefusal =
  | DirectoryUnavailable
  | { code: 'key_unknown'; keyId: string }
  | { code: 'key_ended'; keyId: string }
  | { code: 'too_many_keys'; most: number }
  | { code: 'key_made_already'; keyId: string };

/**
 * @property holder columns that say whose a key is: at most two of one holder live at once. agreed by column, what holds at
 * the moment at which a key is written, whatever was read before.
 */
interface KeyTable {
  table: 'partner_key' | 'ops_key';
  holder: readonly string[];
  agreed: Readonly<Record<string, string>>;
}

const PARTNER_KEYS: KeyTable = {
  table: 'partner_key',
  holder: ['partner', 'environment'],
  agreed: {
    channel: `coalesce((SELECT own.channel FROM partner_channel AS own
                        WHERE own.partner = new.partner AND own.environment = new.environment), new.channel)`,
  },
};
const OPS_KEYS: KeyTable = { table: 'ops_key', holder: ['name'], agreed: {} };

/** By column of the holder. */
type Holder = Readonly<Record<string, string>>;

/** @property facts of the audit, without the key: its id is added. */
interface KeyChange {
  facts: AuditFacts;
  nowMs: number;
}

type Answer<T> = Promise<Result<T, KeyRefusal>>;

const LIVE = '(revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?))';

function keyStore<Row extends StoredKey>(
  database: D1Database,
  { table, holder: columns, agreed }: KeyTable,
  nowMs: () => number,
) {
  const ofHolder = columns.map((column) => `${column} = ?`).join(' AND ');
  const valuesOf = (holder: Holder): string[] => columns.map((column) => holder[column] ?? '');
  const one = (keyId: string): Promise<Row | null> =>
    database.prepare(`SELECT * FROM ${table} WHERE key_id = ?`).bind(keyId).first<Row>();
  const audited = ({ facts }: KeyChange, detail: Record<string, unknown>): D1PreparedStatement =>
    auditStatement(database, { ...facts, detail: { ...facts.detail, ...detail } }, true);
  /**
   * Inserts while fewer than two others of the holder live, and returns the row: a key that was made is shown whatever
   * fails after that.
   * @param old the key that is rotated: it must live, and counts as long as it works on.
   */
  const insertion = (
    { row }: IssuedKey,
    holder: Holder,
    nowMs: number,
    old?: { keyId: string; worksOn: boolean },
  ): D1PreparedStatement => {
    const names = Object.keys(row);
    const now = iso(nowMs);
    const uncounted = old === undefined || old.worksOn ? '' : old.keyId;
    const values = [...Object.values(row), ...valuesOf(holder), uncounted, now, KEYS_LIVE_MAX];
    const sql = `INSERT OR IGNORE INTO ${table} (${names.join(', ')})
      SELECT ${names.map((name) => agreed[name] ?? name).join(', ')}
      FROM (SELECT ${names.map((name) => `? AS ${name}`).join(', ')}) AS new
      WHERE (SELECT count(*) FROM ${table} WHERE ${ofHolder} AND key_id <> ? AND ${LIVE}) < ?`;
    if (old === undefined) return database.prepare(`${sql} RETURNING *`).bind(...values);
    const isThere = `AND EXISTS (SELECT 1 FROM ${table} WHERE key_id = ? AND replaced_by IS NULL AND ${LIVE})`;
    return database.prepare(`${sql} ${isThere} RETURNING *`).bind(...values, old.keyId, now);
  };
  return {
    /** Those that work first, then newest first. @param limit -1: all. */
    list: (holder: Holder, limit = KEYS_SHOWN): Answer<Row[]> =>
      directoryReached(async () => {
        const sql = `SELECT * FROM ${table} WHERE ${ofHolder} ORDER BY NOT ${LIVE}, created_at DESC, key_id LIMIT ?`;
        const bound = database.prepare(sql).bind(...valuesOf(holder), iso(nowMs()), limit);
        return ok((await bound.all<Row>()).results);
      }),
    read: (keyId: string): Answer<Row> =>
      directoryReached<Row, KeyRefusal>(async () => {
        const row = await one(keyId);
        return row === null ? err({ code: 'key_unknown', keyId }) : ok(row);
      }),
    make: (issued: IssuedKey, holder: Holder, change: KeyChange): Answer<Row> =>
      directoryReached<Row, KeyRefusal>(async () => {
        const { keyId } = issued;
        const known = await one(keyId);
        if (known !== null) return err({ code: 'key_made_already', keyId });
        const [made] = await database.batch<Row>([
          insertion(issued, holder, change.nowMs),
          audited(change, { keyId, expiresAt: issued.row.expires_at ?? null }),
        ]);
        const row = made?.results[0];
        return row === undefined ? err({ code: 'too_many_keys', most: KEYS_LIVE_MAX }) : ok(row);
      }),
    /** @param overlapHours how long the old one works on; 0: it ends at once. */
    rotate: (old: Row, overlapHours: number, issued: IssuedKey, holder: Holder, change: KeyChange): Answer<Row> =>
      directoryReached<Row, KeyRefusal>(async () => {
        const { keyId } = issued;
        if ((await one(keyId)) !== null) return err({ code: 'key_made_already', keyId });
        const endsAt = rotatedEnd(old.expires_at, overlapHours, change.nowMs);
        const end = `UPDATE ${table} SET expires_at = ?, replaced_by = ? WHERE key_id = ?
                     AND EXISTS (SELECT 1 FROM ${table} WHERE key_id = ?)`;
        const [made] = await database.batch<Row>([
          insertion(issued, holder, change.nowMs, { keyId: old.key_id, worksOn: overlapHours > 0 }),
          audited(change, { keyId: old.key_id, replacedBy: keyId, endsAt }),
          database.prepare(end).bind(endsAt, keyId, old.key_id, keyId),
        ]);
        const row = made?.results[0];
        if (row !== undefined) return ok(row);
        const now = await one(old.key_id);
        const isLive =
          now !== null && now.revoked_at === null && now.replaced_by === null && !isOver(now, change.nowMs);
        return isLive
          ? err({ code: 'too_many_keys', most: KEYS_LIVE_MAX })
          : err({ code: 'key_ended', keyId: old.key_id });
      }),
    /** At once; a key that has ended already stays as it is. @returns whether it ended now. */
    revoke: (keyId: string, change: KeyChange): Answer<boolean> =>
      directoryReached<boolean, KeyRefusal>(async () => {
        const sql = `UPDATE ${table} SET revoked_at = ? WHERE key_id = ? AND revoked_at IS NULL`;
        const [revoked] = await database.batch([
          database.prepare(sql).bind(iso(change.nowMs), keyId),
          audited(change, { keyId }),
        ]);
        return ok(revoked?.meta.changes === 1);
      }),
  };
}

const isOver = ({ expires_at }: KeyRow, nowMs: number): boolean =>
  expires_at !== null && Date.parse(expires_at) <= nowMs;

export interface StoredPartnerKey extends StoredKey {
  partner: string;
  environment: Environment;
  channel: string;
  scacs: string;
  mappings: string | null;
}

export interface StoredOpsKey extends StoredKey {
  name: string;
  role: OpsRole;
  environments: string;
}

/** The holder of a key is a partner in one environment. */
export const partnerKeysOf = (database: D1Database, nowMs: () => number) =>
  keyStore<StoredPartnerKey>(database, PARTNER_KEYS, nowMs);
export type PartnerKeys = ReturnType<typeof partnerKeysOf>;

export type OpsKeys = ReturnType<typeof opsKeysOf>;
/** The holder of a key is a person or a program, by name. */
export function opsKeysOf(database: D1Database, nowMs: () => number) {
  return {
    ...keyStore<StoredOpsKey>(database, OPS_KEYS, nowMs),
    /** Of all holders whose keys may act on this environment: those that work first, by name, each one's newest first. */
    all: (environment: Environment): Answer<StoredOpsKey[]> =>
      directoryReached(async () => {
        const sql = `SELECT * FROM ops_key WHERE EXISTS (SELECT 1 FROM json_each(environments) WHERE value = ?)
                     ORDER BY NOT ${LIVE}, name, created_at DESC, key_id LIMIT ${OPS_KEYS_SHOWN}`;
        return ok((await database.prepare(sql).bind(environment, iso(nowMs())).all<StoredOpsKey>()).results);
      }),
  };
}
