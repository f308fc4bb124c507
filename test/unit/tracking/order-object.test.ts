/** An order as an object: what somebody states of it, what its feed hears and when, and how long it is kept. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ACTION_LOOKUP_AFTER_MS, ORDER_RETENTION_MS, OUTCOME_PAUSE_MS } from '../../../src/kernel/limits.ts';
import { feedName } from '../../../src/kernel/names.ts';
import type { DispatchedRequest, OrderIdentity } from '../../../src/tracking/request.ts';
import type { NotifiedStatus } from '../../../src/tracking/store/order-statuses.ts';
import { forgetSlots } from '../../../src/upstream/call.ts';
import { DEFAULT_ANSWER_MAPPING } from '../../../src/upstream/statuses/answer-mapping.ts';
import { NOW_MS, upstreamAnswers } from '../upstream/samples.ts';
import { accepted, around, BY, ORDER, request, states } from './object-samples.ts';

vi.mock('cloudflare:workers', () => import('../../../scripts/simulate/workers.ts'));
const { Order } = await import('../../../src/tracking/order.ts');

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW_MS });
  forgetSlots();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const ID = '0b6f2a53-6c1e-4b0e-9f4e-6d6d3a8b8f10';
const PAIR = { partnerId: 'P', clientId: 'C' };
const OTHER = { partnerId: 'P', clientId: 'D' };
const created = (more: object = {}) => new Response(JSON.stringify({ id: ID, ...more }), { status: 201 });
const whole = (more: object = {}): Partial<DispatchedRequest> => ({
  kind: 'order.create',
  body: JSON.stringify({ orderRef: 'SO-1', shipperCode: 'S1', ...more }),
});
const base = (more: object = {}, orderId = ID) =>
  ({ document: { orderRef: 'SO-1', shipperCode: 'S1', ...more }, orderId }) as never;
const aStatus = (seq: number, more: Partial<NotifiedStatus> = {}): NotifiedStatus => ({
  ...{ seq, hash: `h${seq}`, orderId: ID, code: 'received', atMs: NOW_MS, level: 'milestone', place: '{}' },
  ...{ learnedAtMs: NOW_MS, corrects: null },
  ...more,
});

function anOrder(options: Parameters<typeof around>[0] = {}) {
  const parts = around(options);
  const order = new Order(...parts.made);
  const parcel = (...requests: DispatchedRequest[]) => ({
    ...{ form: 1, batchId: 'b_1', isLast: false, identity: ORDER, requests },
  });
  const visit = (...requests: DispatchedRequest[]) => order.visit(parcel(...requests));
  /** Its batch has what it was answered. */
  const settle = async (...requests: DispatchedRequest[]) => {
    const report = await visit(...requests);
    await order.settled(report.receipt ?? '');
    return report;
  };
  return { ...parts, order, visit, settle, parcel, next: () => new Order(...parts.made) };
}

describe('what somebody states of an order', () => {
  it('is told its feed, under the name of the order', async () => {
    const { order, seen, wake } = anOrder();
    await order.state(ORDER, base(PAIR), BY);
    await wake(order);
    expect(seen.feeds).toEqual([feedName('test', PAIR)]);
    expect(seen.registered).toMatchObject([[ORDER, 'SO-1', { state: 'open', takenAtMs: NOW_MS, sinceMs: NOW_MS }]]);
  });

  it('changes nothing where it is only tried out, is the same, or is not wanted over what is known', async () => {
    const { order, alarm, next } = anOrder();
    await order.state(ORDER, base(), BY);
    alarm.atMs = null;
    const trial = { ...BY, replace: true, dryRun: true };
    expect(await order.state(ORDER, base({ shipperCode: 'S2', ...PAIR }), trial)).toMatchObject({ outcome: 'stated' });
    expect(await order.state(ORDER, base({ shipperCode: 'S3', ...PAIR }), BY)).toMatchObject({ outcome: 'base_known' });
    expect(await order.state(ORDER, base(), { ...BY, dryRun: true })).toMatchObject({ outcome: 'same' });
    expect(alarm.atMs).toBeNull();
    expect(await order.state(ORDER, base(), BY)).toMatchObject({ outcome: 'same' });
    expect(alarm.atMs).toBe(NOW_MS); // should the first have ended before it set one
    expect(await next().trackTerms(null)).toMatchObject({ isFollowed: false });
  });

  it('says since when what it would replace is known', async () => {
    const { order } = anOrder();
    await order.state(ORDER, base(), BY);
    vi.setSystemTime(NOW_MS + 60_000);
    const since = new Date(NOW_MS).toISOString();
    expect(await order.state(ORDER, base({ shipperCode: 'S2' }), BY)).toEqual({
      outcome: 'base_known',
      orderId: ID,
      since,
    });
  });

  it('is kept with what it changed', async () => {
    const { order, next } = anOrder();
    await order.state(ORDER, base(), BY);
    await order.state(ORDER, base({ shipperCode: 'S2' }), { ...BY, replace: true });
    const diffs = (await next().page({ before: null, limit: 9 }))?.versions.map(({ diff }) => diff) ?? [];
    expect(diffs[0]).toBeNull();
    expect(JSON.parse(diffs[1] ?? '')).toMatchObject([{ path: 'shipperCode', before: 'S1', after: 'S2' }]);
  });

  it('stands in for a document that is none', async () => {
    upstreamAnswers(created());
    const { order, settle } = anOrder();
    await settle(request(1, { kind: 'order.create', body: '[]' }));
    expect((await order.accepted())?.document).toBe('[]');
    expect(await order.state(ORDER, base(), BY)).toMatchObject({ outcome: 'stated', changes: null });
  });
});

