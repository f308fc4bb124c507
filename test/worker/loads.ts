/** One Load object under test, seen from outside: what is handed to it, and what its timeline says. */
import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, vi } from 'vitest';
import { loadName } from '../../src/kernel/names.ts';
import type { Load } from '../../src/tracking/load.ts';
import type { DispatchedRequest, LoadIdentity, StoredAttempt, StoredRequest } from '../../src/tracking/request.ts';
import { type Becomes, becomes } from './rows.ts';

/** Waits for its time. */
export const isDelayed = ({ at_ms }: StoredRequest): boolean => at_ms !== null;

/** Generous: other work shares the machine. */
export const PATIENCE = { timeout: 15_000, interval: 10 };

export interface LoadUnderTest {
  identity: LoadIdentity;
  /** A fresh stub each time, because an aborted object breaks its old ones. */
  stub(): DurableObjectStub<Load>;
  request(record: number, more?: Partial<DispatchedRequest>): DispatchedRequest;
  /** Hands over one request per record number. */
  dispatch(records: readonly number[], more?: Partial<DispatchedRequest>): Promise<void>;
  /** One wake-up now, as its alarm would bring later; resolves when it is over. */
  wake(): Promise<void>;
  /** Waits until its first request is in this state, then puts the end of its wait far away: nothing moves while a test looks. */
  freezeIn(state: 'waiting' | 'unknown'): Promise<void>;
  /** Ends a frozen wait. */
  waitPasses(): Promise<void>;
  timeline(): Promise<{ request: StoredRequest; attempts: StoredAttempt[] }[]>;
  /** Waits until the states of its requests, in hand-over order, are these. */
  reaches(...states: StoredRequest['state'][]): Promise<void>;
  /** Gives its requests other values. */
  becomes: Becomes;
}

const FAR_MS = Date.UTC(2100, 0);
let made = 0;

/** A load of its own each time: an object that fell asleep in an earlier test outlives its `reset`. */
export function aLoad(more: Partial<LoadIdentity> = {}): LoadUnderTest {
  made += 1;
  const loadNumber = `LD${made}`;
  const identity: LoadIdentity = { environment: 'test', partner: 'acme', scac: 'DEMO', loadNumber, ...more };
  const stub = () => env.LOAD.getByName(loadName(identity, identity.scac, loadNumber));
  const request: LoadUnderTest['request'] = (record, overrides = {}) => ({
    key: `b_1/${record}/1`,
    batchId: 'b_1',
    record,
    request: 1,
    generation: 1,
    mayHaveArrived: false,
    kind: 'milestone',
    scac: identity.scac,
    channel: 'plain',
    body: JSON.stringify({ loadNumber, eventCode: 'X3', record }),
    acceptedAtMs: Date.now(),
    live: false,
    forced: false,
    rules: null,
    ...overrides,
  });
  const becomesSo = becomes(stub);
  const wake = () => runInDurableObject(stub(), (instance) => instance.alarm());
  return {
    identity,
    stub,
    request,
    dispatch: async (records, overrides) => {
      const requests = records.map((record) => request(record, overrides));
      await stub().enqueue(identity, requests);
    },
    wake,
    freezeIn: (state) =>
      vi.waitFor(async () => {
        await becomesSo({ at_ms: FAR_MS }, (each) => each.state === state);
        const [entry] = await stub().timeline();
        expect(entry?.request).toMatchObject({ state, at_ms: FAR_MS });
      }, PATIENCE),
    waitPasses: async () => {
      await becomesSo({ at_ms: Date.now() }, isDelayed);
      await wake();
    },
    timeline: () => stub().timeline(),
    reaches: (...states) =>
      vi.waitFor(async () => {
        const found = (await stub().timeline()).map(({ request: { state } }) => state);
        expect(found).toEqual(states);
      }, PATIENCE),
    becomes: becomesSo,
  };
}

/** The record numbers in the bodies that left, in order. */
export const recordsOf = (left: readonly { body: string }[]): number[] =>
  left.map(({ body }) => (JSON.parse(body) as { record: number }).record);
