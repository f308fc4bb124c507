/** A batch that meets all kinds of answers, is cancelled in mid-flight, evicted, and retried: every row arrives exactly once. */
import { evictDurableObject, reset } from 'cloudflare:test';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { countedState, followedState } from '../../../src/delivery/outcome.ts';
import { cancel, created, loadOf, retry, rowsOf } from '../actions.ts';
import type { BatchUnderTest } from '../batches.ts';
import { statusFile } from '../csv-files.ts';
import { dice } from '../dice.ts';
import { PATIENCE } from '../loads.ts';
import { upstreamAnswers } from '../upstream-double.ts';

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

const ROWS = 60;
const LOADS = 6;

const count = (states: readonly string[]): Record<string, number> =>
  Object.fromEntries([...Map.groupBy(states, (state) => state)].map(([state, all]) => [state, all.length]));

/** The counts as a reader of all rows would find them. */
async function expectTrueCounts(batch: BatchUnderTest): Promise<void> {
  const summary = await batch.summary();
  const rows = await batch.rows();
  const requests = rows.flatMap((row) => row.requests);
  expect(rows.map(({ record }) => record)).toEqual(Array.from({ length: ROWS }, (_, index) => index + 1));
  expect(summary.rowStates).toEqual(count(rows.map(({ state }) => state)));
  expect(summary.requestStates).toEqual(count(requests.map(({ state, intoState }) => countedState(state, intoState))));
  for (const { state, requests } of rows) {
    expect(requests.map((request) => followedState(request.state, request.intoState))).toEqual([state]);
  }
}

it.each([1, 2, 3, 4])('keeps true counts and brings every row once, with seed %d', async (seed) => {
  const random = dice(seed);
  const applied: string[] = [];
  const answers = [200, 200, 422, 429, 307];
  let isMoody = true;
  let redirectedLast = false;
  const { left } = upstreamAnswers(({ body }) => {
    const drawn = isMoody ? (answers[Math.floor(random() * answers.length)] ?? 200) : 200;
    // Redirects in a row stop the whole channel, which has tests of its own and takes its time.
    const status = drawn === 307 && redirectedLast ? 422 : drawn;
    if (status !== 429) redirectedLast = status === 307;
    if (status === 200) applied.push(body);
    return new Response(null, { status });
  });
  const batch = await created(statusFile(...rowsOf(ROWS, LOADS)));
  const enough = Math.floor(random() * ROWS);
  await vi.waitFor(() => expect(left.length).toBeGreaterThanOrEqual(enough), PATIENCE);
  await cancel(batch);
  if (random() < 0.7) await evictDurableObject(batch.stub());
  await batch.wake();
  await batch.reaches('settled');
  await expectTrueCounts(batch);

  await retry(batch);
  if (random() < 0.7) await evictDurableObject(batch.stub());
  await batch.wake();
  await batch.reaches('settled');
  await expectTrueCounts(batch);

  isMoody = false;
  await retry(batch);
  expect(await batch.reaches('settled')).toMatchObject({ rowStates: { delivered: ROWS }, rows: ROWS });
  await expectTrueCounts(batch);
  expect(applied).toHaveLength(ROWS);
  expect(new Set(applied).size).toBe(ROWS);

  const timelines = await Promise.all(Array.from({ length: LOADS }, (_, index) => loadOf(batch, index).timeline()));
  const ended = timelines.flat().filter(({ request }) => request.state !== 'delivered');
  for (const { request, attempts } of ended) {
    expect(['rejected', 'dead', 'cancelled'], request.key).toContain(request.state);
    expect(attempts.map(({ effect }) => effect)).not.toContain('applied');
  }
});
