/** A call that waits for its slot in this process: it has not begun, so nothing of it is doubtful, whatever happens meanwhile. */
import { abortAllDurableObjects, reset } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LEASE_LIFETIME_MS } from '../../../src/kernel/limits.ts';
import { forgetSlots, takeSlot } from '../../../src/upstream/call.ts';
import { CALLS_IN_FLIGHT_MAX } from '../../../src/upstream/limits.ts';
import { upstreamOf } from '../../../src/upstream/settings.ts';
import { TEST_TIME_SCALE } from '../channels.ts';
import { aLoad, PATIENCE } from '../loads.ts';
import { upstreamAnswers } from '../upstream-double.ts';

/** Long enough for a lease to run out. */
const LONG_MS = LEASE_LIFETIME_MS / TEST_TIME_SCALE + 300;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

let giveBack: (() => void)[] = [];
const freeAll = (): void => {
  for (const one of giveBack) one();
};

beforeEach(async () => {
  forgetSlots();
  const { channels, clock } = upstreamOf(env);
  const plain = channels.get('plain');
  if (plain === undefined) throw new Error('no such channel');
  giveBack = await Promise.all(Array.from({ length: CALLS_IN_FLIGHT_MAX }, () => takeSlot(plain, clock)));
});
afterEach(async () => {
  forgetSlots();
  vi.restoreAllMocks();
  await reset();
});

describe('a milestone that waits for its slot', () => {
  it('is queued and has no intent, also when its permit has run out; then it goes out once and has cost no try', async () => {
    const upstream = upstreamAnswers(200);
    const load = aLoad();
    await load.dispatch([1]);
    await pause(LONG_MS);
    expect(await load.timeline()).toMatchObject([
      { request: { state: 'queued', attempts: 0, tries: 0 }, attempts: [] },
    ]);
    expect(upstream.left).toEqual([]);
    freeAll();
    await load.reaches('delivered');
    expect(upstream.left).toHaveLength(1);
    const [entry] = await load.timeline();
    expect(entry?.request).toMatchObject({ attempts: 1, had_unknown: 0, possible_duplicate: 0 });
  });

  it('is withdrawn as what was never sent', async () => {
    const upstream = upstreamAnswers(200);
    const load = aLoad();
    await load.dispatch([1]);
    await pause(50);
    await load.stub().cancel('b_1');
    freeAll();
    await load.reaches('cancelled');
    await pause(300);
    expect(upstream.left).toEqual([]);
    expect(await load.timeline()).toMatchObject([{ attempts: [] }]);
  });

  it('leaves nothing unknown when its object dies: it goes out once', async () => {
    const upstream = upstreamAnswers(200);
    const load = aLoad();
    await load.dispatch([1]);
    await pause(50);
    await abortAllDurableObjects();
    freeAll();
    await vi.waitFor(async () => {
      await load.stub().ensureAlarm();
      expect((await load.timeline())[0]?.request.state).toBe('delivered');
    }, PATIENCE);
    expect(upstream.left).toHaveLength(1);
    expect(await load.timeline()).toMatchObject([
      { request: { had_unknown: 0, attempts: 1 }, attempts: [{ effect: 'applied' }] },
    ]);
  });
});
