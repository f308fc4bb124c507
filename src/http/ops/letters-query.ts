/** Texts of an address → which letters are asked for. Nothing is guessed: what is misspelt is refused. Pure. */
import { LETTER_STATES, type LetterFilter, TROUBLED_STATES } from '../../batch/core/letters.ts';
import { BATCH_ID_FORM } from '../../kernel/ids.ts';
import { LETTERS_PAGE_DEFAULT, LETTERS_PAGE_MAX } from '../../kernel/limits.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import { REQUEST_KINDS } from '../../mapping/request.ts';
import { type LetterCursor, readCursor } from '../../ops/letters/cursor.ts';
import { type Parameters, readChoice } from '../edge/action-query.ts';
import type { ProblemWords } from '../edge/problem.ts';
import { pageSize } from '../edge/query.ts';

export const LETTER_PARAMETERS = [
  'partner',
  'batch',
  'subject',
  'state',
  'reason',
  'status',
  'kind',
  'limit',
  'cursor',
] as const;

export interface LettersQuery {
  partner: string | null;
  batchId: string | null;
  filter: LetterFilter;
  cursor: LetterCursor | null;
  limit: number;
}

const REASON_FORM = /^[a-z][a-z0-9_]{0,63}$/;
const STATUS_FORM = /^[1-5]\d\d$/;

export function readLettersQuery(parameters: Parameters): Result<LettersQuery, ProblemWords> {
  const states = readChoice(parameters, 'state', LETTER_STATES);
  if (!states.ok) return states;
  const kinds = readChoice(parameters, 'kind', REQUEST_KINDS);
  if (!kinds.ok) return kinds;
  const reasons = readList(parameters, 'reason', REASON_FORM, 'one or several reasons or error codes');
  if (!reasons.ok) return reasons;
  const statuses = readList(parameters, 'status', STATUS_FORM, 'one or several HTTP statuses, such as 422');
  if (!statuses.ok) return statuses;
  const { partner = null, batch: batchId = null, subject = null, cursor: from } = parameters;
  if (batchId !== null && !BATCH_ID_FORM.test(batchId)) return err(unreadable('batch', batchId, 'the id of a batch'));
  const cursor = from === undefined ? ok(null) : readCursor(from);
  if (!cursor.ok) return err(unreadable('cursor', from ?? '', 'what "next" of the page before says'));
  const filter: LetterFilter = {
    states: parameters.state === undefined ? TROUBLED_STATES : states.value,
    kinds: parameters.kind === undefined ? null : kinds.value,
    reasons: reasons.value,
    statuses: statuses.value?.map(Number) ?? null,
    subject,
    places: null,
  };
  const limit = pageSize(parameters.limit, LETTERS_PAGE_DEFAULT, LETTERS_PAGE_MAX);
  return ok({ partner, batchId, filter, cursor: cursor.value, limit });
}

/** Several, separated by commas. @returns null where none is given. */
function readList(
  parameters: Parameters,
  name: string,
  form: RegExp,
  wanted: string,
): Result<string[] | null, ProblemWords> {
  const text = parameters[name];
  if (text === undefined) return ok(null);
  const asked = text.split(',').map((part) => part.trim());
  return asked.every((part) => form.test(part)) ? ok(asked) : err(unreadable(name, text, wanted));
}

const unreadable = (name: string, value: string, wanted: string): ProblemWords => ({
  status: 400,
  code: 'parameter_invalid',
  title: 'Parameter not readable',
  detail: `The parameter ${name} is "${value.slice(0, 40)}". Nothing was done.`,
  fix: `Write ${name}= and ${wanted}, separated by commas where there are several.`,
});
