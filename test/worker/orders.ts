/** One Order object under test, seen from outside: what is handed to it, and what its timeline says. */
import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, vi } from 'vitest';
import { orderName } from '../../src/kernel/names.ts';
import type { Order } from '../../src/tracking/order.ts';
import type { HandedRequest, OrderIdentity, StoredRequest, TimelineEntry } from '../../src/tracking/subject-tables.ts';
import { TEST_TIME_SCALE } from './channels.ts';
import { PATIENCE } from './loads.ts';
import { type Answering, answerTo, type Left, type UpstreamDouble, upstreamAnswers } from './upstream-double.ts';

export interface OrderUnderTest {
  identity: OrderIdentity;
  /** A fresh stub each time, because an aborted object breaks its old ones. */
  stub(): DurableObjectStub<Order>;
  /** A create of this order; equal unless `more` says otherwise. */
  create(record: number, more?: Partial<HandedRequest>): HandedRequest;
  handOver(...requests: HandedRequest[]): Promise<void>;
  wake(): Promise<void>;
  timeline(): Promise<TimelineEntry[]>;
  /** Waits until the states of its operations, in hand-over order, are these. */
  reaches(...states: StoredRequest['state'][]): Promise<void>;
  sql(statement: string, ...values: SqlStorageValue[]): Promise<void>;
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

let made = 0;

/** An order of its own each time: an object that fell asleep in an earlier test outlives its `reset`. */
export function anOrder(): OrderUnderTest {
  made += 1;
  const orderRef = `REF-${made}`;
  const identity: OrderIdentity = { environment: 'test', partner: 'acme', orderRef };
  const wake = () => runInDurableObject(stub(), (instance) => instance.alarm());
  const sql: OrderUnderTest['sql'] = (statement, ...values) =>
    runInDurableObject(stub(), (_, state) => {
      state.storage.sql.exec(statement, ...values);
    });
  const stub = () => env.ORDER.getByName(orderName(identity, orderRef));
  return {
    identity,
    stub,
    create: (record, more = {}) => ({
      key: `${more.batchId ?? 'b_1'}/${record}/1`,
      batchId: 'b_1',
      record,
      request: 1,
      generation: 1,
      mayHaveArrived: false,
      kind: 'order.create',
      scac: 'DEMO',
      channel: 'plain',
      body: JSON.stringify({ orderRef, shipperCode: 'S1' }),
      acceptedAtMs: Date.now(),
      live: false,
      forced: false,
      rules: null,
      ...more,
    }),
    handOver: async (...requests) => {
      await stub().enqueue(identity, requests);
    },
    wake,
    timeline: () => stub().timeline(),
    reaches: (...states) =>
      vi.waitFor(async () => {
        const found = (await stub().timeline()).map(({ request: { state } }) => state);
        expect(found).toEqual(states);
      }, PATIENCE),
    sql,
    timePasses: async (ms) => {
      const realMs = ms / TEST_TIME_SCALE;
      await sql('UPDATE attempt SET started_at_ms = started_at_ms - ?', realMs);
      await sql('UPDATE request SET at_ms = at_ms - ?', realMs);
      await wake();
    },
  };
}

/** Creates that left. */
export const posts = ({ left }: UpstreamDouble): number => left.filter(({ method }) => method === 'POST').length;
/** Questions that left. */
export const asked = ({ left }: UpstreamDouble): Left[] => left.filter(({ method }) => method === 'GET');

export const requestOf = async (order: OrderUnderTest): Promise<StoredRequest | undefined> =>
  (await order.timeline())[0]?.request;
/** Of its first operation, as `purpose effect`. */
export const attemptsOf = async (order: OrderUnderTest): Promise<string[] | undefined> =>
  (await order.timeline())[0]?.attempts.map(({ purpose, effect }) => `${purpose} ${effect}`);
