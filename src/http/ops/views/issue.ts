/** Issues of an environment → the API's shape: what failed, why, whose turn it is, and what can be done. Pure. */
import { type IssueCause, listNamedIn } from '../../../batch/core/issue.ts';
import { iso, isoOrNull } from '../../../kernel/clock.ts';
import type { Environment } from '../../../kernel/names.ts';
import {
  causeIn,
  examplesIn,
  type IssueBatch,
  type IssueChange,
  issueState,
  type ListedIssue,
} from '../../../ops/index/issues.ts';
import type { Answered } from '../../contract/contract.ts';
import { batchLinks, rowLinks, withParameters } from '../../edge/reader.ts';
import { issueMessages, whatWasSaid } from '../../views/issues.ts';

/** Who can end it. `author`: whoever writes the mapping. */
export type NextActor = 'partner' | 'operator' | 'author';

/** The file cannot mend these: the mapping reads it in another way than it is written. */
const OF_THE_MAPPING: ReadonlySet<string> = new Set([
  'missing_column',
  'decimal_mark_wrong',
  'thousands_mark_wrong',
  'record_kind_unknown',
]);
/** The rows are not at fault: something between the bridge and the receiving system is. */
const OF_THE_CONNECTION: ReadonlySet<string> = new Set([
  'credentials_refused',
  'scac_refused',
  'channel_missing',
  'redirected',
  'deadline',
  'no_token',
  'upstream_unwell',
]);

/** Refused without a word: nobody who only reads the answer can know what to change. */
const isUnexplained = ({ state, reason, answer }: Pick<IssueCause, 'state' | 'reason' | 'answer'>): boolean =>
  state === 'rejected' && reason === null && whatWasSaid(answer) === '';

export function nextActor(
  cause: Pick<IssueCause, 'state' | 'code' | 'reason' | 'message' | 'fix' | 'answer'>,
): NextActor {
  if (isUnexplained(cause)) return 'operator';
  if (cause.state === 'held' || listNamedIn(cause) !== null) return 'operator';
  if (cause.state === 'invalid') return OF_THE_MAPPING.has(cause.code) ? 'author' : 'partner';
  return cause.state === 'dead' || OF_THE_CONNECTION.has(cause.code) ? 'operator' : 'partner';
}

/** An issue may be about files of every kind. */
const ROWS_OF_ALL =
  'The partner corrects these rows on its page of the batch, or in the system that makes the file, and sends only them again. The page of this issue has a button that downloads them, where they are no EDI.';

/** @param ofRows where the partner corrects rows of one kind of file. What operators decide; what to change in the file stands beside it, as its sender reads it. */
export function actionFor(cause: IssueCause, requests: number, ofRows = ROWS_OF_ALL): string {
  const list = listNamedIn(cause);
  const word = cause.value === null ? 'the word' : `“${cause.value}”`;
  if (list !== null)
    return `If ${word} means something, add it to the code list “${list}”, then send the rows as the mapping reads them now. If it does not, the partner corrects the rows.`;
  if (isUnexplained(cause))
    return 'The receiving system refused these rows without a reason. Ask it for the reason; then have the partner correct the rows, or send all again.';
  const actions: Record<NextActor, string> = {
    author: 'See whether the mapping should read such files. If not, the partner changes the file.',
    partner:
      requests === 0
        ? ofRows
        : 'Have the partner correct these rows. If the cause lay with the receiving system and is mended, send all again.',
    operator:
      cause.state === 'held'
        ? 'Decide about each held row: it may have arrived.'
        : 'The rows are not at fault. Mend the cause, then send all again.',
  };
  return actions[nextActor(cause)];
}

export const issuePath = (environment: Environment, issue: string, part = ''): string =>
  withParameters(`/v1/ops/issues/${issue}${part}`, { environment });

/** A list without what no batch has. */
const namesIn = (json: string): string[] =>
  (JSON.parse(json) as (string | null)[]).filter((name) => name !== null).sort();

export type IssueLine = Answered<'GET /v1/ops/issues'>['issues'][number];

export function issueLine(environment: Environment, found: ListedIssue, nowMs: number) {
  const cause = causeIn(found);
  const { state: rowState, code, path, value, reason, status, answer } = cause;
  return {
    id: found.issue,
    state: issueState(found, nowMs),
    /** Of its rows. */
    rowState,
    ...{ code, path, value, reason, status, answer },
    ...issueMessages(cause),
    nextActor: nextActor(cause),
    action: actionFor(cause, found.requests),
    /** The code list that lacks the word; null: it is something else. */
    list: listNamedIn(cause),
    rows: found.rows,
    requests: found.requests,
    held: found.held,
    batches: found.batches,
    partners: namesIn(found.partners),
    mappings: namesIn(found.mappings),
    firstSeen: iso(found.first_seen_ms),
    lastSeen: iso(found.seen_ms),
    resolvedAt: isoOrNull(found.resolved_at_ms),
    /** How often it came back. */
    reopened: found.reopened,
    decided:
      found.decision === null
        ? null
        : {
            by: found.key_name,
            at: isoOrNull(found.decided_at_ms),
            why: found.why,
            until: isoOrNull(found.muted_until_ms),
          },
    links: {
      self: issuePath(environment, found.issue),
      rows: issuePath(environment, found.issue, '/rows'),
      rowsCsv: issuePath(environment, found.issue, '/rows.csv'),
      console: withParameters(`/console/issues/${found.issue}`, { environment }),
    },
  };
}

export type IssueView = Answered<'GET /v1/ops/issues/{id}'>;

export function issueView(
  environment: Environment,
  found: ListedIssue,
  more: { batches: readonly IssueBatch[]; changes: readonly IssueChange[] },
  nowMs: number,
) {
  return {
    environment,
    ...issueLine(environment, found, nowMs),
    ofBatches: more.batches.map((batch) => batchOfIssue(environment, batch)),
    changes: more.changes,
  };
}

function batchOfIssue(environment: Environment, batch: IssueBatch) {
  const reader = { environment, partner: batch.partner, isOps: true };
  return {
    batchId: batch.batch_id,
    partner: batch.partner,
    mapping: batch.mapping,
    fileName: batch.file_name,
    rows: batch.row_count,
    requests: batch.request_count,
    held: batch.held,
    lastSeen: iso(batch.last_seen_ms),
    examples: examplesIn(batch).map((example) => ({
      ...example,
      links: rowLinks(reader, batch.batch_id, example.record),
    })),
    links: batchLinks(reader, batch.batch_id),
  };
}
