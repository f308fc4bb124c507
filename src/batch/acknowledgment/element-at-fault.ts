/**
 * Which elements a row's problem is about: its path may name several, of which its value was joined, and an acknowledgment
 * names each that is wrong with its own text. Pure.
 */
import { type SegmentPlace, segmentAt } from '../../formats/segments/cells.ts';
import { elementText } from '../../formats/segments/segment.ts';
import type { LoopNode } from '../../formats/segments/tree.ts';
import type { Problem } from '../../kernel/problem.ts';

/** `place` undefined: no segment was read for it. */
export interface FaultPlace {
  place: SegmentPlace | undefined;
  problem: Problem;
}

interface FoundText {
  place: SegmentPlace;
  text: string;
}

export function faultPlaces(node: LoopNode, problem: Problem): FaultPlace[] {
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

/** A time is read of a date, then the time of day. @returns none where each has its form: what is wrong is something else. */
function timeFaults([date, time]: readonly (FoundText | undefined)[], problem: Problem): FaultPlace[] {
  const at = (found: FoundText | undefined, code: string): FaultPlace[] =>
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

/** X12 337: HHMM, HHMMSS, and one or two digits of the second's decimals. */
const TIME_OF_DAY = /^(?:[01]\d|2[0-3])[0-5]\d(?:[0-5]\d\d{0,2})?$/;

const isTimeOfDay = (text: string): boolean => TIME_OF_DAY.test(text);
