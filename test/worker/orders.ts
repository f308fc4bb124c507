/** One Order object under test, seen from outside: what is handed to it, and what its timeline says. */
import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, vi } from 'vitest';
import { orderName } from '../../src/kernel/names.ts';
import type { OrderChange } from '../../src/mapping/request.ts';
import type { Order } from '../../src/tracking/order.ts';
import type { DispatchedRequest, OrderIdentity, StoredRequest, TimelineEntry } from '../../src/tracking/request.ts';
import type { OrderStore } from '../../src/tracking/store/order-store.ts';
import type { OrderTables } from '../../src/tracking/store/subject-tables.ts';
import { TEST_TIME_SCALE } from './channels.ts';
import { PATIENCE } from './loads.ts';
import { type Becomes, becomes, change, patchAll } from './rows.ts';
import { type Answering, answerTo, type Left, type UpstreamDouble, upstreamAnswers } from './upstream-double.ts';

export interface OrderUnderTest {
  identity: OrderIdentity;
  /** A fresh stub each time, because an aborted object breaks its old ones. */
  stub(): DurableObjectStub<Order>;
  /** A create of this order; equal unless `more` says otherwise. */
  create(record: number, more?: Partial<DispatchedRequest>): DispatchedRequest;
  /** An update of this order. */
  update(record: number, change: Partial<OrderChange>, more?: Partial<DispatchedRequest>): DispatchedRequest;
  cancel(record: number, more?: Partial<DispatchedRequest>): DispatchedRequest;
  dispatch(...requests: DispatchedRequest[]): Promise<void>;
  wake(): Promise<void>;
  timeline(): Promise<TimelineEntry[]>;
  /** Waits until the states of its operations, in hand-over order, are these. */
  reaches(...states: StoredRequest['state'][]): Promise<void>;
  /** Gives its operations other values. */
  becomes: Becomes;
  /** In one commit. */
  change<R>(run: (tables: OrderTables, parts: { order: OrderStore }) => R): Promise<R>;
  /** As if everything so far had happened this much earlier on the scaled clock; then its alarm comes. */
  timePasses(ms: number): Promise<void>;
}

export const ORDER_ID = '0b6f2a53-6c1e-4b0e-9f4e-6d6d3a8b8f10';
/** Answers as the upstream does when it made the order. */
export const creates: Answering = () => Response.json({ id: ORDER_ID }, { status: 201 });

/** Answers creates in turn with the first, checks with the second; the last of each repeats. */
export function ordersAnswer(creating: readonly Answering[], checking: readonly Answering[]): UpstreamDouble {
  const made = { POST: 0, GET: 0 };
  return upstreamAnswers((left, signal) => {
    const answers = left.method === 'GET' ? checking : creating;
    const at = left.method === 'GET' ? made.GET++ : made.POST++;
    return answerTo(answers[Math.min(at, answers.length - 1)] ?? 200, left, signal);
  });
}

/** An order as the upstream lists it; by default ours, made a moment ago. */
export const listedOrder = (more: Record<string, unknown> = {}) => ({
  orderId: ORDER_ID,
  orderRef: '',
  code: 'received',
  eventTime: new Date().toISOString().replace('Z', '0000+00:00'),
  ...more,
});

/** Answers with these orders, under the reference that was asked for. */
export const lists =
  (...orders: readonly Record<string, unknown>[]): Answering =>
  ({ url }) => {
    const orderRef = new URL(url).searchParams.get('orderRef');
    return Response.json({ events: orders.map((order) => ({ ...listedOrder(), orderRef, ...order })) });
  };

/** What can be changed of the orders that are created here, and how. */
const CHANGEABLE = { comments: ['Ring twice'], skus: [{ sku: 'SOFA-3', quantity: 2 }] };
const CHANGED_LISTS: OrderChange['lists'] = { skus: { key: 'sku', quantity: 'quantity', by: 'more' }, comments: 'add' };

let made = 0;

