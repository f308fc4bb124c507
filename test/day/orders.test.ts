/** A day of orders that live and are followed, over real HTTP, by a clock that wants a quiet machine; shorter than `npm run prove -- --orders`. */
import { expect, it } from 'vitest';
import { proveOrders } from '../../scripts/prove/orders.ts';

/** A day passes in 40 seconds, a poll comes every 0.8; the machine has other work. The seed loses the fourth poll, and others. */
const SHORT = { timeScale: 2_160, orders: 60, changed: 30, cancelled: 6, seed: 17 };

it('a day of orders ends as the receiving system has them, each change once, though polls are lost and the bridge is killed', async () => {
  const { figures, violations } = await proveOrders({ ...SHORT, stepShare: 0.2, lostShare: 0.15, kills: true });
  expect(violations).toEqual([]);
  expect(figures[2]).toMatch(/ gaps \(.*cut, closed by repair/);
}, 240_000);
