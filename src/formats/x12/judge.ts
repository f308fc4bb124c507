/** Holds headers and trailers of sets, groups and interchanges against each other and against what stands between them. Pure. */
import { elementOf, type Segment } from '../segments/segment.ts';
import { isTag } from '../segments/tags.ts';
import type { Level, X12Problem } from './problems.ts';

/** A fact with the segment it is about; one without a tag is a place where one is missing. */
export interface Finding {
  problem: X12Problem;
  segment: Segment;
}

const TAG = { interchange: 'ISA', group: 'GS', set: 'ST' } as const;
const CONTROL_ELEMENT: Record<Level, number> = { interchange: 13, group: 6, set: 2 };
const DIGITS = /^\d+$/;
const SET_ID = /^\d{3}$/;
const LEADING_ZEROS = /^0+(?=\d)/;
const COUNT_DIGITS_MAX = 10;
/** X12 GS01 to GS08, all mandatory. */
const GROUP_HEADER_ELEMENTS = 8;

export const controlNumber = (level: Level, header: Segment): string => textAt(header, CONTROL_ELEMENT[level]);

/** Text of an element as a whole: one that has components is no number, whatever the first of them is. */
function textAt(segment: Segment, element: number): string {
  const found = elementOf(segment, element) ?? '';
  return (typeof found === 'string' ? found : found.join(':')).trim();
}

/** X12: ISA13 and GS06 are numbers, ST02 may have letters. */
export function judgeHeader(level: Level, header: Segment): Finding[] {
  if (header.tag !== TAG[level]) return [];
  const findings: Finding[] = [];
  if (level === 'set') {
    const id = textAt(header, 1);
    if (!SET_ID.test(id)) findings.push({ problem: { code: 'set_id_invalid', found: id }, segment: header });
  }
  if (level === 'group' && header.elements.length < GROUP_HEADER_ELEMENTS) {
    findings.push({ problem: { code: 'group_header_incomplete', found: header.elements.length }, segment: header });
  }
  const found = controlNumber(level, header);
  if (level === 'set' ? found === '' : !DIGITS.test(found)) {
    findings.push({ problem: { code: 'control_number_invalid', level, found }, segment: header });
  }
  return findings;
}

/** @param header null: it is missing, so there is no control number to compare; @param counted what the trailer should say */
export function judgeTrailer(level: Level, header: Segment | null, trailer: Segment, counted: number): Finding[] {
  const findings: Finding[] = [];
  const written = textAt(trailer, 1);
  if (!isCount(written)) findings.push({ problem: { code: 'count_invalid', level, written }, segment: trailer });
  else if (Number(written) !== counted) {
    findings.push({ problem: { code: 'count_differs', level, written, counted }, segment: trailer });
  }
  if (header === null) return findings;
  const wanted = controlNumber(level, header);
  const found = textAt(trailer, 2);
  if (!sameNumber(wanted, found)) {
    findings.push({
      problem: { code: 'control_number_differs', level, header: wanted, trailer: found },
      segment: trailer,
    });
  }
  return findings;
}

const isCount = (written: string): boolean => DIGITS.test(written) && written.length <= COUNT_DIGITS_MAX;

/** Senders pad differently: numbers are compared, and texts where they are none. */
function sameNumber(one: string, other: string): boolean {
  if (one === other) return true;
  if (!DIGITS.test(one) || !DIGITS.test(other)) return false;
  return one.replace(LEADING_ZEROS, '') === other.replace(LEADING_ZEROS, '');
}

const LINE_BREAK = /[\r\n]+/;

/** The tag of a segment that began on a line of its own inside another one, whose terminator was lost; null when none did. */
export function mergedTag(raw: string, separator: string): string | null {
  for (const piece of raw.split(LINE_BREAK).slice(1)) {
    const line = piece.trimStart();
    const at = line.indexOf(separator);
    if (at !== -1 && isTag(line.slice(0, at))) return line.slice(0, at);
  }
  return null;
}
