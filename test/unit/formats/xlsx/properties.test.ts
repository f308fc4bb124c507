import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { draws } from '../../../draws.ts';
import { workbookOfTexts } from '../../../workbook-files.ts';
import { recordsOf, textOf } from './reading.ts';

/** Texts of cells: letters of all kinds, and what CSV, XML and workbooks themselves write with. No NUL: no text has one. */
const MARKS = [
  '"',
  '""',
  ',',
  '\n',
  '\r\n',
  '\r',
  '_x000D_',
  '_x005F_',
  '_',
  '&amp;',
  '<t>',
  ']]>',
  "'",
  '=1+1',
  ' ',
  '\t',
  '\u0001',
  '\ufffe',
];
const text = fc
  .array(fc.oneof(fc.constantFrom(...MARKS), fc.string({ unit: 'grapheme', maxLength: 6 })), { maxLength: 5 })
  .map((parts) => parts.join('').replaceAll('\0', '').toWellFormed());
const COLUMNS = ['A', 'B', 'C', 'D'];
const rows = fc.array(fc.array(text, { minLength: 1, maxLength: COLUMNS.length }), { minLength: 1, maxLength: 12 });
const source = { header: false, columns: COLUMNS };

const isBlank = (texts: readonly string[]): boolean => texts.every((each) => each.trim() === '');
const padded = (texts: readonly string[]): string[] => COLUMNS.map((_, index) => texts[index] ?? '');
const CONTROLS = /[^\P{Cc}\t\n\v\f\r\u007f-\u009f]/u;

describe('a workbook', () => {
  it('reads back as its texts, each on the row of its number, blank rows left out', async () => {
    await fc.assert(
      fc.asyncProperty(rows, async (written) => {
        fc.pre(written.some((texts) => !isBlank(texts)));
        // A few control characters are read, many are no text.
        fc.pre([...written.flat().join('')].filter((character) => CONTROLS.test(character)).length < 8);
        const read = recordsOf(await textOf(workbookOfTexts(written), source), source);
        const wanted = written.flatMap((texts, index) =>
          isBlank(texts) ? [] : [{ fields: padded(texts), row: `sheet "S", row ${index + 1}` }],
        );
        expect(read.problems).toEqual([]);
        expect(read.records.map(({ fields, row }) => ({ fields, row }))).toEqual(wanted);
      }),
      { numRuns: draws(300) },
    );
  }, 60_000);

  it('gives the same records wherever the slices of its text end', async () => {
    const bytesOf = (written: readonly (readonly string[])[]) =>
      workbookOfTexts([['Load', 'a\nb', 'City'], ...written]);
    await fc.assert(
      fc.asyncProperty(rows, fc.integer({ min: 1, max: 60 }), async (written, length) => {
        const converted = await textOf(bytesOf(written));
        expect(recordsOf(converted, {}, length)).toEqual(recordsOf(converted));
      }),
      { numRuns: draws(150) },
    );
  }, 60_000);
});
