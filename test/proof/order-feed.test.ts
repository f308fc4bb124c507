/** Orders that live and are followed, over real HTTP; shorter than `npm run prove -- --orders`. */
import { expect, it } from 'vitest';
import { proveOrders } from '../../scripts/prove/orders.ts';

/** A day passes in 40 seconds, a poll comes every 0.8; the machine has other work. The seed loses the fourth poll, and others. */
const SHORT = { timeScale: 2_160, orders: 60, changed: 30, cancelled: 6, seed: 17, alarmLateMs: 2_000 };

it('has each order as the receiving system has it, and each change of it once, by batch polls alone', async () => {
  const { figures, violations } = await proveOrders({ ...SHORT, stepShare: 0.15, lostShare: 0, kills: false });
  expect(violations).toEqual([]);
  expect(figures[0]).toContain('60 made; creates 120 of 120 rows');
  expect(figures[2]).toContain('0 gaps; 0 calls of single orders');
}, 180_000);

it('the same where answers of polls are lost and the bridge is killed: gaps are shown and repaired', async () => {
  const { figures, violations } = await proveOrders({ ...SHORT, stepShare: 0.2, lostShare: 0.15, kills: true });
  expect(violations).toEqual([]);
  expect(figures[2]).toMatch(/ gaps \(.*cut, closed by repair/);
}, 240_000);
