import { describe, expect, it } from 'vitest';
import { checkCodeList } from '../../../src/mapping/check/code-list.ts';
import { listDifferences, valueDifferences, versionDifferences } from '../../../src/ops/publishing/diff.ts';
import { contentOf, type VersionContent } from '../../../src/ops/publishing/version-content.ts';
import { WORDS } from './published.ts';

describe('valueDifferences', () => {
  it('are none between equal values, whatever the order of keys', () => {
    expect(valueDifferences({ a: 1, b: { c: [1, 2] } }, { b: { c: [1, 2] }, a: 1 })).toEqual([]);
  });

  it('go down to the smallest parts, with both sides', () => {
    expect(valueDifferences({ a: { b: 'x', c: 1 } }, { a: { b: 'y', c: 1 } })).toEqual([
      { path: 'a.b', from: 'x', to: 'y' },
    ]);
  });

  it('leave out the side where there is nothing', () => {
    expect(valueDifferences({ a: null }, { b: null })).toEqual([
      { path: 'a', from: null },
      { path: 'b', to: null },
    ]);
  });

  it('show a change of kind whole', () => {
    expect(valueDifferences({ a: 'City' }, { a: { from: 'City' } })).toEqual([
      { path: 'a', from: 'City', to: { from: 'City' } },
    ]);
    expect(valueDifferences({ a: [1] }, { a: { 0: 1 } })).toHaveLength(1);
  });

  it.each([
    ['in front', ['n', 'a', 'b'], 0],
    ['in the middle', ['a', 'n', 'b'], 1],
    ['at the end', ['a', 'b', 'n'], 2],
  ])('of an item put in %s are one', (_, to, at) => {
    expect(valueDifferences(['a', 'b'], to)).toEqual([{ path: `[${at}]`, to: 'n' }]);
    expect(valueDifferences(to, ['a', 'b'])).toEqual([{ path: `[${at}]`, from: 'n' }]);
  });

  it('of an item among others name its own part', () => {
    expect(valueDifferences([{ n: 1 }, { n: 2 }, { n: 3 }], [{ n: 1 }, { n: 5 }, { n: 3 }])).toEqual([
      { path: '[1].n', from: 2, to: 5 },
    ]);
  });

  it('of repeated items do not count one twice', () => {
    expect(valueDifferences(['a', 'a'], ['a', 'a', 'a'])).toEqual([{ path: '[2]', to: 'a' }]);
  });

  it('quote keys that are no plain words, and find what is called like an object’s own', () => {
    expect(valueDifferences({}, { 'Load #': 1 })).toEqual([{ path: '["Load #"]', to: 1 }]);
    expect(valueDifferences({}, JSON.parse('{"constructor": 1}'))).toEqual([{ path: 'constructor', to: 1 }]);
  });
});

describe('versionDifferences', () => {
  const version = (eventCode: string, codes: Record<string, string>): VersionContent =>
    contentOf(
      JSON.stringify({ form: 1, document: { mapping: 'm', eventCode }, codeLists: [{ list: 'words', codes }] }),
    );

  it('names code lists by their names, not by their place', () => {
    expect(versionDifferences(version('A', { x: 'X1' }), version('B', { x: 'X3', 'y z': 'X4' }))).toEqual([
      { path: 'codeLists.words.codes.x', from: 'X1', to: 'X3' },
      { path: 'codeLists.words.codes["y z"]', to: 'X4' },
      { path: 'eventCode', from: 'A', to: 'B' },
    ]);
  });

  it('shows a first version whole', () => {
    expect(versionDifferences(null, version('A', {}))).toMatchObject([{ path: '', to: { eventCode: 'A' } }]);
  });
});

describe('listDifferences', () => {
  it('names the words that changed', () => {
    const list = checkCodeList(WORDS);
    const after = WORDS.replace('Left: AF', 'Gone: AF').replace('X3', 'X1');
    expect(listDifferences(list.ok ? list.value : undefined, after)).toEqual([
      { path: 'codes.Arrived', from: 'X3', to: 'X1' },
      { path: 'codes.Gone', to: 'AF' },
      { path: 'codes.Left', from: 'AF' },
    ]);
  });
});
