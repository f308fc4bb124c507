/** The platform's limits are enforced by nobody locally: here a large file is counted under the bridge's own. */
import { expect, it } from 'vitest';
import { Budget, SUBREQUESTS_MAX } from '../../scripts/simulate/budget.ts';
import { simulate } from '../unit/simulate/run-simulator.ts';

it('keeps every wake-up far inside the platform, however many loads a file has', { timeout: 240_000 }, async () => {
  const { code, said } = await simulate('--large');
  expect(said).toContain('all invariants held');
  expect(code).toBe(0);
  const used = JSON.parse(said.trim().split('\n').at(-1) ?? '{}') as Record<string, number>;
  expect(used.subrequests).toBeGreaterThan(200); // a wave wakes a bounded number of loads
  expect(used.subrequests).toBeLessThan(2_500);
  expect(used.open).toBeLessThanOrEqual(6);
  expect(used.calls).toBeGreaterThan(32); // visits of a wave, at once
  expect(used.calls).toBeLessThan(100);
  expect(used.alarmWallMs).toBeGreaterThan(1_000);
  expect(used.alarmWallMs).toBeLessThan(60_000);
});

it('refuses a subrequest too many, as the platform does', () => {
  const budget = new Budget();
  for (let spent = 0; spent < SUBREQUESTS_MAX; spent += 1) budget.spend();
  expect(() => budget.spend()).toThrow(/Too many subrequests/);
});

it('refuses an alarm that runs for more than a quarter of an hour', () => {
  expect(() => new Budget().checkWall(15 * 60_000 + 1)).toThrow(/longer/);
});
