/** Positions of several loads over real HTTP, shorter than `npm run prove -- --traces`: every point once, in order, at the cadence. */
import { expect, it } from 'vitest';
import { proveTraces } from '../../scripts/prove/traces.ts';

it('sends each load its positions once per window, whether they come in one file or hour by hour', async () => {
  const { figures, violations } = await proveTraces({
    uploads: [
      { name: 'ONE', loads: 4, hours: 4, files: 'one' },
      { name: 'HOURLY', loads: 4, hours: 2, files: 'hourly' },
    ],
    timeScale: 1_440,
    seed: 1,
  });
  expect(violations).toEqual([]);
  // A file of one hand-over has all points of a load together.
  expect(figures[0]).toContain('960 points in 4 requests');
  expect(figures[1]).toMatch(/480 points in \d+ requests/);
}, 180_000);
