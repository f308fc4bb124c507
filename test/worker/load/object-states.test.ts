/** Every state a request can rest in, in every lane: evictions and doubled alarms leave it as it is and send nothing. */
import { evictDurableObject, reset } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { REQUEST_STATES, type RequestState } from '../../../src/delivery/states.ts';
import { forgetTokens } from '../../../src/upstream/tokens.ts';
import { redirect } from '../actions.ts';
import { aLoad, isDelayed, type LoadUnderTest, PATIENCE } from '../loads.ts';
import { anOrder, creates, lists, type OrderUnderTest } from '../orders.ts';
import { handOverPoints } from '../traces.ts';
import { type Answering, type UpstreamDouble, upstreamAnswers } from '../upstream-double.ts';

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
});
afterEach(async () => {
  vi.restoreAllMocks();
  forgetTokens();
  await reset();
});

const FAR_MS = Date.UTC(2100, 0);
const LOST = new Error('Network connection lost.');

type Subject = LoadUnderTest | OrderUnderTest;
interface Case<S extends Subject> {
  /** What its calls are answered, in order. */
  answers: readonly Answering[];
  /** Of its requests, in hand-over order. */
  states: readonly RequestState[];
  arrange(subject: S): Promise<unknown>;
}

/** As `reaches`, and puts the end of every wait far away, so that nothing moves by itself. */
const rests = (subject: Subject, states: readonly RequestState[]) =>
  vi.waitFor(async () => {
    for (const state of new Set(states)) {
      await subject.becomes({ at_ms: FAR_MS }, (request) => isDelayed(request) && request.state === state);
    }
    const requests = (await subject.timeline()).map(({ request }) => request);
    expect(requests.map(({ state }) => state)).toEqual(states);
    const moving = requests.filter(({ state }) => state === 'waiting' || state === 'unknown');
    expect(moving.every(({ at_ms }) => at_ms === FAR_MS)).toBe(true);
  }, PATIENCE);

const one = (load: LoadUnderTest) => load.dispatch([1]);
const two = (load: LoadUnderTest) => load.dispatch([1, 2]);
const oneAndItsLike = async (load: LoadUnderTest) => {
  await one(load);
  await load.reaches('delivered');
  await load.dispatch([2], { body: load.request(1).body });
};
const oneWithdrawn = async (load: LoadUnderTest) => {
  await one(load);
  await rests(load, ['waiting']);
  await load.stub().cancel('b_1');
};

const MILESTONES: Case<LoadUnderTest>[] = [
  { answers: [429], states: ['waiting', 'queued'], arrange: two },
  { answers: [500], states: ['unknown', 'queued'], arrange: two },
  { answers: [500, 400], states: ['held'], arrange: one },
  { answers: [200], states: ['delivered'], arrange: one },
  { answers: [400], states: ['rejected'], arrange: one },
  { answers: [redirect], states: ['dead'], arrange: one },
  { answers: [200], states: ['delivered', 'duplicate'], arrange: oneAndItsLike },
  { answers: [429], states: ['cancelled'], arrange: oneWithdrawn },
];

const unreleased = (load: LoadUnderTest) => handOverPoints(load, [1, 2]);
const released = async (load: LoadUnderTest) => {
  await unreleased(load);
  await load.stub().release('b_1');
};

const TRACES: Case<LoadUnderTest>[] = [
  { answers: [200], states: ['queued', 'queued'], arrange: unreleased },
  { answers: [429], states: ['waiting', 'coalesced'], arrange: released },
  { answers: [500], states: ['unknown', 'coalesced'], arrange: released },
  { answers: [500, redirect], states: ['held', 'coalesced'], arrange: released },
  { answers: [200], states: ['delivered', 'coalesced'], arrange: released },
  { answers: [400], states: ['rejected', 'rejected'], arrange: released },
  { answers: [redirect], states: ['dead', 'coalesced'], arrange: released },
];

