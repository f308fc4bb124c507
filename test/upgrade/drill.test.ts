/** The drill of `npm run prove -- --upgrade`, shorter: the release before and this one, mixed in one runtime under load. */
import { expect, it } from 'vitest';
import { MIXES } from '../../scripts/prove/upgrade/mixes.ts';
import { proveUpgrade } from '../../scripts/prove/upgrade.ts';

it('loses nothing and sends nothing twice unsaid while two releases are mixed, and whoever asks is told to come again', async () => {
  const mixes = MIXES.filter(({ isShort }) => isShort);
  const { figures, violations } = await proveUpgrade({ release: '0.2', mixes, partners: 1, seconds: 2, seed: 7 });
  expect(violations).toEqual([]);
  expect(figures.join('\n')).toContain('deploy_under_way');
  expect(figures.join('\n')).toMatch(/new Worker over old objects: writes: .*rename 200/);
}, 240_000);
