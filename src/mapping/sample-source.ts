/**
 * The functions of a field turned around: from the text a field is wanted to come to, to texts of its columns.
 *
 * What comes out are candidates, best first; not all of them lead back to the wanted text, so each must be tried.
 */
import { captureGroup, type Origin, type TextFunctions } from './field-spec.ts';
import { originParts } from './origin.ts';
import { rotated } from './sample-draft.ts';
import { matchingText } from './sample-pattern.ts';
import type { WantedText } from './sample-time.ts';
import type { Part } from './template.ts';

/** Texts kept between two functions: each can have been come to in two ways or more. */
const CANDIDATES_MAX = 12;
/** Ways looked at in which a text can be cut over columns. */
const CUTS_MAX = 400;
/** Cuts tried for that: many columns with nothing between them could be cut in more ways than can be looked at. */
const CUT_STEPS_MAX = 4_000;
/** Stands where a function drops what is there. */
const FILLER = 'X';

/** By column, every column of the field. */
export type ColumnTexts = ReadonlyMap<string, string>;

/** @returns candidates for the columns of a field. @param turn which of several columns is filled where one is enough. */
export function* columnTexts(field: Origin & TextFunctions, wanted: WantedText, turn: number): Generator<ColumnTexts> {
  for (const text of textsBefore(field, wanted.text)) {
    yield* spread(field, text === wanted.text ? wanted : { text }, turn);
  }
}

/** Against the order of functions.ts: pad, case, replacements from the last to the first, substring, capture. */
function textsBefore({ pad, upper, lower, replace = [], substring, capture }: TextFunctions, text: string): string[] {
  let texts = [text];
  const step = (before: (after: string) => string[]) => {
    texts = [...new Set(texts.flatMap(before))].slice(0, CANDIDATES_MAX);
  };
  if (pad !== undefined) step((after) => [unpadded(after, pad), after]);
  if (upper === true) step((after) => [after, after.toLowerCase()]);
  if (lower === true) step((after) => [after, after.toUpperCase()]);
  for (const each of replace.toReversed()) {
    step((after) => (each.with === '' ? [after] : [after.replaceAll(each.with, () => each.find), after]));
  }
  if (substring !== undefined) step((after) => uncut(after, substring));
  if (capture !== undefined) {
    const group = captureGroup(capture);
    step((after) => [after, undefined].flatMap((kept) => matchingText(capture.pattern, group, kept) ?? []));
  }
  return texts;
}

function unpadded(text: string, pad: NonNullable<TextFunctions['pad']>): string {
  let from = 0;
  let to = text.length;
  if (pad.side === 'left') while (from < to - 1 && text[from] === pad.with) from += 1;
  else while (to > from + 1 && text[to - 1] === pad.with) to -= 1;
  return text.slice(from, to);
}

function uncut(text: string, { from, length }: NonNullable<TextFunctions['substring']>): string[] {
  if (from > 0) return [FILLER.repeat(from - 1) + text];
  const kept = length ?? -from;
  return [
    FILLER + text + FILLER.repeat(Math.max(0, -from - kept)),
    text + FILLER.repeat(Math.max(0, -from - kept)),
    text,
  ];
}

function* spread(origin: Origin, wanted: WantedText, turn: number): Generator<ColumnTexts> {
  const parts = originParts(origin);
  const columns = [...new Set(parts.flatMap((part) => ('column' in part ? [part.column.trim()] : [])))];
  const whole = (filled: ReadonlyMap<string, string>): ColumnTexts =>
    new Map(columns.map((column) => [column, filled.get(column) ?? '']));
  const alone = (column: string): ColumnTexts => whole(new Map([[column, wanted.text]]));
  if (origin.firstOf !== undefined) return yield* rotated(columns, turn).map(alone);
  const join = origin.template === undefined ? (origin.join ?? ' ') : '';
  const found = withoutSome(parts, columns).flatMap(({ kept, dropped }) =>
    cutUps({ wanted, parts: kept, join }).map(({ filled, cost }) => ({ filled, cost: cost + dropped * DROPPED_COST })),
  );
  yield* found.toSorted((left, right) => left.cost - right.cost).map(({ filled }) => whole(filled));
  // What stands around a column may not matter, as for a capture.
  if (parts.length > 1) yield* columns.map(alone);
}

