/** Creates whose answers fail in every way, shorter than `npm run prove -- --creates`. */
import { expect, it } from 'vitest';
import { proveCreates } from '../../scripts/prove/creates.ts';

it('makes every order once, or holds it visibly, whatever becomes of the answers', async () => {
  const plan = { timeScale: 960, ordersPerCase: 2, indexDelaySeconds: 1, failingChecks: 15 };
  const { figures, violations } = await proveCreates(plan);
  expect(violations).toEqual([]);
  expect(figures[1]).toBe('applied, connection lost: 2 orders, 2 POSTs, 2 upstream, 2 delivered reconcile');
  expect(figures[2]).toBe('not applied, connection lost: 2 orders, 2 POSTs, 0 upstream, 2 held not_found');
}, 180_000);
