/** Tags as numbers: what the readers of segments look up instead of texts. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isTag, TagMap, tagBefore, tagCode, tagLength, tagOf } from '../../../../src/formats/segments/tags.ts';
import { draws } from '../../../draws.ts';

const capital = fc.constantFrom(...'ABMSTZ');
const capitalOrDigit = fc.constantFrom(...'AZ019');
const tag = fc.tuple(capital, capitalOrDigit, fc.option(capitalOrDigit, { nil: '' })).map((units) => units.join(''));
const anything = fc.string({ unit: fc.constantFrom(...'AZ09az*~ é'), maxLength: 6 });

describe('the number of a tag', () => {
  it('stands for that tag alone', () => {
    fc.assert(
      fc.property(tag, tag, (one, other) => {
        expect(tagOf(tagCode(one))).toBe(one);
        expect(tagLength(tagCode(one))).toBe(one.length);
        expect(tagCode(one) === tagCode(other)).toBe(one === other);
      }),
    );
  });

  it('is found where the tag and a separator stand, and nowhere else', () => {
    fc.assert(
      fc.property(anything, fc.oneof(tag, anything), anything, (before, begins, behind) => {
        const text = `${before}${begins}*${behind}`;
        const written = text.slice(before.length).split('*')[0] ?? '';
        // A slice may end there: what follows the separator is not in sight yet.
        const isInSight = before.length + 3 < text.length;
        const found = tagBefore(Buffer.from(text, 'latin1'), before.length, '*'.charCodeAt(0));
        expect(found).toBe(isInSight && isTag(written) ? tagCode(written) : 0);
      }),
      { numRuns: draws(1_000) },
    );
  });
});

describe('values by tag', () => {
  it('are those of a map, and undefined for all other tags', () => {
    fc.assert(
      fc.property(fc.array(tag, { maxLength: 60 }), fc.array(tag), (known, others) => {
        const values = new Map(known.map((each, index) => [tagCode(each), index]));
        const map = new TagMap(values);
        for (const each of [...known, ...others]) expect(map.get(tagCode(each))).toBe(values.get(tagCode(each)));
        expect(map.get(0)).toBe(undefined);
      }),
    );
  });
});
