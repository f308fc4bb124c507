/** A few seeds of the bridge's own objects under seeded faults; `npm run simulate` runs as many as are wanted. */
import { expect, it } from 'vitest';
import { simulate } from './run-simulator.ts';

const PATIENCE_MS = 60_000;

it('keeps every invariant in 25 seeds', { timeout: PATIENCE_MS }, async () => {
  const { code, said } = await simulate('--seeds', '25', '--jobs', '1', '--quiet');
  expect(said).toContain('all invariants held');
  expect(code).toBe(0);
});

it('does the same again when a seed is run again, whatever ran before it', { timeout: PATIENCE_MS }, async () => {
  const alone = await simulate('--seed', '77', '--trace');
  const again = await simulate('--seed', '77', '--trace', '--after', '74');
  expect(alone.said).toContain('seed 77: all invariants held');
  expect(again.said).toBe(alone.said);
});
