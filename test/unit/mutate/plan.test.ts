/** Which tests a mutant meets, and in which order. */
import { expect, it } from 'vitest';
import { type KnownTest, testsFor } from '../../../scripts/mutate/plan.ts';

const FILE = 'src/delivery/small.ts';
const test = (name: string, more: Partial<KnownTest> & { keys?: string[] } = {}): KnownTest => ({
  test: name,
  name,
  file: `test/unit/${name}.test.ts`,
  project: 'unit',
  ms: 10,
  reached: new Set(more.keys ?? ['m1']),
  near: new Map(),
  ...more,
});
const names = (tests: KnownTest[], project: 'unit' | 'worker' = 'unit') =>
  testsFor({ file: FILE, seenBy: ['m1', 'm2'] }, tests, project).map(({ name }) => name);

it('meets those that reach it, of its project', () => {
  const tests = [
    test('a'),
    test('b', { keys: ['m2', 'm9'] }),
    test('c', { keys: ['m9'] }),
    test('d', { project: 'worker' }),
  ];
  expect(names(tests)).toEqual(['a', 'b']);
  expect(names(tests, 'worker')).toEqual(['d']);
});

it('meets the quick ones first, those that reach little, and those that are much in its file', () => {
  const many = ['m1', ...Array.from({ length: 99 }, (_, at) => `x${at}`)];
  expect(names([test('slow', { ms: 500 }), test('broad', { keys: many }), test('quick')])).toEqual([
    'quick',
    'broad',
    'slow',
  ]);
  const close = test('close', { ms: 40, keys: many, near: new Map([[FILE, 60]]) });
  expect(names([test('quick'), close])).toEqual(['close', 'quick']);
});

it('meets at least one, and no more than take a while together', () => {
  expect(names([test('a', { ms: 90_000 })])).toEqual(['a']);
  expect(names([test('a', { ms: 15_000 }), test('b', { ms: 16_000 })])).toEqual(['a']);
});
