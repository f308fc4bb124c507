/** Requests of mappings that ask for strict order or their own key, and what a whole file of such a mapping gets. */
import { reset, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { loadName } from '../../../src/kernel/names.ts';
import { forgetTokens } from '../../../src/upstream/tokens.ts';
import { retry } from '../actions.ts';
import { aBatch } from '../batches.ts';
import { TEST_TIME_SCALE } from '../channels.ts';
import { asking, decision, HOUR_MS, loadUnknown, requestsOf } from '../delivery-rules.ts';
import { aLoad, type LoadUnderTest, PATIENCE, recordsOf } from '../loads.ts';
import { points, pointsIn } from '../traces.ts';
import { upstreamAnswers } from '../upstream-double.ts';

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
});
afterEach(async () => {
  vi.restoreAllMocks();
  forgetTokens();
  await reset();
});

const STRICT = asking({ laterEvents: 'wait' });
const states = async (load: LoadUnderTest) => (await requestsOf(load)).map(({ state }) => state);

describe('events whose mapping asks for strict order', () => {
  /** The first one is unclear and was first tried two hours ago. */
  async function stuck(load: LoadUnderTest): Promise<void> {
    await load.freezeIn('unknown');
    const longAgoMs = Date.now() - (2 * HOUR_MS) / TEST_TIME_SCALE;
    await load.becomes({ first_tried_at_ms: longAgoMs }, ({ first_tried_at_ms }) => first_tried_at_ms !== null);
    await load.wake();
  }

  it('wait for one that stays undecided, whatever mapping they are of', async () => {
    const upstream = upstreamAnswers(500);
    const load = aLoad();
    await load.dispatch([1], STRICT);
    await load.dispatch([2]);
    await stuck(load);
    expect(await states(load)).toEqual(['unknown', 'queued']);
    upstream.answer(200);
    await load.waitPasses();
    await load.reaches('delivered', 'delivered');
    expect((await requestsOf(load)).map(({ late }) => late)).toEqual([0, 0]);
  });

  it('pass one whose mapping does not ask for it', async () => {
    const upstream = upstreamAnswers(500);
    const load = aLoad();
    await load.dispatch([1]);
    await load.freezeIn('unknown');
    await load.dispatch([2], STRICT);
    upstream.answer(200);
    await stuck(load);
    await load.reaches('unknown', 'delivered');
  });

  it('wait while a person decides about one that is held', async () => {
    const upstream = upstreamAnswers(500, 200);
    const load = aLoad();
    await load.dispatch([1, 2], asking({ unclear: 'hold', laterEvents: 'wait' }));
    await load.reaches('held', 'queued');
    await load.wake();
    expect(recordsOf(upstream.left)).toEqual([1]);
    expect(await load.stub().ensureAlarm()).not.toBeNull();
    await load.stub().decide(decision(1, 'mark_delivered'));
    await load.reaches('delivered', 'delivered');
    expect(recordsOf(upstream.left)).toEqual([1, 2]);
  });

  it('hold back the next set of positions, too', async () => {
    const upstream = upstreamAnswers(500);
    const load = aLoad();
    await load.stub().enqueue(load.identity, points(load, [1], { live: true, ...STRICT }));
    await load.freezeIn('unknown');
    await load.stub().enqueue(load.identity, points(load, [2], { live: true }));
    await stuck(load);
    expect(await states(load)).toEqual(['unknown', 'queued']);
    upstream.answer(200);
    await load.waitPasses();
    await load.reaches('delivered', 'delivered');
    expect(pointsIn(upstream.left).slice(-2)).toEqual([[1], [2]]);
  });
});

