/** Alarms that come twice, late, after an eviction or while a request is on its way: nothing is sent a second time. */
import { evictDurableObject, reset, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Batch } from '../../../src/batch/object/batch.ts';
import { isFinal, type RequestState } from '../../../src/delivery/states.ts';
import { newBatchId } from '../../../src/kernel/ids.ts';
import { batchName, registerName } from '../../../src/kernel/names.ts';
import type { StoredRequest } from '../../../src/tracking/request.ts';
import { forgetTokens } from '../../../src/upstream/tokens.ts';
import { aBatch } from '../batches.ts';
import { statusFile, statusRows } from '../csv-files.ts';
import { aLoad, isDelayed, PATIENCE } from '../loads.ts';
import { anOrder, creates } from '../orders.ts';
import type { Becomes } from '../rows.ts';
import { type Answering, heldAnswer, upstreamAnswers } from '../upstream-double.ts';
import { die } from '../watched.ts';

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
});
afterEach(async () => {
  vi.restoreAllMocks();
  forgetTokens();
  await reset();
});

/** A load or an order under test, alike. */
interface Subject {
  stub(): DurableObjectStub;
  wake(): Promise<void>;
  becomes: Becomes;
  first(): Promise<StoredRequest | undefined>;
  dispatch(): Promise<void>;
  states(): Promise<RequestState[]>;
}

const SUBJECTS: Record<'load' | 'order', (channel?: string) => Subject> = {
  load: (channel = 'plain') => {
    const load = aLoad();
    const states = async () => (await load.timeline()).map(({ request }) => request.state);
    const first = async () => (await load.timeline())[0]?.request;
    return { ...load, first, dispatch: () => load.dispatch([1, 2], { channel }), states };
  },
  order: (channel = 'plain') => {
    const order = anOrder();
    const states = async () => (await order.timeline()).map(({ request }) => request.state);
    const first = async () => (await order.timeline())[0]?.request;
    const other = { channel, body: '{"orderRef":"other"}' };
    const dispatch = () => order.dispatch(order.create(1, { channel }), order.create(2, other));
    return { ...order, first, dispatch, states };
  },
};

const FAR_MS = Date.UTC(2100, 0);
const LATE_MS = 60_000;

/** What comes to a subject whose first request is in a state: each is repeated until nothing moves. */
const DISTURBANCES: [string, (subject: Subject) => Promise<unknown>][] = [
  ['two alarms at once', ({ wake }) => Promise.all([wake(), wake()])],
  [
    'one alarm after the other',
    async ({ wake }) => {
      await wake();
      await wake();
    },
  ],
  [
    'an eviction and two alarms',
    async ({ stub, wake }) => {
      await evictDurableObject(stub());
      await Promise.all([wake(), wake()]);
    },
  ],
];

/** State of the first request, the answers that bring it there, and how often it has been sent when it is left in peace. */
const RESTING: ['load' | 'order', RequestState, Answering[]][] = [
  ['load', 'waiting', [429]],
  ['load', 'unknown', [500]],
  ['load', 'rejected', [400]],
  ['load', 'held', [500, 400, 200]],
  ['load', 'delivered', [200]],
  ['order', 'waiting', [429]],
  ['order', 'delivered', [creates]],
  ['order', 'rejected', [400]],
];

/** Waits until its first request is in this state, and puts the end of its wait far away. */
const freeze = (subject: Subject, state: RequestState) =>
  vi.waitFor(async () => {
    await subject.becomes({ at_ms: FAR_MS }, (each) => each.state === state);
    expect(await subject.first()).toMatchObject({ state, at_ms: FAR_MS });
  }, PATIENCE);

/** Waits until its first request is in this state, and the second has ended. */
const rests = (subject: Subject, state: RequestState) =>
  vi.waitFor(async () => {
    const [first = 'queued', second = 'queued'] = await subject.states();
    expect(first).toBe(state);
    expect(isFinal(second)).toBe(true);
  }, PATIENCE);

const isDelayedIn = (state: RequestState): boolean => state === 'waiting' || state === 'unknown';

describe.each(RESTING)('a %s whose first request is %s', (kind, state, answers) => {
  it.each(DISTURBANCES)('sends nothing for %s', async (_, disturb) => {
    const { left, inFlightMax } = upstreamAnswers(...answers);
    const subject = SUBJECTS[kind]();
    await subject.dispatch();
    await (isDelayedIn(state) ? freeze(subject, state) : rests(subject, state));
    await subject.wake();
    const [before, sent] = [await subject.states(), left.length];
    await disturb(subject);
    expect(await subject.states()).toEqual(before);
    expect(left).toHaveLength(sent);
    expect(inFlightMax()).toBe(1);
  });
});

