/** What can be wrong with a sound set in view of the mapping that reads it. */
import { quoteValue } from '../../kernel/problem.ts';
import type { LoopSpecs } from './loops.ts';
import { controlOf } from './place.ts';
import type { EnvelopeProblem, Segment, SegmentSet } from './segment.ts';

/** The mapping has no use for sets of this kind. */
export function notTakenProblem({ id, segments }: SegmentSet, takes: readonly string[]): EnvelopeProblem {
  const kinds = takes.join(', ');
  return {
    ...placed(segments),
    code: 'set_not_taken',
    path: '',
    value: quoteValue(id),
    message: `This mapping takes ${kinds}; this is ${id === '' ? 'of no kind' : quoteValue(id)}.`,
    fix: `Send it under a mapping made for it, or leave it out of the file.`,
    standard: segments[0]?.tag === 'ST' ? 'AK502 1' : '0085 14',
  };
}

/** Segments are made otherwise in that version, so that their elements would be read one for another. */
export function versionProblem({ id, segments }: SegmentSet, version: string): EnvelopeProblem {
  return {
    ...placed(segments),
    code: 'version_not_taken',
    path: 'GS08',
    value: quoteValue(version),
    message: `This ${quoteValue(id)} is of version ${quoteValue(version)}, in which segments are made otherwise than this mapping reads them.`,
    fix: 'Send it as a later version, such as 004010, and name that in GS08; or ask whoever set up your mapping for one of this version.',
    standard: 'AK502 1',
  };
}

/** @param loop of which each is a record: its segments can be there, and the loop around them not. */
export function noRecordProblem({ id, segments }: SegmentSet, loop: string, loops: LoopSpecs): EnvelopeProblem {
  const { in: around, opens = loop } = loops[loop] ?? {};
  const isOutside = around !== undefined && segments.some(({ tag }) => tag === opens);
  const missing = isOutside ? around : loop;
  const what = isOutside
    ? `${loop}, but no ${around} around it, and each ${loop} in such a loop would be a record`
    : `no ${loop}, and each ${loop} would be a record`;
  return {
    ...placed(segments),
    code: 'loop_missing',
    path: missing,
    value: '',
    message: `This ${quoteValue(id)} has ${what}: there is nothing to send.`,
    fix: `Check why the ${missing} segments are missing, and send the set again.`,
    standard: segments[0]?.tag === 'ST' ? 'AK304 3' : '0085 13',
  };
}

/** A second set of the group under the same number: an acknowledgment could not say which of them it means. */
export function repeatedProblem({ id, segments }: SegmentSet): EnvelopeProblem {
  const [opening] = segments;
  const control = opening === undefined ? '' : quoteValue(controlOf(opening));
  return {
    ...placed(segments),
    code: 'set_number_repeated',
    path: opening?.tag === 'ST' ? 'ST02' : 'UNH-01',
    value: control,
    message: `A ${quoteValue(id)} with the control number ${control} came before in the same group.`,
    fix: 'Give every set of a group a number of its own, and send this one again.',
    standard: opening?.tag === 'ST' ? 'AK502 23' : '0085 26',
  };
}

function placed(segments: readonly Segment[]): Pick<EnvelopeProblem, 'at' | 'segment' | 'element'> {
  const [opening] = segments;
  const { line = 1, byteFrom = 0, byteTo = 0, tag = '', number = 1 } = opening ?? {};
  return { at: { line, byteFrom, byteTo }, segment: { tag, number }, element: null };
}
