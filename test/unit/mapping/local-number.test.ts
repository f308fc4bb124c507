import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type DecimalMark,
  decimalTextOf,
  type NumberMarks,
  readLocalNumber,
  roundHalfAwayFromZero,
  type ThousandsMark,
} from '../../../src/mapping/values/local-number.ts';
import { draws } from '../../draws.ts';

const POINT: NumberMarks = { decimal: '.' };
const US: NumberMarks = { decimal: '.', thousands: ',' };
const GERMAN: NumberMarks = { decimal: ',', thousands: '.' };
const FRENCH: NumberMarks = { decimal: ',', thousands: ' ' };
const SWISS: NumberMarks = { decimal: '.', thousands: "'" };

const textOf = (text: string, marks: NumberMarks): string => {
  const read = readLocalNumber(text, marks);
  return read.ok ? read.text : read.fault;
};

describe('a number reads', () => {
  it.each<[string, NumberMarks, string]>([
    ['0', POINT, '0'],
    ['12.5', POINT, '12.5'],
    [' 12.5\t', POINT, '12.5'],
    ['007.250', POINT, '7.25'],
    ['+3', POINT, '3'],
    ['-3', POINT, '-3'],
    ['\u22123', POINT, '-3'],
    ['12.5-', POINT, '-12.5'],
    ['12.5+', POINT, '12.5'],
    ['(12.5)', POINT, '-12.5'],
    ['-0.00', POINT, '0'],
    ['(0)', POINT, '0'],
    ['1,234,567.8', US, '1234567.8'],
    ['1234567.8', US, '1234567.8'],
    ['(1,234)', US, '-1234'],
    ['12,5', GERMAN, '12.5'],
    ['1.234,5', GERMAN, '1234.5'],
    ['1.234', GERMAN, '1234'],
    ['1 234,5', FRENCH, '1234.5'],
    ['1\u00a0234,5', FRENCH, '1234.5'],
    ['1\u202f234\u00a0567,5', FRENCH, '1234567.5'],
    ["1'234.5", SWISS, '1234.5'],
    ['1\u2019234.5', SWISS, '1234.5'],
    ['999999999999999', POINT, '999999999999999'],
    ['0000000000000000000001', POINT, '1'],
    ['0.000000000000001', POINT, '0.000000000000001'],
    ['1.00000000000000000000', POINT, '1'],
  ])('%j with %j as %j', (text, marks, wanted) => {
    expect(readLocalNumber(text, marks)).toEqual({ ok: true, value: Number(wanted), text: wanted });
  });
});

describe('a text that is no number says why', () => {
  it.each<[string, NumberMarks, string]>([
    ['', POINT, 'empty'],
    [' \u00a0', POINT, 'empty'],
    ['12,5', POINT, 'decimal_mark'],
    ['12,5', US, 'decimal_mark'],
    ['-12,5', POINT, 'decimal_mark'],
    ['1.234,5', POINT, 'decimal_mark'],
    ['1.234,5', US, 'decimal_mark'],
    ['1,234', POINT, 'decimal_mark'],
    ['12.5', GERMAN, 'decimal_mark'],
    ["1'234,5", POINT, 'decimal_mark'],
    ['1,234.5', POINT, 'thousands_mark'],
    ['1,234,567', POINT, 'thousands_mark'],
    ['1 234', POINT, 'thousands_mark'],
    ['1 234.5', US, 'thousands_mark'],
    ['12 34', FRENCH, 'thousands_mark'],
    ['1,23,456', US, 'thousands_mark'],
    ['1,2345.5', US, 'thousands_mark'],
    ['1234,567.5', US, 'thousands_mark'],
    ['1 234.567', { decimal: '.', thousands: ',' }, 'thousands_mark'],
    ['12 34', POINT, 'not_a_number'],
    ['1.2.3', POINT, 'not_a_number'],
    ['.5', POINT, 'not_a_number'],
    ['5.', POINT, 'not_a_number'],
    [',123', US, 'not_a_number'],
    ['-', POINT, 'not_a_number'],
    ['()', POINT, 'not_a_number'],
    ['--1', POINT, 'not_a_number'],
    ['-1-', POINT, 'not_a_number'],
    ['(-1)', POINT, 'not_a_number'],
    ['-(1)', POINT, 'not_a_number'],
    ['- 1', POINT, 'not_a_number'],
    ['1e3', POINT, 'not_a_number'],
    ['0x10', POINT, 'not_a_number'],
    ['12 km', FRENCH, 'not_a_number'],
    ['NaN', POINT, 'not_a_number'],
    ['Infinity', POINT, 'not_a_number'],
    ['٣', POINT, 'not_a_number'],
    ['1\n2', POINT, 'not_a_number'],
    ['1234567890123456', POINT, 'too_long'],
    ['1.000000000000001', POINT, 'too_long'],
    ['0.0000000000000001', POINT, 'too_long'],
    [`0.${'0'.repeat(400)}1`, POINT, 'too_long'],
  ])('%j with %j: %s', (text, marks, fault) => expect(textOf(text, marks)).toBe(fault));

  it('reads no grouping where both marks are the same', () => {
    const same: NumberMarks = { decimal: ',', thousands: ',' };
    expect(textOf('12,5', same)).toBe('12.5');
    expect(textOf('1,234,567', same)).toBe('not_a_number');
  });
});

