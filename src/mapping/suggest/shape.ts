/** The values of one column, looked at together: how they are formed, how many differ, how many are missing. Pure. */
import { headOf, trimmed } from '../../kernel/text.ts';
import type { DateOrder } from './dates.ts';
import { DISTINCT_MAX, SAMPLES_SHOWN_MAX, VALUE_CHARACTERS_MAX } from './limits.ts';
import type { Evidence, ValueKind } from './suggestion.ts';
import { TOTALS } from './terms.ts';

/** A column of the sample. `values`: trimmed, one for each record; '' where it is empty. */
export interface SampleColumn {
  /** As the mapping writes it. */
  name: string;
  /** What its name is compared by, where that is not the whole path: the last names of it. */
  called: string;
  /** It stands outside of the array of events: what it says holds for all of them. */
  isOuter?: boolean;
  /** Its path leads through this array, to one of its elements. */
  list?: string;
  /** Of all elements of that array: the path inside them. `name` has the array before it. */
  inElement?: string;
  /** The format says in which order its dates are written. */
  dateOrder?: DateOrder;
  values: readonly string[];
  /** The record of each value, from 1; absent: there is one for each record. */
  rows?: readonly number[];
}

export interface Shape {
  column: SampleColumn;
  filled: number;
  emptyShare: number;
  /** Different values and how often each is met, in their order; cut at a limit. */
  counts: ReadonlyMap<string, number>;
  distinctIsAll: boolean;
  pattern: string;
  /** Share of its filled values that have the commonest pattern. */
  patternShare: number;
  kind: ValueKind;
  lengthMin: number;
  lengthMax: number;
}

export function shapeOf(column: SampleColumn): Shape {
  const counts = new Map<string, number>();
  const patterns = new Map<string, number>();
  let filled = 0;
  let lengthMin = Number.POSITIVE_INFINITY;
  let lengthMax = 0;
  let distinctIsAll = true;
  for (const value of column.values) {
    if (value === '') continue;
    filled += 1;
    lengthMin = Math.min(lengthMin, value.length);
    lengthMax = Math.max(lengthMax, value.length);
    const known = counts.get(value);
    if (known !== undefined || counts.size < DISTINCT_MAX) counts.set(value, (known ?? 0) + 1);
    else distinctIsAll = false;
    const pattern = patternOf(value);
    if (patterns.size < DISTINCT_MAX || patterns.has(pattern)) patterns.set(pattern, (patterns.get(pattern) ?? 0) + 1);
  }
  const [pattern, times] = [...patterns].reduce((best, each) => (each[1] > best[1] ? each : best), ['', 0]);
  return {
    column,
    filled,
    emptyShare: column.values.length === 0 ? 1 : 1 - filled / column.values.length,
    counts,
    distinctIsAll,
    pattern,
    patternShare: filled === 0 ? 0 : times / filled,
    kind: kindOf(counts, filled),
    lengthMin: filled === 0 ? 0 : lengthMin,
    lengthMax,
  };
}

/** Longest value of which a pattern is made, in characters. */
const PATTERN_CHARACTERS_MAX = 40;

/** A for a letter, 9 for a digit, all else as it is. */
const patternOf = (value: string): string =>
  headOf(value, PATTERN_CHARACTERS_MAX).replace(/\p{L}/gu, 'A').replace(/\d/g, '9');

const WHOLE = /^[+-]?\d{1,15}$/;
const NUMBER = /^[+-]?(?:\d{1,3}(?:[.,' \u00a0\u202f]\d{3})+|\d+)(?:[.,]\d+)?-?$/;
const DATE =
  /^(?:\d{1,4}[-./]\d{1,2}[-./]\d{1,4}|(?:19|20)\d{6}|\d{1,2}[ -]\p{L}{3,9}\.?[ -]\d{2,4}|\p{L}{3,9}\.? \d{1,2},? \d{4})$/u;
const TIME = /^\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?: ?[ap]\.?m\.?)?$/i;
const MOMENT =
  /^(?:\d{1,4}[-./]\d{1,2}[-./]\d{1,4}|\d{1,2}[ -]\p{L}{3,9}\.?[ -]\d{2,4}|\p{L}{3,9}\.? \d{1,2},? \d{4}|(?:19|20)\d{6})[ ,T]+\d{1,2}[:.h]?\d{2}/iu;
/** Most different values of a column with codes, and their longest, in characters. */
const CODES_MAX = 60;
const CODE_CHARACTERS_MAX = 40;
/** How often each code is met on average, from which on it counts as one. */
const CODE_REPEATS_MIN = 2;
/** Share of the values that a kind must hold. */
const KIND_SHARE = 0.95;

function kindOf(counts: ReadonlyMap<string, number>, filled: number): ValueKind {
  if (filled === 0) return 'empty';
  const tests: readonly [ValueKind, RegExp][] = [
    ['date and time', MOMENT],
    ['date', DATE],
    ['time', TIME],
    ['whole number', WHOLE],
    ['number', NUMBER],
  ];
  let counted = 0;
  const hits = new Map<ValueKind, number>();
  for (const [value, times] of counts) {
    counted += times;
    const kind = tests.find(([, test]) => test.test(value))?.[0] ?? 'text';
    hits.set(kind, (hits.get(kind) ?? 0) + times);
  }
  const [kind, times] = [...hits].reduce((best, each) => (each[1] > best[1] ? each : best));
  const numbers = (hits.get('number') ?? 0) + (hits.get('whole number') ?? 0);
  if (times >= counted * KIND_SHARE && kind !== 'text') return kind;
  if (numbers >= counted * KIND_SHARE) return 'number';
  const longest = Math.max(...[...counts.keys()].map(({ length }) => length));
  const isCode = counts.size <= CODES_MAX && longest <= CODE_CHARACTERS_MAX && filled >= counts.size * CODE_REPEATS_MIN;
  if ((hits.get('text') ?? 0) < counted * KIND_SHARE && !isCode) return 'mixed';
  return isCode ? 'code' : 'text';
}

export const samplesOf = ({ counts }: Shape): string[] =>
  [...counts.keys()].slice(0, SAMPLES_SHOWN_MAX).map((value) => headOf(value, VALUE_CHARACTERS_MAX));

/** The share of the values, each as often as it is met, of which this is so. */
export function shareOf({ counts }: Shape, isSo: (value: string) => boolean): number {
  let all = 0;
  let so = 0;
  for (const [value, times] of counts) {
    all += times;
    if (isSo(value)) so += times;
  }
  return all === 0 ? 0 : so / all;
}

/** The first value of which this is so. */
export function firstOf({ name, values, rows }: SampleColumn, isSo: (value: string) => boolean): Evidence | null {
  const at = values.findIndex((value) => value !== '' && isSo(value));
  const value = values[at];
  return value === undefined
    ? null
    : { row: rows?.[at] ?? at + 1, column: name, value: headOf(value, VALUE_CHARACTERS_MAX) };
}

/** The text of a cell as mappings read it. */
export const cellText = (text: string): string => trimmed(text);

/** Whether a cell names the sum of a column, not a value of it. */
export const isTotal = (value: string): boolean => TOTALS.includes(value.trim().toLowerCase().replace(/:$/, ''));
