import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { checkCodeList, checkCodeLists } from '../../../src/mapping/check/code-list.ts';
import { LISTS, type Loose, namesOf } from './documents.ts';

const RIGHT_LIST: Loose = { list: 'trial', description: 'A trial.', codes: { Arrived: 'X3', Left: 'AF' } };
const problems = (changes: Loose | string) => {
  const checked = checkCodeList(typeof changes === 'string' ? changes : stringify({ ...RIGHT_LIST, ...changes }));
  return checked.ok ? [] : checked.error;
};

it('accepts a right list', () => expect(problems({})).toEqual([]));

it('finds a word that the list writes with the mark of a spreadsheet by the cell that is trimmed of it', () => {
  const listOf = (codes: Record<string, string>) => {
    const checked = checkCodeList(stringify({ ...RIGHT_LIST, codes }));
    if (!checked.ok) throw new Error(JSON.stringify(checked.error));
    return checked.value;
  };
  expect(listOf({ "'01": 'X3' }).find('01')).toBe('X3');
  const both = listOf({ "'01": 'X3', '01': 'AF' });
  expect([both.find('01'), both.find("'01")]).toEqual(['AF', 'X3']);
});

describe('a list is refused', () => {
  it.each<[Loose, string]>([
    [{ list: 'Trial List' }, 'wrong_form list'],
    [{ description: undefined }, 'key_missing description'],
    [{ codes: {} }, 'too_many codes'],
    [{ codes: { Arrived: 3 } }, 'wrong_form codes.Arrived'],
    [{ codes: { Arrived: '' } }, 'wrong_form codes.Arrived'],
    [{ codes: { 'A  b': 'X', ' a B ': 'Y' } }, 'code_twice codes[" a B "]'],
    [{ meanings: { X4: 'Arrived at terminal' } }, 'code_unknown meanings.X4'],
    [{ unverified: ['Arived'] }, 'code_unknown unverified[0]'],
    [{ casesensitive: true }, 'unknown_key casesensitive'],
  ])('for %j', (changes, wanted) => expect(namesOf(problems(changes))).toEqual([wanted]));
  it('for a word that stands twice', () =>
    expect(problems('list: a\ndescription: b\ncodes:\n  X: A\n  X: B\n')).toMatchObject([
      { code: 'duplicate_key', line: 5 },
    ]));
  it('for more codes than a list may hold', () => {
    const codes = Object.fromEntries(Array.from({ length: 10_001 }, (_, index) => [`w${index}`, 'X']));
    expect(namesOf(problems({ codes }))).toEqual(['too_many codes']);
  });
  it('for a name that is not the file’s', () => {
    const checked = checkCodeList(stringify(RIGHT_LIST), 'other');
    expect(checked.ok ? [] : namesOf(checked.error)).toEqual(['name_differs list']);
  });
  it('together with all others, each problem under its list', () => {
    const checked = checkCodeLists(
      new Map([
        ['a', 'list: a'],
        ['b', 'list: b'],
      ]),
    );
    expect(checked.ok ? [] : checked.error.map(({ path }) => path)).toEqual([
      'a: description',
      'a: codes',
      'b: description',
      'b: codes',
    ]);
  });
});

describe('a list finds', () => {
  const words = LISTS.get('words');
  it('words whatever their case and spacing', () => {
    expect(words?.find(' arrived  PICKUP ')).toBe('X3');
    expect(words?.find('arrivedpickup')).toBeUndefined();
  });
  it('what YAML would take for numbers or other words', () => {
    const checked = checkCodeList(
      'list: a\ndescription: b\ncodes: { 01: "01", 1.50: x, null: y, NO: "NO", true: z }\n',
    );
    const list = checked.ok ? checked.value : undefined;
    expect(['01', '1.50', 'null', 'no', 'TRUE'].map((word) => list?.find(word))).toEqual(['01', 'x', 'y', 'NO', 'z']);
    expect(list?.find('1')).toBeUndefined();
  });
  it('at most three words near one it lacks', () => {
    const checked = checkCodeList(
      stringify({ ...RIGHT_LIST, codes: { Lefts: 'a', Lefty: 'b', Lift: 'c', 'Left.': 'd' } }),
    );
    expect(checked.ok && checked.value.nearest('left')).toEqual(['Left.', 'Lefts', 'Lefty']);
  });
});
