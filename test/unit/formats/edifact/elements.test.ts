import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LEVEL_A } from '../../../../src/formats/edifact/delimiters.ts';
import { divideReleased, SegmentScanner } from '../../../../src/formats/edifact/scan.ts';
import { SliceSearches } from '../../../../src/formats/segments/list.ts';
import { draws } from '../../../draws.ts';

const dividers = { ...LEVEL_A, repetition: '*' };

/** As the scanner finds it behind something else: a segment that holds nothing to release is divided when it is asked. */
function found(units: string, before = '', repetition = '*') {
  const text = `${before}${units}'`;
  const slice = {
    text,
    bytes: Buffer.from(text, 'latin1'),
    byteBase: 7,
    atEnd: true,
    searches: new SliceSearches(text),
  };
  const scanner = new SegmentScanner(slice, { ...dividers, repetition }, 1_000);
  expect(scanner.segmentAt(before.length, 0)).toBe('segment');
  const { tag, elements, byteFrom, byteTo } = scanner.segment(1);
  expect([byteFrom, byteTo]).toEqual([7 + before.length, 7 + text.length]);
  return { tag, elements };
}

describe('dividing a segment', () => {
  it('gives the same both ways where nothing is released', () => {
    const plain = fc.string({ unit: fc.constantFrom('A', 'b', '+', ':', '*', ' '), maxLength: 20 });
    fc.assert(
      fc.property(plain, fc.constantFrom('*', ''), plain, (units, repetition, before) => {
        const { tag, elements } = divideReleased(units, { ...dividers, repetition });
        const plainly = found(units, before, repetition);
        expect(plainly.elements).toEqual(elements);
        if (!tag.includes('*')) expect(plainly.tag).toBe(tag);
      }),
      { numRuns: draws(2_000) },
    );
  });

  it.each([
    ['BGM', { tag: 'BGM', elements: [] }],
    ['BGM+', { tag: 'BGM', elements: [''] }],
    ['BGM++2', { tag: 'BGM', elements: ['', '2'] }],
    ['NAD+CA+:::X:', { tag: 'NAD', elements: ['CA', ['', '', '', 'X', '']] }],
    ['LIN:1:2+7', { tag: 'LIN', elements: ['7'] }],
    ['COM+1:TE*2:FX+3', { tag: 'COM', elements: [['1', 'TE'], '3'] }],
  ])('reads %s', (units, wanted) => {
    expect(found(units)).toEqual(wanted);
    expect(divideReleased(units, dividers)).toEqual(wanted);
  });
});