describe('a request that names itself', () => {
  const NAMED = asking({ namesKey: true });
  const references = (body: string): unknown => (JSON.parse(body) as { references?: unknown }).references;

  it('bears the same key on every try and in every generation', async () => {
    const { left } = upstreamAnswers(500, 422, 200);
    const load = aLoad();
    await load.dispatch([1], NAMED);
    await load.reaches('held');
    await load.dispatch([1], { ...NAMED, key: 'b_1/1/1~2', generation: 2, forced: true });
    await load.reaches('held', 'delivered');
    const own = [{ name: 'TRANSLOAD', value: 'b_1/1/1' }];
    expect(left.map(({ body }) => references(body))).toEqual([own, own, own]);
    expect(left[1]?.body).toBe(left[0]?.body);
  });

  it('is the duplicate of one that says the same under another key', async () => {
    const { left } = upstreamAnswers(200);
    const load = aLoad();
    const body = JSON.stringify({ loadNumber: load.identity.loadNumber, eventCode: 'X3', record: 1 });
    await load.dispatch([1], { ...NAMED, body });
    await load.dispatch([2], { ...NAMED, body });
    await load.dispatch([3], { body });
    await load.reaches('delivered', 'duplicate', 'duplicate');
    expect(left).toHaveLength(1);
  });
});

describe('a file whose mapping asks something of delivery', () => {
  const DOCUMENT = `
mapping: asks-delivery
description: Status rows that are sent at most once.
source: { format: csv, delimiter: ",", encoding: utf-8, header: true }
target: milestone
zone: { const: America/Chicago }
delivery: { whenUnclear: hold, whenLoadUnknown: { waitFor: 24h }, requestKey: references }
fields:
  loadNumber: Load
  eventCode: { const: X6 }
  time: { from: When, parse: "yyyy-MM-dd HH:mm" }
examples:
  - input: |
      Load,When
      L1,2026-03-02 08:15
    records:
      - requests:
          - kind: milestone
            subject: load:L1
            body:
              loadNumber: L1
              eventCode: X6
              time: { dateTime: "2026-03-02T08:15:00.0000000-06:00", timeZoneCode: CST, timeZoneOffset: UTC-6 }
`;
  const file = (load: string) => `Load,When\n${load},2026-03-02 08:15\n`;

  it('has it done in its loads, at its first hand-over and when it is retried', async () => {
    const redirected = () => new Response(null, { status: 307, headers: { Location: '/elsewhere' } });
    const upstream = upstreamAnswers(redirected, 500);
    const batch = await aBatch(file('LD-ASKS'), { mapping: 'asks-delivery', document: DOCUMENT });
    await batch.stub().create(batch.ticket);
    expect((await batch.reaches('settled')).rowStates).toEqual({ dead: 1 });
    expect(await retry(batch)).toMatchObject({ ok: true, value: { requests: 1 } });
    await vi.waitFor(async () => expect((await batch.summary()).rowStates).toEqual({ held: 1 }), PATIENCE);
    expect((await batch.rows())[0]?.requests[0]).toMatchObject({ reason: 'may_have_arrived', generation: 2 });
    const load = env.LOAD.getByName(loadName(batch.ticket, 'DEMO', 'LD-ASKS'));
    await runInDurableObject(load, (instance) => instance.alarm());
    const named = { references: [{ name: 'TRANSLOAD', value: `${batch.ticket.batchId}/1/1` }] };
    expect(upstream.left.map(({ body }) => JSON.parse(body))).toMatchObject([named, named]);
  });

  it('waits for its load', async () => {
    const upstream = upstreamAnswers(loadUnknown);
    const batch = await aBatch(file('LD-LATER'), { mapping: 'asks-delivery', document: DOCUMENT });
    await batch.stub().create(batch.ticket);
    await vi.waitFor(async () => expect((await batch.summary()).rowStates).toEqual({ waiting: 1 }), PATIENCE);
    expect((await batch.rows())[0]?.requests[0]).toMatchObject({ reason: 'load_unknown' });
    upstream.answer(200);
    expect((await batch.reaches('settled')).rowStates).toEqual({ delivered: 1 });
  });
});
