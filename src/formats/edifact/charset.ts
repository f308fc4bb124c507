/**
 * The letters beyond ASCII: strict UTF-8 first, whatever UNB declares, because files that declare latin-1 and hold UTF-8
 * are common and no latin text of any length is UTF-8 by chance; then the declared set; then the mapping's fallback.
 */
import { Buffer } from 'node:buffer';
import { badUtf8At, type Encoding } from '../encoding.ts';

/** Code list 0001 of ISO 9735: identifiers and what the platform's decoder calls their sets. A and B have ASCII alone. */
const SETS: ReadonlyMap<string, string | null> = new Map([
  ['UNOA', null],
  ['UNOB', null],
  ['UNOC', 'iso-8859-1'],
  ['UNOD', 'iso-8859-2'],
  ['UNOE', 'iso-8859-5'],
  ['UNOF', 'iso-8859-7'],
  ['UNOW', 'utf-8'],
  ['UNOY', 'utf-8'],
]);

const NON_ASCII = /[\x80-\xff]/;
/** What a byte that the set leaves unassigned becomes. */
const NO_LETTER = /[\x80-\x9f\ufffd]/;

export const isAscii = (units: string): boolean => !NON_ASCII.test(units);

/** `declared`: as UNB says; `utf_8`: it is UTF-8 though UNB says otherwise; `fallback`: UNB names no set that has such letters. */
export type CharsetChoice = 'declared' | 'utf_8' | 'fallback';

export interface Charset {
  /** The platform's name of it. */
  name: string;
  choice: CharsetChoice;
  /** Text of units that are not all ASCII; null where they are not text in this set. */
  decode(units: string): string | null;
}

/**
 * @param syntax UNB S001 0001 as written: mixed case is met
 * @param units everything that must be read alike, of one unit per byte
 */
export function charsetOf(syntax: string, fallback: Encoding, units: string): Charset {
  const declared = SETS.get(syntax.trim().toUpperCase()) ?? null;
  if (badUtf8At(units) === -1) {
    const decoder = decoderOf('utf-8');
    const choice = declared === 'utf-8' ? 'declared' : 'utf_8';
    return { name: 'utf-8', choice, decode: (text) => decoder.decode(Buffer.from(text, 'latin1')) };
  }
  const name = declared ?? fallback;
  const decoder = decoderOf(name);
  return {
    name,
    choice: declared === null ? 'fallback' : 'declared',
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
