import { describe, expect, it } from 'vitest';
import { XML_LIMITS } from '../../../../src/formats/xml/limits.ts';
import { compilePath, compileRecordsPath } from '../../../../src/formats/xml/path.ts';
import { xmlPathFault } from '../../../../src/formats/xml/reader.ts';
import { cellsOf, declare, fieldsOf, readWhole } from './reading.ts';

const NONE = {};
const bare = (local: string) => ({ local, uri: undefined, attributes: [], position: null });
const ROOT = { base: 0, steps: [bare('s')], attribute: null };
const SENDER = { base: 0, steps: [bare('s'), bare('sender')], attribute: null };

describe('a path', () => {
  it.each([
    '.',
    'city',
    'stop/city',
    '@id',
    'status/@code',
    "ref[@type='PRO']",
    'ref[@type="PRO"]/value',
    "ref[@a='1'][@b='2'][3]",
    'stop[2]/city',
    '../@id',
    '../../head/x',
    '/root/header/sender',
    '/root/@created',
    'Größe',
    'a-b.c_d',
    ' city ',
  ])('is %s', (path) => expect(compilePath(path, NONE)).toMatchObject({ ok: true }));

  it.each([
    '',
    '/',
    '//',
    'a//b',
    'a/',
    '/a/',
    '@',
    'a/@b/c',
    '@a/b',
    'a[',
    'a[0]',
    'a[x]',
    'a[@b]',
    'a[@b=c]',
    "a[1][@b='c']",
    '..',
    '../..',
    'a/../b',
    './a',
    'a b',
    '*',
    'text()',
    '1a',
    "a[@b='c'",
    '/@a',
    't:a',
    '@t:a',
    'x'.repeat(501),
  ])('is not %s', (path) => expect(compilePath(path, NONE)).toMatchObject({ ok: false }));

  it('may have prefixes that the source declares', () => {
    expect(compilePath('t:a/@t:b', { t: 'urn:t' })).toMatchObject({
      value: { steps: [{ local: 'a', uri: 'urn:t' }], attribute: { local: 'b', uri: 'urn:t' } },
    });
    expect(compilePath('toString:a', NONE)).toMatchObject({ ok: false, error: expect.stringContaining('toString') });
  });

  it('to the records has names only', () => {
    for (const path of ['a/b', '/a/b']) expect(compileRecordsPath(path, NONE).ok, path).toBe(true);
    for (const path of ['', '../a', 'a/@b', 'a[1]', "a[@b='c']", '.']) {
      expect(compileRecordsPath(path, NONE).ok, path).toBe(false);
    }
  });

  it('is judged from where it stands', () => {
    const source = declare('list/item');
    expect(xmlPathFault(source, 'a/@b', [])).toBeNull();
    expect(xmlPathFault(source, '../../x', ['a/b'])).toBeNull();
    expect(xmlPathFault(source, '../../../@x', [])).toMatchObject({ value: '../../../@x' });
    expect(xmlPathFault(source, '../x[2]', [])).toMatchObject({ wanted: expect.stringContaining('[2]') });
    expect(xmlPathFault(source, 'x', ['../a'])).toMatchObject({ value: '../a' });
    expect(xmlPathFault(source, 'x', ['a/@b'])).toMatchObject({ value: 'a/@b' });
  });
});

