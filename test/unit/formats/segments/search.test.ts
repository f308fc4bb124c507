/** Where a unit stands next: remembered, and the same as looked for anew. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { nextOf, SliceSearches } from '../../../../src/formats/segments/list.ts';
import { draws } from '../../../draws.ts';

const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '\n'), maxLength: 40 });

it('finds what a search from there finds, whether asked forwards or backwards', () => {
  fc.assert(
    fc.property(text, fc.constantFrom('\n', 'a', ''), fc.array(fc.nat({ max: 45 })), (slice, unit, places) => {
      const searches = new SliceSearches(slice);
      for (const at of places) expect(searches.of(unit).from(at)).toBe(nextOf(slice, unit, at));
    }),
    { numRuns: draws(1_000) },
  );
});

it('passes a long slice once, although it is asked backwards again and again', () => {
  const long = 'x'.repeat(4 * 1_024 * 1_024);
  const search = new SliceSearches(long).of('\n');
  const before = performance.now();
  for (let at = 1_000; at < 2_000_000; at += 10) {
    search.from(at);
    search.from(at - 500);
  }
  // Anew each time, it would pass over 400 GB.
  expect(performance.now() - before).toBeLessThan(5_000);
});
