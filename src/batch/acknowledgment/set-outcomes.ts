/**
 * What was read of a file, and its rows → the outcome of every set, in file order. Pure.
 * Accepted: nothing in its records is wrong; accepted with errors: some of it became requests; rejected: nothing did.
 */

import { openingOf } from '../../formats/segments/list.ts';
import { compileElementPath } from '../../formats/segments/path.ts';
import { type SegmentLocation, segmentAt } from '../../formats/segments/reader.ts';
import { type EnvelopeFact, type EnvelopeProblem, elementText, type Segment } from '../../formats/segments/segment.ts';
import { type LoopNode, type ReadPart, recordsIn } from '../../formats/segments/tree.ts';
import type { Problem } from '../../kernel/problem.ts';

/*
 * Which elements a row's problem is about: its path may name several, joined into one value, and an acknowledgment
 * names each faulty one with its own text.
 */

/** `place` undefined: no segment was read for it. */
interface FaultLocation {
  place: SegmentLocation | undefined;
  problem: Problem;
}

interface FoundText {
  place: SegmentLocation;
  text: string;
}

function faultLocations(node: LoopNode, problem: Problem): FaultLocation[] {
  const paths = problem.path.split(',').map((path) => path.trim());
  const first = { place: segmentAt(node, problem.path), problem };
  if (paths.length === 1 || problem.value === '') return [first];
  const found = paths.map((path) => textAt(node, path));
  const ofTime = timeFaults(found, problem);
  if (ofTime.length > 0) return ofTime;
  const known = found.filter((each) => each !== undefined);
  const own = known.find(({ text }) => text === problem.value) ?? known.find(({ text }) => text !== '');
  return own === undefined ? [first] : [{ place: own.place, problem: { ...problem, value: own.text } }];
}

function textAt(node: LoopNode, path: string): FoundText | undefined {
  const place = segmentAt(node, path);
  if (place === undefined || place.element === null) return undefined;
  return { place, text: elementText(place.segment, place.element, place.component).trim() };
}

/**
 * A time is read from a date, then the time of day. @returns none when both are well-formed: something else is wrong.
 */
function timeFaults([date, time]: readonly (FoundText | undefined)[], problem: Problem): FaultLocation[] {
  const at = (found: FoundText | undefined, code: string): FaultLocation[] =>
    found === undefined ? [] : [{ place: found.place, problem: { ...problem, code, value: found.text } }];
  switch (problem.code) {
    case 'bad_date':
      return [
        ...(date !== undefined && !isDay(date.text) ? at(date, 'date_invalid') : []),
        ...(time !== undefined && !isTimeOfDay(time.text) ? at(time, 'time_invalid') : []),
      ];
    case 'time_nonexistent':
    case 'time_ambiguous':
      return at(time, 'time_invalid');
    case 'year_out_of_range':
      return at(date, 'date_invalid');
    default:
      return [];
  }
}

const DAY = /^(\d\d(?:\d\d)?)(\d\d)(\d\d)$/;

/** YYMMDD or CCYYMMDD. */
function isDay(text: string): boolean {
  const [, year, month, day] = DAY.exec(text) ?? [];
  if (year === undefined) return false;
  const read = new Date(
    Date.UTC(year.length === 2 ? 2000 + Number(year) : Number(year), Number(month) - 1, Number(day)),
  );
  return read.getUTCMonth() + 1 === Number(month) && read.getUTCDate() === Number(day);
}

/** X12 337: HHMM, HHMMSS, and one or two decimals of the second. */
const TIME_OF_DAY = /^(?:[01]\d|2[0-3])[0-5]\d(?:[0-5]\d\d{0,2})?$/;

const isTimeOfDay = (text: string): boolean => TIME_OF_DAY.test(text);

/** What a row reports of its record. Once it is stored nothing changes it, unless the row is of a group. */
export interface ValidatedRow {
  isInvalid: boolean;
  /** The mapping skips its record. */
  isLeftOut: boolean;
  errors: readonly Problem[];
  /** How many. */
  requests: number;
}

/** As much of a segment as an answer repeats. */
export type QuotedSegment = Pick<Segment, 'elements'>;

/** As much of what is wrong with an envelope as an answer says. */
export type QuotedProblem = Pick<EnvelopeProblem, 'code' | 'path' | 'standard' | 'element'> & {
  segment: { tag: string } | null;
};

/**
 * Where and what: `number` position of the segment in its set, null: no segment is at fault. `component` only if one
 * is.
 */
export interface SetFault {
  tag: string;
  number: number | null;
  element: number | null;
  component: number | null;
  /** The row's problem; for a value joined from several elements, with the text of this one. */
  problem: Pick<Problem, 'code' | 'path' | 'value'>;
  /** The standard's code with its list, '' if only we have one. */
  standard: string;
}

export interface SetAcknowledgment {
  /** Its first segment: ST or UNH. */
  opening: QuotedSegment;
  outcome: 'accepted' | 'with_errors' | 'rejected';
  faults: readonly SetFault[];
}

