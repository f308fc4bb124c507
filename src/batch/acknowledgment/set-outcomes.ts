/**
 * Stored bytes and rows of a file → the outcome of every set, in file order. Pure but for the streams passed in.
 * Accepted: nothing in its records is wrong; accepted with errors: some of it became requests; rejected: nothing did.
 */

import { NONE_SEEN } from '../../formats/segments/control-numbers.ts';
import { compileElementPath } from '../../formats/segments/path.ts';
import { type SegmentLocation, segmentAt, type TakeSet } from '../../formats/segments/reader.ts';
import {
  type EnvelopeFact,
  type EnvelopeProblem,
  elementText,
  type Segment,
  type SegmentPart,
} from '../../formats/segments/segment.ts';
import type { LoopNode } from '../../formats/segments/tree.ts';
import type { Problem } from '../../kernel/problem.ts';
import type { BatchRow } from '../report/summary.ts';

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

/** What a row reports of its record. */
type ValidatedRow = Pick<BatchRow, 'state' | 'errors' | 'requests'>;

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
  problem: Problem;
  /** The standard's code with its list, '' if only we have one. */
  standard: string;
}

export interface SetAcknowledgment {
  /** Its first segment: ST or UNH. */
  opening: Segment;
  outcome: 'accepted' | 'with_errors' | 'rejected';
  faults: readonly SetFault[];
}

/** In file order: facts of envelopes, and what became of each set. */
export type Audited =
  | EnvelopeFact
  | { kind: 'set'; verdict: SetAcknowledgment }
  /** Segments outside any ST or UNH: refused, with no number to report them under. */
  | { kind: 'unopened'; problems: readonly EnvelopeProblem[] };

const OPENINGS: readonly string[] = ['ST', 'UNH'];

/** Faults reported of one set. Ours: more of them point to one systematic fault. */
const FAULTS_MAX = 20;

/**
 * @param rows of all records in order, from the first one on.
 * @param take how the set was read before, so that records are counted alike.
 */
export async function* validateParts(
  parts: AsyncIterable<SegmentPart>,
  rows: AsyncIterator<ValidatedRow>,
  take: TakeSet,
): AsyncGenerator<Audited> {
  let before = NONE_SEEN;
  for await (const part of parts) {
    if ('fact' in part) {
      const { fact } = part;
      for (const _ of fact.problems) await rows.next(); // each is a record of its own
      yield fact;
      continue;
    }
    const [first] = part.set.segments;
    const opening = first !== undefined && OPENINGS.includes(first.tag) ? first : undefined;
    const { taken, seen } = take(part.set, before);
    before = seen;
    if (taken.outcome === 'ignored') continue;
    if (taken.outcome === 'refused') {
      await rows.next();
      const faults = taken.problems.slice(0, FAULTS_MAX).map(envelopeFault);
      if (opening === undefined) yield { kind: 'unopened', problems: taken.problems };
      else yield { kind: 'set', verdict: { opening, outcome: 'rejected', faults } };
      continue;
    }
    const faults: SetFault[] = [];
    let wrong = 0;
    let refused = 0;
    for (const node of taken.tree.records) {
      const row = (await rows.next()).value as ValidatedRow | undefined;
      if (row === undefined || (row.state !== 'invalid' && row.errors.length === 0)) continue;
      wrong += 1;
      if (row.requests.length === 0) refused += 1; // of several events some may be well-formed
      if (faults.length < FAULTS_MAX) faults.push(...row.errors.flatMap((problem) => recordFaults(node, problem)));
    }
    const all = taken.tree.records.length;
    const outcome = wrong === 0 ? 'accepted' : refused < all ? 'with_errors' : 'rejected';
    if (opening !== undefined)
      yield { kind: 'set', verdict: { opening, outcome, faults: faults.slice(0, FAULTS_MAX) } };
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
