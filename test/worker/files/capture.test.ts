/** The engine of patterns inside the real runtime: it loads there, compiles without generating code, and agrees with Node. */
import { expect, it } from 'vitest';
import { compileCapture } from '../../../src/mapping/values/text.ts';

it('compiles and runs a pattern', () => {
  const compiled = compileCapture('(?i)PRO[ :#]*(?<pro>\\d{6,10})\\b', 1);
  expect(compiled.ok && compiled.value('BOL 7 / Pro# 774411, Zürich')).toBe('774411');
  expect(compiled.ok && compiled.value('no such number')).toBeUndefined();
});

it('refuses a broken one in words', () =>
  expect(compileCapture('(a', 1)).toEqual({ ok: false, error: 'missing closing ): `(a`' }));

it('ends on a pattern that stops a backtracking engine', () => {
  const compiled = compileCapture('^(([a-z])+.)+[A-Z]([a-z])+$', 1);
  expect(compiled.ok && compiled.value('a'.repeat(4_096))).toBeUndefined();
});
