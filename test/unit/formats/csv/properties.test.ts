import { Buffer } from 'node:buffer';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import Papa from 'papaparse';
import { describe, expect, it } from 'vitest';
import { describeCsvProblem } from '../../../../src/formats/csv/problems.ts';
import { draws } from '../../../draws.ts';
import { anyFile, messyText, table, write } from './arbitraries.ts';
import { bytesOf, cutOut, declare, fieldsOf, problemsOf, readWhole } from './reading.ts';

/** Small enough that random text of a hundred bytes passes every limit. */
const SMALL = { sniffBytes: 8, recordBytesMax: 48, cellBytesMax: 20, columnsMax: 6 };

describe('any file', () => {
  it('reads the same in slices of any size', () => {
    fc.assert(
      fc.property(anyFile, fc.integer({ min: 1, max: 30 }), ({ file, source }, sliceBytes) => {
        const whole = readWhole(file, source, { limits: SMALL });
        expect(readWhole(file, source, { limits: SMALL, sliceBytes })).toEqual(whole);
      }),
      { numRuns: draws(3_000) },
    );
  });

  it('ends in records or in problems with words, whatever the bytes', () => {
    fc.assert(
      fc.property(anyFile, ({ file, source }) => {
        const read = readWhole(file, source, { limits: SMALL });
        const problems = [...read.problems, ...read.records.flatMap(({ problem }) => problem ?? [])];
        for (const described of problems.map(describeCsvProblem)) {
          expect(described.message).toMatch(/^\S.*\.$/s);
          expect(described.fix).toMatch(/^\S.*\.$/s);
          expect(`${described.message}${described.fix}`).not.toMatch(/undefined|null|NaN|\[object/);
        }
      }),
      { numRuns: draws(2_000) },
    );
  });

  it('gives every record its own bytes, in order, numbered without gaps', () => {
    fc.assert(
      fc.property(anyFile, ({ file, source }) => {
        const { records, checkpoint, problems } = readWhole(file, source, { limits: SMALL });
        let reached = 0;
        records.forEach(({ position }, index) => {
          expect(position.record).toBe(index + 1);
          expect(position.byteFrom).toBeGreaterThanOrEqual(reached);
          expect(position.byteTo).toBeGreaterThan(position.byteFrom);
          reached = position.byteTo;
        });
        expect(reached).toBeLessThanOrEqual(file.byteLength);
        if (problems.length === 0) expect(checkpoint).toMatchObject({ byte: file.byteLength, record: records.length });
      }),
      { numRuns: draws(2_000) },
    );
  });

  it('gives a record without a problem one field per column', () => {
    fc.assert(
      fc.property(anyFile, ({ file, source }) => {
        const { records, columns } = readWhole(file, source, { limits: SMALL });
        for (const { fields, problem } of records) if (!problem) expect(fields).toHaveLength(columns.length);
      }),
      { numRuns: draws(1_000) },
    );
  });
});

describe('files written by the rules', () => {
  it('reads back what was written', () => {
    fc.assert(
      fc.property(table, fc.constantFrom('utf-8', 'utf-16le', 'utf-16be'), (written, encoding) => {
        const text = write(written);
        const utf16 = Buffer.from(text, 'utf16le');
        const file = encoding === 'utf-8' ? bytesOf(text) : encoding === 'utf-16le' ? utf16 : utf16.swap16();
        const { delimiter, quote, rows } = written;
        const read = readWhole(file, declare({ delimiter, quote, encoding }));
        expect([read.columns, ...fieldsOf(read)]).toEqual(rows);
        expect(problemsOf(read).every((code) => code === undefined)).toBe(true);
      }),
      { numRuns: draws(1_000) },
    );
  });

  it('names bytes that read alone give the same record', () => {
    fc.assert(
      fc.property(table, (written) => {
        const file = bytesOf(write(written));
        const { delimiter, quote, rows } = written;
        const { records } = readWhole(file, declare({ delimiter, quote }));
        const header = rows[0]!.join(delimiter);
        for (const record of records) {
          const alone = readWhole(`${header}\n${cutOut(file, record)}`, declare({ delimiter, quote }));
          expect(fieldsOf(alone)).toEqual([record.fields]);
        }
      }),
      { numRuns: draws(500) },
    );
  });

  it('names the line on which a record begins', () => {
    fc.assert(
      fc.property(table, (written) => {
        const file = bytesOf(write(written));
        const { delimiter, quote } = written;
        for (const { position } of readWhole(file, declare({ delimiter, quote })).records) {
          const before = Buffer.from(file.subarray(0, position.byteFrom)).toString('utf8');
          expect(position.line).toBe(before.split(/\r\n|\n|\r/).length);
        }
      }),
      { numRuns: draws(500) },
    );
  });

  it('agrees with Papa Parse', () => {
    fc.assert(
      fc.property(table, (written) => {
        const text = write(written);
        const { delimiter, quote, lineEnd } = written;
        const newline = lineEnd as '\n' | '\r\n' | '\r';
        const theirs = Papa.parse<string[]>(text, { delimiter, quoteChar: quote, newline });
        const rows = theirs.data.filter((row) => row.length > 1 || row[0] !== '' || theirs.data[0]?.length === 1);
        const read = readWhole(text, declare({ delimiter, quote }));
        const ours = [read.columns, ...fieldsOf(read)];
        // In a single column Papa Parse reads the end of the file as one more empty row.
        expect(ours).toEqual(rows.slice(0, ours.length));
        expect(rows.length - ours.length).toBeLessThanOrEqual(1);
      }),
      { numRuns: draws(1_000) },
    );
  });
});

describe('files that break the rules', () => {
  /** Rows as csv-parse reads them; null when it refuses the file. Blank lines are left to the comparison. */
  const theirs = (text: string): string[][] | null => {
    try {
      return parse(text, { record_delimiter: ['\r\n', '\n', '\r'], relax_column_count: true, skip_empty_lines: true });
    } catch {
      return null;
    }
  };
  const isQuoteCode = (code: string | undefined): boolean => code === 'bad_quote' || code === 'unclosed_quote';

  it('finds a bad quote exactly where csv-parse refuses the file, and else reads the same cells', () => {
    fc.assert(
      fc.property(messyText, (text) => {
        const rows = theirs(text)?.slice(1);
        const read = readWhole(text);
        expect(problemsOf(read).some(isQuoteCode)).toBe(rows === undefined);
        if (rows === undefined) return;
        const blank = (row: readonly string[]): boolean => row.length === 1 && /^[ \t]*$/.test(row[0] ?? '');
        const isEmpty = (cells: readonly string[]): boolean => cells.every((cell) => cell.trim() === '');
        const [first = [], ...others] = rows.filter((row) => !blank(row)).slice(0, 5);
        const isAlike =
          others.length > 0 && others.every((row) => row.length === first.length && isEmpty(row.slice(3)));
        const width = isAlike && isEmpty(first.slice(3)) ? Math.max(3, first.length) : 3;
        const trailing = (row: readonly string[]): readonly string[] =>
          row.length > 3 && isEmpty(row.slice(3)) && (row.length === width || isEmpty(row)) ? row.slice(0, 3) : row;
        expect(fieldsOf(read).filter((row) => !blank(row))).toEqual(rows.filter((row) => !blank(row)).map(trailing));
      }),
      { numRuns: draws(3_000) },
    );
  });

  it('loses one row to one stray quote', () => {
    const rows = fc.array(fc.tuple(fc.constantFrom('1', 'ab', '"q"'), fc.constantFrom('2', '"c,d"')), { minLength: 1 });
    fc.assert(
      fc.property(rows, fc.nat(), fc.constantFrom('"x,y', 'x",y', 'x,"y"z', 'x,y"'), (good, at, stray) => {
        const lines = good.map((row) => row.join(','));
        const expected = fieldsOf(readWhole(['a,b', ...lines].join('\n')));
        const place = at % (lines.length + 1);
        const read = readWhole(['a,b', ...lines.slice(0, place), stray, ...lines.slice(place)].join('\n'));
        expect(read.records[place]!.problem).toBeDefined();
        expect(fieldsOf(read).toSpliced(place, 1)).toEqual(expected);
      }),
      { numRuns: draws(500) },
    );
  });
});
