/**
 * Turns the bytes of a text file into a string of units that a reader can scan, and units into text.
 *
 * A unit is one byte (UTF-8 and the single-byte encodings) or one UTF-16 code unit. Because every unit has the same
 * width, an offset in the string is a byte position in the file. Pure; nothing is thrown for bad bytes.
 */
import { Buffer } from 'node:buffer';

export const ENCODINGS = [
  'utf-8',
  'windows-1252',
  'iso-8859-1',
  'iso-8859-15',
  'windows-1250',
  'windows-1251',
  'utf-16le',
  'utf-16be',
] as const;
export type Encoding = (typeof ENCODINGS)[number];

export interface TextCodec {
  encoding: Encoding;
  unitBytes: 1 | 2;
  /** One character per unit. `atEnd`: an odd last byte of UTF-16 is then kept as a unit that `badAt` finds. */
  toUnits(bytes: Uint8Array, atEnd: boolean): string;
  /** The units of a delimiter or marker; null when the encoding cannot represent it. */
  fromText(text: string): string | null;
  /** Text of the units; what cannot be read becomes U+FFFD or a control character, see `badAt`. */
  toText(units: string): string;
  /** Offset, in units, of the first sequence that is not text in this encoding; -1 when there is none. */
  badAt(units: string): number;
}

/** Latin-1 is the encoding in which every byte is the character of the same number: bytes kept as a string. */
const BYTES_AS_STRING = 'latin1';
/** Half a UTF-16 code unit at the end of a file; on its own it is never well-formed. */
const HALF_UNIT = '\ud800';
const REPLACEMENT = '\ufffd';
const NON_ASCII = /[\x80-\xff]/;
const EACH_NON_ASCII = /[\x80-\xff]/g;
const FIRST_NON_ASCII = 0x80;

/** A text as the bytes of a file; undefined if the encoding cannot represent it. */
export function encodedText(text: string, encoding: Encoding): Uint8Array | undefined {
  const codec = textCodec(encoding);
  const units = codec.fromText(text);
  if (units === null) return undefined;
  const bytes = Buffer.from(units, codec.unitBytes === 1 ? BYTES_AS_STRING : 'utf16le');
  return encoding === 'utf-16be' ? bytes.swap16() : bytes;
}

const codecs = new Map<Encoding, TextCodec>();

export function textCodec(encoding: Encoding): TextCodec {
  const known = codecs.get(encoding);
  if (known !== undefined) return known;
  const codec = makeCodec(encoding);
  codecs.set(encoding, codec);
  return codec;
}

function makeCodec(encoding: Encoding): TextCodec {
  if (encoding === 'utf-8') return utf8Codec();
  if (encoding === 'utf-16le' || encoding === 'utf-16be') return utf16Codec(encoding);
  return singleByteCodec(encoding);
}

function utf8Codec(): TextCodec {
  // Not `fatal`: one exception per bad cell would cost more than reading the rest of the row.
  const decoder = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true });
  return {
    encoding: 'utf-8',
    unitBytes: 1,
    toUnits: bytesAsString,
    fromText: (text) => (text.isWellFormed() ? Buffer.from(text, 'utf8').toString(BYTES_AS_STRING) : null),
    toText: (units) => (NON_ASCII.test(units) ? decoder.decode(Buffer.from(units, BYTES_AS_STRING)) : units),
    badAt: badUtf8At,
  };
}

function utf16Codec(encoding: 'utf-16le' | 'utf-16be'): TextCodec {
  return {
    encoding,
    unitBytes: 2,
    toUnits: (bytes, atEnd) => {
      const half = bytes.byteLength % 2 === 1;
      const whole = half ? bytes.subarray(0, bytes.byteLength - 1) : bytes;
      // swap16 works in place: the caller's bytes must not change.
      const ordered = encoding === 'utf-16be' ? Buffer.from(whole).swap16() : viewOf(whole);
      return ordered.toString('utf16le') + (half && atEnd ? HALF_UNIT : '');
    },
    fromText: (text) => (text.isWellFormed() ? text : null),
    toText: (units) => units.toWellFormed(),
    badAt: (units) => {
      if (units.isWellFormed()) return -1;
      const whole = units.toWellFormed();
      let at = 0;
      while (units.charCodeAt(at) === whole.charCodeAt(at)) at++;
      return at;
    },
  };
}

/**
 * Tables come from the platform's decoder, so `iso-8859-1` means windows-1252, as on the web (WHATWG Encoding).
 * A byte that the encoding leaves unassigned decodes to a C1 control character: a sign of a wrong declaration.
 */
