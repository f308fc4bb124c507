/**
 * Links that open the upload page for a partner without a key: made by an operator, for a few days, for one mapping or all.
 * Whoever has the link may send files and see what became of those; what that means stands in `http/edge/link-limits.ts`.
 */
import { isoOrNull } from '../../kernel/clock.ts';
import type { Environment, PartnerScope } from '../../kernel/names.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import { sha256Hex } from '../../kernel/secret.ts';
import { type AuditFacts, auditStatement } from './audit.ts';
import { type DirectoryUnavailable, directoryReached } from './directory.ts';
import { UPLOAD_LINKS_LIVE_MAX, UPLOAD_LINKS_SHOWN } from './limits.ts';

interface UploadLinkWanted extends PartnerScope {
  channel: string;
  scacs: readonly string[];
  mappings: readonly string[] | null;
  note: string;
  madeBy: string;
  endsAtMs: number;
}

export interface UploadLink {
  linkId: string;
  state: 'open' | 'ended' | 'revoked';
  scacs: readonly string[];
  /** null: all. */
  mappings: readonly string[] | null;
  note: string;
  madeBy: string;
  createdAt: string | null;
  endsAt: string | null;
  openedAt: string | null;
  revokedAt: string | null;
}

export type UploadLinkRefusal =
  | DirectoryUnavailable
  | { code: 'link_unknown' }
  | { code: 'too_many_links'; most: number };

interface LinkRow {
  link_id: string;
  partner: string;
  environment: Environment;
  scacs: string;
  mappings: string | null;
  note: string;
  made_by: string;
  created_at_ms: number;
  ends_at_ms: number;
  opened_at_ms: number | null;
  revoked_at_ms: number | null;
}

/** 256 bits, as the browser has them behind the `#` of the address. */
const LINK_TOKEN_FORM = /^[\w-]{43}$/;

type Answer<T> = Promise<Result<T, UploadLinkRefusal>>;
export type UploadLinks = ReturnType<typeof uploadLinksOf>;

export function uploadLinksOf(database: D1Database, nowMs: () => number) {
  const one = (linkId: string, { partner, environment }: PartnerScope) =>
    database
      .prepare('SELECT * FROM upload_link WHERE link_id = ? AND partner = ? AND environment = ?')
      .bind(linkId, partner, environment)
      .first<LinkRow>();
  return {
    /** Those that open something first, then the newest. @param limit -1: all. */
    list: ({ partner, environment }: PartnerScope, limit = UPLOAD_LINKS_SHOWN) =>
      directoryReached<UploadLink[], never>(async () => {
        const sql = `SELECT * FROM upload_link WHERE partner = ?1 AND environment = ?2
                     ORDER BY revoked_at_ms IS NOT NULL OR ends_at_ms <= ?3, created_at_ms DESC LIMIT ?4`;
        const { results } = await database.prepare(sql).bind(partner, environment, nowMs(), limit).all<LinkRow>();
        return ok(results.map((row) => shown(row, nowMs())));
      }),
    /** @param token is stored nowhere. */
    make: (wanted: UploadLinkWanted, token: string, facts: AuditFacts): Answer<UploadLink> =>
      directoryReached<UploadLink, UploadLinkRefusal>(async () => {
        const [now, linkId] = [nowMs(), `l_${crypto.randomUUID().replaceAll('-', '')}`];
        const { partner, environment, channel, scacs, mappings, note, madeBy, endsAtMs } = wanted;
        const agreed = 'coalesce((SELECT channel FROM partner_channel WHERE partner = ?3 AND environment = ?4), ?5)'; // may be a new one
        const insert = `INSERT INTO upload_link SELECT ?1, ?2, ?3, ?4, ${agreed}, ?6, ?7, ?8, ?9, ?10, ?11, NULL, NULL
          WHERE (SELECT count(*) FROM upload_link WHERE partner = ?3 AND environment = ?4 AND revoked_at_ms IS NULL
                 AND ends_at_ms > ?10) < ?12 RETURNING *`;
        const allowed = mappings === null ? null : JSON.stringify(mappings);
        const values = [linkId, sha256Hex(token), partner, environment, channel, JSON.stringify(scacs), allowed, note];
        const [made] = await database.batch<LinkRow>([
          database.prepare(insert).bind(...values, madeBy, now, endsAtMs, UPLOAD_LINKS_LIVE_MAX),
          auditStatement(database, { ...facts, detail: { ...facts.detail, linkId, mappings } }, true),
        ]);
        const row = made?.results[0]; // the link is shown whatever fails from now on
        return row === undefined ? err({ code: 'too_many_links', most: UPLOAD_LINKS_LIVE_MAX }) : ok(shown(row, now));
      }),
    read: (linkId: string, scope: PartnerScope): Answer<UploadLink> =>
      directoryReached<UploadLink, UploadLinkRefusal>(async () => {
        const row = await one(linkId, scope);
        return row === null ? err({ code: 'link_unknown' }) : ok(shown(row, nowMs()));
      }),
    /** At once, with every session that it began. */
    revoke: (linkId: string, scope: PartnerScope, facts: AuditFacts): Answer<UploadLink> =>
      directoryReached<UploadLink, UploadLinkRefusal>(async () => {
        const sql = `UPDATE upload_link SET revoked_at_ms = ? WHERE link_id = ? AND partner = ? AND environment = ?
                     AND revoked_at_ms IS NULL`;
        await database.batch([
          database.prepare(sql).bind(nowMs(), linkId, scope.partner, scope.environment),
          auditStatement(database, { ...facts, detail: { ...facts.detail, linkId } }, true),
          database
            .prepare(
              `DELETE FROM console_session WHERE partner_key_id = ?1
               AND EXISTS (SELECT 1 FROM upload_link WHERE link_id = ?1 AND revoked_at_ms IS NOT NULL)`,
            )
            .bind(linkId),
        ]);
        const row = await one(linkId, scope);
        return row === null ? err({ code: 'link_unknown' }) : ok(shown(row, nowMs()));
      }),
    /** @returns the id of a link that is open, and whose it is; null: there is none, or not any more. */
    opened: async (token: string): Promise<{ linkId: string; partner: string } | null> => {
      if (!LINK_TOKEN_FORM.test(token)) return null;
      const now = nowMs();
      const sql = `UPDATE upload_link SET opened_at_ms = ?1 WHERE link_sha256 = ?2 AND revoked_at_ms IS NULL
                   AND ends_at_ms > ?1 AND partner IN (SELECT partner FROM partner WHERE is_enabled = 1)
                   RETURNING link_id AS linkId, partner`;
      return database.prepare(sql).bind(now, sha256Hex(token)).first<{ linkId: string; partner: string }>();
    },
  };
}

function shown(row: LinkRow, nowMs: number): UploadLink {
  const { link_id: linkId, note, made_by: madeBy, revoked_at_ms, ends_at_ms } = row;
  return {
    ...{ linkId, note, madeBy },
    state: revoked_at_ms !== null ? 'revoked' : ends_at_ms <= nowMs ? 'ended' : 'open',
    scacs: JSON.parse(row.scacs) as string[],
    mappings: row.mappings === null ? null : (JSON.parse(row.mappings) as string[]),
    createdAt: isoOrNull(row.created_at_ms),
    endsAt: isoOrNull(ends_at_ms),
    openedAt: isoOrNull(row.opened_at_ms),
    revokedAt: isoOrNull(revoked_at_ms),
  };
}
