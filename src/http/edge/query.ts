/** Parameters of an address → numbers, states and forms, within limits. Pure. */
import { REQUEST_STATES } from '../../delivery/states.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import { didYouMean, nearest } from '../../mapping/document/nearest.ts';
import type { ProblemMessages } from './problem.ts';

export const ROW_STATES: readonly string[] = [...REQUEST_STATES, 'invalid', 'skipped', 'valid'];

/** Anything but a whole number from 1 to `max` means the default, cut at `max`. */
export function pageSize(text: string | undefined, normal: number, max: number): number {
  const asked = Number(text ?? normal);
  return Number.isSafeInteger(asked) && asked >= 1 ? Math.min(asked, max) : normal;
}

/** @returns null for "all"; the unknown name when one is not a row state. */
export function readStates(
  text: string | undefined,
): Result<string[] | null, { value: string; known: readonly string[] }> {
  if (text === undefined || text === '') return ok(null);
  const asked = text.split(',').map((state) => state.trim());
  const unknown = asked.find((state) => !ROW_STATES.includes(state));
  return unknown === undefined ? ok(asked) : err({ value: unknown.slice(0, 40), known: ROW_STATES });
}

/* Parameters of an address that acts. Nothing is guessed: a misspelt `dryRun` must never act for real. */

export type Parameters = Readonly<Record<string, string>>;

/** @returns a problem that names the first parameter not in `known`. */
export function onlyKnown(parameters: Parameters, known: readonly string[]): Result<null, ProblemMessages> {
  const unknown = Object.keys(parameters).find((name) => !known.includes(name));
  if (unknown === undefined) return ok(null);
  return err({
    status: 400,
    code: 'parameter_unknown',
    title: 'Unknown parameter',
    detail: `There is no parameter "${unknown.slice(0, 40)}" here. Nothing was done.`,
    fix:
      known.length === 0
        ? 'Leave it out: this address has none.'
        : `Use ${known.join(', ')}, spelled like this.${didYouMean(unknown, known)}`,
  });
}

/**
 * Of an address that only reads: a name that is nothing like any of its own, such as one that keeps a cache from answering, is
 * left alone. @returns a problem that names the first that is nearly one in `known`.
 */
export function noneNearly(parameters: Parameters, known: readonly string[]): Result<null, ProblemMessages> {
  const near = Object.keys(parameters).find((name) => !known.includes(name) && nearest(name, known).length > 0);
  return near === undefined ? ok(null) : onlyKnown({ [near]: '' }, known);
}

/** @returns false where it is not given. */
export function readFlag(parameters: Parameters, name: string): Result<boolean, ProblemMessages> {
  const text = parameters[name] ?? 'false';
  if (text === 'true' || text === 'false') return ok(text === 'true');
  return err(invalid(name, text, `true or ${name}=false`));
}

/** Several, separated by commas. @returns all of them where none is given. */
export function readChoice<Choice extends string>(
  parameters: Parameters,
  name: string,
  choices: readonly Choice[],
): Result<Choice[], ProblemMessages> {
  const text = parameters[name];
  if (text === undefined) return ok([...choices]);
  const asked = text.split(',').map((part) => part.trim());
  const known = choices.filter((choice) => asked.includes(choice));
  const isKnown = (part: string): boolean => choices.some((choice) => choice === part);
  return asked.every(isKnown) ? ok(known) : err(invalid(name, text, `one or several of ${choices.join(', ')}`));
}

const invalid = (name: string, value: string, wanted: string): ProblemMessages => ({
  status: 400,
  code: 'parameter_invalid',
  title: 'Parameter not readable',
  detail: `The parameter ${name} is "${value.slice(0, 40)}". Nothing was done.`,
  fix: `Write ${name}=${wanted}.`,
});

/** What a filter takes: answers have it as `load:LD1`, and the filter does not know of which kind it is. */
export const SUBJECT_FORM = /^(?!load:|order:)./s;
export const SUBJECT_WANTED = 'the number of a load or the reference of an order alone, without "load:" or "order:"';

