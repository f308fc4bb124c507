/** How the book of a feed's orders is read: it may hold hundreds of thousands. */
import { expect, it } from 'vitest';
import { FEED_MIGRATIONS } from '../../../src/feed/feed-tables.ts';
import { OrderBook } from '../../../src/feed/order-book.ts';
import { plansOf } from '../query-plans.ts';

it('shows the orders of which was heard last along an index: it sorts none of the others', () => {
  const [read] = plansOf(FEED_MIGRATIONS, (sql) => new OrderBook(sql).recent(20));
  expect(read?.plan[0]).toBe('SCAN order_book USING INDEX learned_order');
  const sorts = read?.plan.filter((step) => step.includes('B-TREE'));
  expect(sorts).toHaveLength(1); // the few statuses of each order that is shown
});
