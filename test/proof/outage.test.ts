/** An outage over real HTTP, shorter than `npm run prove -- --outage`: far fewer attempts than rows, all delivered, none held. */
import { expect, it } from 'vitest';
import { proveOutage } from '../../scripts/prove/outage.ts';

const SHORT = { rows: 100, rowsPerLoad: 5, timeScale: 1_200, ratePerSecond: 0.1, burst: 10, seed: 1 };

it('waits out two hours without the receiving system and then delivers everything in its order', async () => {
  const { figures, violations } = await proveOutage({ ...SHORT, what: 'outage', hours: 2 });
  expect(violations).toEqual([]);
  expect(figures[0]).toContain('delivered 100, held 0');
}, 120_000);