describe('the feed of an order', () => {
  it('hears of it before the upstream does, also where a batch only left it here', async () => {
    const { order, seen, wake } = anOrder();
    const heard: number[] = [];
    upstreamAnswers(() => {
      heard.push(seen.registered.length);
      return Promise.resolve(created());
    });
    await order.enqueue(ORDER, [request(1, whole(PAIR))]);
    await wake(order);
    expect([heard, seen.registered.length, seen.feeds]).toEqual([[1], 1, [feedName('test', PAIR)]]);
  });

  it('that cannot be told is told later, whatever happens to the process until then', async () => {
    const { seen, alarm, visit } = anOrder();
    const armed: (number | null)[] = [];
    upstreamAnswers(() => {
      armed.push(alarm.atMs);
      return Promise.resolve(created());
    });
    seen.feedIsDown = true;
    await visit(request(1, whole(PAIR)));
    expect([armed, alarm.atMs]).toEqual([[NOW_MS + OUTCOME_PAUSE_MS], NOW_MS + OUTCOME_PAUSE_MS]);
  });

  it('hears afterwards that there is no order after all, or is told so later', async () => {
    upstreamAnswers(accepted(422));
    const told = anOrder();
    await told.order.enqueue(ORDER, [request(1, whole(PAIR))]);
    await told.wake(told.order);
    expect(told.seen.registered).toMatchObject([
      [ORDER, 'SO-1', { state: 'open' }],
      [ORDER, 'SO-1', { state: 'none', toldAtMs: NOW_MS + 1 }],
    ]);
    const late = anOrder();
    late.seen.feedFails = [false, true];
    await late.order.enqueue(ORDER, [request(1, whole(PAIR))]);
    await late.wake(late.order);
    expect([late.seen.registered.length, late.alarm.atMs]).toEqual([1, NOW_MS + OUTCOME_PAUSE_MS]);
  });

  it('that there is none, or none any more, is tried like one that never answered', async () => {
    upstreamAnswers(created());
    const { order, seen, visit, wake } = anOrder();
    seen.feedIsMissing = true;
    await visit(request(1, whole(PAIR)));
    vi.setSystemTime(NOW_MS + OUTCOME_PAUSE_MS);
    seen.feedIsMissing = false;
    await wake(order);
    const calls = seen.registered.length;
    await wake(order);
    expect([calls > 1, seen.registered.length]).toEqual([true, calls]);
  });

  it('is nobody where no document says whose the order is', async () => {
    upstreamAnswers(created());
    const { visit, seen } = anOrder();
    expect(states((await visit(request(1, whole()))).outcomes)).toEqual([[1, 'delivered']]);
    expect(seen.registered).toEqual([]);
  });

  it.each([{}, { orderRef: 7 }])('hears of no order without a reference: %j', async (name) => {
    upstreamAnswers(created());
    const { order, seen, parcel } = anOrder();
    const identity = { environment: 'test', partner: 'acme', ...name } as unknown as OrderIdentity;
    await order.visit({ ...parcel(request(1, whole(PAIR))), identity });
    expect(seen.registered).toEqual([]);
    expect(seen.warned).toContainEqual(
      expect.objectContaining({ event: 'feed_not_told', detail: 'an order that was never named' }),
    );
  });

  it('says how answers about the order are read; else they are read by default, or not at all where it is down', async () => {
    upstreamAnswers(created());
    const mapping = { ...DEFAULT_ANSWER_MAPPING, list: ['own'] };
    const { order, seen, settle } = anOrder();
    await settle(request(1, whole()));
    const read = async (pair: typeof PAIR | null) => (await order.trackTerms(pair))?.mapping;
    expect([await read(null), await read(PAIR), seen.feeds]).toEqual([
      ...[DEFAULT_ANSWER_MAPPING, DEFAULT_ANSWER_MAPPING, [feedName('test', PAIR)]],
    ]);
    seen.mapping = mapping;
    expect(await read(PAIR)).toEqual(mapping);
    await order.enqueue(ORDER, [request(2, whole(OTHER))]);
    await read(PAIR);
    expect(seen.feeds.at(-1)).toBe(feedName('test', OTHER)); // its own document says more
    seen.feedIsDown = true;
    expect(await read(PAIR)).toBeNull();
    expect(seen.warned.at(-1)).toMatchObject({ event: 'feed_not_asked', detail: 'planned: down' });
  });
});

