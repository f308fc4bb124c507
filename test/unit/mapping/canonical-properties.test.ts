import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, type Json } from '../../../src/mapping/document/canonical.ts';

/** The same content, its members in another order at every level. */
function turned(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(turned);
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, member]) => [key, member === undefined ? member : turned(member)]),
  );
}

// A member called __proto__ is kept by JSON.parse and lost by Object.fromEntries: versions.test.ts has it.
const json = fc
  .jsonValue({ maxDepth: 4 })
  .filter((value) => !JSON.stringify(value).includes('__proto__'))
  .map((value) => JSON.parse(JSON.stringify(value)) as Json); // as it is stored: no -0

describe('canonical JSON, whatever the content', () => {
  it('reads back as that content', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(value);
      }),
    );
  });

  it('is the same text for any order of members, and written again from what was read', () => {
    fc.assert(
      fc.property(json, (value) => {
        const text = canonicalJson(value);
        expect(canonicalJson(turned(value))).toBe(text);
        expect(canonicalJson(JSON.parse(text) as Json)).toBe(text);
      }),
    );
  });

  it('is another text for other content', () => {
    fc.assert(
      fc.property(json, fc.oneof(json, fc.constant(null)), (one, drawn) => {
        const other = drawn ?? turned(one);
        expect(canonicalJson(one) === canonicalJson(other)).toBe(isDeeplyEqual(one, other));
      }),
    );
  });
});

function isDeeplyEqual(one: Json, other: Json): boolean {
  try {
    expect(one).toEqual(other);
    return true;
  } catch {
    return false;
  }
}
