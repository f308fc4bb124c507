/** What can be wrong with a well-formed set for the mapping that reads it. */

import { quoteValue } from '../../kernel/problem.ts';
import { headOf } from '../../kernel/text.ts';
import type { LoopSpecs } from './loops.ts';
import { type EnvelopeProblem, elementText, type Segment, type SegmentSet } from './segment.ts';
import { isTag } from './tags.ts';

/* Where a segment is, in the words of its standard: `ISA 000000905, GS 1, ST 0001, segment 7 (AT7)`. */

/** Element with the control number or reference, of the segments that open an envelope or a set. */
const CONTROL_ELEMENT: Readonly<Record<string, number>> = { ISA: 13, GS: 6, ST: 2, UNB: 5, UNG: 5, UNH: 1 };

/**
 * Control numbers have up to 14 characters. Ours: a longer one, or tag, is cut for display, because every record has
 * its location.
 */
const SHOWN_CHARACTERS_MAX = 40;

/** Of a segment, or of nothing if `at` is not one. */
type At = { tag: string; number: number } | null | undefined;

/** @param openings the segments around it, outermost first. */
export const locationMessage = (openings: readonly Segment[], at?: At): string =>
  locationWithin(messageAround(openings), at);

/** The segments around all records of a set, outermost first. */
export const messageAround = (openings: readonly Segment[]): string => openings.map(openingMessage).join(', ');

export function openingMessage(opening: Segment): string {
  const control = controlOf(opening);
  const tag = shortened(opening.tag);
  return control === '' ? tag.trimEnd() : `${tag} ${shortened(control)}`;
}

/** @param around as returned by `messageAround`. */
export function locationWithin(around: string, at: At): string {
  if (at == null || at.number === 0) return around;
  return around === '' ? segmentMessage(at) : `${around}, ${segmentMessage(at)}`;
}

/** Every record has such a text, and those of most sets are equal. */
let known = new Map<string, string[]>();
let knownCount = 0;
/** Ours: in practice a set has a few dozen segments of a few kinds. */
const KNOWN_MAX = 5_000;

function segmentMessage({ tag, number }: { tag: string; number: number }): string {
  const found = known.get(tag)?.[number];
  if (found !== undefined) return found;
  const words = `segment ${number} (${shortened(tag)})`;
  if (knownCount >= KNOWN_MAX) [known, knownCount] = [new Map(), 0];
  // Not cached: such a text can be a part of its slice and would keep all of it in memory.
  if (number >= KNOWN_MAX || !isTag(tag)) return words;
  const numbers = known.get(tag) ?? [];
  numbers[number] = words;
  known.set(tag, numbers);
  knownCount += 1;
  return words;
}

export const controlOf = (opening: Segment): string =>
  elementText(opening, CONTROL_ELEMENT[opening.tag] ?? 1, null).trim();

const shortened = (text: string): string =>
  text.length <= SHOWN_CHARACTERS_MAX ? text : `${headOf(text, SHOWN_CHARACTERS_MAX)}…`;

/** The mapping does not use sets of this kind. */
export function notAcceptedProblem({ id, segments }: SegmentSet, takes: readonly string[]): EnvelopeProblem {
  const kinds = takes.join(', ');
  return {
    ...located(segments),
    code: 'set_not_taken',
    path: '',
    value: quoteValue(id),
    message: `Agreed for this kind of file is ${kinds}; this is ${id === '' ? 'of no kind' : quoteValue(id)}.`,
    fix: `Send it as the kind of file that it is, or leave it out of the file.`,
    standard: segments[0]?.tag === 'ST' ? 'AK502 1' : '0085 14',
  };
}

/** That version lays out segments differently, so that one element would be read for another. */
export function versionProblem({ id, segments }: SegmentSet, version: string): EnvelopeProblem {
  return {
    ...located(segments),
    code: 'version_not_taken',
    path: 'GS08',
    value: quoteValue(version),
    message: `This ${quoteValue(id)} is of version ${quoteValue(version)}, in which segments are made otherwise than agreed.`,
    fix: 'Send it as a later version, such as 004010, and name that in GS08; or ask the operator to take this version.',
    standard: 'AK502 1',
  };
}

/** @param loop of which each is a record: its segments can be there without the loop around them. */
export function noRecordProblem({ id, segments }: SegmentSet, loop: string, loops: LoopSpecs): EnvelopeProblem {
  const { in: around, opens = loop } = loops[loop] ?? {};
  const isOutside = around !== undefined && segments.some(({ tag }) => tag === opens);
  const missing = isOutside ? around : loop;
  const what = isOutside
    ? `${loop}, but no ${around} around it, and each ${loop} in such a loop would be a record`
    : `no ${loop}, and each ${loop} would be a record`;
  return {
    ...located(segments),
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
    ...located(segments),
    code: 'set_number_repeated',
    path: opening?.tag === 'ST' ? 'ST02' : 'UNH-01',
    value: control,
    message: `A ${quoteValue(id)} with the control number ${control} came before in the same group.`,
    fix: 'Give every set of a group a number of its own, and send this one again.',
    standard: opening?.tag === 'ST' ? 'AK502 23' : '0085 26',
  };
}

function located(segments: readonly Segment[]): Pick<EnvelopeProblem, 'at' | 'segment' | 'element'> {
  const [opening] = segments;
  const { line = 1, byteFrom = 0, byteTo = 0, tag = '', number = 1 } = opening ?? {};
  return { at: { line, byteFrom, byteTo }, segment: { tag, number }, element: null };
}
