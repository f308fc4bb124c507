/** The drill of `npm run prove -- --hostile`, shorter. How much slower others become is judged there, on a quiet machine. */
import { expect, it } from 'vitest';
import { proveHostile } from '../../scripts/prove/hostile.ts';

it('loses nothing of the partners beside a hostile one, sends nothing twice, and tells whoever is refused when to come again', async () => {
  const { figures, violations } = await proveHostile({
    ...{ partners: 6, seconds: 15, newLoads: 300, poisonRows: 30, isLimited: true },
    unfeltMs: 30_000, // other suites run beside it
  });
  expect(violations).toEqual([]);
  expect(figures.at(-1)).toContain('"429":');
}, 180_000);
