import { env } from 'cloudflare:workers';
import { evictDurableObject, reset, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { loadName } from '../../src/kernel/names.ts';
import type { HandedRequest, LoadIdentity } from '../../src/tracking/load-store.ts';
import type { Load } from '../../src/tracking/load.ts';
import { upstreamAnswers } from './upstream-double.ts';

const IDENTITY: LoadIdentity = { environment: 'test', partner: 'acme', scac: 'DEMO', loadNumber: 'L1' };
const loadStub = (): DurableObjectStub<Load> => env.LOAD.getByName(loadName(IDENTITY, 'DEMO', 'L1'));

const handed = (record: number, channel = 'plain'): HandedRequest => ({
  key: `b_1/${record}/1`,
  batchId: 'b_1',
  record,
  request: 1,
  kind: 'milestone',
  channel,
  body: JSON.stringify({ loadNumber: 'L1', eventCode: 'X3', record }),
  acceptedAtMs: Date.now(),
});

/** Runs alarms until nothing is due now; a wait in the future stays. */
async function drain(stub: DurableObjectStub<Load>): Promise<void> {
  for (let round = 0; round < 20; round += 1) {
    const armedMs = await runInDurableObject(stub, (_, state) => state.storage.getAlarm());
    if (armedMs === null || armedMs > Date.now() + 50) return;
    await runDurableObjectAlarm(stub);
  }
}

const states = async (stub: DurableObjectStub<Load>) =>
  (await stub.timeline()).map(({ request, attempts }) => [request.state, attempts.length]);

afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

describe('a Load', () => {
  it('sends its milestones one at a time in hand-over order', async () => {
    const { left } = upstreamAnswers(200);
    const load = loadStub();
    await load.enqueue(IDENTITY, [handed(1), handed(2), handed(3)]);
    await drain(load);
    expect(left.map(({ body }) => JSON.parse(body).record)).toEqual([1, 2, 3]);
    expect(await states(load)).toEqual([
      ['delivered', 1],
      ['delivered', 1],
      ['delivered', 1],
    ]);
  });

  it('sends a request handed over twice only once', async () => {
    const { left } = upstreamAnswers(200);
    const load = loadStub();
    await load.enqueue(IDENTITY, [handed(1)]);
    await load.enqueue(IDENTITY, [handed(1)]);
    await drain(load);
    await load.enqueue(IDENTITY, [handed(1)]);
    await drain(load);
    expect(left).toHaveLength(1);
  });

  it('has the intent in storage before the request leaves', async () => {
    const load = loadStub();
    let stored: unknown;
    upstreamAnswers(async () => {
      stored = (await load.timeline()).map(({ request, attempts }) => [request.state, attempts[0]?.effect]);
      return new Response('{}');
    });
    await load.enqueue(IDENTITY, [handed(1)]);
    await drain(load);
    expect(stored).toEqual([['sending', null]]);
  });

  it('remembers a waiting request after it is evicted', async () => {
    upstreamAnswers(429, 200);
    const load = loadStub();
    await load.enqueue(IDENTITY, [handed(1)]);
    await drain(load);
    await evictDurableObject(load);
    await runDurableObjectAlarm(load);
    await drain(load);
    expect((await states(load))[0]?.[0]).toMatch(/waiting|delivered/);
  });
});
