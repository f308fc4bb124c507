/** Random JSON: documents written well in every way the grammar allows, and text made of the pieces that matter to a reader. */
import { Buffer } from 'node:buffer';
import fc from 'fast-check';

/** A document, the path to its records, and their texts as they stand in it. */
export interface Written {
  text: string;
  path: string;
  records: string[];
}

const blank = fc.constantFrom('', '', '', ' ', '\n', '\r\n', '\t', '  \n ');
const number = fc.oneof(
  fc.constantFrom('0', '-0', '1.10', '1e400', '-2E-7', '12345678901234567890', '0.000', '7e+0'),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
);
const stringUnit = fc.constantFrom(...'ab"\\/{}[],: \u0000\t\n\u001f\u007féЖ漢😀\u2028\ufeff'.split(/(?:)/u));
/** A character written as it is, by its short escape where it needs one, or by its number. */
const character = fc.tuple(stringUnit, fc.boolean()).map(([unit, escaped]) => {
  if (!escaped) return JSON.stringify(unit).slice(1, -1);
  return Array.from({ length: unit.length }, (_, at) => `\\u${hex(unit.charCodeAt(at))}`).join('');
});
const hex = (code: number): string => code.toString(16).padStart(4, '0');
export const string: fc.Arbitrary<string> = fc
  .array(character, { maxLength: 8 })
  .map((characters) => `"${characters.join('')}"`);

/** Without escapes: V8 12.8 to 14.6, as in Node 24, gives such a name wrongly once certain others were parsed; it is the oracle here. */
const name = fc
  .array(fc.constantFrom(...'ab/{}[],: \u007féЖ漢😀\u2028'.split(/(?:)/u)), { maxLength: 4 })
  .map((characters) => `"${characters.join('')}"`);

const { value } = fc.letrec<{ value: string; array: string; object: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.oneof(string, number, fc.constantFrom('true', 'false', 'null')),
    tie('array'),
    tie('object'),
  ),
  array: fc.array(fc.tuple(blank, tie('value'), blank), { maxLength: 4 }).map((items) => list('[', items, ']')),
  object: members(tie('value')),
}));

/** Members with names of their own. */
function members(values: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const member = fc.tuple(blank, fc.oneof(name, fc.constantFrom('"__proto__"', '"data"')), blank, blank, values, blank);
  return fc.uniqueArray(member, { maxLength: 4, selector: ([, name]) => JSON.parse(name) as string }).map((all) =>
    list(
      '{',
      all.map(([a, name, b, c, text, d]) => [a, `${name}${b}:${c}${text}`, d]),
      '}',
    ),
  );
}

function list(open: string, items: readonly (readonly string[])[], close: string): string {
  return open + items.map((parts) => parts.join('')).join(',') + close;
}

const record = members(value);

/** Documents whose records stand at the top or at the end of a path. */
export const written: fc.Arbitrary<Written> = fc
  .record({
    records: fc.array(record, { maxLength: 5 }),
    blanks: fc.array(blank, { minLength: 24, maxLength: 24 }),
    before: value,
    after: value,
    path: fc.constantFrom('', 'data', 'data.events'),
    mark: fc.constantFrom('', '', '\ufeff'),
  })
  .map(({ records, blanks, before, after, path, mark }) => {
    let used = 0;
    const gap = (): string => blanks[used++ % blanks.length] ?? '';
    const array = list(
      '[',
      records.map((text) => [gap(), text, gap()]),
      `${gap()}]`,
    );
    const wrapped = path
      .split('.')
      .filter((name) => name !== '')
      .reduceRight(
        (inner, name) => `{${gap()}"x":${before}${gap()},"${name}"${gap()}:${gap()}${inner}${gap()},"y":${after}}`,
        array,
      );
    return { text: `${mark}${gap()}${wrapped}${gap()}`, path, records };
  });

/** Lines of records under every kind of line end, blank lines between them. */
export const lines: fc.Arbitrary<{ text: string; records: string[] }> = fc
  .array(fc.tuple(record, fc.constantFrom('\n', '\r\n', ' \n', '\n\n', '\n \t\r\n')), { minLength: 1, maxLength: 6 })
  .map((all) => all.map(([text, end]) => [text.replace(/[\r\n]/g, ' '), end] as const))
  .map((all) => ({ text: all.flat().join(''), records: all.map(([text]) => text) }));

const piece = fc.oneof(
  fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"',
    '\\',
    ' ',
    '\n',
    '\r\n',
    '\t',
    '\0',
    '\u0007',
    "'",
    '//',
    '\ufeff',
  ),
  fc.constantFrom('1', '-', '.5', '1e', '01', 'NaN', 'nul', 'null', 'true', '"a"', '"a":', '"\\u12', '"\\ud800"', '🚚'),
  fc.constantFrom('{"a":1}', '{"a":1},', ',{"b":"cdefghijklmnop"}', '{"a":1,"a":2}', '[[[[', ']]]]', '"data":[', 'é'),
);

/** A good document with some pieces put into it, or some of it taken out. */
export const damaged: fc.Arbitrary<Written> = fc
  .record({ document: written, pieces: fc.array(piece, { maxLength: 3 }), at: fc.nat(), drop: fc.nat(3) })
  .map(({ document, pieces, at, drop }) => {
    const from = at % (document.text.length + 1);
    const text = document.text.slice(0, from) + pieces.join('') + document.text.slice(from + drop);
    return { ...document, text: text.toWellFormed() };
  });

export interface AnyFile {
  file: Uint8Array;
  path: string;
}

/** Files of anything: pieces of JSON, damaged documents, a few bytes of noise in them, and noise alone. */
export const anyFile: fc.Arbitrary<AnyFile> = fc
  .record({
    start: fc.constantFrom('', '[', '[', '{"a":1}', '{"data":[', '[{"a":1},', '\ufeff['),
    text: fc.oneof(
      fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join('')),
      damaged.map(({ text }) => text),
    ),
    path: fc.constantFrom('', '', 'data', 'data.events'),
    noise: fc.oneof(fc.constant(new Uint8Array()), fc.uint8Array({ maxLength: 3 })),
    noiseAt: fc.nat(200),
    onlyNoise: fc.option(fc.uint8Array({ maxLength: 200 }), { freq: 10 }),
  })
  .map(({ start, text, path, noise, noiseAt, onlyNoise }) => {
    const bytes = Buffer.from(start + text);
    const spliced = Buffer.concat([bytes.subarray(0, noiseAt), noise, bytes.subarray(noiseAt)]);
    return { file: onlyNoise ?? spliced, path };
  });
