import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeFixedProblem } from '../../../../src/formats/fixed/problems.ts';
import { draws } from '../../../draws.ts';
import { declare, fieldsOf, LOADS, readWhole } from './reading.ts';

const SMALL = { sniffBytes: 8, lineBytesMax: 24 };

const line = fc.oneof(
  fc.constantFrom(
    'LOADLD0001',
    'LOADLD0002',
    'STOP01',
    'STOPxx',
    'STATX3Joliet',
    'STATAF',
    'TRLR0002',
    'TRLRxx',
    '* n',
    '',
  ),
  fc.string({ maxLength: 40 }),
  fc.stringMatching(/^STAT[\t\0ÄÖ中𝄞 a-z]{0,20}$/u),
);
const source = fc.constantFrom(
  declare(LOADS),
  declare({ ...LOADS, shortLines: 'reject', tabStops: 4 }),
  declare({ ...LOADS, encoding: 'windows-1252' }),
  declare({ ...LOADS, encoding: 'utf-16le' }),
  declare({
    ...LOADS,
    lineEnds: 'none',
    lineLength: 6,
    records: { S: { marker: 'S', fields: { a: { at: 2, length: 5 } } } },
  }),
);
const encoded = (text: string, encoding: string): Uint8Array =>
  Buffer.from(text, encoding === 'utf-16le' ? 'utf16le' : encoding === 'utf-8' ? 'utf8' : 'latin1');
const file = fc
  .tuple(fc.array(line, { maxLength: 12 }), fc.constantFrom('\n', '\r\n', '\r', ''), source)
  .chain(([lines, end, declared]) => {
    const bytes = encoded(lines.join(end), declared.encoding);
    // Now and then some bytes are changed.
    return fc.array(fc.tuple(fc.nat(Math.max(0, bytes.length - 1)), fc.nat(255)), { maxLength: 3 }).map((changes) => {
      const changed = new Uint8Array(bytes);
      for (const [at, value] of changes) if (at < changed.length) changed[at] = value;
      return { file: changed, source: declared };
    });
  });

describe('any file', () => {
  it('reads the same in slices of any size', () => {
    fc.assert(
      fc.property(file, fc.integer({ min: 1, max: 30 }), ({ file: bytes, source: declared }, sliceBytes) => {
        const whole = readWhole(bytes, declared, { limits: SMALL });
        expect(readWhole(bytes, declared, { limits: SMALL, sliceBytes })).toEqual(whole);
      }),
      { numRuns: draws(3_000) },
    );
  });

  it('ends in records or in problems with words, whatever the bytes', () => {
    fc.assert(
      fc.property(file, ({ file: bytes, source: declared }) => {
        const read = readWhole(bytes, declared, { limits: SMALL });
        const end = read.endProblem === null ? [] : [read.endProblem];
        const problems = [...read.problems, ...read.records.flatMap((record) => record.problems), ...end];
        for (const { message, fix } of problems.map(describeFixedProblem)) {
          expect(message).toMatch(/^\S.*\.$/s);
          expect(fix).toMatch(/^\S.*\.$/s);
          expect(`${message}${fix}`).not.toMatch(/undefined|NaN|\[object/);
        }
      }),
      { numRuns: draws(2_000) },
    );
  });

  it('gives every record its own bytes, in order, numbered without gaps, and one field per column', () => {
    fc.assert(
      fc.property(file, ({ file: bytes, source: declared }) => {
        const { records, columns } = readWhole(bytes, declared, { limits: SMALL });
        let reached = 0;
        records.forEach(({ position, fields, problems }, index) => {
          expect(position.record).toBe(index + 1);
          expect(position.byteFrom).toBeGreaterThanOrEqual(reached);
          expect(position.byteTo).toBeGreaterThan(position.byteFrom);
          reached = position.byteTo;
          if (problems.length === 0) expect(fields).toHaveLength(columns.length);
        });
        expect(reached).toBeLessThanOrEqual(bytes.byteLength);
      }),
      { numRuns: draws(1_000) },
    );
  });
});

describe('a file written by its declaration', () => {
  const row = fc.tuple(fc.stringMatching(/^[A-Za-zÄß中𝄞][a-zé中𝄞]{0,4}$/u), fc.integer({ min: -99_999, max: 99_999 }));
  it('reads back what was written, in any encoding of Unicode and with any line end', () => {
    fc.assert(
      fc.property(
        fc.array(row, { minLength: 1, maxLength: 8 }),
        fc.constantFrom('utf-8', 'utf-16le'),
        fc.constantFrom('\n', '\r\n', '\r', ''),
        (rows, encoding, end) => {
          const fields = {
            name: { at: 2, length: 5 },
            amount: { at: 7, length: 6, number: { decimals: 2, sign: 'trailing' } },
          };
          const lineEnds = end === '' ? 'none' : 'any';
          const declared = declare({ encoding, lineEnds, lineLength: 12, records: { D: { fields } } });
          const text = rows.map(([name, cents]) => {
            const padded = name + ' '.repeat(5 - [...name].length);
            return `D${padded}${String(Math.abs(cents)).padStart(5, '0')}${cents < 0 ? '-' : ' '}`;
          });
          const read = readWhole(encoded(text.join(end), encoding), declared);
          expect(fieldsOf(read)).toEqual(
            rows.map(([name, cents]) => [name, (cents / 100).toFixed(2).replace(/^-(0\.00)$/, '$1'), 'D']),
          );
        },
      ),
      { numRuns: draws(1_000) },
    );
  });
});
