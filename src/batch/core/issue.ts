/**
 * What failed alike: the key that undelivered rows of one cause share, and what is told of them together. A row's first
 * problem counts; of a request, why it ended and what was answered. Pure.
 */
import type { StateReason } from '../../delivery/states.ts';
import type { Problem } from '../../kernel/problem.ts';
import { sha256Hex } from '../../kernel/secret.ts';
import { loadNumberOf, orderRefOf, orderSubject } from '../../mapping/request.ts';
import type { DeadLetterState } from './dead-letters.ts';

/** Longest stored key of an issue, in characters. Ours: it is in an index. */
const ISSUE_CHARACTERS_MAX = 200;
/** Hexadecimal digits of an issue's id. Ours: 64 bits tell apart more issues than there will ever be. */
const ISSUE_ID_DIGITS = 16;

export const ISSUE_ID_FORM = new RegExp(`^[0-9a-f]{${ISSUE_ID_DIGITS}}$`);

/** The same in every batch, so that rows of several batches meet in one issue. */
export const issueIdOf = (key: string): string => sha256Hex(key).slice(0, ISSUE_ID_DIGITS);

/**
 * Problems that are mended value by value, such as a word that a code list lacks: each value is an issue of its own. Of
 * all others the column says enough: 400 unreadable dates are one issue, however they are written.
 */
const BY_VALUE: ReadonlySet<string> = new Set([
  'code_unknown',
  'state_invalid',
  'unit_unknown',
  'record_kind_unknown',
  'action_unknown',
  'look_up_missing',
  'look_up_ambiguous',
]);

/** @returns '' where nothing is known of why. */
export function issueOfProblems([problem]: readonly Pick<Problem, 'code' | 'path' | 'value'>[]): string {
  if (problem === undefined) return '';
  const { code, path, value } = problem;
  return issueKey(code, path.replace(/\[\d+\]/g, '[]'), BY_VALUE.has(code) ? value : null);
}

export function issueOfRequest(ended: {
  state: DeadLetterState;
  reason: StateReason | null;
  status: number | null;
  answer: string | null;
  subject: string;
}): string {
  const { state, reason, status, answer, subject } = ended;
  return issueKey(reason ?? state, status, answer === null ? null : alikeAnswer(answer, subject));
}

const issueKey = (...parts: readonly (string | number | null)[]): string =>
  JSON.stringify(parts).slice(0, ISSUE_CHARACTERS_MAX);

/** What differs from one answer to the next though it says the same: times, ids, long numbers. */
const VARYING =
  /\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b[0-9a-f]{16,}\b|\d{5,}/gi;

/** An answer without the name of its load or order and without what varies. */
export function alikeAnswer(answer: string, subject: string): string {
  const name = subject.startsWith(orderSubject('')) ? orderRefOf(subject) : loadNumberOf(subject);
  const unnamed = name === '' ? answer : answer.replaceAll(name, '…');
  return unnamed.replace(VARYING, '…');
}

/** One row of an issue. @property request 0: it could not become one. */
export interface IssueExample {
  record: number;
  request: number;
  line: number;
  subject: string | null;
}

/** What is told of the cause, from the first row that has it. */
export interface IssueCause {
  /** Code of the problem; else the reason, or the state of the request without one. */
  code: string;
  state: DeadLetterState;
  /** Of a problem. @property value null: it differs from row to row. */
  path: string | null;
  value: string | null;
  message: string | null;
  fix: string | null;
  /** Of a request that ended. */
  reason: StateReason | null;
  status: number | null;
  answer: string | null;
}

/** All undelivered rows of a batch with the same key. */
export interface BatchIssue extends IssueCause {
  id: string;
  key: string;
  rows: number;
  /** How many of them are requests: those alone can be sent again. */
  requests: number;
  /** How many of these wait for a decision. */
  held: number;
  /** The first rows. */
  examples: readonly IssueExample[];
}

/** @param first problem of the first row. */
export function causeOfProblem(first: Problem | undefined, key: string): IssueCause {
  const { code = 'row_left_out', path = '', value = '', message = '', fix = '' } = first ?? {};
  const isByValue = BY_VALUE.has(code) && key !== '';
  return { ...NO_REQUEST, code, path, value: isByValue ? value : null, message, fix };
}

const NO_REQUEST = { state: 'invalid', reason: null, status: null, answer: null } as const;

export const causeOfRequest = (ended: Pick<IssueCause, 'state' | 'reason' | 'status' | 'answer'>): IssueCause => ({
  ...ended,
  ...{ code: ended.reason ?? ended.state, path: null, value: null, message: null, fix: null },
});

/** The code list that a word is missing in, as the problem names it; null: it is another problem. */
export function listNamedIn({ code, message, fix }: Pick<IssueCause, 'code' | 'message' | 'fix'>): string | null {
  if (code !== 'code_unknown') return null;
  // Problems that were stored earlier name it in the fix.
  const [, list] =
    /.*\(code lists? "([^"]+)"[^()]*\)$/s.exec(message ?? '') ??
    /.*to be added to the code list "([^"]+)"/s.exec(fix ?? '') ??
    [];
  return list ?? null;
}