/** Columns of which every choice is looked at; of more, all together and each alone. */
const CHOSEN_COLUMNS_MAX = 4;

/** Empty columns are left out of a joined list: the text can also stand in some of them. */
function withoutSome(parts: readonly Part[], columns: readonly string[]): { kept: Part[]; dropped: number }[] {
  const choices =
    columns.length > CHOSEN_COLUMNS_MAX
      ? [columns, ...columns.map((column) => [column])]
      : columns.reduceRight<string[][]>((some, column) => some.map((one) => [column].concat(one)).concat(some), [[]]);
  return choices
    .filter((choice) => choice.length > 0 || columns.length === 0)
    .map((choice) => ({
      kept: parts.filter((part) => !('column' in part) || choice.includes(part.column.trim())),
      dropped: columns.length - choice.length,
    }));
}

interface Cut {
  filled: ReadonlyMap<string, string>;
  /** How far the cuts are from where they should be. */
  cost: number;
}

const DROPPED_COST = 2;
const BETWEEN_LETTERS_COST = 3;
/** A mark at the end of a column's text belongs between two columns; a sign may stand in front. */
const LOOSE_MARK = /^[:.,/;]|[:.,/;-]$/;
const LOOSE_MARK_COST = 3;

interface Cutting {
  wanted: WantedText;
  parts: readonly Part[];
  join: string;
  /** What is left to be looked at. */
  steps: { left: number };
}

function cutUps(cutting: Omit<Cutting, 'steps'>): Cut[] {
  const whole: Cut = { filled: new Map(), cost: 0 };
  return [...cutUp({ ...cutting, steps: { left: CUT_STEPS_MAX } }, 0, 0, whole).take(CUTS_MAX)];
}

/** @param at of the text; every part from `index` on must fit in what follows. */
function* cutUp(cutting: Cutting, index: number, at: number, so: Cut): Generator<Cut> {
  const { wanted, parts, join, steps } = cutting;
  const part = parts[index];
  if (part === undefined) {
    if (at === wanted.text.length) yield so;
    return;
  }
  const isLast = index === parts.length - 1;
  for (const end of endsOf(cutting, index, at, so)) {
    if (steps.left <= 0) return;
    steps.left -= 1;
    const own = wanted.text.slice(at, end);
    const filled = 'column' in part ? new Map([...so.filled, [part.column.trim(), own]]) : so.filled;
    const loose = 'column' in part && LOOSE_MARK.test(own) ? LOOSE_MARK_COST : 0;
    const cost = so.cost + loose + (isLast ? 0 : costOf(wanted, end));
    yield* cutUp(cutting, index + 1, isLast ? end : end + join.length, { filled, cost });
  }
}

/** Where a part that begins at a character may end, so that the text between the parts follows. */
function endsOf({ wanted: { text }, parts, join }: Cutting, index: number, at: number, { filled }: Cut): number[] {
  const part = parts[index];
  const isLast = index === parts.length - 1;
  if (part === undefined) return [];
  const known = 'column' in part ? filled.get(part.column.trim()) : part.const; // a column may stand twice
  if (known !== undefined) {
    const end = at + known.length;
    return text.startsWith(known, at) && (isLast || text.startsWith(join, end)) ? [end] : [];
  }
  if (isLast) return at < text.length ? [text.length] : [];
  const ends: number[] = [];
  for (let end = at + 1; end < text.length; end += 1) if (text.startsWith(join, end)) ends.push(end);
  return ends;
}

function costOf({ cuts, seam }: WantedText, end: number): number {
  if (end === seam || (cuts ?? seam) === undefined) return 0;
  return cuts?.includes(end) ? 1 : BETWEEN_LETTERS_COST;
}