describe.each(RESTING.filter(([, state]) => isDelayedIn(state)))(
  'a %s whose first request is %s',
  (kind, state, answers) => {
    it('sends it once for two alarms that come a minute late', async () => {
      const upstream = upstreamAnswers(...answers);
      const subject = SUBJECTS[kind]();
      await subject.dispatch();
      await freeze(subject, state);
      await subject.wake();
      const sent = upstream.left.length;
      upstream.answer(creates);
      await subject.becomes({ at_ms: Date.now() - LATE_MS }, isDelayed);
      await Promise.all([subject.wake(), subject.wake()]);
      await vi.waitFor(async () => expect((await subject.states())[0]).toBe('delivered'), PATIENCE);
      const first = upstream.left.filter(({ body }) => body === upstream.left[0]?.body);
      expect(first).toHaveLength(sent + 1);
      expect(upstream.inFlightMax()).toBe(1);
    });
  },
);

describe.each(['load', 'order'] as const)('a %s with a request on its way', (kind) => {
  it('sends nothing more for alarms that come meanwhile, and goes on with the answer', async () => {
    const held = heldAnswer();
    const upstream = upstreamAnswers(held.answer, creates);
    const subject = SUBJECTS[kind]();
    await subject.dispatch();
    await vi.waitFor(() => expect(upstream.left).toHaveLength(1), PATIENCE);
    await Promise.all([subject.wake(), subject.wake()]);
    await subject.wake();
    expect(await subject.states()).toEqual(['sending', 'queued']);
    expect(upstream.left).toHaveLength(1);
    held.release(400);
    await vi.waitFor(async () => expect(await subject.states()).toEqual(['rejected', 'delivered']), PATIENCE);
    expect(upstream.left).toHaveLength(2);
    expect(upstream.inFlightMax()).toBe(1);
  });
});

describe('a load whose token is on its way', () => {
  it('sends its request once for two alarms at once', async () => {
    const token = heldAnswer();
    const upstream = upstreamAnswers(200);
    upstream.answerTokens(async (left, signal) => {
      if (typeof token.answer === 'function') await token.answer(left, signal);
      return Response.json({ token_type: 'Bearer', access_token: 'token-1', expires_in: 3600 });
    });
    const load = SUBJECTS.load('bearer');
    await load.dispatch();
    await vi.waitFor(() => expect(upstream.tokenRequests).toHaveLength(1), PATIENCE);
    const wakeUps = [load.wake(), load.wake()];
    token.release(200);
    await Promise.all(wakeUps);
    await vi.waitFor(async () => expect(await load.states()).toEqual(['delivered', 'delivered']), PATIENCE);
    expect(upstream.left).toHaveLength(2);
    expect(upstream.inFlightMax()).toBe(1);
  });
});

describe('a batch', () => {
  it.each(['reading', 'delivering', 'settled'])(
    'that is %s hands nothing over twice for two alarms at once',
    async (state) => {
      const held = heldAnswer();
      const { left } = upstreamAnswers(...(state === 'delivering' ? [held.answer] : [200]));
      const batch = await aBatch(statusFile(...statusRows(12, 3, `D-${state}`)));
      if (state === 'reading') {
        const first = vi.spyOn(Batch.prototype, 'alarm').mockResolvedValueOnce(undefined);
        await batch.stub().create(batch.ticket);
        await vi.waitFor(() => expect(first).toHaveBeenCalled());
      } else {
        await batch.stub().create(batch.ticket);
        await batch.reaches(state as 'delivering' | 'settled');
      }
      const woken = Promise.all([batch.wake(), batch.wake()]);
      if (state !== 'delivering') await woken;
      else woken.catch(() => undefined); // a wake-up lasts as long as its visits
      await (state === 'delivering' ? die(batch.stub()) : evictDurableObject(batch.stub()));
      const again = Promise.all([batch.wake(), batch.wake()]);
      held.release(200);
      await again;
      await batch.reaches('settled');
      expect(left).toHaveLength(12);
      expect((await batch.summary()).requestStates).toEqual({ delivered: 12 });
    },
  );
});

describe('a register', () => {
  it('creates a batch once for two alarms at once, late, and after an eviction', async () => {
    vi.spyOn(Batch.prototype, 'alarm').mockResolvedValue(undefined);
    const scope = { environment: 'test', partner: `register-${newBatchId(Date.now())}` } as const;
    const { ticket } = await aBatch(statusFile(...statusRows(1, 1)), scope);
    const register = () => env.INTAKE_REGISTER.getByName(registerName(scope));
    const wake = () => runInDurableObject(register(), (instance) => instance.alarm());
    await register().claim({ ticket, idempotencyKey: null, fingerprint: 'f', who: 'k' });
    await runInDurableObject(register(), (_, { storage }) => storage.sql.exec('UPDATE batch SET created = 0'));
    const keep = await env.BATCH.getByName(batchName(scope, ticket.batchId)).summary();
    await Promise.all([wake(), wake()]);
    await evictDurableObject(register());
    await Promise.all([wake(), wake()]);
    expect(await register().list(null, 10)).toMatchObject([{ batch_id: ticket.batchId, state: 'open' }]);
    expect(await env.BATCH.getByName(batchName(scope, ticket.batchId)).summary()).toEqual(keep);
  });
});