function singleByteCodec(encoding: Encoding): TextCodec {
  const upper = Uint8Array.from({ length: 256 - FIRST_NON_ASCII }, (_, index) => FIRST_NON_ASCII + index);
  const table = new TextDecoder(encoding, { fatal: false, ignoreBOM: true }).decode(upper);
  const letter = (unit: string): string => table[unit.charCodeAt(0) - FIRST_NON_ASCII] ?? REPLACEMENT;
  return {
    encoding,
    unitBytes: 1,
    toUnits: bytesAsString,
    fromText: (text) => {
      let units = '';
      for (const character of text) {
        const index = table.indexOf(character);
        if (character >= '\x80' && index === -1) return null;
        units += character < '\x80' ? character : String.fromCharCode(FIRST_NON_ASCII + index);
      }
      return units;
    },
    toText: (units) => (NON_ASCII.test(units) ? units.replace(EACH_NON_ASCII, letter) : units),
    badAt: (units) => {
      for (let at = 0; at < units.length; at++) {
        const code = units.charCodeAt(at);
        if (code >= FIRST_NON_ASCII && table.charCodeAt(code - FIRST_NON_ASCII) < 0xa0) return at;
      }
      return -1;
    },
  };
}

function bytesAsString(bytes: Uint8Array): string {
  return viewOf(bytes).toString(BYTES_AS_STRING);
}

function viewOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** So many different characters that the encoding does not have are another script. Ours: `ÓŁ` and `ÓŻ` make two of them. */
const OTHER_SCRIPT = 4;
/** The last letter of Latin with marks: so many of these in the first bytes of a file are no accident either. */
const LATIN_LAST = '\u017f';
const LATIN_IN_SAMPLE = 2;
/** Bytes of a character that the end of the units can cut off. */
const CUT_CHARACTER_BYTES_MAX = 3;

/**
 * Where text that is declared as another encoding is UTF-8: all its non-ASCII bytes form such sequences, and one of them is
 * proof. That is a character of three bytes or more, or one that the declared encoding has, too, and would write as another
 * byte. Two capitals and marks may form one that it has not: `SPÓŁKA` in windows-1250, `CAFÉ®` in windows-1252.
 *
 * @param isSample the first bytes of a file, of which the last character may have been cut off. @returns -1 where it is not.
 */
export function multibyteUtf8At(units: string, codec: TextCodec, isSample = false): number {
  let latin = 0;
  const others = new Set<string>();
  let firstOther = -1;
  let proof = -1;
  let at = units.search(NON_ASCII);
  while (at !== -1 && at < units.length) {
    const length = utf8SequenceLength(units, at);
    if (length === 0) {
      if (isSample && at >= units.length - CUT_CHARACTER_BYTES_MAX) break;
      return -1;
    }
    const character = length === 2 ? twoByteCharacter(units, at) : '';
    if (length > 1 && proof === -1) {
      if (length > 2 || codec.fromText(character) !== null) proof = at;
      else others.add(character);
      if (character <= LATIN_LAST) latin += 1;
      if (firstOther === -1) firstOther = at;
    }
    at += length;
  }
  const areOther = others.size >= OTHER_SCRIPT || (isSample && latin >= LATIN_IN_SAMPLE);
  return proof === -1 && areOther ? firstOther : proof;
}

const twoByteCharacter = (units: string, at: number): string =>
  String.fromCharCode(((units.charCodeAt(at) & 0x1f) << 6) | (units.charCodeAt(at + 1) & 0x3f));

/** The same for units of a text that is read as another encoding. @returns -1 for UTF-8 itself, and for wide ones. */
export const utf8InsteadAt = (units: string, codec: TextCodec): number =>
  codec.encoding === 'utf-8' || codec.unitBytes === 2 ? -1 : multibyteUtf8At(units, codec);

/** Offset of the first byte that does not begin a well-formed UTF-8 sequence (Unicode 16, table 3-7); -1 when none. */
export function badUtf8At(units: string): number {
  let at = 0;
  while (at < units.length) {
    const length = utf8SequenceLength(units, at);
    if (length === 0) return at;
    at += length;
  }
  return -1;
}

/** @returns bytes of the well-formed sequence that begins there; 0 when none does. */
export function utf8SequenceLength(units: string, at: number): number {
  const first = units.charCodeAt(at);
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  const length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  const second = units.charCodeAt(at + 1);
  // Overlong forms, surrogates and numbers above U+10FFFF are excluded by the range of the second byte.
  const lowest = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
  const highest = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
  if (!(second >= lowest && second <= highest)) return 0;
  for (let next = at + 2; next < at + length; next++) {
    const code = units.charCodeAt(next);
    if (!(code >= 0x80 && code <= 0xbf)) return 0;
  }
  return length;
}
