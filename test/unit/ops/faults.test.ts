/** Faults of the bridge are counted by the minute, and a flood of them costs a write every ten seconds. */
import { expect, it } from 'vitest';
import { faultCounter, faultKind, faultsIn } from '../../../src/ops/index/faults.ts';
import { FAULTS_WRITTEN_MS } from '../../../src/ops/index/limits.ts';
import { aDirectory } from '../directory-tables.ts';

function counting(fromMs = 600_000) {
  const { database, read } = aDirectory();
  const clock = { nowMs: fromMs };
  const work: Promise<unknown>[] = [];
  const count = faultCounter({ database: () => database, later: (one) => work.push(one), nowMs: () => clock.nowMs });
  const written = async () => {
    await Promise.all(work);
    return read('SELECT minute, event, count FROM fault_minute ORDER BY minute, event');
  };
  return { clock, count, work, written, faults: faultsIn(database) };
}

it('writes the first at once and what follows together, each under the minute in which it is written', async () => {
  const { clock, count, work, written, faults } = counting();
  for (let at = 0; at < 1_000; at += 1) count('error', 'request_failed');
  expect(work).toHaveLength(1);
  await written();
  clock.nowMs += FAULTS_WRITTEN_MS;
  count('error', 'batch_wake_up_failed');
  expect(work).toHaveLength(2);
  expect(await written()).toEqual([
    [10, 'batch_wake_up_failed', 1],
    [10, 'request_failed', 1_000],
  ]);
  const since = await faults.since(600_000);
  expect(since.ok && since.value).toHaveLength(2);
  expect(await faults.since(660_000)).toEqual({ ok: true, value: [] });
});

it('counts errors, and warnings that are answers of 5xx, and nothing else', async () => {
  const { count, written } = counting();
  count('warn', 'webhooks_not_reached');
  count('info', 'request_failed_not');
  expect(await written()).toEqual([]);
  count('warn', 'platform_unavailable');
  expect(await written()).toEqual([[10, 'platform_unavailable', 1]]);
});

it('never throws, whatever fails', async () => {
  const none = () => {
    throw new Error('no directory');
  };
  faultCounter({ database: none, later: none, nowMs: () => 0 })('error', 'request_failed');
  const work: Promise<unknown>[] = [];
  faultCounter({ database: none, later: (one) => work.push(one), nowMs: () => 0 })('error', 'request_failed');
  await expect(Promise.all(work)).resolves.toEqual([undefined]);
});

it('knows an answer of 5xx from a wake-up that failed', () => {
  expect(
    ['request_failed', 'subject_wake_up_failed', 'register_round_failed', 'batch_not_created', 'x'].map(faultKind),
  ).toEqual(['answer', 'wake_up', 'wake_up', 'wake_up', 'other']);
});
