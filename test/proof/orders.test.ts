/** The bridge killed behind every slice of an order file whose orders cross each border; longer: `npm run kill -- --orders`. */
import { expect, it } from 'vitest';
import { killAtBorders } from '../../scripts/kill/orders.ts';

it('creates every order once or holds it visibly, whichever slice the bridge is killed behind', async () => {
  const plan = { order: 'adjacent', slices: 3, linesPerOrder: 7, rowBytes: 18_000 } as const;
  const { figures, violations } = await killAtBorders([plan]);
  expect(violations).toEqual([]);
  expect(figures[0]).toContain('kill -9 behind 3 of 3 commits');
}, 240_000);
