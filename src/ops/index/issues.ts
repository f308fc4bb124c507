/**
 * Issues of an environment: undelivered rows that failed alike, over all batches, and what people said about them. Numbers
 * come from the batches (`batch/steps/index-parts.ts`) and may be some seconds late.
 */
import type { IssueCause, IssueExample } from '../../batch/core/issue.ts';
import { iso } from '../../kernel/clock.ts';
import { RESOLVED_ISSUE_RETENTION_MS } from '../../kernel/limits.ts';
import { log, messageOf } from '../../kernel/log.ts';
import type { Environment } from '../../kernel/names.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import { type AuditEntry, auditOf, auditStatement } from '../directory/audit.ts';
import { type ChangeAuthor, type DirectoryUnavailable, directoryReached } from '../directory/directory.ts';

/**
 * `open`: somebody should look. `acknowledged`: somebody does, until it resolves. `muted`: nobody needs to before its time.
 * `resolved`: no batch has rows of it; it opens again by itself when one has.
 */
export const ISSUE_STATES = ['open', 'acknowledged', 'muted', 'resolved'] as const;
export type IssueState = (typeof ISSUE_STATES)[number];

interface IssueDecided {
  resolved_at_ms: number | null;
  decision: 'acknowledged' | 'muted' | null;
  muted_until_ms: number | null;
}

interface StoredIssue extends IssueDecided {
  issue: string;
  key: string;
  code: string;
  /** JSON of its cause. */
  about: string;
  first_seen_ms: number;
  reopened: number;
  key_name: string | null;
  decided_at_ms: number | null;
  why: string | null;
}

/** With what batches have of it now. */
export interface ListedIssue extends StoredIssue {
  rows: number;
  requests: number;
  held: number;
  batches: number;
  /** JSON arrays, sorted. */
  partners: string;
  mappings: string;
  seen_ms: number;
}

/** What a batch has of an issue. */
export interface IssueBatch {
  batch_id: string;
  partner: string;
  mapping: string;
  file_name: string | null;
  row_count: number;
  request_count: number;
  held: number;
  last_seen_ms: number;
  /** JSON. */
  examples: string;
}

/** @property from the batch whose rows it has. */
interface ResubmittedBatch {
  from: string;
  batchId: string;
  rows: number;
}

/** An entry of the audit. */
export interface IssueChange {
  at: string;
  what: 'acknowledged' | 'muted' | 'reopened' | 'resubmitted';
  until: string | null;
  /** Where its rows were mapped again and sent: the batches made of them. */
  batches: readonly ResubmittedBatch[];
  by: string;
  why: string;
}

export const ISSUE_SORTS = ['lastSeen', 'rows'] as const;
type IssueSort = (typeof ISSUE_SORTS)[number];

/** @property at what the list is sorted by, of the last issue shown. */
export interface IssueCursor {
  at: number;
  issue: string;
}

const SORTED_BY: Record<IssueSort, 'seen_ms' | 'rows'> = { lastSeen: 'seen_ms', rows: 'rows' };

export const cursorAfter = (issue: ListedIssue, sort: IssueSort): IssueCursor => ({
  at: issue[SORTED_BY[sort]],
  issue: issue.issue,
});

/** null: any. @property search a part of what is stored of its cause, in any case. */
interface IssuesQuery {
  environment: Environment;
  states: readonly IssueState[];
  partner: string | null;
  mapping: string | null;
  code: string | null;
  search: string | null;
  sort: IssueSort;
  after: IssueCursor | null;
  limit: number;
}

/** Pure. @param nowMs a muted issue is open again after its time. */
export function issueState({ resolved_at_ms, decision, muted_until_ms }: IssueDecided, nowMs: number): IssueState {
  if (resolved_at_ms !== null) return 'resolved';
  if (decision === 'acknowledged') return 'acknowledged';
  return decision === 'muted' && muted_until_ms !== null && muted_until_ms > nowMs ? 'muted' : 'open';
}

