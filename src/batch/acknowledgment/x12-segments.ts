/** Segments of a 997 or 999 that report a set and its faults: AK2 to AK5, in the 999 IK3 to IK5. Pure. */

import { type EnvelopeProblem, elementText } from '../../formats/segments/segment.ts';
import { segmentText } from '../../formats/x12/write.ts';
import type { Problem } from '../../kernel/problem.ts';
import { codeOf, type SetAcknowledgment, type SetFault, sharesFault } from './set-outcomes.ts';

/* X12 element 723 (AK403), what is wrong with a value: the nearest of its codes for each of ours. */

const CODES: readonly [code: string, problems: RegExp][] = [
  ['1', /^(?:required|field_empty|value_missing|place_missing)|_missing$/],
  ['8', /^(?:bad_date|date_|year_|time_too_old|time_in_future)/],
  ['7', /^time_zone_/],
  ['9', /^time_/],
  ['5', /too_long$|too_large$/],
  ['4', /too_short$|too_small$/],
  ['7', /unknown$|_out_of_range$|not_allowed$/],
  ['6', /character|encoding/],
];

/** Invalid code value: also for a value that cannot be used for any other reason. */
const INVALID_VALUE = '7';

export const elementCode = ({ code, value }: Pick<Problem, 'code' | 'value'>): string =>
  value === '' ? '1' : (CODES.find(([, problems]) => problems.test(code))?.[0] ?? INVALID_VALUE);

export type X12AcknowledgmentKind = '997' | '999';

/** Segments for faults: the 999 renamed them and kept their layout. */
const TAGS = {
  '997': { segment: 'AK3', element: 'AK4', set: 'AK5' },
  '999': { segment: 'IK3', element: 'IK4', set: 'IK5' },
};
const SET_OUTCOMES = { accepted: 'A', with_errors: 'E', rejected: 'R' } as const;
/** AK304: the segment is missing, or has elements that are at fault. */
const MISSING = '3';
const ELEMENTS_AT_FAULT = '8';
/** AK502: segments are in error, each named by an AK3. */
const SEGMENTS_AT_FAULT = '5';
/** AK502 to AK506. */
const SET_CODES_MAX = 5;
/** AK404 holds up to 99 characters. */
const BAD_VALUE_CHARACTERS_MAX = 99;

export function setLines({ opening, outcome, faults }: SetAcknowledgment, kind: X12AcknowledgmentKind): string[] {
  const text = (element: number): string => elementText(opening, element, null).trim();
  const ak2 = segmentText('AK2', [text(1), text(2), ...(kind === '999' ? [text(3)] : [])]);
  const placed = faultLines(faults, TAGS[kind]);
  const told = [...faults.flatMap(setCode), ...(placed.length > 0 ? [SEGMENTS_AT_FAULT] : [])];
  const codes = outcome === 'accepted' ? [] : [...new Set(told)].slice(0, SET_CODES_MAX);
  return [ak2, ...placed, segmentText(TAGS[kind].set, [SET_OUTCOMES[outcome], ...codes])];
}

/** One AK3 for each segment at fault, in order, with an AK4 for each of its elements. */
function faultLines(faults: readonly SetFault[], tags: { segment: string; element: string }): string[] {
  const placed = faults.flatMap(locatedFault).sort((one, other) => one.number - other.number);
  const bySegment = Map.groupBy(placed, ({ tag, number }) => `${tag} ${number}`);
  return [...bySegment.values()].flatMap((own) => {
    const [first] = own;
    if (first === undefined) return [];
    const code = own.map(({ standard }) => codeOf(standard, 'AK304')).find((each) => each !== null);
    return [
      segmentText(tags.segment, [first.tag, String(first.number), '', code ?? ELEMENTS_AT_FAULT]),
      ...new Set(own.filter(({ element }) => element !== null).map((fault) => elementLine(fault, tags.element))),
    ];
  });
}

/**
 * A fault of the set as a whole has a code in AK5, or none if it is another set's. A missing loop is reported by its
 * first segment.
 */
function locatedFault(fault: SetFault): (SetFault & { number: number })[] {
  const { tag, number, standard, problem } = fault;
  if (number === null || tag === '' || setCode(fault).length > 0) return [];
  if (sharesFault(fault) || problem.code === 'more_problems') return [];
  if (codeOf(standard, 'AK304') !== MISSING || problem.code !== 'loop_missing') return [{ ...fault, number }];
  return [{ ...fault, number, tag: problem.path.split(/[./]/).at(-1) || tag }];
}

function elementLine({ element, component, standard, problem }: SetFault, tag: string): string {
  const place = [String(element), ...(component === null ? [] : [String(component)])];
  const told = codeOf(standard, 'AK403') ?? elementCode(problem);
  return segmentText(tag, [place, '', told, problem.value.slice(0, BAD_VALUE_CHARACTERS_MAX)]);
}

const setCode = ({ standard }: SetFault): string[] => codesOf([{ standard }], 'AK502', 1);

/** @returns each once, up to the limit. */
export const codesOf = (problems: readonly Pick<EnvelopeProblem, 'standard'>[], list: string, most: number): string[] =>
  [...new Set(problems.flatMap(({ standard }) => codeOf(standard, list) ?? []))].slice(0, most);
