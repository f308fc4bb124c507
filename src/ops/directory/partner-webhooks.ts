/** Where partners are notified, in D1: read, set, and who set what when. */

import { iso } from '../../kernel/clock.ts';
import type { Environment, PartnerScope } from '../../kernel/names.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import type { WebhookEventType, WebhookTarget } from '../../webhooks/target.ts';
import { type ChangeAuthor, type DirectoryUnavailable, directoryReached } from './directory.ts';

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

export type WebhookTargetStore = ReturnType<typeof webhookTargetStore>;

type Row = {
  target: string;
  edition: number;
  action: WebhookAction;
  url: string;
  events: string;
  is_enabled: number;
  generation: number;
  rotated_at_ms: number | null;
  key_name: string;
  changed_at: string;
  note: string;
};

const COLUMNS =
  'target, edition, action, url, events, is_enabled, generation, rotated_at_ms, key_name, changed_at, note';

export function webhookTargetStore(database: D1Database) {
  return {
    /** The newest revision of each, including deleted ones, by id. */
    async all({ environment, partner }: PartnerScope): Promise<Result<AgreedTarget[], DirectoryUnavailable>> {
      const sql = `SELECT ${COLUMNS} FROM partner_webhook AS known WHERE partner = ?1 AND environment = ?2 AND edition = (
                     SELECT max(edition) FROM partner_webhook WHERE partner = ?1 AND environment = ?2 AND target = known.target
                   ) ORDER BY target`;
      return directoryReached(async () => {
        const found = await database.prepare(sql).bind(partner, environment).all<Row>();
        return ok(found.results.map(agreed));
      });
    },
    /** `changed_meanwhile`: somebody else made the same revision. */
    async add(
      { environment, partner }: PartnerScope,
      change: WebhookChange,
    ): Promise<Result<AgreedTarget, DirectoryUnavailable | { code: 'changed_meanwhile' }>> {
      const { atMs, keyId, author, isDeleted: _, ...target } = change;
      const changedAt = iso(atMs);
      return directoryReached(async () => {
        const inserted = await database
          .prepare('INSERT OR IGNORE INTO partner_webhook VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)')
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
          )
          .run();
        if (inserted.meta.changes === 0) return err({ code: 'changed_meanwhile' });
        return ok({ ...target, isDeleted: target.action === 'delete', changedBy: author, changedAt });
      });
    },
    /** How many partners ever had a target, counted per environment. */
    async count(): Promise<number> {
      const sql = 'SELECT count(*) AS scopes FROM (SELECT DISTINCT environment, partner FROM partner_webhook)';
      return (await database.prepare(sql).first<{ scopes: number }>())?.scopes ?? 0;
    },
    /** Those partners, a page at a time. */
    async page(limit: number, offset: number): Promise<PartnerScope[]> {
      const sql =
        'SELECT DISTINCT environment, partner FROM partner_webhook ORDER BY environment, partner LIMIT ? OFFSET ?';
      const found = await database
        .prepare(sql)
        .bind(limit, offset)
        .all<{ environment: Environment; partner: string }>();
      return found.results;
    },
  };
}

const agreed = (row: Row): AgreedTarget => ({
  id: row.target,
  edition: row.edition,
  url: row.url,
  events: JSON.parse(row.events) as WebhookEventType[],
  isEnabled: row.is_enabled === 1,
  isDeleted: row.action === 'delete',
  generation: row.generation,
  rotatedAtMs: row.rotated_at_ms,
  action: row.action,
  changedBy: row.key_name,
  changedAt: row.changed_at,
  note: row.note,
});
