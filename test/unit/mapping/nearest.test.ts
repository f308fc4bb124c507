import { expect, it } from 'vitest';
import { didYouMean, nearest } from '../../../src/mapping/document/nearest.ts';

it.each([
  ['load number', ['Load Number', 'Load No'], 'Load Number'],
  ['LOAD#', ['Stop', 'Load #'], 'Load #'],
  ['Load', ['Stop', 'Load No.'], 'Load No.'],
  ['Wehn', ['Where', 'When'], 'When'],
  ['Reasn', ['Season', 'Reason'], 'Reason'],
])('finds for %j among %j: %j', (text, candidates, wanted) => expect(nearest(text, candidates)).toEqual([wanted]));

it.each([
  ['Load', ['Status', 'City']],
  ['X9', ['X1', 'X2', 'X3']],
  ['', ['a']],
  ['x'.repeat(41), ['x'.repeat(41)]],
])('finds nothing for %j among %j', (text, candidates) => expect(nearest(text, candidates)).toEqual([]));

it('says nothing where nothing is near', () => expect(didYouMean('Load', ['City'])).toBe(''));

it('looks at a bounded number of candidates', () => {
  const many = Array.from({ length: 600 }, (_, index) => `name-${index}-${'x'.repeat(20)}`);
  expect(nearest('needle', [...many, 'needle'])).toEqual([]);
});
