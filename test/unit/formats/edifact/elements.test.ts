import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LEVEL_A } from '../../../../src/formats/edifact/delimiters.ts';
import { dividePlain, divideReleased } from '../../../../src/formats/edifact/elements.ts';

const dividers = { ...LEVEL_A, repetition: '*' };

describe('dividing a segment', () => {
  it('gives the same both ways where nothing is released', () => {
    const plain = fc.string({ unit: fc.constantFrom('A', 'b', '+', ':', '*', ' '), maxLength: 20 });
    fc.assert(
      fc.property(plain, fc.constantFrom('*', ''), plain, (units, repetition, before) => {
        const found = dividePlain(`${before}${units}'`, before.length, before.length + units.length, {
          ...dividers,
          repetition,
        });
        const { tag, elements } = divideReleased(units, { ...dividers, repetition });
        expect(found.elements).toEqual(elements);
        if (!tag.includes('*')) expect(found.tag).toBe(tag);
      }),
      { numRuns: 2_000 },
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
    expect(dividePlain(`${units}'`, 0, units.length, dividers)).toEqual(wanted);
    expect(divideReleased(units, dividers)).toEqual(wanted);
  });
});
