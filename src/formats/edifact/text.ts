/** Turns the units of segments into text, all of one message in one character set. */
import type { Encoding } from '../encoding.ts';
import { dividedSegment, type Segment, type SegmentElement } from '../segments/segment.ts';
import { type Charset, charsetOf, isPlain } from './charset.ts';
import type { FoundFaults } from './faults.ts';
import type { Note } from './notes.ts';
import { hexOf, shownUnits } from './shown.ts';

/** `note` null: the text is not read, as its faults say. */
export interface ReadText {
  segments: Segment[];
  note: Note | null;
}

const EACH_LINE_BREAK = /[\r\n]/g;
const BYTES_SHOWN = 8;

/**
 * @param units where the segments stand, which are not all ASCII
 * @param syntax UNB S001 0001, '' where there is none
 */
export function readText(
  segments: readonly Segment[],
  { units, syntax, fallback }: { units: string; syntax: string; fallback: Encoding },
  faults: FoundFaults,
): ReadText {
  // A file wrapped at a column may divide the bytes of one letter.
  const charset = charsetOf(syntax, fallback, units.replace(EACH_LINE_BREAK, ''));
  const read = segments.map((segment) => {
    const elements = segment.elements.map((element, at) => {
      const text = elementIn(charset, syntax, element);
      if (text !== null) return text;
      const wrong = typeof element === 'string' ? element : element.join(' ');
      const from = [...wrong].findIndex((unit) => !isPlain(unit, syntax));
      const hex = hexOf(wrong.slice(from, from + BYTES_SHOWN));
      const { name, isRead } = charset;
      const code = isRead ? 'bad_encoding' : 'charset_not_read';
      faults.add({ code, charset: name, hex }, segment, at + 1);
      return typeof element === 'string' ? shownUnits(element) : element.map(shownUnits);
    });
    return { ...dividedSegment(segment), elements };
  });
  const { name, choice, isRead } = charset;
  if (!isRead) return { segments: read, note: null };
  return { segments: read, note: { kind: 'charset', syntax: syntax.trim().slice(0, 8), name, choice } };
}

/** @returns null where bytes of it are no text. */
function elementIn(charset: Charset, syntax: string, element: SegmentElement): SegmentElement | null {
  if (typeof element === 'string') return isPlain(element, syntax) ? element : charset.decode(element);
  if (element.every((text) => isPlain(text, syntax))) return element;
  const texts = element.map((text) => (isPlain(text, syntax) ? text : charset.decode(text)));
  return texts.every((text) => text !== null) ? texts : null;
}

/** Finds the elements that hold a NUL character. */
export function findNul(segments: readonly Segment[], faults: FoundFaults): void {
  for (const segment of segments) {
    for (const [at, element] of segment.elements.entries()) {
      const text = typeof element === 'string' ? element : element.join(':');
      if (text.includes('\0')) faults.add({ code: 'nul_character', text: shownUnits(text) }, segment, at + 1);
    }
  }
}