/** The same in SQL; ?2 is now. */
const STATE_CLAUSES: Record<IssueState, string> = {
  resolved: 'resolved_at_ms IS NOT NULL',
  acknowledged: `(resolved_at_ms IS NULL AND decision = 'acknowledged')`,
  muted: `(resolved_at_ms IS NULL AND decision = 'muted' AND muted_until_ms > ?2)`,
  open: `(resolved_at_ms IS NULL AND (decision IS NULL OR (decision = 'muted' AND muted_until_ms <= ?2)))`,
};

export const causeIn = ({ about }: Pick<StoredIssue, 'about'>): IssueCause => JSON.parse(about) as IssueCause;
export const examplesIn = ({ examples }: Pick<IssueBatch, 'examples'>): IssueExample[] =>
  JSON.parse(examples) as IssueExample[];

const ACTIONS = {
  acknowledged: 'issue.acknowledge',
  muted: 'issue.mute',
  reopened: 'issue.reopen',
  resubmitted: 'issue.resubmit',
} as const;
const CHANGES = Object.keys(ACTIONS) as (keyof typeof ACTIONS)[];
const aboutIssue = (issue: string): string => `issue/${issue}`;

function changeIn({ at, action, actor, why, detail }: AuditEntry): IssueChange[] {
  const what = CHANGES.find((each) => ACTIONS[each] === action);
  if (what === undefined) return [];
  const { untilMs, batches } = detail;
  const until = typeof untilMs === 'number' ? iso(untilMs) : null;
  return [{ at, what, until, batches: Array.isArray(batches) ? (batches as ResubmittedBatch[]) : [], by: actor, why }];
}

type Answer<T> = Promise<Result<T, DirectoryUnavailable>>;

export type IssueDecision = { what: 'acknowledged' } | { what: 'muted'; untilMs: number } | { what: 'reopened' };

export type IssueRefusal = DirectoryUnavailable | { code: 'issue_unknown' | 'issue_resolved' };

export type Issues = ReturnType<typeof issuesIn>;

const COUNTED = `SELECT i.issue, i.key, i.code, i.about, i.first_seen_ms, i.reopened, i.resolved_at_ms, i.decision,
    i.muted_until_ms, i.key_name, i.decided_at_ms, i.why,
    coalesce(sum(b.row_count), 0) AS rows, coalesce(sum(b.request_count), 0) AS requests, coalesce(sum(b.held), 0) AS held,
    count(b.batch_id) AS batches, json_group_array(DISTINCT b.partner) AS partners, json_group_array(DISTINCT b.mapping) AS mappings,
    max(i.last_seen_ms, coalesce(max(b.last_seen_ms), 0)) AS seen_ms
  FROM issue AS i LEFT JOIN issue_batch AS b ON b.environment = i.environment AND b.issue = i.issue`;

