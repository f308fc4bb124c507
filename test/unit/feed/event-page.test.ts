/** Pages of a log: which events, where the next one begins, and whether there is more. */
import { expect, it } from 'vitest';
import type { EventStore } from '../../../src/feed/event-store.ts';
import { pageAfter } from '../../../src/feed/feed-status.ts';

/** Events 11 to 20 are kept. */
const LOG = {
  storedFrom: () => 10,
  last: () => 20,
  after: (after: number, limit: number) =>
    Array.from({ length: 10 }, (_, at) => ({ seq: 11 + at }))
      .filter(({ seq }) => seq > after)
      .slice(0, limit),
} as unknown as EventStore;
const page = (after: number | null, limit: number) => {
  const found = pageAfter(LOG, after, limit, 'DEMO');
  if (found.outcome !== 'page') return found;
  return [found.events.map(({ seq }) => seq), found.next, found.hasMore];
};

it('begins with the oldest that is kept, or behind the cursor', () => {
  expect(page(null, 2)).toEqual([[11, 12], 12, true]);
  expect(page(10, 2)).toEqual([[11, 12], 12, true]);
  expect(page(12, 3)).toEqual([[13, 14, 15], 15, true]);
});

it('says that there is no more where it holds the last one, though it is full', () => {
  expect(page(18, 2)).toEqual([[19, 20], 20, false]);
  expect(page(17, 2)).toEqual([[18, 19], 19, true]);
  expect(page(20, 2)).toEqual([[], 20, false]);
});

it('is none behind a cursor from before what is kept, or from ahead of all', () => {
  expect([page(9, 2), page(21, 2)]).toEqual([
    { outcome: 'expired', oldest: 10 },
    { outcome: 'ahead', last: 20 },
  ]);
});
