/** Decisions about held positions, which travel in sets: what is decided about one is decided about all that go with it. */
import { evictDurableObject, reset } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { DecisionRequest } from '../../../src/tracking/decisions.ts';
import { aLoad, type LoadUnderTest } from '../loads.ts';
import { points, pointsIn } from '../traces.ts';
import { type UpstreamDouble, upstreamAnswers } from '../upstream-double.ts';

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

const redirected = (): Response => new Response(null, { status: 307, headers: { Location: '/elsewhere' } });

/** Two positions in one set that was unclear and then redirected; the first one leads. */
async function heldSet(): Promise<{ load: LoadUnderTest; upstream: UpstreamDouble }> {
  const upstream = upstreamAnswers(500, redirected);
  const load = aLoad();
  await load.stub().enqueue(load.identity, points(load, [1, 2]));
  await load.stub().release('b_1');
  await load.reaches('held', 'coalesced');
  return { load, upstream };
}

const asked = (record: number, more: Partial<DecisionRequest>): DecisionRequest => ({
  id: 'click-1',
  place: { batchId: 'b_1', record, request: 1 },
  who: 'key-1',
  name: 'Analyst',
  why: 'asked by phone',
  decision: 'send_again',
  seen: null,
  orderId: null,
  outcome: null,
  dryRun: false,
  ...more,
});

describe('a decision about a position that travels with another', () => {
  it('sends the whole set again, as it was', async () => {
    const { load, upstream } = await heldSet();
    upstream.answer(200);
    expect(await load.stub().decide(asked(2, {}))).toMatchObject({
      ok: true,
      value: { requests: 2, state: 'unknown' },
    });
    await load.reaches('delivered', 'coalesced');
    expect(pointsIn(upstream.left)).toEqual([
      [1, 2],
      [1, 2],
      [1, 2],
    ]);
    const history = await load.stub().history({ batchId: 'b_1', record: 2, request: 1 });
    expect(history).toMatchObject({
      generations: [{ request: { state: 'coalesced' }, lead: { state: 'delivered', record: 1 }, open: [] }],
      decisions: [{ decision: 'send_again', who: 'key-1', why: 'asked by phone' }],
    });
    expect(JSON.parse(history.decisions[0]?.before ?? '')).toMatchObject({ key: 'b_1/1/1', state: 'held' });
  });

  it.each([
    [{ decision: 'mark_delivered' }, 'delivered'],
    [{ decision: 'close', outcome: 'unknown' }, 'dead'],
  ] as const)('%o ends the whole set, and nothing leaves', async (decision, state) => {
    const { load, upstream } = await heldSet();
    const sent = upstream.left.length;
    expect(await load.stub().decide(asked(2, decision))).toMatchObject({ ok: true, value: { state } });
    await load.reaches(state, 'coalesced');
    expect(upstream.left).toHaveLength(sent);
  });

  it('stands when its object has fallen asleep, and is not made twice', async () => {
    const { load, upstream } = await heldSet();
    upstream.answer(200);
    await load.stub().decide(asked(1, {}));
    await load.reaches('delivered', 'coalesced');
    const sent = upstream.left.length;
    await evictDurableObject(load.stub());
    expect(await load.stub().decide(asked(1, {}))).toMatchObject({
      ok: true,
      value: { replayed: true, state: 'unknown' },
    });
    expect(await load.stub().decide(asked(1, { id: 'click-2' }))).toMatchObject({
      ok: false,
      error: { code: 'not_held', state: 'delivered' },
    });
    expect(upstream.left).toHaveLength(sent);
  });

  it('about a request that was never handed over is refused', async () => {
    const { load } = await heldSet();
    expect(await load.stub().decide(asked(3, {}))).toEqual({ ok: false, error: { code: 'request_unknown' } });
  });

  it('gives what is sent again its time anew: its own may have passed while it was held', async () => {
    const { load, upstream } = await heldSet();
    await load.becomes({ deadline_ms: 1 });
    upstream.answer(200);
    await load.stub().decide(asked(1, {}));
    await load.reaches('delivered', 'coalesced');
  });
});
