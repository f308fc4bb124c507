import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { numberText } from '../../../../src/formats/json/characters.ts';

describe('a number with an exponent', () => {
  it.each([
    ['1.5e1', '15'],
    ['8.5e-05', '0.000085'],
    ['-1.23450E2', '-123.45'],
    ['1.772460000e9', '1772460000'],
    ['10e-3', '0.01'],
    ['0.001e2', '0.1'],
    ['7e+0', '7'],
    ['0e5', '0'],
    ['-0.00e-7', '-0'],
  ])('is written out where its own digits suffice: %s', (written, text) => expect(numberText(written)).toBe(text));

  it.each([
    ['1e3', '1E+03'],
    ['1.23457e+08', '1.23457E+08'],
    ['-12.5E3', '-1.25E+04'],
    ['0.0001e10', '1E+06'],
    ['1.2e400', '1.2E+400'],
    ['1.2e99999999999999999999', '1.2E+999'],
    [`1.${'2'.repeat(40)}e50`, `1.${'2'.repeat(16)}E+50`],
  ])('is shortened, as a spreadsheet shortens one, where its last digits are not told: %s', (written, text) =>
    expect(numberText(written)).toBe(text),
  );

  it('grows no text without end', () => {
    expect(numberText('1e-999999999').length).toBeLessThan(3_100);
    expect(numberText('1e999999999').length).toBeLessThan(10);
  });

  it('written out has the value that it had', () => {
    const digits = fc.stringMatching(/^[0-9]{1,8}$/);
    const exponent = fc.integer({ min: -40, max: 40 });
    const number = fc.tuple(fc.constantFrom('', '-'), digits, fc.option(digits, { nil: undefined }), exponent);
    fc.assert(
      fc.property(number, ([sign, whole, fraction, power]) => {
        const plain = whole.replace(/^0+(?=\d)/, '');
        const read = numberText(`${sign}${plain}${fraction === undefined ? '' : `.${fraction}`}e${power}`);
        const scale = 60 + power - (fraction ?? '').length;
        expect(scaled(read)).toBe(BigInt(`${sign}${plain}${fraction ?? ''}`) * 10n ** BigInt(scale));
        if (!read.includes('E')) expect(JSON.stringify(JSON.parse(`[${read}]`))).not.toBe('[null]');
      }),
    );
  });
});

/** The value times 10 to the 60th. */
function scaled(text: string): bigint {
  const [, digits = '', fraction = '', power = '0'] = /^(-?\d+)(?:\.(\d+))?(?:E\+(\d+))?$/.exec(text) ?? [];
  return BigInt(digits + fraction) * 10n ** BigInt(60 - fraction.length + Number(power));
}

it.each(['1.10', '-0', '0.0', '12345678901234567890', '100'])('a number without one stays as it is: %s', (text) =>
  expect(numberText(text)).toBe(text),
);
