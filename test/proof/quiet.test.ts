/** Nothing at fault, over real HTTP, shorter than `npm run prove -- --quiet`: what a busy process makes wait is not sent again. */
import { expect, it } from 'vitest';
import { proveQuiet } from '../../scripts/prove/quiet.ts';

it('sends every milestone once where nothing is at fault: none is unknown, and no breaker opens', async () => {
  const { figures, violations } = await proveQuiet({ loads: 100, rowsPerLoad: 8, seed: 1 });
  expect(violations).toEqual([]);
  expect(figures[0]).toContain('800 requests upstream');
}, 120_000);
