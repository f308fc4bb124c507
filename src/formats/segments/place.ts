/** Where a segment stands, in the words of its standard: `ISA 000000905, GS 1, ST 0001, segment 7 (AT7)`. */
import { headOf } from '../../kernel/text.ts';
import { elementText, type Segment } from './segment.ts';
import { isTag } from './tags.ts';

/** Element that holds the control number or reference, of the segments that open an envelope or a set. */
const CONTROL_ELEMENT: Readonly<Record<string, number>> = { ISA: 13, GS: 6, ST: 2, UNB: 5, UNG: 5, UNH: 1 };

/** Control numbers have up to 14 characters. Ours: a longer one, or tag, is shown so far, because every record bears its place. */
const SHOWN_CHARACTERS_MAX = 40;

/** Of a segment, or of nothing where `at` is none. */
type At = { tag: string; number: number } | null | undefined;

/** @param openings the segments around it, outermost first. */
export const placeWords = (openings: readonly Segment[], at?: At): string => placeWithin(wordsAround(openings), at);

/** The segments around all records of a set, outermost first. */
export const wordsAround = (openings: readonly Segment[]): string => openings.map(openingWords).join(', ');

export function openingWords(opening: Segment): string {
  const control = controlOf(opening);
  const tag = shortened(opening.tag);
  return control === '' ? tag.trimEnd() : `${tag} ${shortened(control)}`;
}

/** @param around as `wordsAround` gives it. */
export function placeWithin(around: string, at: At): string {
  if (at == null || at.number === 0) return around;
  return around === '' ? segmentWords(at) : `${around}, ${segmentWords(at)}`;
}

/** Every record bears such words, and those of most sets are the same. */
let known = new Map<string, string[]>();
let knownCount = 0;
/** Ours: a set of a few dozen segments of a few kinds is what is met. */
const KNOWN_MAX = 5_000;

function segmentWords({ tag, number }: { tag: string; number: number }): string {
  const found = known.get(tag)?.[number];
  if (found !== undefined) return found;
  const words = `segment ${number} (${shortened(tag)})`;
  if (knownCount >= KNOWN_MAX) [known, knownCount] = [new Map(), 0];
  // Another text may keep all of its slice from being forgotten.
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
