/** Long texts as they are stored. */
import { expect, it } from 'vitest';
import { packedText, textIn } from '../../../src/kernel/packed-text.ts';

const long = JSON.stringify(Array.from({ length: 200 }, (_, row) => ({ load: `L${row}`, city: 'Łódź 🚚' })));

it('stores a long text in a fraction of its length, and reads it as it was', () => {
  const stored = packedText(long) as ArrayBuffer;
  expect(stored.byteLength).toBeLessThan(long.length / 5);
  expect(textIn(stored)).toBe(long);
});

it.each(['', 'short', 'x'.repeat(2_000)])('stores a short text as it is', (text) => {
  expect(packedText(text)).toBe(text);
  expect(textIn(text)).toBe(text);
});

it('reads a long text that was stored as it is', () => {
  expect(textIn(long)).toBe(long);
});