describe('what a path reads', () => {
  const ITEM = `<item id="7" p:id="8" xmlns:p="urn:p"> own <b>inner</b>text
    <stop n="1"/><stop n="2"><city>Joliet</city></stop>
    <ref type="BOL">B1</ref><ref type="PRO">  P1 </ref><ref type="PRO" sub="x">P2</ref></item>`;
  const one = (path: string, item = ITEM, source = declare()) =>
    fieldsOf(`<list>${item}</list>`, [path], source)[0]?.[0];

  it.each([
    ['.', ' own text\n    \n    '],
    ['@id', '7'],
    ['b', 'inner'],
    ["ref[@type='PRO']", '  P1 '],
    ["ref[@type='PRO'][2]", 'P2'],
    ["ref[@type='PRO'][@sub='x']", 'P2'],
    ['ref[2]/@type', 'PRO'],
    ['stop/@n', '1'],
    ['stop[2]/city', 'Joliet'],
    ['stop/city', ''], // the first stop has none, and another one's is not taken
    ['nothing/here', ''],
    ['@none', ''],
    ['/list/item/@id', '7'],
    ['/list/item', ' own text\n    \n    '],
  ])('%s: %j', (path, text) => expect(one(path)).toBe(text));

  it('is in its namespace where the path has a prefix', () => {
    const source = declare('list/item', { namespaces: { p: 'urn:p' } });
    expect(one('@p:id', ITEM, source)).toBe('8');
    expect(one('p:b', ITEM, source)).toBe('');
    expect(one('@id', '<item p:id="8" xmlns:p="urn:p"/>')).toBe('8');
  });

  it.each([
    ['<s><sender>ACME<q>ZZ</q></sender><r/><r/></s>', 'ACME'],
    ['<s><sender>ACME<q/>DEF</sender><r/><r/></s>', 'ACMEDEF'],
    ['<s><sender>A<q>1<w/>2</q>B<!-- x -->C<q/></sender><r/><r/></s>', 'ABC'],
  ])('has the texts around its elements also outside of the record, in slices of any size: %s', (file, sender) => {
    const { records } = readWhole(file, declare('s/r'), { captures: [SENDER] });
    expect(records.map(({ captured }) => captured)).toEqual([[sender], [sender]]);
    const cut = readWhole(file, declare('s/r'), { captures: [SENDER], sliceBytes: 9 });
    expect(cut.records.map(({ captured }) => captured)).toEqual([[sender], [sender]]);
  });

  it('of an element that encloses the records has what stands before each', () => {
    expect(fieldsOf('<s>one<r/>two<x/>three<r/></s>', ['/s'], declare('s/r'))).toEqual([['one'], ['onetwothree']]);
    const limits = { ...XML_LIMITS, capturedCharactersMax: 5 };
    const read = readWhole('<s>one<r/>two<r/></s>', declare('s/r'), { captures: [ROOT], limits });
    expect(read.records.map(({ captured }) => captured)).toEqual([['one']]);
    expect(read).toMatchObject({ checkpoint: { record: 1 }, endProblem: { what: 'captured' } });
  });

  it('stands outside of the record where it comes before it', () => {
    const file = `<list id="L" made="now"><head><sender>A</sender><sender>B</sender></head>
      <group id="G1"><day>Mon</day><item/><day>Tue</day><item/></group>
      <group><item/></group><head><sender>C</sender></head><group id="G3"><item/></group></list>`;
    const paths = [
      '../@id',
      '../day',
      '../../@made',
      '/list/head/sender',
      '/list/@id',
      '/list/group/day',
      '../../head/late',
    ];
    expect(fieldsOf(file, paths, declare('list/group/item'))).toEqual([
      ['G1', 'Mon', 'now', 'A', 'L', 'Mon', ''],
      ['G1', 'Mon', 'now', 'A', 'L', 'Mon', ''],
      ['', '', 'now', 'A', 'L', 'Mon', ''],
      ['G3', '', 'now', 'A', 'L', 'Mon', ''],
    ]);
  });

  it('is that of each element in a list, and of what is around it', () => {
    const file = `<list id="L"><item id="1"><lines><line n="a"><q>2</q></line></lines><lines><line n="b"/></lines></item><item id="2"/></list>`;
    const lists = [
      {
        path: 'lines/line',
        shape: { paths: ['@n', 'q', '../../@id', '../../../@id', '/list/item/@id'], lists: [] as [] },
      },
    ];
    const { records } = cellsOf(file, ['@id'], declare(), lists);
    expect(records.map((record) => record.lists[0]?.map(({ fields }) => fields))).toEqual([
      [
        ['a', '2', '1', 'L', '1'],
        ['b', '', '1', 'L', '1'],
      ],
      [],
    ]);
  });

  it('is found once for all elements of a list, however many look for it', () => {
    const file = `<list><item>${'<a><b/></a>'.repeat(33_000)}</item></list>`;
    const lists = [{ path: 'a/b', shape: { paths: ['../../a[30000]/b', '../../c'], lists: [] as [] } }];
    const before = performance.now();
    expect(cellsOf(file, [], declare(), lists).records[0]?.lists[0]).toHaveLength(33_000);
    expect(performance.now() - before).toBeLessThan(5_000);
  });

  it('is no text of more than 65,536 characters', () => {
    const { records } = cellsOf(`<list><item><pod>${'x'.repeat(70_000)}</pod><n>1</n></item></list>`, ['pod']);
    expect(records[0]).toMatchObject({ fields: [], problem: { code: 'value_too_large', path: 'pod' } });
    expect(fieldsOf(`<list><item><pod>${'x'.repeat(70_000)}</pod><n>1</n></item></list>`, ['n'])).toEqual([['1']]);
  });

  it('names the row that a corrected record replaces', () => {
    const { records } = cellsOf('<list><item _batch="b_1" _record="4" n="1"/><item _batch="b_1"/></list>', ['@n']);
    expect(records.map(({ replaces }) => replaces)).toEqual([{ batch: 'b_1', record: '4' }, undefined]);
  });
});