/** An order of its own each time: an object that fell asleep in an earlier test outlives its `reset`. */
export function anOrder({ partner = 'acme' } = {}): OrderUnderTest {
  made += 1;
  const orderRef = `REF-${made}`;
  const identity: OrderIdentity = { environment: 'test', partner, orderRef };
  const wake = () => runInDurableObject(stub(), (instance) => instance.alarm());
  const handed = (record: number, more: Partial<DispatchedRequest>): DispatchedRequest => ({
    key: `${more.batchId ?? 'b_1'}/${record}/1`,
    batchId: 'b_1',
    record,
    request: 1,
    generation: 1,
    mayHaveArrived: false,
    kind: 'order.create',
    scac: 'DEMO',
    channel: 'plain',
    body: '',
    acceptedAtMs: Date.now(),
    live: false,
    forced: false,
    rules: null,
    ...more,
  });
  const stub = () => env.ORDER.getByName(orderName(identity, orderRef));
  return {
    identity,
    stub,
    create: (record, more = {}) =>
      handed(record, { body: JSON.stringify({ orderRef, shipperCode: 'S1', ...CHANGEABLE }), ...more }),
    update: (record, change, more = {}) =>
      handed(record, {
        kind: 'order.update',
        body: JSON.stringify({ orderRef, complete: false, order: {}, lists: CHANGED_LISTS, ...change }),
        ...more,
      }),
    cancel: (record, more = {}) =>
      handed(record, { kind: 'order.cancel', body: JSON.stringify({ orderRef }), ...more }),
    dispatch: async (...requests) => {
      await stub().enqueue(identity, requests);
    },
    wake,
    timeline: () => stub().timeline(),
    reaches: (...states) =>
      vi.waitFor(async () => {
        const found = (await stub().timeline()).map(({ request: { state } }) => state);
        expect(found).toEqual(states);
      }, PATIENCE),
    becomes: becomes(stub),
    change: (run) => change(stub(), run),
    timePasses: async (ms) => {
      const realMs = ms / TEST_TIME_SCALE;
      await change(stub(), ({ attempt, request }) => {
        patchAll(attempt, ({ started_at_ms }) => ({ started_at_ms: started_at_ms - realMs }));
        patchAll(request, ({ at_ms }) => ({ at_ms: at_ms === null ? null : at_ms - realMs }));
      });
      await wake();
    },
  };
}

/** Every document of it that was accepted or stated, with what brought it about, oldest first. */
export const versionsOf = (
  order: OrderUnderTest,
): Promise<{ kind: string; record: number | null; document: string }[]> =>
  order.change((tables, { order: stored }) =>
    stored.documents().map(({ seq, base, document }) => {
      const made = base === 0 ? tables.request.get(seq) : undefined;
      return { kind: made?.kind ?? 'base', record: made?.record ?? null, document };
    }),
  );

/** Creates that left. */
export const posts = ({ left }: UpstreamDouble): number => left.filter(({ method }) => method === 'POST').length;
/** Questions that left. */
export const asked = ({ left }: UpstreamDouble): Left[] => left.filter(({ method }) => method === 'GET');

export const requestOf = async (order: OrderUnderTest): Promise<StoredRequest | undefined> =>
  (await order.timeline())[0]?.request;
/** Of its first operation, as `purpose effect`. */
export const attemptsOf = async (order: OrderUnderTest): Promise<string[] | undefined> =>
  (await order.timeline())[0]?.attempts.map(({ purpose, effect }) => `${purpose} ${effect}`);

/** How a call goes: `well`, or done although its answer is lost; or any answer, and nothing is done. */
export type Course = 'well' | 'lost' | Answering;

export interface SandboxOrder {
  id: string;
  document: Record<string, unknown>;
  isCancelled: boolean;
  /** How often it was written whole. */
  versions: number;
}

/** An upstream that keeps orders as the real one does. @param courses per method, in turn; the last of each repeats; else `well`. */
export function keepsOrders(courses: Partial<Record<'POST' | 'PUT' | 'DELETE' | 'GET', readonly Course[]>> = {}) {
  const kept: SandboxOrder[] = [];
  const met = { POST: 0, PUT: 0, DELETE: 0, GET: 0 };
  const upstream = upstreamAnswers((left, signal) => {
    const method = left.method as keyof typeof met;
    const known = courses[method] ?? [];
    const course = known[Math.min(met[method]++, known.length - 1)] ?? 'well';
    if (course !== 'well' && course !== 'lost') return answerTo(course, left, signal);
    const answer = done(kept, left);
    if (course === 'lost') throw new Error('Network connection lost.');
    return answer;
  });
  return { ...upstream, kept, calls: () => upstream.left.map(({ method }) => method).join(' ') };
}

function done(kept: SandboxOrder[], { method, url, body }: Left): Response {
  if (method === 'GET') {
    const orderRef = new URL(url).searchParams.get('orderRef');
    const found = kept.filter(({ document }) => document.orderRef === orderRef);
    return Response.json({ events: found.map(({ id }) => listedOrder({ orderId: id, orderRef })) });
  }
  if (method === 'POST') {
    const id = `0b6f2a53-6c1e-4b0e-9f4e-00000000000${kept.length}`;
    kept.push({ id, document: JSON.parse(body), isCancelled: false, versions: 1 });
    return Response.json({ id }, { status: 201 });
  }
  const order = kept.find(({ id }) => url.endsWith(`/${id}`));
  if (order === undefined || order.isCancelled) return Response.json({}, { status: 404 });
  if (method === 'DELETE') order.isCancelled = true;
  else {
    const { id, ...document } = JSON.parse(body);
    if (id !== order.id) return Response.json({}, { status: 400 });
    Object.assign(order, { document, versions: order.versions + 1 });
  }
  return Response.json({ id: order.id });
}
