/** Values at paths of member names, in JSON of the other side. */
import { expect, it } from 'vitest';
import { withValueAt } from '../../../src/upstream/contracts/json.ts';

it('a value is put at its path, beside what stands there', () => {
  expect(withValueAt({ a: 1, b: { c: 2 } }, ['b', 'd'], 3)).toEqual({ a: 1, b: { c: 2, d: 3 } });
  expect(withValueAt({ a: 1 }, ['b', 'd'], 3)).toEqual({ a: 1, b: { d: 3 } });
});

it.each([[[7, 8]], ['text'], [7], [null]])('on the way to a value, %j makes room for an object of its own', (inner) => {
  expect(withValueAt({ b: inner }, ['b', 'd'], 3)).toEqual({ b: { d: 3 } });
});
