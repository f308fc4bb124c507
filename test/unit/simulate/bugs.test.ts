/** Planted bugs fit the source; that each breaks an invariant is shown by `npm run simulate -- --bug all --kept`. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { BUGS } from '../../../scripts/simulate/bugs.ts';
import { SMALL_LIMITS } from '../../../scripts/simulate/modules.ts';
import { located, patched } from '../../../scripts/simulate/patches.ts';

const NAMES = Object.keys(BUGS);

describe('planted bugs', () => {
  it('are at least a dozen', () => {
    expect(NAMES.length).toBeGreaterThanOrEqual(12);
  });

  it.each(NAMES)('%s: the function that it changes is in the source', (name) => {
    for (const patch of (BUGS[name]?.patches ?? []).map(located)) {
      expect(() => patched(readFileSync(patch.file, 'utf8'), [patch])).not.toThrow();
    }
  });
});

it('finds every limit that it makes small', () => {
  for (const patch of SMALL_LIMITS) {
    expect(() => patched(readFileSync(patch.file, 'utf8'), [patch])).not.toThrow();
  }
});

it('refuses a patch that would change nothing, or whose function is nowhere', () => {
  const patch = { in: 'one', file: 'a.ts', replace: '' };
  expect(() => patched('const one = 1;', [{ ...patch, find: 'two' }])).toThrow(/nowhere/);
  expect(() => patched('const one = 1 + 1;', [{ ...patch, find: '1' }])).toThrow(/nowhere/);
  expect(() => patched('const other = 1;', [{ ...patch, find: '1' }])).toThrow(/nowhere/);
  expect(() => located({ in: 'Batch.neverDeclared', find: 'a', replace: '' })).toThrow(/fits in 0 files/);
});

it('changes the function it names, and no other of the file', () => {
  const source = 'function one() { return 1; }\nclass Two { one() { return 1; } }\n';
  expect(patched(source, [{ in: 'Two.one', file: 'a.ts', find: 'return 1', replace: 'return 2' }])).toBe(
    'function one() { return 1; }\nclass Two { one() { return 2; } }\n',
  );
});
