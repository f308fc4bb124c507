/** The partners in D1, for administrators: names, channels, whether they are let in, how their keys are; and keys that end soon. */
import { iso } from '../../kernel/clock.ts';
import type { Environment } from '../../kernel/names.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import { type AuditFacts, auditStatement } from './audit.ts';
import { type DirectoryUnavailable, directoryReached } from './directory.ts';
import { KEY_ENDING_MS } from './limits.ts';

/** As one environment sees it. @property channel null: it has none there yet. liveKeys: that work. endsAt: when the next of them ends. */
export interface AdministeredPartner {
  partner: string;
  displayName: string;
  isEnabled: boolean;
  createdAt: string;
  channel: string | null;
  /** Of pages of other sites that may call the API with its keys, sorted. */
  origins: readonly string[];
  liveKeys: number;
  endsAt: string | null;
  lastUsedAt: string | null;
}

export type PartnerRefusal =
  | DirectoryUnavailable
  | { code: 'partner_unknown'; partner: string }
  | { code: 'partner_exists'; partner: string };

/** What is left out stays. @property channel also of the keys that work. */
export interface PartnerChange {
  displayName?: string;
  isEnabled?: boolean;
  channel?: string;
  origins?: readonly string[];
}

/** A key that ends soon, and that no other has replaced. */
export interface EndingKey {
  holder: 'partner' | 'operator';
  name: string;
  keyId: string;
  endsAtMs: number;
  lastUsedAt: string | null;
}

type Answer<T> = Promise<Result<T, PartnerRefusal>>;
type Row = Omit<AdministeredPartner, 'isEnabled' | 'origins'> & { isEnabled: number; origins: string };

/** ?1: the environment; ?2: now. */
const SELECTED = `
  SELECT p.partner, p.display_name AS displayName, p.is_enabled AS isEnabled, p.created_at AS createdAt, c.channel,
    (SELECT json_group_array(origin) FROM partner_origin AS o WHERE o.partner = p.partner) AS origins,
    count(k.key_id) AS liveKeys, min(k.expires_at) AS endsAt,
    (SELECT max(last_used_at) FROM partner_key AS used WHERE used.partner = p.partner AND used.environment = ?1) AS lastUsedAt
  FROM partner AS p
  LEFT JOIN partner_channel AS c ON c.partner = p.partner AND c.environment = ?1
  LEFT JOIN partner_key AS k ON k.partner = p.partner AND k.environment = ?1 AND k.revoked_at IS NULL
    AND (k.expires_at IS NULL OR k.expires_at > ?2)`;

const shown = (row: Row): AdministeredPartner => ({
  ...row,
  isEnabled: row.isEnabled === 1,
  origins: (JSON.parse(row.origins) as string[]).sort(),
});

export type Partners = ReturnType<typeof partnersOf>;

