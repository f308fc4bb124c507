/**
 * The letters beyond ASCII: strict UTF-8 first, whatever UNB declares, because files that declare latin-1 and hold UTF-8
 * are common and no latin text of any length is UTF-8 by chance; then the declared set; then the mapping's fallback.
 */
import { Buffer } from 'node:buffer';
import { badUtf8At, type Encoding } from '../encoding.ts';

/** Code list 0001 of ISO 9735: identifiers and the sets they stand for, by names that the platform's decoder knows. A and B have ASCII alone. */
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

/** Sets between which escape sequences change (ISO 2022): which letter a byte is cannot be told from it, be it ASCII or not. */
const ESCAPED = 'UNOX';
const ESCAPED_SETS = 'iso-2022';

const NON_ASCII = /[\x80-\xff]/;
/** Those, and ESC, SO and SI, which change the set that ASCII stands for. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they change sets
const ESCAPES = /[\x0e\x0f\x1b\x80-\xff]/;
/** What a byte that the set leaves unassigned becomes. */
const NO_LETTER = /[\x80-\x9f\ufffd]/;

export const isAscii = (units: string): boolean => !NON_ASCII.test(units);

/** @param syntax UNB S001 0001 as written: mixed case is met */
export const isEscaped = (syntax: string): boolean => syntax.trim().toUpperCase() === ESCAPED;

/** Whether units mean the letters of ASCII, whatever set it is that UNB declares. */
export const isPlain = (units: string, syntax: string): boolean =>
  isEscaped(syntax) ? !ESCAPES.test(units) : isAscii(units);

/** `declared`: as UNB says; `utf_8`: it is UTF-8 though UNB says otherwise; `fallback`: UNB names no set that has such letters. */
export type CharsetChoice = 'declared' | 'utf_8' | 'fallback';

export interface Charset {
  /** The platform's name of it. */
  name: string;
  choice: CharsetChoice;
  /** False: text in this set is not read, and `decode` has none. */
  isRead: boolean;
  /** Text of units that are not all ASCII; null where they are not text in this set. */
  decode(units: string): string | null;
}

/**
 * @param syntax UNB S001 0001 as written: mixed case is met
 * @param units everything that must be read alike, of one unit per byte
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
