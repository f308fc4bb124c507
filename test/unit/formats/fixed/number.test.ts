import { describe, expect, it } from 'vitest';
import { plainNumber } from '../../../../src/formats/fixed/declaration.ts';
import { codesOf, declare, fieldsOf, readWhole } from './reading.ts';

describe('digits with an implied decimal point', () => {
  it.each([
    ['0001250', 'none', 2, '12.50'],
    ['5', 'none', 2, '0.05'],
    ['000', 'none', 0, '0'],
    ['  42', 'none', 0, '42'],
    ['    ', 'none', 2, ''],
    ['12.5', 'none', 1, undefined],
    ['-125', 'none', 1, undefined],
    ['1 25', 'none', 1, undefined],
    ['-0001250', 'leading', 2, '-12.50'],
    ['- 125', 'leading', 2, '-1.25'],
    ['+125', 'leading', 0, '125'],
    ['125', 'leading', 0, '125'],
    ['--125', 'leading', 0, undefined],
    ['-', 'leading', 0, undefined],
    ['0001250-', 'trailing', 2, '-12.50'],
    ['0001250+', 'trailing', 2, '12.50'],
    ['000-', 'trailing', 2, '0.00'],
    ['1234}', 'overpunch', 2, '-123.40'],
    ['1234{', 'overpunch', 2, '123.40'],
    ['00J', 'overpunch', 0, '-1'],
    ['00R', 'overpunch', 0, '-9'],
    ['00I', 'overpunch', 0, '9'],
    ['123', 'overpunch', 0, '123'],
    ['12S', 'overpunch', 0, undefined],
    ['J2', 'overpunch', 0, undefined],
  ] as const)('%j, sign %s, %d decimals: %j', (text, sign, decimals, plain) => {
    expect(plainNumber(text, { sign, decimals })).toBe(plain);
  });

  it('are an error of their field where they are none, or where the line ends inside of them', () => {
    const number = { decimals: 2, sign: 'overpunch' };
    const source = declare({ records: { r: { marker: '', fields: { amount: { at: 3, length: 5, number } } } } });
    const read = readWhole('a 0012}\na 001\na 00x2}\na\n', source);
    expect(codesOf(read)).toEqual(['', 'field_cut', 'number_malformed', '']);
    expect(fieldsOf(read)).toEqual([
      ['-1.20', 'r'],
      ['', 'r'],
      ['', 'r'],
      ['', 'r'],
    ]);
  });
});
