/** A segment that is divided when it is asked says the same as one that was divided before. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  dividedSegment,
  elementOf,
  elementText,
  isChosen,
  readInto,
  UNDIVIDED,
  UndividedSegment,
} from '../../../../src/formats/segments/segment.ts';
import { draws } from '../../../draws.ts';

const codeOf = (unit: string): number => unit.charCodeAt(0);

/** @param before and what is behind it stand in the same slice, and must not be seen. */
function found(units: string, before = '', behind = '~L11*x'): UndividedSegment {
  const text = `${before}${units}${behind}`;
  const bytes = Buffer.from(text, 'latin1');
  const within = { text, bytes, byteBase: 0, element: codeOf('*'), component: codeOf(':'), repetition: codeOf('^') };
  const separator = units.indexOf('*');
  const tagTo = separator === -1 ? units.length : separator;
  const [from, to] = [before.length, before.length + units.length];
  return new UndividedSegment(within, units.slice(0, tagTo), 3, 1, from, from + tagTo + 1, to, to + 1);
}

const units = fc.string({ unit: fc.constantFrom('A', 'BM', '*', ':', '^', ' ', '\t'), maxLength: 24 });
const place = fc.record({ element: fc.integer({ min: 1, max: 6 }), component: fc.integer({ min: 1, max: 4 }) });

describe('a segment that is divided when it is asked', () => {
  it('has the elements that split would give, of a repeated one the first', () => {
    fc.assert(
      fc.property(units, units, (text, before) => {
        const wanted = text
          .split('*')
          .slice(1)
          .map((element) => {
            const parts = (element.split('^')[0] ?? '').split(':');
            return parts.length === 1 ? (parts[0] ?? '') : parts;
          });
        expect(found(text, before).elements).toEqual(wanted);
      }),
      { numRuns: draws(1_000) },
    );
  });

  it('gives every text as its divided form does: one by one, whole, and many at once', () => {
    fc.assert(
      fc.property(units, units, fc.array(place, { maxLength: 8 }), (text, before, places) => {
        const segment = found(text, before);
        const divided = dividedSegment(segment);
        for (const { element, component } of places) {
          expect(elementText(segment, element, component)).toBe(elementText(divided, element, component));
          expect(elementText(segment, element, null)).toBe(elementText(divided, element, null));
          expect(elementOf(segment, element)).toEqual(elementOf(divided, element));
        }
        const wanted = places
          .toSorted((left, right) => left.element - right.element)
          .map((each, field) => ({ ...each, field, component: field % 3 === 0 ? UNDIVIDED : each.component }));
        const [one, other] = [places.map(() => '?'), places.map(() => '?')];
        readInto(one, segment, wanted);
        readInto(other, divided, wanted);
        expect(one).toEqual(other);
      }),
      { numRuns: draws(1_000) },
    );
  });

  it('is chosen as its divided form is, blanks left out', () => {
    const values = fc.array(fc.constantFrom('A', 'BM', 'ABM', '', 'BMA'), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(
        units,
        units,
        place,
        values,
        fc.boolean(),
        fc.boolean(),
        (text, before, at, wanted, isWhole, isNot) => {
          const choices = [
            { element: at.element, component: isWhole ? null : at.component, values: wanted, isNot, ranked: false },
          ];
          const segment = found(text, before);
          expect(isChosen(segment, choices)).toBe(isChosen(dividedSegment(segment), choices));
        },
      ),
      { numRuns: draws(1_000) },
    );
  });

  it('sees nothing of the segment behind it', () => {
    const segment = found('AT7*X3');
    expect([segment.textAt(1, 1), segment.textAt(2, 1), segment.elements]).toEqual(['X3', '', ['X3']]);
    expect(found('LX').elements).toEqual([]);
    expect(found('LX*').elements).toEqual(['']);
  });
});
