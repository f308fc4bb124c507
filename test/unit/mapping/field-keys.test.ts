/** The keys of a field are one set: a second one of a name would take the place of the first without a word. */
import { expect, it } from 'vitest';
import { codeKeys, numberKeys, originKeys, textKeys, timeKeys } from '../../../src/mapping/document/field-spec.ts';

it('no two groups of keys have a name in common', () => {
  const names = [originKeys, textKeys, codeKeys, numberKeys, timeKeys].flatMap((keys) => Object.keys(keys));
  expect(names.length).toBeGreaterThan(20);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});