/** A parameter whose form cannot be written after `name=`. */
export const unreadable = (name: string, value: string, wanted: string): ProblemMessages => ({
  status: 400,
  code: 'parameter_invalid',
  title: 'Parameter not readable',
  detail: `The parameter ${name} is "${value.slice(0, 40)}".`,
  fix: `Write ${name}= and ${wanted}.`,
});

const DAY_FORM = /^\d{4}-\d\d-\d\d$/;
const TIME_FORM = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d)$/;

/** A day begins at midnight UTC. @returns null: not given. */
export function readTime(
  parameters: Readonly<Record<string, string | undefined>>,
  name: 'from' | 'to',
): Result<number | null, ProblemMessages> {
  const text = parameters[name];
  if (text === undefined) return ok(null);
  const atMs = DAY_FORM.test(text) || TIME_FORM.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(atMs)) return ok(atMs);
  return err(unreadable(name, text, 'a day such as 2026-03-02, or a time such as 2026-03-02T08:00:00Z'));
}

/** The number in a text; null: none, or not a whole one. */
export function wholeNumber(text: string | undefined): number | null {
  const number = Number(text || 'NaN');
  return Number.isSafeInteger(number) ? number : null;
}

/* What a sender prefers: how long to wait (RFC 7240), and the form of the answer (RFC 9110 §12.5.1). */

/** @returns the requested wait in ms, capped; null where none is requested. */
export function preferredWaitMs(prefer: string | null, mostMs: number): number | null {
  for (const preference of (prefer ?? '').split(',')) {
    const match = /^\s*wait\s*=\s*"?(\d{1,9})"?\s*(?:;.*)?$/i.exec(preference);
    if (match !== null) return Math.min(Number(match[1]) * 1_000, mostMs);
  }
  return null;
}

/** @returns media types in the order of preference, lower case, without those refused by `q=0`. */
export function acceptedTypes(accept: string | null): string[] {
  const types = (accept ?? '').split(',').flatMap((range, index) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    if (type === '') return [];
    const weight = parameters.map((parameter) => /^q=(\d(?:\.\d{0,3})?)$/.exec(parameter)?.[1]).find(Boolean);
    return [{ type, weight: weight === undefined ? 1 : Number(weight), index }];
  });
  return types
    .filter(({ weight }) => weight > 0)
    .sort((left, right) => right.weight - left.weight || left.index - right.index)
    .map(({ type }) => type);
}

export type TableForm = 'json' | 'csv';

const CSV_ENDING = '.csv';

/** @returns undefined where neither is named. */
export function formAccepted(accept: string | null): TableForm | undefined {
  const type = acceptedTypes(accept).find((each) => each === 'application/json' || CSV_TYPES.includes(each));
  if (type === undefined) return undefined;
  return type === 'application/json' ? 'json' : 'csv';
}

/** CSV is the only text that is made beside JSON. */
const CSV_TYPES: readonly string[] = ['text/csv', 'text/*'];

/** A name that itself ends in `.csv` is requested with a second `.csv`, or with `Accept: application/json`. */
export function namedForm(text: string, accept: string | null): { name: string; form: TableForm } {
  const form = formAccepted(accept);
  if (form === 'json' || !text.endsWith(CSV_ENDING) || text === CSV_ENDING) return { name: text, form: form ?? 'json' };
  return { name: text.slice(0, -CSV_ENDING.length), form: 'csv' };
}

/**
 * The one part that `Range` asks for (RFC 9110 §14). @returns null: the whole, also for several parts or another unit;
 * `none`: it lies outside.
 */
export function rangeIn(header: string, size: number): { offset: number; length: number } | null | 'none' {
  const [, first = '', last = ''] = /^\s*bytes\s*=\s*(\d{0,15})-(\d{0,15})\s*$/i.exec(header) ?? [];
  if (first === '' && last === '') return null;
  const from = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const to = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (first !== '' && last !== '' && Number(last) < Number(first)) return null;
  return from >= size ? 'none' : { offset: from, length: to - from + 1 };
}