const pair = fc
  .record({
    decimal: fc.constantFrom<DecimalMark>('.', ','),
    thousands: fc.constantFrom<ThousandsMark>('.', ',', ' ', "'"),
  })
  .filter(({ decimal, thousands }) => decimal !== thousands);
const digits = fc.record({
  whole: fc.nat({ max: 999_999_999 }),
  decimals: fc.stringMatching(/^\d{0,5}[1-9]$/),
  sign: fc.constantFrom('', '-'),
});

it('reads back what it wrote, under any marks', () => {
  fc.assert(
    fc.property(digits, pair, ({ whole, decimals, sign }, marks) => {
      const grouped = String(whole).replace(/\B(?=(\d{3})+$)/g, marks.thousands);
      const text = `${sign}${whole}.${decimals}`;
      expect(readLocalNumber(`${sign}${grouped}${marks.decimal}${decimals}`, marks)).toEqual({
        ok: true,
        value: Number(text),
        text,
      });
    }),
  );
});

it('never throws, and what it calls a number is the number its text says', () => {
  const likely = fc.string({ unit: fc.constantFrom(..."0123459.,' -+()e\u00a0\u2019"), maxLength: 24 });
  fc.assert(
    fc.property(fc.oneof(likely, fc.string({ unit: 'binary' })), pair, (text, marks) => {
      const read = readLocalNumber(text, marks);
      if (!read.ok) return;
      expect(read.text).toMatch(/^(-?[1-9]\d*|-?0(?=\.)|0)(\.\d*[1-9])?$/);
      expect(read.value).toBe(Number(read.text));
      expect(textOf(read.text, POINT)).toBe(read.text);
    }),
    { numRuns: draws(2_000) },
  );
});

describe('rounding', () => {
  it.each<[string, number, number]>([
    ['1.005', 2, 1.01],
    ['-1.005', 2, -1.01],
    ['2.5', 0, 3],
    ['-2.5', 0, -3],
    ['0.5', 0, 1],
    ['0.4999999', 0, 0],
    ['-0.4', 0, 0],
    ['1.45', 1, 1.5],
    ['1.4499', 1, 1.4],
    ['9.995', 2, 10],
    ['999999999999.9995', 3, 1_000_000_000_000],
    ['7', 9, 7],
    ['0.1234567895', 9, 0.12345679],
    ['0.05', 1, 0.1],
  ])('%s to %i decimals is %d', (text, decimals, wanted) => expect(roundHalfAwayFromZero(text, decimals)).toBe(wanted));

  it('is the whole-number rounding of the digits, whatever their value', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), fc.integer({ min: 1, max: 9 }), fc.nat({ max: 9 }), (number, places, keep) => {
        fc.pre(keep < places);
        const padded = String(number).padStart(places + 1, '0');
        const text = `${padded.slice(0, -places)}.${padded.slice(-places)}`;
        const unit = 10n ** BigInt(places - keep);
        const scaled = (BigInt(number) * 2n + unit) / (unit * 2n);
        expect(roundHalfAwayFromZero(text, keep)).toBe(Number(`${scaled}e-${keep}`));
        expect(roundHalfAwayFromZero(`-${text}`, keep)).toBe(-Number(`${scaled}e-${keep}`) + 0);
      }),
    );
  });

  it('is not a number for a text that is none, and keeps within nine decimals', () => {
    for (const text of ['', 'x', '1e3', '+1', '.5', '1.']) expect(roundHalfAwayFromZero(text, 2)).toBeNaN();
    expect(roundHalfAwayFromZero('1.23456789012', 40)).toBe(1.23456789);
    expect(roundHalfAwayFromZero('1.5', -3)).toBe(2);
    expect(roundHalfAwayFromZero('1.5', Number.NaN)).toBe(2);
  });
});

describe('the text of a number', () => {
  it.each([
    [1e-7, '0.0000001'],
    [-1.25e-9, '-0.00000000125'],
    [1.5e21, '1500000000000000000000'],
    [-0, '0'],
    [12.5, '12.5'],
  ])('of %d is %s', (value, wanted) => expect(decimalTextOf(value)).toBe(wanted));

  it('is decimal and reads as the same number', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(decimalTextOf(value)).toMatch(/^-?\d+(\.\d+)?$/);
        expect(Number(decimalTextOf(value))).toBe(value + 0);
      }),
    );
  });
});
