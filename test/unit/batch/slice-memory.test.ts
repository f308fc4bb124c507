/** Rows that batches of one process keep in memory. */
import { expect, it } from 'vitest';
import type { Slice, SliceRow, StoredOutcome } from '../../../src/batch/store/slice.ts';
import { SliceMemory } from '../../../src/batch/store/slice-memory.ts';

const MILLION = 1024 * 1024;
const slice = (id: number, characters: number): Slice => ({ id, characters }) as Slice;
const ROWS: SliceRow[] = [];

/** Whether each is still there; asking makes it one that was read lately. */
const known = (memory: SliceMemory, ...ids: number[]): boolean[] =>
  ids.map((id) => memory.rowsRead(slice(id, 0)) !== undefined);

it('are five million characters of all batches together: those that were not read for longest go first', () => {
  const [one, other] = [new SliceMemory(), new SliceMemory()];
  one.remember(slice(1, 2 * MILLION), ROWS);
  other.remember(slice(1, 2 * MILLION), ROWS);
  expect(known(one, 1)).toEqual([true]); // so that of the other was not read for longest
  one.remember(slice(2, 2 * MILLION), ROWS);
  expect([known(one, 1, 2), known(other, 1)]).toEqual([[true, true], [false]]);
  one.forgetRows();
});

it('count once, however often a slice is read again', () => {
  const memory = new SliceMemory();
  for (let time = 0; time < 5; time += 1) memory.remember(slice(1, 2 * MILLION), ROWS);
  memory.remember(slice(2, 3 * MILLION), ROWS);
  expect(known(memory, 1, 2)).toEqual([true, true]);
  memory.remember(slice(2, 4 * MILLION), ROWS);
  expect(known(memory, 1, 2)).toEqual([false, true]);
  memory.forgetRows();
});

it('give their room back when a batch forgets them', () => {
  const [one, other] = [new SliceMemory(), new SliceMemory()];
  one.remember(slice(1, 4 * MILLION), ROWS);
  one.forgetRows();
  other.remember(slice(1, 3 * MILLION), ROWS);
  other.remember(slice(2, 2 * MILLION), ROWS);
  expect([known(one, 1), known(other, 1, 2)]).toEqual([[false], [true, true]]);
  other.forgetRows();
});

it('of a slice too large for all of it are there until the next one is read', () => {
  const memory = new SliceMemory();
  memory.remember(slice(1, 9 * MILLION), ROWS);
  expect(known(memory, 1)).toEqual([true]);
  memory.remember(slice(2, 1), ROWS);
  expect(known(memory, 1, 2)).toEqual([false, true]);
  memory.forgetRows();
});

it('have outcomes besides, of which each request counts once, until their slices have them', () => {
  const memory = new SliceMemory();
  const outcome = (record: number, revision: number) =>
    ({ record, request: 1, generation: 1, revision }) as StoredOutcome;
  const later = () => [memory.outcomes, [...(memory.later.get(1)?.values() ?? [])].map(({ revision }) => revision)];
  for (const [record, revision] of [
    [1, 1],
    [2, 5],
    [1, 3],
    [2, 4],
  ] as const)
    memory.noteLater(slice(1, 1), outcome(record, revision));
  expect(later()).toEqual([2, [3, 5]]);
  memory.forgetLater();
  expect(later()).toEqual([0, []]);
  memory.noteLater(slice(1, 1), outcome(1, 1));
  expect(later()).toEqual([1, [1]]);
});
