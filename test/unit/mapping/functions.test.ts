import { describe, expect, it } from 'vitest';
import { bodyOf, errorsOf, withFields } from './documents.ts';

/** The city that a field makes of the cells A and B. */
const city = (field: unknown, cells: Record<string, string> = {}): string | undefined =>
  bodyOf(withFields({ eventCity: field }), { A: '', B: '', ...cells }).eventCity;

describe('where a text comes from', () => {
  it('copies a column and removes blanks around it', () => expect(city('A', { A: '  Joliet \t' })).toBe('Joliet'));
  it('reads the long form as the short one', () => expect(city({ from: 'A' }, { A: ' Joliet' })).toBe('Joliet'));
  it('keeps blanks with trim: false', () => expect(city({ from: 'A', trim: false }, { A: ' x ' })).toBe(' x '));
  it('joins columns with one space', () =>
    expect(city({ from: ['A', 'B'] }, { A: 'New', B: 'York' })).toBe('New York'));
  it('joins with the text that is asked for', () =>
    expect(city({ from: ['A', 'B'], join: '-' }, { A: 'a', B: 'b' })).toBe('a-b'));
  it('leaves empty columns out of a join', () =>
    expect(city({ from: ['A', 'B'], join: '-' }, { A: '', B: 'b' })).toBe('b'));
  it('joins constants with columns', () =>
    expect(city({ from: [{ const: 'in' }, 'A'] }, { A: 'Omaha' })).toBe('in Omaha'));
  it('is empty when all columns are, whatever constants stand around them', () =>
    expect(city({ from: [{ const: 'in' }, 'A'] }, { A: ' ' })).toBeUndefined());
  it('takes the first column that is filled', () => {
    expect(city({ firstOf: ['A', 'B'] }, { A: '', B: 'b' })).toBe('b');
    expect(city({ firstOf: ['A', 'B'] }, { A: 'a', B: 'b' })).toBe('a');
    expect(city({ firstOf: ['A', 'B'] })).toBeUndefined();
  });
  it('fills a template, also where one of its columns is empty', () => {
    expect(city({ template: '{A}-{ B }!' }, { A: 'a', B: 'b' })).toBe('a-b!');
    expect(city({ template: '{A}-{B}' }, { A: 'a' })).toBe('a-');
  });
  it('is empty when all columns of a template are', () => expect(city({ template: '{A}-{B}' })).toBeUndefined());
  it('takes a constant', () => expect(city({ const: 'Fixed' })).toBe('Fixed'));
  it('copies a cell that looks like a pattern of replacement as it is', () =>
    expect(city({ from: 'A', replace: [{ find: 'x', with: '$&$1' }] }, { A: 'axb' })).toBe('a$&$1b'));
});

describe('what is done to a text', () => {
  it.each([
    [{ from: 1, length: 2 }, 'ab'],
    [{ from: 3 }, 'cdef'],
    [{ from: -2 }, 'ef'],
    [{ from: -2, length: 1 }, 'e'],
    [{ from: -99 }, 'abcdef'],
  ])('cuts %j', (substring, wanted) => expect(city({ from: 'A', substring }, { A: 'abcdef' })).toBe(wanted));
  it('is empty when the cut begins past the end', () =>
    expect(city({ from: 'A', substring: { from: 9 } }, { A: 'abc' })).toBeUndefined());
  it('counts a wide character as one', () =>
    expect(city({ from: 'A', substring: { from: 2, length: 1 } }, { A: 'a𝔛b' })).toBe('𝔛'));
  it('replaces every occurrence, one replacement after the other', () => {
    const replace = [
      { find: '.', with: '' },
      { find: 'ab', with: 'b' },
      { find: 'b', with: 'c' },
    ];
    expect(city({ from: 'A', replace }, { A: 'a.b.ab' })).toBe('cc');
  });
  it('removes blanks that cutting or replacing left at the ends', () => {
    expect(city({ from: 'A', substring: { from: 1, length: 3 } }, { A: 'ab cd' })).toBe('ab');
    expect(city({ from: 'A', replace: [{ find: 'x', with: '' }] }, { A: 'x y x' })).toBe('y');
  });
  it('writes upper and lower case', () => {
    expect(city({ from: 'A', upper: true }, { A: 'él' })).toBe('ÉL');
    expect(city({ from: 'A', lower: true }, { A: 'ÉL' })).toBe('él');
  });
  it('pads to the left and to the right, and never shortens', () => {
    expect(city({ from: 'A', pad: { to: 5, with: '0', side: 'left' } }, { A: '42' })).toBe('00042');
    expect(city({ from: 'A', pad: { to: 4, with: '.', side: 'right' } }, { A: '42' })).toBe('42..');
    expect(city({ from: 'A', pad: { to: 1, with: '0', side: 'left' } }, { A: '42' })).toBe('42');
    expect(city({ from: 'A', pad: { to: 3, with: '0', side: 'left' } }, { A: '𝔛' })).toBe('00𝔛');
  });
  it('leaves an empty value empty instead of padding it', () =>
    expect(city({ from: 'A', pad: { to: 5, with: '0', side: 'left' } })).toBeUndefined());
  it('applies cut, replace, case, pad, lookup and default in this order', () => {
    const field = {
      from: 'A',
      substring: { from: 1, length: 4 },
      replace: [{ find: 'z', with: 'd' }],
      upper: true,
      pad: { to: 8, with: 'x', side: 'right' },
      lookup: 'words',
      onMiss: 'keep',
      default: 'none',
    };
    expect(city(field, { A: 'abcze' })).toBe('ABCDxxxx'); // padded after the case was changed
    expect(city(field)).toBe('none');
  });
});

