/** Where a segment stands, in the words of its standard: `ISA 000000905, GS 1, ST 0001, segment 7 (AT7)`. */
import { headOf } from '../../kernel/text.ts';
import { elementText, type Segment } from './segment.ts';

/** Element that holds the control number or reference, of the segments that open an envelope or a set. */
const CONTROL_ELEMENT: Readonly<Record<string, number>> = { ISA: 13, GS: 6, ST: 2, UNB: 5, UNG: 5, UNH: 1 };

/** Control numbers have up to 14 characters. Ours: a longer one, or tag, is shown so far, because every record bears its place. */
const SHOWN_CHARACTERS_MAX = 40;

/** @param openings the segments around it, outermost first. */
export function placeWords(openings: readonly Segment[], at?: { tag: string; number: number } | null): string {
  const around = openings.map((opening) => `${shortened(opening.tag)} ${shortened(controlOf(opening))}`.trimEnd());
  const own = at == null || at.number === 0 ? [] : [`segment ${at.number} (${shortened(at.tag)})`];
  return [...around, ...own].join(', ');
}

export const controlOf = (opening: Segment): string =>
  elementText(opening, CONTROL_ELEMENT[opening.tag] ?? 1, null).trim();

const shortened = (text: string): string =>
  text.length <= SHOWN_CHARACTERS_MAX ? text : `${headOf(text, SHOWN_CHARACTERS_MAX)}…`;
