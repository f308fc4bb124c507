import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  compileElementPath,
  compileListPath,
  compilePath,
  compileRecordsPath,
  itemsAt,
  type JsonPath,
  type JsonValue,
  lookUp,
  pathText,
  textAt,
  valueAt,
} from '../../../../src/formats/json/path.ts';
import { readJson } from './reading.ts';

const compiled = (text: string): JsonPath => {
  const path = compilePath(text);
  if (!path.ok) throw new Error(path.error);
  return path.value;
};

const recordOf = (text: string): JsonValue => {
  const value = readJson(text).records[0]?.value;
  if (value === null || value === undefined) throw new Error('no record');
  return value;
};

describe('paths', () => {
  it.each<[string, JsonPath]>([
    ['city', ['city']],
    ['stop.city', ['stop', 'city']],
    ['stops[0].city', ['stops', 0, 'city']],
    ['stops[10][2]', ['stops', 10, 2]],
    ['["odd.name"].list', ['odd.name', 'list']],
    ['a["b c"]["d\\"e"]', ['a', 'b c', 'd"e']],
    ['Load #.PRO no', ['Load #', 'PRO no']],
    ['[""]', ['']],
    ['["\\u00e9"]', ['é']],
    ['[0]', [0]],
    ['__proto__.constructor', ['__proto__', 'constructor']],
    ['["*"]', ['*']],
  ])('%s is read as %j', (text, path) => {
    expect(compilePath(text)).toEqual({ ok: true, value: path });
  });

  it.each([
    '',
    '.',
    '.a',
    'a.',
    'a..b',
    'a b ',
    ' a',
    'a[',
    'a[]',
    'a[01]',
    'a[-1]',
    'a[*]',
    '*',
    'a.*.b',
    'a[1]b',
    '["a"]b',
    "['a']",
    '["a',
    '["\\x"]',
    'a]',
    'a"b',
    `a${'.b'.repeat(300)}`,
  ])('%j is no path', (text) => {
    expect(compilePath(text)).toMatchObject({ ok: false });
  });

  it('are written back as they are read', () => {
    const steps = fc.array(fc.oneof(fc.nat(1_000), fc.string({ maxLength: 9, unit: 'grapheme' })), { minLength: 1 });
    fc.assert(
      fc.property(steps, (path) => {
        expect(compilePath(pathText(path))).toEqual({ ok: true, value: path });
      }),
    );
  });

  it('to the records may be empty and may not name an item', () => {
    expect(compileRecordsPath('')).toEqual({ ok: true, value: [] });
    expect(compileRecordsPath('data.events')).toEqual({ ok: true, value: ['data', 'events'] });
    expect(compileRecordsPath('data[1]')).toMatchObject({ ok: false });
    expect(compileRecordsPath('a..b')).toMatchObject({ ok: false });
  });
});

describe('what a path leads to', () => {
  const record = recordOf(
    '{"n":1.10,"s":"","t":true,"f":false,"z":null,"o":{"":"empty"},"a":[{"x":"1"},null,[2e3]],"__proto__":{"p":"q"}}',
  );

  it.each([
    ['n', '1.10'],
    ['s', ''],
    ['t', 'true'],
    ['f', 'false'],
    ['o[""]', 'empty'],
    ['a[0].x', '1'],
    ['a[2][0]', '2E+03'],
    ['__proto__.p', 'q'],
    ['z', undefined],
    ['o', undefined],
    ['a', undefined],
    ['missing', undefined],
    ['a[3]', undefined],
    ['a.x', undefined],
    ['o[0]', undefined],
    ['n.x', undefined],
    ['a[1].x', undefined],
    ['constructor', undefined],
    ['toString.name', undefined],
    ['a.length', undefined],
  ])('the text at %s is %j', (text, expected) => {
    expect(textAt(record, compiled(text))).toBe(expected);
  });

  it.each<[string, object]>([
    ['n', { found: 'number', text: '1.10' }],
    ['s', { found: 'string', text: '' }],
    ['t', { found: 'boolean', text: 'true' }],
    ['z', { found: 'null' }],
    ['o', { found: 'object' }],
    ['a', { found: 'array' }],
    ['o.x.y', { found: 'missing', reached: ['o'] }],
    ['a[7].x', { found: 'missing', reached: ['a'] }],
    ['z.x', { found: 'missing', reached: ['z'] }],
    ['x', { found: 'missing', reached: [] }],
  ])('%s is told apart as %j', (text, expected) => {
    expect(lookUp(record, compiled(text))).toEqual(expected);
  });

  it('the items of an array are given in order; what stands alone is the one item, and nothing is none', () => {
    const kindsAt = (text: string) => {
      const items = itemsAt(record, compiled(text));
      return 'items' in items ? items : items.map(({ kind }) => kind);
    };
    expect(kindsAt('a')).toEqual(['object', 'null', 'array']);
    expect(itemsAt(record, compiled('a[2]'))).toEqual([{ kind: 'number', text: '2e3' }]);
    expect(kindsAt('o')).toEqual(['object']);
    expect(kindsAt('s')).toEqual(['string']);
    expect(kindsAt('a.x')).toEqual({ path: ['a'], items: 3 });
    for (const text of ['z', 'missing']) expect(itemsAt(record, compiled(text))).toEqual([]);
  });

  it.each([
    ['stops', [['stops']]],
    ['stops[]', [['stops']]],
    [
      'a.b[].c[1].d[]',
      [
        ['a', 'b'],
        ['c', 1, 'd'],
      ],
    ],
    ['["a[]b"][]', [['a[]b']]],
  ])('%s is gone through array by array', (text, levels) =>
    expect(compileListPath(text)).toEqual({ ok: true, value: levels }),
  );
  it.each(['', '[]', 'a[][]', '[].a', 'a[]b', 'a[].', '../a'])('%s is no path of arrays', (text) =>
    expect(compileListPath(text).ok).toBe(false),
  );
  it.each([
    ['.', { ups: 0, path: [] }],
    ['x.y', { ups: 0, path: ['x', 'y'] }],
    ['../x', { ups: 1, path: ['x'] }],
    ['../../["x"][0]', { ups: 2, path: ['x', 0] }],
  ])('%s leads out of an element', (text, path) => expect(compileElementPath(text)).toEqual({ ok: true, value: path }));
  it.each(['..', '../', '../.', 'x/../y..'])('%s leads nowhere', (text) =>
    expect(compileElementPath(text).ok).toBe(false),
  );

  it('the empty path is the record itself', () => {
    expect(valueAt(record, [])).toBe(record);
    expect(itemsAt(record, [])).toEqual([record]);
  });
});
