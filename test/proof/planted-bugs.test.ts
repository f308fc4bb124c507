/** The simulator finds what it is for: every planted bug breaks an invariant. */
import { expect, it } from 'vitest';
import { BUGS } from '../../scripts/simulate/bugs.ts';
import { simulate } from '../unit/simulate/run-simulator.ts';

const NAMES = Object.keys(BUGS);

it('planted bugs are all caught, by their kept seeds or soon after', { timeout: 120_000 }, async () => {
  const { code, said } = await simulate('--bug', 'all', '--kept', '--seeds', '1000');
  expect(said).toContain(`${NAMES.length} of ${NAMES.length} planted bugs caught`);
  expect(code).toBe(0);
});
