import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fileNameOf, readHeaderValue } from '../../../src/intake/form-parts.ts';

describe('readHeaderValue', () => {
  it('reads the value in lower case and the parameters by their names', () => {
    const { value, parameters } = readHeaderValue('Multipart/Form-Data ; BOUNDARY="a b;c" ; charset = utf-8');
    expect(value).toBe('multipart/form-data');
    expect([...parameters]).toEqual([
      ['boundary', 'a b;c'],
      ['charset', 'utf-8'],
    ]);
  });

  it('takes the first of two parameters of one name', () => {
    expect(readHeaderValue('form-data; name=a; name=b').parameters.get('name')).toBe('a');
  });

  it('never throws and never hangs, whatever stands there', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        const { value } = readHeaderValue(text);
        expect(value).toBe(value.toLowerCase());
      }),
    );
    expect(readHeaderValue(`a${';x="'.repeat(5_000)}`).value).toBe('a');
    expect(readHeaderValue(`a; x="${'\\'.repeat(16_000)}`).parameters.size).toBeLessThan(2);
  });
});

describe('fileNameOf', () => {
  it.each([
    ['form-data; name="file"; filename="events.csv"', 'events.csv'],
    ['form-data; name="file"; filename=events.csv', 'events.csv'],
    ['form-data; name="file"; filename="日本 März 😀.csv"', '日本 März 😀.csv'],
    ['form-data; name="file"; filename="a;b=c.csv"', 'a;b=c.csv'],
    ['form-data; name="file"; filename="say %22hi%22 100%25.csv"', 'say "hi" 100%25.csv'],
    ['form-data; name="file"; filename="say \\"hi\\".csv"', 'say "hi".csv'],
    ['form-data; name="file"; filename="C:\\Users\\me\\events.csv"', 'C:\\Users\\me\\events.csv'],
    ['form-data; name=file; filename="x.csv"; filename*=UTF-8\'\'M%C3%A4rz.csv', 'März.csv'],
    ['form-data; name=file; filename="x.csv"; filename*=UTF-8\'\'%FF%ZZ', 'x.csv'],
    ["form-data; name=file; filename*=iso-8859-1''M%E4rz.csv", null],
    ['form-data; name="file"', null],
  ])('of %s is %j', (header, name) => {
    expect(fileNameOf(readHeaderValue(header))).toBe(name);
  });
});
