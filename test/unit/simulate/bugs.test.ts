/** Planted bugs fit the source; that each breaks an invariant is shown by `npm run simulate -- --bug all --kept`. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { BUGS } from '../../../scripts/simulate/bugs.ts';
import { patched, SMALL_LIMITS } from '../../../scripts/simulate/modules.ts';

const NAMES = Object.keys(BUGS);

describe('planted bugs', () => {
  it('are at least a dozen', () => {
    expect(NAMES.length).toBeGreaterThanOrEqual(12);
  });

  it.each(NAMES)('%s: what it replaces stands in the source', (name) => {
    for (const patch of BUGS[name]?.patches ?? []) {
      expect(() => patched(readFileSync(patch.file, 'utf8'), [patch])).not.toThrow();
    }
  });
});

it('finds every limit that it makes small', () => {
  for (const patch of SMALL_LIMITS) {
    expect(() => patched(readFileSync(patch.file, 'utf8'), [patch])).not.toThrow();
  }
});

it('refuses a patch that would change nothing', () => {
  expect(() => patched('const one = 1;', [{ file: 'a.ts', find: 'two', replace: '' }])).toThrow(/0 times/);
  expect(() => patched('a a', [{ file: 'a.ts', find: 'a', replace: '' }])).toThrow(/2 times/);
});
