/** The drill of `npm run prove -- --restore`, shorter. */
import { expect, it } from 'vitest';
import { proveRestore } from '../../scripts/prove/restore.ts';

it('knows and lists what came in after the directory was exported, and sends nothing twice', async () => {
  const { figures, violations } = await proveRestore({ rows: 5 });
  expect(violations).toEqual([]);
  expect(figures[0]).toMatch(/ [12] of 2 batches were listed, after \d+ calls of the rebuild 2; 10 requests arrived$/);
}, 240_000);