describe('lookups, defaults and conditions of a field', () => {
  it('uses the default for an empty value only', () => {
    expect(city({ from: 'A', default: 'NS' })).toBe('NS');
    expect(city({ from: 'A', default: 'NS' }, { A: 'AO' })).toBe('AO');
  });
  it('translates by a code list, without regard to case and spacing', () =>
    expect(city({ from: 'A', lookup: 'words' }, { A: 'ARRIVED   pickup' })).toBe('X3'));
  it('keeps codes of digits as they are written', () =>
    expect(city({ from: 'A', lookup: 'words' }, { A: '01' })).toBe('P1'));
  it('tells upper from lower case where the list says so', () => {
    expect(city({ from: 'A', lookup: 'exact' }, { A: 'a' })).toBe('LOW');
    expect(city({ from: 'A', lookup: 'exact' }, { A: 'A' })).toBe('HIGH');
  });
  it('rejects a word that is not in the list, and names what is near it', () => {
    const [error] = errorsOf(withFields({ eventCity: { from: 'A', lookup: 'words' } }), { A: 'Departd' });
    expect(error).toMatchObject({ code: 'code_unknown', path: 'A', value: 'Departd' });
    expect(error?.message).toContain('"words"');
    expect(error?.message).toContain('"Departed"');
  });
  it('keeps or empties such a word when the field says so', () => {
    expect(city({ from: 'A', lookup: 'words', onMiss: 'keep' }, { A: 'Lost' })).toBe('Lost');
    expect(city({ from: 'A', lookup: 'words', onMiss: 'empty' }, { A: 'Lost' })).toBeUndefined();
    expect(city({ from: 'A', lookup: 'words', onMiss: 'empty', default: 'BG' }, { A: 'Lost' })).toBe('BG');
  });
  it('does not replace a rejected word by the default', () => {
    const errors = errorsOf(withFields({ eventCity: { from: 'A', lookup: 'words', default: 'BG' } }), { A: 'Lost' });
    expect(errors).toHaveLength(1);
  });
  it('never translates an empty value or the default', () => {
    expect(city({ from: 'A', lookup: 'words' })).toBeUndefined();
    expect(city({ from: 'A', lookup: 'words', default: 'Departed' })).toBe('Departed');
  });
  it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])('finds no code for the word %s', (word) =>
    expect(errorsOf(withFields({ eventCity: { from: 'A', lookup: 'words' } }), { A: word })).toMatchObject([
      { code: 'code_unknown' },
    ]),
  );
  it('leaves a field out when its condition does not hold, default and errors included', () => {
    const field = { from: 'A', lookup: 'words', default: 'NS', when: { field: 'B', equals: 'yes' } };
    expect(city(field, { A: 'Lost', B: 'no' })).toBeUndefined();
    expect(city(field, { A: '', B: 'yes' })).toBe('NS');
  });
});

describe('numbers', () => {
  const stop = (text: string) => bodyOf(withFields({ stopsequenceNumber: { from: 'A', as: 'integer' } }), { A: text });
  const stopErrors = (text: string) =>
    errorsOf(withFields({ stopsequenceNumber: { from: 'A', as: 'integer' } }), { A: text });

  it.each([
    ['3', 3],
    [' 007 ', 7],
    ['+2', 2],
    ['-0', 0],
    ['999999999999999', 999_999_999_999_999],
  ])('reads %j as %d', (text, wanted) => expect(stop(text).stopsequenceNumber).toBe(wanted));
  it('leaves an empty number out', () => expect('stopsequenceNumber' in stop('')).toBe(false));
  it.each(['1.5', '1,000', 'two', '1e3', '0x10', '١', '9'.repeat(16), '1 2'])('refuses %j', (text) =>
    expect(stopErrors(text)).toMatchObject([{ code: 'not_a_whole_number', path: 'A', value: text }]),
  );
  it('refuses a number below the least one', () =>
    expect(stopErrors('-1')).toMatchObject([{ code: 'number_too_small', path: 'A', value: '-1' }]));
  it('casts the default and what a code list gives', () => {
    const field = { from: 'A', as: 'integer', default: '4' };
    expect(bodyOf(withFields({ stopsequenceNumber: field }), { A: '' }).stopsequenceNumber).toBe(4);
  });
});
