/** Single values: numbers, formats, days, escapes and references, each as a table of what becomes of what. */
import { describe, expect, it } from 'vitest';
import { builtInKind, dateText, formatKind, isoDateText, numberText } from '../../../../src/formats/xlsx/cell-text.ts';
import { columnLetters, readReference } from '../../../../src/formats/xlsx/convert.ts';
import { unescaped } from '../../../../src/formats/xlsx/shared-strings.ts';

describe('a number', () => {
  it.each([
    ['5', '5'],
    ['-5', '-5'],
    ['5.0', '5'],
    ['5.50', '5.5'],
    ['0.1', '0.1'],
    ['0.30000000000000004', '0.3'],
    ['4.3499999999999996', '4.35'],
    ['-88.421199999999999', '-88.4212'],
    ['1.0000000000000001E-5', '0.00001'],
    ['-1.5E-7', '-0.00000015'],
    ['1E3', '1000'],
    ['1.23E+11', '123000000000'],
    ['1.2345678901234568E+17', '123456789012346000'],
    ['123456789012345.67', '123456789012346'],
    ['.5', '0.5'],
    ['5.', '5'],
    ['-0.0', '0'],
    ['0', '0'],
    [' 7 ', '7'],
  ])('%s is the text %s', (written, text) => expect(numberText(written)).toBe(text));

  it('of more than 15 digits is kept as written when all of them are', () =>
    expect(numberText('12345678901234567890')).toBe('12345678901234567890'));

  it.each(['', 'abc', '1e99999', 'NaN', 'Infinity', '0x1F', '1,5', '1e400', '--1'])(
    'that is none is left as it is: %j',
    (written) => expect(numberText(written)).toBe(written),
  );
});

describe('a number format', () => {
  it.each([
    ['yyyy-mm-dd', 'date'],
    ['m/d/yy', 'date'],
    ['mmm-yy', 'date'],
    ['mmmm', 'date'],
    ['dd.mm.yyyy;@', 'date'],
    ['[$-409]d-mmm-yyyy', 'date'],
    ['yyyy"年"m"月"d"日"', 'date'],
    ['h:mm', 'time'],
    ['h:mm AM/PM', 'time'],
    ['[$-F400]h:mm:ss\\ AM/PM', 'time'],
    ['hh:mm:ss.000', 'time'],
    ['mm:ss', 'time'],
    ['m/d/yyyy h:mm', 'date_time'],
    ['yyyy\\-mm\\-dd\\ hh:mm', 'date_time'],
    ['YYYY-MM-DD HH:MM:SS', 'date_time'],
    ['dd/mm/yyyy "at" hh:mm', 'date_time'],
    ['[h]:mm', 'elapsed'],
    ['[mm]:ss', 'elapsed'],
    ['[hh]:mm:ss', 'elapsed'],
  ])('%s shows a %s', (code, kind) => expect(formatKind(code)).toBe(kind));

  it.each([
    'General',
    'GENERAL',
    '0.00',
    '#,##0.00 "days"',
    '0.00E+00',
    '0.0e-0',
    '[Red]0.00',
    '[Red][<100]0;[Magenta]0',
    '@',
    '0\\d',
    '0_d',
    '0*h',
    '"hh:mm" 0',
    '"unclosed d',
    '[unclosed d',
    '0;yyyy',
    '',
    '\\',
  ])('%s shows a number', (code) => expect(formatKind(code)).toBeUndefined());

  it('is known by number when it is built in', () => {
    const ids = Array.from({ length: 60 }, (_, id) => id).filter((id) => builtInKind(id) !== undefined);
    const from = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, at) => first + at);
    expect(ids).toEqual([...from(14, 22), ...from(27, 36), ...from(45, 47), ...from(50, 58)]);
    expect([14, 18, 21, 22, 45, 46, 47].map(builtInKind)).toEqual([
      'date',
      'time',
      'time',
      'date_time',
      'time',
      'elapsed',
      'time',
    ]);
  });
});

