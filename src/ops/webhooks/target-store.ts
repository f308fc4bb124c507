/** Where partners are notified, in D1: read, set, and who set what when. */
import { iso } from '../../kernel/clock.ts';
import type { Environment, PartnerScope } from '../../kernel/names.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import type { WebhookEventType, WebhookTarget } from '../../webhooks/target.ts';
import { type ChangeAuthor, type DirectoryUnavailable, directoryReached } from '../directory/directory.ts';

export type WebhookAction = 'register' | 'change' | 'rotate' | 'delete';

/** A target with who set it last. */
export interface AgreedTarget extends WebhookTarget {
  action: WebhookAction;
  changedBy: string;
  changedAt: string;
  note: string;
}

export interface WebhookChange extends WebhookTarget, ChangeAuthor {
  action: WebhookAction;
}

/** @property targets the newest revision of each, including deleted ones, by id. */
export interface ScopeTargets {
  scope: PartnerScope;
  targets: AgreedTarget[];
}

export type WebhookTargetStore = ReturnType<typeof webhookTargetStore>;

type TargetRow = Omit<AgreedTarget, 'events' | 'isEnabled' | 'isDeleted'> & { events: string; isEnabled: number };

const COLUMNS = `target AS id, edition, action, url, events, is_enabled AS isEnabled, generation,
  rotated_at_ms AS rotatedAtMs, key_name AS changedBy, changed_at AS changedAt, note`;

/**
 * @param table those of the operators are in one of their own. beside what is committed with a revision, if that was written:
 * its first statement sees that in `changes()`.
 */
export function webhookTargetStore(
  database: D1Database,
  table: 'partner_webhook' | 'alert_webhook' = 'partner_webhook',
  beside: (environment: Environment, action: WebhookAction) => D1PreparedStatement[] = () => [],
) {
  /** Of all these in one query: an invocation has 1,000 (D1 limits). */
  const allOf = async (scopes: readonly PartnerScope[]): Promise<ScopeTargets[]> => {
    const sql = `SELECT CAST(wanted.key AS INTEGER) AS scope, ${COLUMNS} FROM json_each(?) AS wanted CROSS JOIN ${table} AS known
                 ON partner = wanted.value ->> 'partner' AND environment = wanted.value ->> 'environment'
                 WHERE edition = (
                   SELECT max(edition) FROM ${table}
                   WHERE partner = known.partner AND environment = known.environment AND target = known.target
                 ) ORDER BY scope, target`;
    const found = await database.prepare(sql).bind(JSON.stringify(scopes)).all<TargetRow & { scope: number }>();
    const rows = Map.groupBy(found.results, ({ scope }) => scope);
    return scopes.map((scope, index) => ({
      scope,
      targets: (rows.get(index) ?? []).map(({ scope: _, ...row }) => agreed(row)),
    }));
  };
  return {
    allOf,
    /** The newest revision of each, including deleted ones, by id. */
    all: (scope: PartnerScope): Promise<Result<AgreedTarget[], DirectoryUnavailable>> =>
      directoryReached(async () => ok((await allOf([scope])).flatMap(({ targets }) => targets))),
    /** `changed_meanwhile`: somebody else made the same revision. */
    async add(
      { environment, partner }: PartnerScope,
      change: WebhookChange,
    ): Promise<Result<AgreedTarget, DirectoryUnavailable | { code: 'changed_meanwhile' }>> {
      const { atMs, keyId, author, isDeleted: _, ...target } = change;
      const changedAt = iso(atMs);
      return directoryReached(async () => {
        const insert = database
          .prepare(`INSERT OR IGNORE INTO ${table} VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
          .bind(
            partner,
            environment,
            target.id,
            target.edition,
            target.action,
            target.url,
            JSON.stringify(target.events),
            Number(target.isEnabled),
            target.generation,
            target.rotatedAtMs,
            keyId,
            author,
            changedAt,
            target.note,
          );
        const [inserted] = await database.batch([insert, ...beside(environment, target.action)]);
        if (inserted?.meta.changes === 0) return err({ code: 'changed_meanwhile' });
        return ok({ ...target, isDeleted: target.action === 'delete', changedBy: author, changedAt });
      });
    },
    /** How many partners ever had a target, counted per environment. */
    async count(): Promise<number> {
      const sql = `SELECT count(*) AS scopes FROM (SELECT DISTINCT environment, partner FROM ${table})`;
      return (await database.prepare(sql).first<{ scopes: number }>())?.scopes ?? 0;
    },
    /** Those partners, a page at a time. @param environment null: of any. */
    async page(limit: number, offset: number, environment: Environment | null = null): Promise<PartnerScope[]> {
      const sql = `SELECT DISTINCT environment, partner FROM ${table} WHERE ?3 IS NULL OR environment = ?3
                   ORDER BY environment, partner LIMIT ?1 OFFSET ?2`;
      const found = await database
        .prepare(sql)
        .bind(limit, offset, environment)
        .all<{ environment: Environment; partner: string }>();
      return found.results;
    },
  };
}

const agreed = (row: TargetRow): AgreedTarget => ({
  ...row,
  events: JSON.parse(row.events) as WebhookEventType[],
  isEnabled: row.isEnabled === 1,
  isDeleted: row.action === 'delete',
});
