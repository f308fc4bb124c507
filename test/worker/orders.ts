/** One Order object under test, seen from outside: what is handed to it, and what its timeline says. */
import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, vi } from 'vitest';
import { orderName } from '../../src/kernel/names.ts';
import type { Order } from '../../src/tracking/order.ts';
import type { HandedRequest, OrderIdentity, StoredRequest, TimelineEntry } from '../../src/tracking/subject-tables.ts';
import { PATIENCE } from './loads.ts';
import type { Answering } from './upstream-double.ts';

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
}

export const ORDER_ID = '0b6f2a53-6c1e-4b0e-9f4e-6d6d3a8b8f10';
/** Answers as the upstream does when it made the order. */
export const creates: Answering = () => Response.json({ id: ORDER_ID }, { status: 201 });

let made = 0;

/** An order of its own each time: an object that fell asleep in an earlier test outlives its `reset`. */
export function anOrder(): OrderUnderTest {
  made += 1;
  const orderRef = `REF-${made}`;
  const identity: OrderIdentity = { environment: 'test', partner: 'acme', orderRef };
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
      ...more,
    }),
    handOver: async (...requests) => {
      await stub().enqueue(identity, requests);
    },
    wake: () => runInDurableObject(stub(), (instance) => instance.alarm()),
    timeline: () => stub().timeline(),
    reaches: (...states) =>
      vi.waitFor(async () => {
        const found = (await stub().timeline()).map(({ request: { state } }) => state);
        expect(found).toEqual(states);
      }, PATIENCE),
    sql: (statement, ...values) =>
      runInDurableObject(stub(), (_, state) => {
        state.storage.sql.exec(statement, ...values);
      }),
  };
}