const OTHER = { body: '{"orderRef":"R","shipperCode":"S2"}' };
const create = (order: OrderUnderTest) => order.dispatch(order.create(1));
const createTwice = (order: OrderUnderTest) => order.dispatch(order.create(1), order.create(2));
const createWithOthers = (order: OrderUnderTest) =>
  order.dispatch(order.create(1), order.create(2), order.create(3, OTHER));
const createWithdrawn = async (order: OrderUnderTest) => {
  await create(order);
  await rests(order, ['waiting']);
  await order.stub().cancel('b_1');
};

const OPERATIONS: Case<OrderUnderTest>[] = [
  { answers: [429], states: ['waiting', 'queued'], arrange: createTwice },
  { answers: [LOST, lists()], states: ['unknown', 'queued'], arrange: createTwice },
  { answers: [LOST, lists({ code: 'cancelled' })], states: ['held', 'queued'], arrange: createTwice },
  { answers: [creates], states: ['delivered', 'duplicate', 'dead'], arrange: createWithOthers },
  { answers: [400], states: ['rejected'], arrange: create },
  { answers: [429], states: ['cancelled'], arrange: createWithdrawn },
];

/** Not resting: a request on the wire has tests of its own, alive and dying (`double-alarm`, `load-eviction`, `order-crashes`). */
const ON_THE_WIRE: RequestState[] = ['sending'];
/** Only positions travel in each other; what ends one of them without its set is as in the lane of milestones. */
const NEVER: Record<string, RequestState[]> = {
  milestones: ['coalesced'],
  traces: ['duplicate', 'cancelled'],
  operations: ['coalesced'],
};

async function isLeftAlone(subject: Subject, wanted: Case<never>['states'], { left, inFlightMax }: UpstreamDouble) {
  await rests(subject, wanted);
  await subject.wake();
  const before = await subject.timeline();
  const sent = left.length;
  await Promise.all([subject.wake(), subject.wake()]);
  await subject.wake();
  await evictDurableObject(subject.stub());
  expect(await subject.timeline()).toEqual(before);
  await Promise.all([subject.wake(), subject.wake()]);
  await evictDurableObject(subject.stub());
  await subject.wake();
  expect(await subject.timeline()).toEqual(before);
  expect(left).toHaveLength(sent);
  expect(inFlightMax()).toBeLessThanOrEqual(1);
}

const named = <S extends Subject>(cases: readonly Case<S>[]) =>
  cases.map((each) => ({ ...each, name: each.states.join(', ') }));

describe('a load with milestones that are', () => {
  it.each(named(MILESTONES))('$name is left as it is', async ({ answers, states, arrange }) => {
    const upstream = upstreamAnswers(...answers);
    const load = aLoad();
    await arrange(load);
    await isLeftAlone(load, states, upstream);
  });
});

describe('a load with positions that are', () => {
  it.each(named(TRACES))('$name is left as it is', async ({ answers, states, arrange }) => {
    const upstream = upstreamAnswers(...answers);
    const load = aLoad();
    await arrange(load);
    await isLeftAlone(load, states, upstream);
  });
});

describe('an order with operations that are', () => {
  it.each(named(OPERATIONS))('$name is left as it is', async ({ answers, states, arrange }) => {
    const upstream = upstreamAnswers(...answers);
    const order = anOrder();
    await arrange(order);
    await isLeftAlone(order, states, upstream);
  });
});

describe('the cases above', () => {
  it.each([
    ['milestones', MILESTONES],
    ['traces', TRACES],
    ['operations', OPERATIONS],
  ] as const)('have every state of %s', (lane, cases) => {
    const covered = new Set([...cases.flatMap(({ states }) => states), ...ON_THE_WIRE, ...(NEVER[lane] ?? [])]);
    expect(REQUEST_STATES.filter((state) => !covered.has(state))).toEqual([]);
  });
});