/** In file order: facts of envelopes, and what became of each set. */
export type Audited =
  | QuotedFact
  | { kind: 'set'; verdict: SetAcknowledgment }
  /** Segments outside any ST or UNH: refused, with no number to report them under. */
  | { kind: 'unopened'; problems: readonly QuotedProblem[] };

export type QuotedFact =
  | { kind: 'interchange' | 'group'; header: QuotedSegment; problems: readonly QuotedProblem[] }
  | (Omit<Extract<EnvelopeFact, { kind: 'group_end' }>, 'ref' | 'problems'> & { problems: readonly QuotedProblem[] })
  | { kind: 'interchange_end'; counted: number; problems: readonly QuotedProblem[] };

const OPENINGS: readonly string[] = ['ST', 'UNH'];

/** Faults reported of one set. Ours: more of them point to one systematic fault. */
const FAULTS_MAX = 20;

/** @returns undefined for a set that is skipped. @param rows of its records; one that is missing reports nothing. */
function audited(part: ReadPart, rows: readonly (ValidatedRow | undefined)[]): Audited | undefined {
  if ('fact' in part) return part.fact;
  const { set, taken } = part;
  const first = openingOf(set);
  const opening = first !== undefined && OPENINGS.includes(first.tag) ? first : undefined;
  if (taken.outcome === 'ignored') return undefined;
  if (taken.outcome === 'refused') {
    if (opening === undefined) return { kind: 'unopened', problems: taken.problems };
    const faults = taken.problems.slice(0, FAULTS_MAX).map(envelopeFault);
    return { kind: 'set', verdict: { opening, outcome: 'rejected', faults } };
  }
  if (opening === undefined) return undefined;
  const { records } = taken.tree;
  const faults: SetFault[] = [];
  let wrong = 0;
  let refused = 0;
  let leftOut = 0;
  for (const [index, node] of records.entries()) {
    const row = rows[index];
    if (row?.isLeftOut) leftOut += 1;
    if (row === undefined || (!row.isInvalid && row.errors.length === 0)) continue;
    wrong += 1;
    if (row.requests === 0 && !row.isLeftOut) refused += 1; // of several events some may be well-formed
    if (faults.length < FAULTS_MAX) faults.push(...row.errors.flatMap((problem) => recordFaults(node, problem)));
  }
  const outcome = wrong === 0 ? 'accepted' : refused + leftOut < records.length ? 'with_errors' : 'rejected';
  return { kind: 'set', verdict: { opening, outcome, faults: faults.slice(0, FAULTS_MAX) } };
}

/** @param rows of all records of the parts, in order. */
export function* auditedParts(parts: readonly ReadPart[], rows: readonly ValidatedRow[]): Generator<Audited> {
  let at = 0;
  for (const part of parts) {
    const end = at + recordsIn(part);
    const found = audited(part, rows.slice(at, end));
    if (found !== undefined) yield found;
    at = end;
  }
}

/** @param rows of all records in order, from the first one on. */
export async function* auditedAsRead(
  parts: AsyncIterable<ReadPart>,
  rows: AsyncIterator<ValidatedRow>,
): AsyncGenerator<Audited> {
  for await (const part of parts) {
    const own: (ValidatedRow | undefined)[] = [];
    for (let left = recordsIn(part); left > 0; left -= 1) own.push((await rows.next()).value ?? undefined);
    const found = audited(part, own);
    if (found !== undefined) yield found;
  }
}

/** @param standard such as `AK304 8`. @returns null if it is of another list. */
export function codeOf(standard: string, list: string): string | null {
  const [from, code] = standard.split(' ');
  return from === list && code !== undefined ? code : null;
}

/** The set is refused for a fault of another one, whose code it carries. */
export const sharesFault = ({ problem }: SetFault): boolean => problem.code === 'interchange_broken';

const envelopeFault = (problem: EnvelopeProblem): SetFault => ({
  tag: problem.segment?.tag ?? '',
  number: problem.segment?.number || null,
  element: problem.element,
  component: null,
  problem,
  standard: problem.standard,
});

/**
 * The path of a row's problem leads to the segment that was read, if any; otherwise one is missing next to the record's
 * own.
 */
function recordFaults(node: LoopNode, of: Problem): SetFault[] {
  return faultLocations(node, of).map(({ place, problem }) => {
    const missing = place === undefined && problem.value === '' ? segmentOf(problem.path) : undefined;
    const segment = place?.segment ?? node.opening;
    return {
      tag: missing ?? segment?.tag ?? '',
      number: segment?.number ?? null,
      element: place?.element ?? null,
      component: place?.component ?? null,
      problem,
      standard: missing === undefined ? '' : SEGMENT_MISSING,
    };
  });
}

/** A CONTRL reports the same without a code: a segment without a value is missing. */
const SEGMENT_MISSING = 'AK304 3';

/** Of several paths the last one: alternatives have the usual path last. @returns undefined when it is no path. */
function segmentOf(paths: string): string | undefined {
  const path = compileElementPath(paths.split(',').at(-1)?.trim() ?? '');
  return path.ok ? path.value.steps.at(-1)?.name : undefined;
}
