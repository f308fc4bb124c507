/** What of batches did not arrive: two lists of it in one order. */
import { expect, it } from 'vitest';
import { DEAD_LETTER_STATES, type DeadLetter, mergedDeadLetters } from '../../../src/batch/core/dead-letters.ts';
import { CORRECTABLE } from '../../../src/batch/core/tally.ts';
import { isFinal, REQUEST_STATES } from '../../../src/delivery/states.ts';

const letters = (...places: [record: number, request: number][]) =>
  places.map(([record, request]) => ({ record, request })) as DeadLetter[];
const locationsOf = (merged: readonly DeadLetter[]) => merged.map(({ record, request }) => [record, request]);

it('are for a partner to correct where they are no matter of a person who decides', () => {
  expect([...CORRECTABLE].sort()).toEqual(DEAD_LETTER_STATES.filter((state) => state !== 'held').sort());
});

it('are one list in the order of rows and their requests, no longer than a page', () => {
  const [one, other] = [letters([1, 2], [3, 1], [9, 1]), letters([1, 1], [3, 3], [3, 2])];
  const all = [
    [1, 1],
    [1, 2],
    [3, 1],
    [3, 2],
    [3, 3],
    [9, 1],
  ];
  expect(locationsOf(mergedDeadLetters(one, other, 10))).toEqual(all);
  expect(locationsOf(mergedDeadLetters(other, one, 4))).toEqual(all.slice(0, 4));
});

it('are what is held, and what ended without a delivery', () => {
  const isSent = (state: string) => state === 'delivered' || state === 'duplicate';
  const wanted = [...REQUEST_STATES, 'invalid' as const].filter(
    (state) => state === 'invalid' || state === 'held' || (isFinal(state) && !isSent(state)),
  );
  expect([...DEAD_LETTER_STATES].sort()).toEqual([...wanted].sort());
});