describe('the statuses of an order', () => {
  it('make it known, and are told of the order that there is', async () => {
    const { order, alarm, next } = anOrder();
    await order.takeStatuses(ORDER, [aStatus(1), aStatus(2, { level: 'detail' })]);
    expect([alarm.atMs, await order.isKnown()]).toEqual([NOW_MS, true]);
    const seqs = async (level: 'milestone' | null) => (await next().statuses(level))?.map(({ seq }) => seq);
    expect([await seqs(null), await seqs('milestone')]).toEqual([[1, 2], [1]]);
    expect(await next().trackTerms(null)).toMatchObject({ polled: [ID], isFollowed: true, scac: null });
  });

  it('keep it for as long as an order is kept, from the last of them', async () => {
    const { order, alarm, wake, seen } = anOrder();
    await order.takeStatuses(ORDER, [aStatus(1, { learnedAtMs: NOW_MS + 7 })]);
    await wake(order);
    expect(alarm.atMs).toBe(NOW_MS + 7 + ORDER_RETENTION_MS);
    vi.setSystemTime(NOW_MS + 6 + ORDER_RETENTION_MS);
    await wake(order);
    expect(seen.emptied).toBe(0);
    vi.setSystemTime(NOW_MS + 7 + ORDER_RETENTION_MS);
    await wake(order);
    expect([seen.emptied, await order.isKnown()]).toEqual([1, false]);
  });
});

describe('how long an order is kept', () => {
  it('goes by its feed, too: one that ends while a visit tells it would not be followed', async () => {
    upstreamAnswers(created(), created());
    const { order, seen, settle, wake, visit, next } = anOrder();
    await settle(request(1, whole(PAIR)));
    vi.setSystemTime(NOW_MS + ORDER_RETENTION_MS);
    const told = Promise.withResolvers<void>();
    seen.telling = () => {
      seen.telling = async () => undefined;
      return told.promise;
    };
    const visited = visit(request(2, { ...whole(PAIR), acceptedAtMs: Date.now() }));
    await wake(order);
    told.resolve();
    await visited;
    expect([seen.emptied, await next().trackTerms(null)]).toMatchObject([0, { isFollowed: true }]);
  });

  it.each([
    ['stated', 9, 3],
    ['found', 3, 9],
  ])('goes by the last that was heard of it: %s', async (_, statedMs, learnedMs) => {
    const { order, alarm, wake } = anOrder();
    await order.takeStatuses(ORDER, [aStatus(1, { learnedAtMs: NOW_MS + learnedMs })]);
    vi.setSystemTime(NOW_MS + statedMs);
    await order.state(ORDER, base(), BY);
    await wake(order);
    expect(alarm.atMs).toBe(NOW_MS + 9 + ORDER_RETENTION_MS);
  });

  it('goes by its operations where nothing else was heard of it', async () => {
    upstreamAnswers(created());
    const { alarm, visit } = anOrder();
    await visit(request(1, whole()));
    expect(alarm.atMs).toBe(NOW_MS + ORDER_RETENTION_MS);
  });

  it('is no matter afterwards: what comes then begins anew, and its feed hears of it', async () => {
    upstreamAnswers(created());
    const { order, seen, alarm, wake, visit, settle } = anOrder();
    await settle(request(1, whole(PAIR)));
    alarm.atMs = null;
    vi.setSystemTime(NOW_MS + ORDER_RETENTION_MS);
    await wake(order);
    expect([seen.emptied, await order.page({ before: null, limit: 9 })]).toEqual([1, null]);
    seen.registered.length = 0;
    await visit(request(2, { ...whole(PAIR), acceptedAtMs: Date.now() }));
    expect(seen.registered).toHaveLength(1);
    expect((await order.timeline()).map((each) => each.request.record)).toEqual([2]);
  });
});