export function partnersOf(database: D1Database, nowMs: () => number) {
  const one = async (environment: Environment, partner: string): Promise<AdministeredPartner | undefined> => {
    const sql = `${SELECTED} WHERE p.partner = ?3 GROUP BY p.partner`;
    const row = await database.prepare(sql).bind(environment, iso(nowMs()), partner).first<Row>();
    return row === null ? undefined : shown(row);
  };
  const whole = async (environment: Environment, partner: string): Answer<AdministeredPartner> => {
    const found = await one(environment, partner);
    return found === undefined ? err({ code: 'partner_unknown', partner }) : ok(found);
  };
  const withChannel = (environment: Environment, partner: string, channel: string): D1PreparedStatement =>
    database
      .prepare('INSERT OR REPLACE INTO partner_channel (partner, environment, channel) VALUES (?, ?, ?)')
      .bind(partner, environment, channel);
  const withOrigins = (partner: string, origins: readonly string[]): D1PreparedStatement[] => [
    database.prepare('DELETE FROM partner_origin WHERE partner = ?').bind(partner),
    ...origins.map((origin) =>
      database.prepare('INSERT OR IGNORE INTO partner_origin (origin, partner) VALUES (?, ?)').bind(origin, partner),
    ),
  ];
  return {
    /** Whether a page may call the API. @param partner null: of any partner. Where it cannot be read, it may not. */
    async allowsOrigin(origin: string, partner: string | null): Promise<boolean> {
      const sql = `SELECT 1 FROM partner_origin JOIN partner USING (partner)
        WHERE origin = ?1 AND is_enabled = 1 AND (?2 IS NULL OR partner = ?2) LIMIT 1`;
      const found = await directoryReached<boolean, never>(async () =>
        ok((await database.prepare(sql).bind(origin, partner).first()) !== null),
      );
      return found.ok && found.value;
    },
    /** By name. @param after the last name of the page before; '': the first page. */
    list: (environment: Environment, after: string, limit: number): Answer<AdministeredPartner[]> =>
      directoryReached(async () => {
        const sql = `${SELECTED} WHERE p.partner > ?3 GROUP BY p.partner ORDER BY p.partner LIMIT ?4`;
        const bound = database.prepare(sql).bind(environment, iso(nowMs()), after, limit);
        return ok((await bound.all<Row>()).results.map(shown));
      }),
    read: (environment: Environment, partner: string): Answer<AdministeredPartner> =>
      directoryReached<AdministeredPartner, PartnerRefusal>(() => whole(environment, partner)),
    create: (
      environment: Environment,
      { partner, displayName, channel }: { partner: string; displayName: string; channel: string },
      facts: AuditFacts,
    ): Answer<AdministeredPartner> =>
      directoryReached<AdministeredPartner, PartnerRefusal>(async () => {
        const inserted = database
          .prepare('INSERT OR IGNORE INTO partner (partner, display_name, created_at) VALUES (?, ?, ?)')
          .bind(partner, displayName, iso(facts.atMs));
        const known = await one(environment, partner);
        if (known !== undefined) return err({ code: 'partner_exists', partner });
        const channelled = database
          .prepare('INSERT OR IGNORE INTO partner_channel (partner, environment, channel) VALUES (?, ?, ?)')
          .bind(partner, environment, channel);
        const [made] = await database.batch([inserted, auditStatement(database, facts, true), channelled]);
        return made?.meta.changes === 0 ? err({ code: 'partner_exists', partner }) : whole(environment, partner);
      }),
    change: (
      environment: Environment,
      partner: string,
      { displayName, isEnabled, channel, origins }: PartnerChange,
      facts: AuditFacts,
    ): Answer<AdministeredPartner> =>
      directoryReached<AdministeredPartner, PartnerRefusal>(async () => {
        const found = await one(environment, partner);
        if (found === undefined) return err({ code: 'partner_unknown', partner });
        const enabled = isEnabled === undefined ? null : Number(isEnabled);
        await database.batch([
          database
            .prepare(
              `UPDATE partner SET display_name = coalesce(?, display_name), is_enabled = coalesce(?, is_enabled)
               WHERE partner = ?`,
            )
            .bind(displayName ?? null, enabled, partner),
          auditStatement(database, facts),
          ...(channel === undefined
            ? []
            : [
                withChannel(environment, partner, channel),
                ...['partner_key', 'upload_link'].map((table) =>
                  database
                    .prepare(`UPDATE ${table} SET channel = ? WHERE partner = ? AND environment = ?`)
                    .bind(channel, partner, environment),
                ),
              ]),
          ...(origins === undefined ? [] : withOrigins(partner, origins)),
        ]);
        return whole(environment, partner);
      }),
    /** Keys of the environment that end soon and were not rotated, the next to end first; of operators too. */
    endingKeys: (environment: Environment): Promise<Result<EndingKey[], DirectoryUnavailable>> =>
      directoryReached<EndingKey[], never>(async () => {
        const ends = `revoked_at IS NULL AND replaced_by IS NULL AND expires_at > ?2 AND expires_at <= ?3`;
        const sql = `
          SELECT 'partner' AS holder, partner AS name, key_id AS keyId, expires_at AS endsAt, last_used_at AS lastUsedAt
          FROM partner_key WHERE environment = ?1 AND ${ends}
          UNION ALL
          SELECT 'operator', name, key_id, expires_at, last_used_at FROM ops_key
          WHERE EXISTS (SELECT 1 FROM json_each(environments) WHERE value = ?1) AND ${ends}
          ORDER BY endsAt, keyId`;
        const now = nowMs();
        const bound = database.prepare(sql).bind(environment, iso(now), iso(now + KEY_ENDING_MS));
        const { results } = await bound.all<Omit<EndingKey, 'endsAtMs'> & { endsAt: string }>();
        return ok(results.map(({ endsAt, ...key }) => ({ ...key, endsAtMs: Date.parse(endsAt) })));
      }),
  };
}