describe('a day', () => {
  const of1900 = { is1904: false };
  const of1904 = { is1904: true };
  it.each([
    [1, '1900-01-01'],
    [59, '1900-02-28'],
    [60, '1900-02-29'], // which there was not
    [61, '1900-03-01'],
    [36_526, '2000-01-01'],
    [45_000, '2023-03-15'],
    [46_083, '2026-03-02'],
    [2_958_465, '9999-12-31'],
  ])('%d of system 1900 is %s', (days, date) => expect(dateText(days, 'date', of1900)).toBe(date));

  it.each([
    [0, '1904-01-01'],
    [59, '1904-02-29'],
    [60, '1904-03-01'],
    [46_083 - 1_462, '2026-03-02'],
    [2_957_003, '9999-12-31'],
  ])('%d of system 1904 is %s', (days, date) => expect(dateText(days, 'date', of1904)).toBe(date));

  it('lies 1,462 days apart in the two systems, from March 1900 on', () => {
    for (let day = 61 + 1_462; day < 80_000; day += 97) {
      expect(dateText(day, 'date_time', of1900)).toBe(dateText(day - 1_462, 'date_time', of1904));
    }
  });

  it.each([-1, -0.5, 2_958_466, Number.NaN, 1e300])('%d is no date', (days) =>
    expect(dateText(days, 'date_time', of1900)).toBeUndefined(),
  );

  it.each([
    [46_083.343749, '2026-03-02 08:15:00'],
    [46_083.34375, '2026-03-02 08:15:00'],
    [46_083, '2026-03-02 00:00:00'],
    [46_083.9999999, '2026-03-03 00:00:00'],
    [46_083.999988, '2026-03-02 23:59:59'],
  ])('%d has its time rounded to the second: %s', (days, text) => {
    expect(dateText(days, 'date_time', of1900)).toBe(text);
    expect(dateText(days, 'time', of1900)).toBe(text.slice(11));
    expect(dateText(days, 'date', of1900)).toBe(text.slice(0, 10));
  });

  it('counts hours on where the format does', () => {
    expect(dateText(1.0625, 'elapsed', of1900)).toBe('25:30:00');
    expect(dateText(0.5, 'elapsed', of1904)).toBe('12:00:00');
  });

  it.each([
    ['2026-03-02', undefined, '2026-03-02'],
    ['2026-03-02T08:15:00', undefined, '2026-03-02 08:15:00'],
    ['2026-03-02T08:15:00.000Z', undefined, '2026-03-02 08:15:00'],
    ['2026-03-02T08:14:59.9996', undefined, '2026-03-02 08:15:00'],
    ['2026-03-02T08:15', undefined, '2026-03-02 08:15:00'],
    ['08:15:00', undefined, '08:15:00'],
    ['2026-03-02T00:00:00', 'date', '2026-03-02'],
    ['2026-03-02', 'date_time', '2026-03-02 00:00:00'],
    ['1899-12-31T08:15:00', 'time', '08:15:00'],
  ] as const)('in ISO form, %s as %s, is %s', (written, kind, text) => expect(isoDateText(written, kind)).toBe(text));

  it.each(['', 'T', '2026-13-02', '2026-03-02T', '2026-03-02 08:15', 'yesterday', '2026-03-02T08:15:00+02:00'])(
    'in ISO form is not %j',
    (written) => expect(isoDateText(written, undefined)).toBeUndefined(),
  );

  it.each(['2026-02-30', '2026-04-31T08:00:00', '2025-02-29', '2026-04-30T47:75:00', '2026-03-02T24:00:01'])(
    'in ISO form that does not exist is left as it is: %s',
    (written) => expect(isoDateText(written, 'date_time')).toBeUndefined(),
  );

  it.each(['08:60', '25:10:00', '08:15:60'])(
    'in ISO form of a clock that does not exist is left as it is: %s',
    (written) => expect(isoDateText(written, undefined)).toBeUndefined(),
  );

  it.each([
    ['2028-02-29', '2028-02-29 00:00:00'],
    ['2026-03-02T23:59:59.9', '2026-03-03 00:00:00'],
    ['2026-03-02T24:00:00', '2026-03-03 00:00:00'],
  ])('in ISO form exists: %s', (written, text) => expect(isoDateText(written, 'date_time')).toBe(text));
});

describe('an escape', () => {
  it.each([
    ['a_x000D_b', 'a\rb'],
    ['_x005F_x000D_', '_x000D_'],
    ['_x005F__x005F_', '__'],
    ['_x00e4_', 'ä'],
    ['_xD83D__xDE9A_', '🚚'],
    ['_xD83D_', '\ufffd'],
    ['_x000_', '_x000_'],
    ['_X000D_', '_X000D_'],
    ['plain_text', 'plain_text'],
  ])('in %s reads %j', (text, read) => expect(unescaped(text)).toBe(read));
});

describe('a reference', () => {
  it.each([
    ['A1', 1, 1],
    ['Z9', 9, 26],
    ['AA10', 10, 27],
    ['XFD1048576', 1_048_576, 16_384],
    ['$B$3', 3, 2],
  ])('%s is row %d, column %d', (text, row, column) => expect(readReference(text)).toEqual({ row, column }));

  it.each(['', 'A', '1', 'a1', 'AAAA1', 'A1B', '1A'])('is not %j', (text) =>
    expect(readReference(text)).toBeUndefined(),
  );

  it('is written with the letters by which it is read', () => {
    for (let column = 1; column <= 16_384; column += 13) {
      expect(readReference(`${columnLetters(column)}1`)?.column).toBe(column);
    }
  });
});
