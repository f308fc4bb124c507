/** Which gaps of a feed may have cost a status of one order. */
import { expect, it } from 'vitest';
import { gapsOf } from '../../../src/feed/feed-status.ts';
import type { GapRow } from '../../../src/feed/feed-tables.ts';
import type { KnownOrder } from '../../../src/feed/order-book.ts';

const gap = (poll_no: number, lost_at_ms: number, closed_at_ms: number | null): GapRow => ({
  ...{ poll_no, lost_at_ms, closed_at_ms },
  ...{ why: 'server_error', since_ms: 0, closed_by: null },
});
const GAPS = [gap(1, 100, 150), gap(2, 200, null), gap(3, 300, 350)];
const order = (more: Partial<KnownOrder> = {}): KnownOrder => ({
  ...{ state: 'open', registeredAtMs: 300, learnedAtMs: null, due: false, tries: 0, retryAtMs: null, failure: null },
  ...more,
});
const polls = (booked: KnownOrder | null): number[] => gapsOf(GAPS, booked).map(({ poll_no }) => poll_no);

it('all gaps count for an order that the feed does not know', () => {
  expect(polls(null)).toEqual([1, 2, 3]);
});

it('those count for an order that were lost since it was registered', () => {
  expect(polls(order())).toEqual([3]);
  expect(polls(order({ registeredAtMs: 301 }))).toEqual([]);
});

it('an open gap counts for an order that a repair is still to ask for, whenever it was registered', () => {
  expect(polls(order({ due: true }))).toEqual([2, 3]);
});
