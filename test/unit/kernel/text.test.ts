import { expect, it } from 'vitest';
import { quoteValue } from '../../../src/kernel/problem.ts';
import { headOf } from '../../../src/kernel/text.ts';

it('cuts no character in two', () => {
  expect(headOf('ab😀', 3)).toBe('ab');
  expect(headOf('ab😀', 4)).toBe('ab😀');
  expect(quoteValue(`${'x'.repeat(119)}😀😀`).isWellFormed()).toBe(true);
});

it('leaves a text alone that was broken before', () => {
  expect(headOf('a\ud800bc', 3)).toBe('a\ud800b');
});
