/** Turns the units of segments into text, all of one message in one character set. */
import { Buffer } from 'node:buffer';
import { quoteValue } from '../../kernel/problem.ts';
import { badUtf8At, type Encoding } from '../encoding.ts';
import { dividedSegment, type Segment, type SegmentElement } from '../segments/segment.ts';
import { EXCERPT_BYTES } from './limits.ts';
import type { FoundFaults } from './problems.ts';

/*
 * The letters beyond ASCII: strict UTF-8 first, whatever UNB declares, because files that declare latin-1 and contain
 * UTF-8 are common and no latin text of any length is UTF-8 by chance; then the declared set; then the mapping's
 * fallback.
 */

/**
 * Code list 0001 of ISO 9735: identifiers and their character sets, by names that the platform's decoder knows. A and B
 * have ASCII alone.
 */
const SETS: ReadonlyMap<string, string | null> = new Map([
  ['UNOA', null],
  ['UNOB', null],
  ['UNOC', 'iso-8859-1'],
  ['UNOD', 'iso-8859-2'],
  ['UNOE', 'iso-8859-5'],
  ['UNOF', 'iso-8859-7'],
  ['UNOG', 'iso-8859-3'],
  ['UNOH', 'iso-8859-4'],
  ['UNOI', 'iso-8859-6'],
  ['UNOJ', 'iso-8859-8'],
  ['UNOK', 'iso-8859-9'],
  ['UNOW', 'utf-8'],
  ['UNOY', 'utf-8'],
]);

/**
 * Sets between which escape sequences switch (ISO 2022): a byte alone, even an ASCII one, does not say which letter it
 * is.
 */
const ESCAPED = 'UNOX';
const ESCAPED_SETS = 'iso-2022';

const NON_ASCII = /[\x80-\xff]/;
/** Those, and ESC, SO and SI, which change the set that ASCII bytes mean. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they change sets
const ESCAPES = /[\x0e\x0f\x1b\x80-\xff]/;
/** What a byte that the set leaves unassigned becomes. */
const NO_LETTER = /[\x80-\x9f\ufffd]/;

/** @returns what UNB declares, as a decoder calls it; undefined: no set with letters beyond ASCII. */
export const declaredSet = (syntax: string): string | undefined => SETS.get(syntax.trim().toUpperCase()) ?? undefined;

export const isAscii = (units: string): boolean => !NON_ASCII.test(units);

/** @param syntax UNB S001 0001 as written: mixed case occurs */
export const isEscaped = (syntax: string): boolean => syntax.trim().toUpperCase() === ESCAPED;

/** Whether units mean the letters of ASCII, whatever set UNB declares. */
export const isPlain = (units: string, syntax: string): boolean =>
  isEscaped(syntax) ? !ESCAPES.test(units) : isAscii(units);

/**
 * `declared`: as UNB says; `utf_8`: it is UTF-8 though UNB says otherwise; `fallback`: UNB names no set with such
 * letters.
 */
type CharsetChoice = 'declared' | 'utf_8' | 'fallback';

interface Charset {
  /** The platform's name of it. */
  name: string;
  choice: CharsetChoice;
  /** False: text in this set is not read, and there is no `decode`. */
  isRead: boolean;
  /** Text of units that are not all ASCII; null if they are not text in this set. */
  decode(units: string): string | null;
}

/**
 * @param syntax UNB S001 0001 as written: mixed case occurs
 * @param units everything that must be read in the same set, one unit per byte
 */
export function charsetOf(syntax: string, fallback: Encoding, units: string): Charset {
  if (isEscaped(syntax)) return { name: ESCAPED_SETS, choice: 'declared', isRead: false, decode: () => null };
  const declared = SETS.get(syntax.trim().toUpperCase()) ?? null;
  if (badUtf8At(units) === -1) {
    const decoder = decoderOf('utf-8');
    const choice = declared === 'utf-8' ? 'declared' : 'utf_8';
    return { name: 'utf-8', choice, isRead: true, decode: (text) => decoder.decode(Buffer.from(text, 'latin1')) };
  }
  const name = declared ?? fallback;
  const decoder = decoderOf(name);
  return {
    name,
    choice: declared === null ? 'fallback' : 'declared',
    isRead: true,
    decode: (text) => {
      const decoded = decoder.decode(Buffer.from(text, 'latin1'));
      return NO_LETTER.test(decoded) ? null : decoded;
    },
  };
}

