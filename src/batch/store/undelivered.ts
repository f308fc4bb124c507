/**
 * What of a batch is not delivered: rows that could not become requests, and requests that ended undelivered or are held.
 * Only these have a row of their own to be found by; it goes when they are delivered or sent again.
 */
import type { StateReason } from '../../delivery/states.ts';
import { jsonArrays } from '../../kernel/json-arrays.ts';
import type { Problem } from '../../kernel/problem.ts';
import type { RequestKind } from '../../mapping/request.ts';
import { DEAD_LETTER_STATES, type DeadLetterState } from '../core/dead-letters.ts';
import { issueOfProblems, issueOfRequest } from '../core/issue.ts';
import { followedIn, type SliceRequest, type SliceRow, stateOfRow } from './slice.ts';

/** `request` 0: the row itself. */
interface UndeliveredRow {
  record: number;
  request: number;
  /** The state that counts for the row. */
  state: DeadLetterState;
  generation: number;
  kind: RequestKind | null;
  subject: string | null;
  reason: StateReason | null;
  status: number | null;
  may_have_arrived: number;
  /** JSON of the codes of the row's problems; null: of a request. */
  codes: string | null;
  /** What is the same where the same failed: see `core/issue.ts`. */
  issue: string;
}

/** A row that carries a group, with the other rows of the group. */
export function undeliveredIn(row: SliceRow): UndeliveredRow[] {
  const requests = row.requests.flatMap(undeliveredRequest);
  if (stateOfRow(row, row) !== 'invalid') return requests;
  const problems = row.problems === null ? [] : (JSON.parse(row.problems) as Problem[]);
  const others = row.requests.length === 0 ? [] : row.members; // without requests each row has its own state
  const invalid = {
    ...NO_REQUEST,
    codes: JSON.stringify(problems.map(({ code }) => code)),
    issue: issueOfProblems(problems),
  };
  return [...requests, ...[row.record, ...others].map((record) => ({ ...invalid, record }))];
}

const NO_REQUEST = {
  ...{ request: 0, state: 'invalid', generation: 1, kind: null, subject: null, reason: null, status: null },
  may_have_arrived: 0,
} as const satisfies Partial<UndeliveredRow>;

function undeliveredRequest(stored: SliceRequest): UndeliveredRow[] {
  const { record, request, generation, kind, subject, reason, status, answer } = stored;
  const state = DEAD_LETTER_STATES.find((each) => each === followedIn(stored));
  if (state === undefined) return [];
  const may_have_arrived = Number(mayHaveArrived(stored));
  const issue = issueOfRequest({ state, reason, status, answer, subject });
  return [{ record, request, state, generation, kind, subject, reason, status, may_have_arrived, codes: null, issue }];
}

const mayHaveArrived = ({ outcome, possible_duplicate }: SliceRequest): boolean =>
  outcome === 'unknown' || possible_duplicate === 1;

/** @param before and after a change, of the same rows. */
export function writeUndelivered(
  sql: SqlStorage,
  before: readonly UndeliveredRow[],
  after: readonly UndeliveredRow[],
): void {
  const left = new Map(before.map((row) => [keyOf(row), textOf(row)]));
  const changed: string[] = [];
  for (const row of after) {
    const [key, text] = [keyOf(row), textOf(row)];
    if (left.get(key) !== text) changed.push(text);
    left.delete(key);
  }
  for (const rows of jsonArrays(changed)) {
    sql.exec(
      `INSERT OR REPLACE INTO letter
         (record, request, state, generation, kind, subject, reason, status, may_have_arrived, codes, issue)
       SELECT value->>0, value->>1, value->>2, value->>3, value->>4, value->>5, value->>6, value->>7, value->>8, value->>9,
         value->>10
       FROM json_each(?)`,
      rows,
    );
  }
  for (const keys of jsonArrays([...left.keys()])) {
    sql.exec('DELETE FROM letter WHERE (record, request) IN (SELECT value->>0, value->>1 FROM json_each(?))', keys);
  }
}

const keyOf = ({ record, request }: UndeliveredRow): string => `[${record},${request}]`;

const textOf = (row: UndeliveredRow): string =>
  JSON.stringify([
    ...[row.record, row.request, row.state, row.generation, row.kind, row.subject, row.reason, row.status],
    ...[row.may_have_arrived, row.codes, row.issue],
  ]);