describe('the ids of an order', () => {
  it('are none where nothing came for it, and it is not being made', async () => {
    expect(await anOrder().order.ids()).toEqual({
      ...{ ours: [], before: [], isBeingMade: false, hasUnnamed: false, unnamed: 0 },
    });
  });
});

describe('the channel of an order', () => {
  it('says whether what stands under its reference is looked at before it is created', async () => {
    const listing = () => new Response('{"events":[]}');
    const sent = upstreamAnswers(listing(), created());
    const { visit } = anOrder({ channel: { orderPreCheck: true } });
    expect(states((await visit(request(1, whole(PAIR)))).outcomes)).toEqual([[1, 'delivered']]);
    expect(sent.map(({ method }) => method)).toEqual(['GET', 'POST']);
    expect(sent[0]?.url).toContain('SO-1');
    const alone = upstreamAnswers(created());
    await anOrder().visit(request(1, whole(PAIR)));
    expect(alone.map(({ method }) => method)).toEqual(['POST']);
  });

  it('says whether other updates go than those that are documented', async () => {
    const order = { requestedDate: '2026-03-09' };
    const change = JSON.stringify({ orderRef: 'SO-1', complete: false, changeRef: 'C-1', order, lists: {} });
    const came = async (channel: object) => {
      upstreamAnswers(created(), new Response('{}'));
      const { visit } = anOrder({ channel });
      const outcomes = await visit(request(1, whole()), request(2, { kind: 'order.update', body: change }));
      return outcomes.outcomes.find(({ record }) => record === 2)?.state;
    };
    expect([await came({}), await came({ otherUpdates: 'send' }), await came({ otherUpdates: 'refuse' })]).toEqual([
      ...['dead', 'delivered', 'dead'],
    ]);
  });
});

it('what became of an operation that ended is asked half a minute later, and makes no order of one that was refused', async () => {
  const sent = upstreamAnswers(
    created({ code: 'pending' }),
    new Response(JSON.stringify({ action: 'create', code: 'rejected' })),
  );
  const { order, settle, alarm, wake, seen } = anOrder();
  await settle(request(1, whole()));
  expect([(await order.accepted())?.order_id, alarm.atMs]).toEqual([ID, NOW_MS + ACTION_LOOKUP_AFTER_MS[0]]);
  vi.setSystemTime(alarm.atMs ?? 0);
  await wake(order);
  expect(sent.map(({ method, url }) => [method, new URL(url).pathname])).toEqual([
    ['POST', '/rcsc/order-requests/v1/'],
    ['GET', `/rcsc/order-requests/v1/${ID}/statuses`],
  ]);
  expect(await order.accepted()).toBeNull();
  const [entry] = await order.timeline();
  expect(entry?.attempts.map(({ purpose, effect }) => [purpose, effect])).toEqual([
    ['send', 'applied'],
    ['status', 'answered'],
  ]);
  expect(seen.reported.at(-1)).toMatchObject({ record: 1, state: 'delivered', action: 'rejected' });
});

it('an order is not erased while something is asked about it', async () => {
  upstreamAnswers(created({ code: 'pending' }), new Response(JSON.stringify({ action: 'create', code: 'done' })));
  const { order, settle, alarm, wake, seen } = anOrder();
  await settle(request(1, whole()));
  vi.setSystemTime(alarm.atMs ?? 0);
  const erased: boolean[] = [];
  seen.leasing = async () => void erased.push(await order.erase(null));
  await wake(order);
  expect([erased, seen.emptied, (await order.accepted())?.order_id]).toEqual([[false], 0, ID]);
  expect([await order.erase(null), seen.emptied]).toEqual([true, 1]);
});