const decoders = new Map<string, TextDecoder>();

function decoderOf(name: string): TextDecoder {
  const known = decoders.get(name);
  if (known !== undefined) return known;
  const decoder = new TextDecoder(name, { fatal: false, ignoreBOM: true });
  decoders.set(name, decoder);
  return decoder;
}

/*
 * What a person should know of an EDIFACT file though nothing is wrong with it: each kind once, with its first
 * location.
 */

export type Note =
  | { kind: 'byte_order_mark' }
  | { kind: 'blanks_before' }
  | { kind: 'no_interchange' }
  | { kind: 'decimal_mark'; mark: string }
  | { kind: 'delimiters_kept'; line: number }
  | { kind: 'line_breaks_inside'; line: number }
  | { kind: 'empty_segment'; line: number }
  | { kind: 'last_terminator'; tag: string }
  | { kind: 'count_differs'; what: string; stated: string; found: number; place: string }
  | { kind: 'charset'; syntax: string; name: string; choice: CharsetChoice };

/** What makes two notes the same one. */
export type NoteKind = string;

export const noteKind = (note: Note): NoteKind => {
  if (note.kind === 'charset') return `charset ${note.syntax} ${note.name}`;
  return note.kind === 'count_differs' ? `count_differs ${note.what}` : note.kind;
};

export function noteMessage(note: Note): string {
  switch (note.kind) {
    case 'byte_order_mark':
      return 'The file begins with the byte-order mark of utf-8, which was passed over.';
    case 'blanks_before':
      return 'Blanks or line breaks stand before the first interchange; they were passed over.';
    case 'no_interchange':
      return 'The file has messages without UNB: nothing in it says who sent it.';
    case 'decimal_mark':
      return `UNA says that the decimal mark is ${JSON.stringify(note.mark)}; numbers stay as they are written.`;
    case 'delimiters_kept':
      return `The interchange in line ${note.line} has no UNA and uses the delimiters of the one before it.`;
    case 'line_breaks_inside':
      return `Line breaks stand inside segments (the first in line ${note.line}); they were left out of the text.`;
    case 'empty_segment':
      return `Terminators without a segment (the first in line ${note.line}) were passed over.`;
    case 'last_terminator':
      return `The last segment, ${note.tag}, has no terminator; the file ends with it.`;
    case 'count_differs':
      return `A wrong count of ${note.what} was accepted, as the partner's settings allow: first ${note.place}, ${quoteValue(note.stated)} where ${note.found} were found.`;
    case 'charset':
      return charsetMessage(note);
  }
}

function charsetMessage({ syntax, name, choice }: Note & { kind: 'charset' }): string {
  const declared = syntax === '' ? 'no character set' : quoteValue(syntax);
  switch (choice) {
    case 'declared':
      return `Letters beyond ASCII were read as ${name}, as UNB declares with ${declared}.`;
    case 'utf_8':
      return `Letters beyond ASCII were read as utf-8, because they are written so; UNB declares ${declared}.`;
    case 'fallback':
      return `UNB declares ${declared}, which does not say how letters beyond ASCII are written; they were read as ${name}, as the mapping says.`;
  }
}

/* Units as shown to a person, before their character set is known. */

export const shownUnits = (units: string): string =>
  Buffer.from(units, 'latin1').toString('utf8').replaceAll('\0', '\\0');

/** The first bytes in hexadecimal, as they are in the file. */
export const hexOf = (units: string): string =>
  Buffer.from(units, 'latin1').toString('hex').toUpperCase().replace(/../g, '$& ').trim();

/** A segment in short, as a person recognises it. */
export const excerptText = ({ tag, elements }: Segment): string =>
  quoteValue(
    [tag, ...elements.map((element) => (typeof element === 'string' ? element : element.join(':')))].join('+'),
  );

/** The text at an offset, as much as a person needs to find the location. */
export const excerptAt = (units: string, at: number): string => shownUnits(units.slice(at, at + EXCERPT_BYTES));

/** `note` null: the text is not read, as its faults say. */
interface ReadText {
  segments: Segment[];
  note: Note | null;
}

const EACH_LINE_BREAK = /[\r\n]/g;
const BYTES_SHOWN = 8;

/**
 * @param units the text of the segments, not all ASCII
 * @param syntax UNB S001 0001, '' if there is none
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

/** @returns null if bytes of it are not text. */
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
