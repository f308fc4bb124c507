/** Random CSV: rows written well, and text made of the characters that matter to a reader. */
import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import type { CsvSource } from '../../../../src/formats/csv/declaration.ts';
import type { Encoding } from '../../../../src/formats/encoding.ts';
import { declare } from './reading.ts';

export interface Table {
  delimiter: string;
  quote: string;
  lineEnd: string;
  endsWithLineEnd: boolean;
  /** The first row is the header; all rows are equally long. */
  rows: string[][];
}

/** Characters that make trouble, and some that do not. */
const cellUnit = fc.constantFrom(...'ab7"\',;|\t\r\n ~^üłЖ漢😀\ufeff\u2028'.split(/(?:)/u));
const cell = fc.oneof(fc.string({ unit: cellUnit, maxLength: 12 }), fc.string({ maxLength: 8, unit: 'grapheme' }));

export const table: fc.Arbitrary<Table> = fc
  .record({
    delimiter: fc.constantFrom(',', ';', '\t', '|', '||', '~^~', ' '),
    quote: fc.constantFrom('"', "'"),
    lineEnd: fc.constantFrom('\n', '\r\n', '\r'),
    endsWithLineEnd: fc.boolean(),
    columns: fc.integer({ min: 1, max: 6 }),
    rows: fc.array(fc.array(cell, { minLength: 6, maxLength: 6 }), { minLength: 0, maxLength: 6 }),
  })
  .map(({ columns, rows, ...rest }) => ({
    ...rest,
    rows: [Array.from({ length: columns }, (_, at) => `col${at}`), ...rows.map((row) => row.slice(0, columns))],
  }));

/** Quotes what must be quoted, and nothing else: the strictest form of RFC 4180. */
export function write({ delimiter, quote, lineEnd, endsWithLineEnd, rows }: Table): string {
  const cellText = (text: string, alone: boolean): string => {
    const plain = ![quote, '\r', '\n', delimiter].some((mark) => text.includes(mark));
    // Part of a delimiter at the end of a cell would join the one after it; a line of blanks is no record.
    const safe = ![...delimiter].some((character) => text.includes(character)) && !(alone && text.trim() === '');
    return plain && safe ? text : `${quote}${text.replaceAll(quote, quote + quote)}${quote}`;
  };
  const lines = rows.map((row) => row.map((text) => cellText(text, row.length === 1)).join(delimiter));
  return lines.join(lineEnd) + (endsWithLineEnd ? lineEnd : '');
}

/** Text that is mostly quotes, delimiters and line ends, under a plain header. */
export const messyText: fc.Arbitrary<string> = fc
  .string({ unit: fc.constantFrom('a', 'b', '"', '"', ',', ',', '\n', '\n', '\r', ' ', 'é', '\t'), maxLength: 120 })
  .map((text) => `x,y,z\n${text}`);

const fragment = fc.oneof(
  fc.constantFrom('"', '""', '"a,b"', '"a\nb"', ',', ';', ',,', ',,,,,,,', ' ', '#', '\0', 'é', 'Ж😀'),
  fc.constantFrom('\n', '\n', '\r\n', '\r', '\n\n', '\nab,cd,ef\n', '\n"ab","c\nd",ef\n'),
  fc.string({ unit: fc.constantFrom('a', 'b', 'é'), maxLength: 20 }),
);
const opening = fc.constantFrom('', 'x,y,z\n', 'x,y,z\n', 'x;y;z\n', '\ufeffx,y,z\n', 'sep=;\n', '\n#\nx,y,z\r\n');
const noise = fc.oneof(fc.constant(new Uint8Array()), fc.uint8Array({ maxLength: 3 }));

export interface AnyFile {
  file: Uint8Array;
  source: CsvSource;
}

/** Files of anything: structured text in the declared encoding, with a few bytes of noise in it, and noise alone. */
export const anyFile: fc.Arbitrary<AnyFile> = fc
  .record({
    encoding: fc.constantFrom<Encoding>('utf-8', 'utf-8', 'windows-1252', 'windows-1251', 'utf-16le', 'utf-16be'),
    delimiter: fc.constantFrom(',', ',', ';', ',,'),
    quote: fc.constantFrom('"', '"', ''),
    trim: fc.boolean(),
    skipLines: fc.constantFrom(0, 0, 0, 1),
    comment: fc.constantFrom(undefined, '#'),
    columns: fc.constantFrom(undefined, undefined, ['x', 'y', 'z'], ['x']),
    start: opening,
    fragments: fc.array(fragment, { maxLength: 30 }),
    noise,
    noiseAt: fc.nat(100),
    onlyNoise: fc.option(fc.uint8Array({ maxLength: 200 }), { freq: 10 }),
  })
  .map(({ start, fragments, noise: bytes, noiseAt, onlyNoise, columns, ...declared }) => {
    const text = encode(start + fragments.join(''), declared.encoding);
    const spliced = Buffer.concat([text.subarray(0, noiseAt), bytes, text.subarray(noiseAt)]);
    return { file: onlyNoise ?? spliced, source: declare({ ...declared, columns, header: columns === undefined }) };
  });

function encode(text: string, encoding: Encoding): Buffer {
  if (encoding === 'utf-8') return Buffer.from(text);
  if (encoding === 'utf-16le') return Buffer.from(text, 'utf16le');
  if (encoding === 'utf-16be') return Buffer.from(text, 'utf16le').swap16();
  return Buffer.from(text, 'latin1');
}