export function issuesIn(database: D1Database) {
  const all = async <T>(sql: string, ...values: unknown[]): Promise<T[]> =>
    (
      await database
        .prepare(sql)
        .bind(...values)
        .all<T>()
    ).results;
  const find = async (environment: Environment, issue: string): Promise<ListedIssue | undefined> =>
    (
      await all<ListedIssue>(
        `${COUNTED} WHERE i.environment = ?1 AND i.issue = ?2 GROUP BY i.issue`,
        environment,
        issue,
      )
    )[0];
  return {
    /** Last seen first, or most rows. Of a partner or mapping, with what its batches have. */
    list: (asked: IssuesQuery, nowMs: number): Answer<ListedIssue[]> =>
      directoryReached(async () => {
        const { environment, states, partner, mapping, code, search, sort, after, limit } = asked;
        const by = SORTED_BY[sort];
        const sql = `${COUNTED} AND (?3 IS NULL OR b.partner = ?3) AND (?4 IS NULL OR b.mapping = ?4)
          WHERE i.environment = ?1 AND ?2 > 0 AND (${states.map((state) => STATE_CLAUSES[state]).join(' OR ')})
            AND (?5 IS NULL OR i.code = ?5) AND (?6 IS NULL OR instr(lower(i.about), lower(?6)) > 0)
          GROUP BY i.issue
          HAVING ((?3 IS NULL AND ?4 IS NULL) OR count(b.batch_id) > 0) AND (?7 IS NULL OR (${by}, i.issue) < (?7, ?8))
          ORDER BY ${by} DESC, i.issue DESC LIMIT ?9`;
        const own = [partner, mapping, code, search, after?.at ?? null, after?.issue ?? null, limit];
        return ok(await all<ListedIssue>(sql, environment, nowMs, ...own));
      }),
    /** undefined: nothing ever failed like that. */
    find: (environment: Environment, issue: string): Answer<ListedIssue | undefined> =>
      directoryReached(async () => ok(await find(environment, issue))),
    /** That have rows of it, by id, which sorts by time. @param partner null: of any. upTo: newest first from there on. */
    batches: (
      environment: Environment,
      issue: string,
      {
        partner = null,
        after = '',
        upTo,
        limit,
      }: { partner?: string | null; after?: string; upTo?: string; limit: number },
    ): Answer<IssueBatch[]> =>
      directoryReached(async () => {
        const [clause, order, bound] =
          upTo === undefined ? ['batch_id > ?3', 'batch_id', after] : ['batch_id <= ?3', 'batch_id DESC', upTo];
        const sql = `SELECT batch_id, partner, mapping, file_name, row_count, request_count, held, last_seen_ms, examples
          FROM issue_batch WHERE environment = ?1 AND issue = ?2 AND ${clause} AND (?4 IS NULL OR partner = ?4)
          ORDER BY ${order} LIMIT ?5`;
        return ok(await all<IssueBatch>(sql, environment, issue, bound, partner, limit));
      }),
    /** What people said, newest first, as the audit has it. */
    async changes(environment: Environment, issue: string, limit: number): Answer<IssueChange[]> {
      const asked = { environment, about: aboutIssue(issue), action: 'issue', limit };
      const found = await auditOf(database).list({ ...asked, actor: null, fromMs: null, toMs: null, before: null });
      return found.ok ? ok(found.value.flatMap(changeIn)) : found;
    },
    /** Of an issue that is resolved nothing is to be said. */
    decide: (
      environment: Environment,
      issue: string,
      decision: IssueDecision,
      { keyId, author, note, atMs }: ChangeAuthor,
    ): Promise<Result<ListedIssue, IssueRefusal>> =>
      directoryReached<ListedIssue, { code: 'issue_unknown' | 'issue_resolved' }>(async () => {
        const before = await find(environment, issue);
        if (before === undefined) return err({ code: 'issue_unknown' });
        if (before.resolved_at_ms !== null) return err({ code: 'issue_resolved' });
        const untilMs = decision.what === 'muted' ? decision.untilMs : null;
        const said = decision.what === 'reopened' ? null : decision.what;
        await database.batch([
          database
            .prepare(
              `UPDATE issue SET decision = ?3, muted_until_ms = ?4, key_id = ?5, key_name = ?6, decided_at_ms = ?7, why = ?8
               WHERE environment = ?1 AND issue = ?2`,
            )
            .bind(environment, issue, said, untilMs, keyId, author, atMs, note),
          auditStatement(database, {
            ...{
              atMs,
              environment,
              actor: author,
              action: ACTIONS[decision.what],
              about: aboutIssue(issue),
              why: note,
            },
            detail: { ...decision, code: before.code },
          }),
        ]);
        return ok((await find(environment, issue)) ?? before);
      }),
  };
}

/** What was resolved long ago is forgotten. Never throws: the next run repeats it. */
export async function sweepIssues(database: D1Database, nowMs: number): Promise<void> {
  const sql = 'DELETE FROM issue WHERE resolved_at_ms < ?';
  try {
    await database
      .prepare(sql)
      .bind(nowMs - RESOLVED_ISSUE_RETENTION_MS)
      .run();
  } catch (thrown) {
    log('warn', 'issues_not_swept', { detail: messageOf(thrown) });
  }
}
