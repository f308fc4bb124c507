/** Which rows of a batch are looked for, and in which direction. Pure. */
import type { RecordState } from '../../delivery/outcome.ts';
import type { Problem } from '../../kernel/problem.ts';

/** Each null: any. @property code of a problem, or the reason of a request. text: anywhere in what is known of the row. */
export interface RowFilter {
  states: readonly string[] | null;
  code: string | null;
  /** Column or path of a problem. */
  column: string | null;
  /** What a problem found there. */
  value: string | null;
  /** HTTP status of an answer. */
  status: number | null;
  text: string | null;
}

export const ANY_ROW: RowFilter = { states: null, code: null, column: null, value: null, status: null, text: null };

/**
 * Rows after one and up to another, null: to the end. @property before set: not the first of them, but the last ones
 * before this one. limit of rows.
 */
export interface RowsQuery {
  after: number;
  before: number | null;
  last: number | null;
  limit: number;
  filter: RowFilter;
}

/** What a filter looks at: a row, with the requests of its group. */
export interface FilteredRow {
  state: RecordState;
  /** JSON; null: none. */
  problems: string | null;
  requests: readonly {
    subject: string;
    reason: string | null;
    status: number | null;
    answer: string | null;
    /** JSON; null: too long to be looked at. */
    body: string | null;
  }[];
}

/** Whether nothing but the state matters, which is known of whole slices. */
export const isByState = ({ states: _, ...more }: RowFilter): boolean =>
  Object.values(more).every((wanted) => wanted === null);

export function isWanted(filter: RowFilter, row: FilteredRow): boolean {
  const { states, code, column, value, status, text } = filter;
  if (states !== null && !states.includes(row.state)) return false;
  if (isByState(filter)) return true;
  const problems = row.problems === null ? [] : (JSON.parse(row.problems) as Problem[]);
  const isOfCode =
    code === null || problems.some((each) => each.code === code) || row.requests.some(({ reason }) => reason === code);
  const isOfPlace =
    (column === null && value === null) ||
    problems.some(
      (each) =>
        (code === null || each.code === code) &&
        (column === null || each.path === column || withoutIndexes(each.path) === column) &&
        (value === null || each.value === value),
    );
  const isOfStatus = status === null || row.requests.some((each) => each.status === status);
  return isOfCode && isOfPlace && isOfStatus && (text === null || hasText(text.toLowerCase(), problems, row.requests));
}

/** As an issue names the place of all its rows. */
const withoutIndexes = (path: string): string => path.replace(/\[\d+\]/g, '[]');

/** @param wanted in lower case. */
function hasText(wanted: string, problems: readonly Problem[], requests: FilteredRow['requests']): boolean {
  const has = (text: string | null): boolean => text?.toLowerCase().includes(wanted) ?? false;
  return (
    problems.some(({ path, value, message }) => has(path) || has(value) || has(message)) ||
    requests.some(
      ({ subject, answer, body }) =>
        has(subject) || has(answer) || (has(body) && body !== null && hasLeaf(JSON.parse(body), has)),
    )
  );
}

/** Names of members are the same in every row, and say nothing. */
const hasLeaf = (value: unknown, has: (text: string) => boolean): boolean =>
  typeof value === 'object' && value !== null
    ? Object.values(value).some((each) => hasLeaf(each, has))
    : has(String(value));
