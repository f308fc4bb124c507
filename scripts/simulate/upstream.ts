/**
 * The upstream as the bridge may meet it: it applies what it is asked before it answers, after, late, or never, and its
 * index of orders is behind. What it truly did is kept, so that the checks know better than any answer.
 */
import { ENDPOINTS, HEADERS } from '../../src/upstream/contracts/endpoints.ts';
import { UPSTREAM_FAULTS, type UpstreamFault } from './faults.ts';
import { type FetchInit, uuidOf } from './globals.ts';
import type { Home, Settle, World } from './world.ts';

export const BASE_URL = 'https://upstream.example/api';

/** What leaves an object, and which requests of it travel there. */
export interface Sending {
  method: string;
  path: string;
  body: string;
  /** Of every request it carries. */
  keys: readonly string[];
  /** The object it came from, its request there and which attempt of that it is. */
  home: Home | null;
  /** The wake-up it left in. */
  wakeUp: unknown;
  seq: number;
  attempt: number;
}

export interface UpstreamOrder {
  id: string;
  /** As it was written last, without its id. */
  document: unknown;
  /** The youngest operation that was done to it. */
  lastSeq: number;
  orderRef: string;
  createdMs: number;
  cancelledMs: number | null;
  /** Not to be seen by queries before. */
  visibleMs: number;
}

/** Told before anything leaves, and when something is truly done. */
export interface UpstreamWitness {
  leaves(home: Home | null, call: { method: string; path: string; body: string; wakeUp: unknown }): Sending;
  /** A question: it changes nothing. */
  asks(home: Home | null, path: string): void;
  applies(sending: Sending): void;
  answered(sending: Sending, status: number, retryAfterMs: number | null, body: string): void;
  mints(home: Home | null): void;
  refusedToken(token: string): void;
}

interface Planned {
  status: number;
  headers?: Record<string, string>;
  body?: string;
  end?: 'whole' | 'cut' | 'drip';
}

const MINUTE_MS = 60_000;

export class Upstream {
  readonly orders: UpstreamOrder[] = [];
  /** Token → when it stops to be good. */
  readonly tokens = new Map<string, number>();
  readonly #world: World;
  readonly #witness: UpstreamWitness;
  readonly #weights: [UpstreamFault, number][];
  #minted = 0;
  /** Requests that will be done late. */
  #late = 0;

  constructor(world: World, witness: UpstreamWitness) {
    this.#world = world;
    this.#witness = witness;
    this.#weights = UPSTREAM_FAULTS.map((fault) => [fault, world.faults.upstream[fault] ?? 0]);
  }

  isIdle = (): boolean => this.#late === 0;

  isGood = (token: string): boolean => (this.tokens.get(token) ?? 0) > this.#world.nowMs;

  /** One call over the network. */
  fetch = (url: string, init: FetchInit): Promise<unknown> => {
    const { method = 'GET', body = '', signal } = init;
    const world = this.#world;
    const wakeUp = world.current;
    const home = wakeUp?.instance.home ?? null;
    if (!url.startsWith(`${BASE_URL}/`)) world.breach('I14', `a call went to ${url}`);
    return world.outside<unknown>((settle) => {
      let isOver = false;
      const once: Settle<unknown> = {
        resolve: (value) => {
          if (isOver) return;
          isOver = true;
          settle.resolve(value);
        },
        reject: (error) => {
          if (isOver) return;
          isOver = true;
          settle.reject(error);
        },
      };
      // The caller gives up in a turn of its own, in which nothing else of it waits for this.
      signal?.addEventListener('abort', () => world.after(0, () => once.reject(new Error('aborted'))));
      const path = url.slice(BASE_URL.length);
      if (path.endsWith('/token')) return this.#mint(home, once);
      if (method === 'GET') {
        this.#witness.asks(home, path);
        return this.#look(new URL(url), once);
      }
      const bearer = init.headers?.[HEADERS.authorization]?.replace('Bearer ', '') ?? null;
      this.#take(this.#witness.leaves(home, { method, path, body, wakeUp }), bearer, once);
    });
  };

  #take(sending: Sending, bearer: string | null, settle: Settle<unknown>): void {
    const world = this.#world;
    const arrivesMs = 5 + world.dice() * 60;
    world.after(arrivesMs, () => {
      if (bearer !== null && !this.isGood(bearer)) {
        world.note('upstream', sending.method, sending.path, sending.keys.join(' '), 'token refused', bearer);
        this.#witness.refusedToken(bearer);
        return this.#answer(sending, { status: 401 }, settle);
      }
      const fault = this.#fault(sending);
      world.note('upstream', sending.method, sending.path, sending.keys.join(' '), fault ?? 'well');
      switch (fault) {
        case null:
          return this.#well(sending, settle);
        case 'refused':
          return this.#answer(sending, { status: 422 }, settle);
        case 'busy':
          return this.#answer(sending, { status: 429, headers: this.#retryAfter(true) }, settle);
        case 'busy_until':
          return this.#answer(sending, { status: 429, headers: this.#retryAfter(false) }, settle);
        case 'unavailable_until':
          return this.#answer(sending, { status: 503, headers: this.#retryAfter(false) }, settle);
        case 'request_timeout':
          return this.#answer(sending, { status: 408 }, settle);
        case 'error_before':
          return this.#answer(sending, { status: 500 + Math.floor(world.dice() * 5) }, settle);
        case 'error_after':
          this.#applyAtSomeTime(sending);
          return this.#answer(sending, { status: 502 }, settle);
        case 'reset_before':
          return this.#reset(settle);
        case 'reset_after':
          this.#applyAtSomeTime(sending);
          return this.#reset(settle);
        case 'hang_before':
          return;
        case 'hang_after':
          return this.#applyAtSomeTime(sending);
        case 'redirect':
          return this.#answer(sending, { status: 307, headers: { location: 'https://elsewhere.example/' } }, settle);
        case 'credentials':
          if (bearer !== null) this.#witness.refusedToken(bearer);
          return this.#answer(sending, { status: 401 }, settle);
        case 'scac':
          return this.#answer(sending, { status: 403 }, settle);
        case 'conflict':
          return this.#answer(sending, { status: sending.path.includes('order') ? 409 : 422 }, settle);
        case 'cut_body':
          this.#apply(sending);
          return this.#answer(
            sending,
            { status: 200, body: '{"id": "', end: world.dice() < 0.5 ? 'cut' : 'drip' },
            settle,
          );
      }
    });
  }

  #fault(sending: Sending): UpstreamFault | null {
    const world = this.#world;
    if (sending.body.includes('POISON')) return 'refused';
    const { stuck } = world.faults;
    if (stuck !== 'never' && sending.home?.name.includes('STUCK')) return stuck === 'busy' ? 'busy' : 'error_before';
    if (world.nowMs >= world.faults.untilMs) return null;
    const sum = this.#weights.reduce((all, [, weight]) => all + weight, 1);
    let drawn = world.dice() * sum - 1;
    if (drawn < 0) return null;
    for (const [fault, weight] of this.#weights) {
      if (drawn < weight) return fault;
      drawn -= weight;
    }
    return null;
  }

  #well(sending: Sending, settle: Settle<unknown>): void {
    const order = this.#apply(sending);
    if (order === 'unknown_order') {
      this.#answer(sending, { status: 404 }, settle);
      return;
    }
    const hasId = !this.#world.chance(this.#world.faults.idMissing);
    const body = order === null ? '{"id":"ok"}' : hasId ? JSON.stringify({ id: order.id }) : '<html>accepted</html>';
    this.#answer(sending, { status: order === null ? 200 : 201, body }, settle);
  }

  #applyAtSomeTime(sending: Sending): void {
    const world = this.#world;
    if (world.chance(world.faults.late)) {
      this.#late += 1;
      world.after(world.dice() * 10 * MINUTE_MS, () => {
        this.#late -= 1;
        this.#apply(sending);
      });
    } else this.#apply(sending);
  }

  #apply(sending: Sending): UpstreamOrder | null | 'unknown_order' {
    const world = this.#world;
    const id = ORDER_PATH.exec(sending.path)?.[1];
    if (id === undefined) {
      this.#witness.applies(sending);
      return null;
    }
    const orderRef = refOf(sending.body);
    if (sending.method === 'POST') {
      this.#witness.applies(sending);
      const visibleMs = world.nowMs + (world.dice() < 0.5 ? 0 : world.dice() * 20 * MINUTE_MS);
      const document: unknown = JSON.parse(sending.body);
      const id = uuidOf(world.dice);
      const order = {
        id,
        document,
        lastSeq: sending.seq,
        orderRef,
        createdMs: world.nowMs,
        cancelledMs: null,
        visibleMs,
      };
      if (this.liveOrders(orderRef).length > 0) world.breach('I16', `a second living order ${orderRef}`);
      this.orders.push(order);
      return order;
    }
    const order = this.orders.find((one) => one.id === id);
    if (order === undefined || order.cancelledMs !== null) return 'unknown_order';
    this.#witness.applies(sending);
    if (sending.seq < order.lastSeq) world.breach('I10', `${sending.keys[0]} came late, over a younger operation`);
    order.lastSeq = Math.max(order.lastSeq, sending.seq);
    if (sending.method === 'DELETE') order.cancelledMs = world.nowMs;
    else order.document = this.#updated(sending, order);
    return order;
  }

  /** seed 4.4: the id stands in the body, too. */
  #updated({ body, keys }: Sending, { id }: UpstreamOrder): unknown {
    const { id: named, ...document } = JSON.parse(body) as { id?: unknown };
    if (named !== id) this.#world.breach('I5', `${keys[0]} says the id ${named} in its body`);
    return document;
  }

  liveOrders = (orderRef: string): UpstreamOrder[] =>
    this.orders.filter((order) => order.orderRef === orderRef && order.cancelledMs === null);

  #answer(
    sending: Sending,
    { status, headers = {}, body = '{}', end = 'whole' }: Planned,
    settle: Settle<unknown>,
  ): void {
    const retryAfter = headers['retry-after'];
    const seconds = retryAfter !== undefined && /^\d+$/.test(retryAfter) ? Number(retryAfter) : null;
    this.#world.after(1 + this.#world.dice() * 150, () => {
      const told = () => this.#witness.answered(sending, status, seconds === null ? null : seconds * 1_000, body);
      return settle.resolve(responseOf({ status, headers, body, end }, told));
    });
  }

  #reset(settle: Settle<unknown>): void {
    this.#world.after(1 + this.#world.dice() * 500, () => settle.reject(new Error('Network connection lost.')));
  }

  #retryAfter(isPlain: boolean): Record<string, string> {
    const { dice, nowMs } = this.#world;
    if (isPlain && dice() < 0.5) return {};
    const drawn = dice();
    if (drawn < 0.6) return { 'retry-after': String(Math.floor(dice() * dice() * 7_200)) };
    if (drawn < 0.7) return { 'retry-after': '1000000000' };
    if (drawn < 0.8) return { 'retry-after': new Date(nowMs + dice() * 600_000).toUTCString() };
    return { 'retry-after': drawn < 0.9 ? '-5' : 'soon' };
  }

  #mint(home: Home | null, settle: Settle<unknown>): void {
    const world = this.#world;
    this.#witness.mints(home);
    world.after(10 + world.dice() * 100, () => {
      if (world.chance(world.faults.tokenFails)) {
        if (world.dice() < 0.3) return undefined;
        return settle.resolve(responseOf({ status: 500, headers: {}, body: 'no', end: 'whole' }));
      }
      this.#minted += 1;
      const token = `token-${this.#minted}`;
      const lifeSeconds = world.faults.tokenLifeSeconds;
      this.tokens.set(token, world.nowMs + lifeSeconds * 1_000);
      if (world.chance(world.faults.tokenRevoked)) {
        world.after(world.dice() * 300_000, () => void this.tokens.set(token, 0));
      }
      const body = JSON.stringify({ access_token: token, expires_in: lifeSeconds });
      return settle.resolve(responseOf({ status: 200, headers: {}, body, end: 'whole' }));
    });
  }

  /** The gate's own probe: it fails like what it stands for. */
  #showLocations(settle: Settle<unknown>): void {
    const { dice, faults } = this.#world;
    const { credentials = 0, scac = 0, error_before = 0, redirect = 0 } = faults.upstream;
    const isRefused = this.#world.chance(Math.min(0.5, credentials + scac + error_before + redirect));
    const status = isRefused ? (PROBE_STATUSES[Math.floor(dice() * PROBE_STATUSES.length)] ?? 500) : 200;
    settle.resolve(responseOf({ status, headers: {}, body: '{"locations":[]}', end: 'whole' }));
  }

  /** Reads are answered from what the index shows by now. */
  #look(url: URL, settle: Settle<unknown>): void {
    const world = this.#world;
    world.after(10 + world.dice() * 100, () => {
      if (world.chance(0.2)) return settle.reject(new Error('Network connection lost.'));
      if (url.pathname.includes('/locations')) return this.#showLocations(settle);
      const orderRef = url.searchParams.get('orderRef');
      const id = ORDER_PATH.exec(url.pathname.slice(new URL(BASE_URL).pathname.length))?.[1];
      const seen = this.orders.filter(
        (order) => order.visibleMs <= world.nowMs && (order.orderRef === orderRef || order.id === id),
      );
      const events = seen.flatMap((order) => [
        event(order, 'received', order.createdMs),
        ...(order.cancelledMs === null ? [] : [event(order, 'cancelled', order.cancelledMs)]),
      ]);
      const body = JSON.stringify({ events });
      return settle.resolve(responseOf({ status: 200, headers: {}, body, end: 'whole' }));
    });
  }
}

/** What else a gate's own probe may be told, beside what a refused call is told. */
const PROBE_STATUSES = [401, 403, 500, 307];

const event = ({ id, orderRef }: UpstreamOrder, code: string, atMs: number) => ({
  orderId: id,
  id,
  orderRef,
  code,
  level: 'milestone',
  eventTime: new Date(atMs).toISOString().replace('Z', '0000+00:00'),
});

const ORDER_PATH = new RegExp(`^${ENDPOINTS.orderCreate.path}([^/]*)`);

function refOf(body: string): string {
  const orderRef = body === '' ? undefined : (JSON.parse(body) as { orderRef?: unknown }).orderRef;
  return typeof orderRef === 'string' ? orderRef : '';
}

/** As much of a response as is read of one. @param onRead told when its body has come in whole. */
function responseOf(planned: Required<Planned>, onRead: () => void = () => undefined): unknown {
  const { status, headers, body, end } = planned;
  const bytes = new TextEncoder().encode(body);
  let reads = 0;
  const read = (): Promise<unknown> => {
    reads += 1;
    if (reads === 1) return Promise.resolve({ done: false, value: bytes });
    if (end === 'drip') return new Promise(() => undefined);
    if (end === 'cut') return Promise.reject(new Error('Network connection lost.'));
    onRead();
    return Promise.resolve({ done: true, value: undefined });
  };
  return {
    status,
    headers: { get: (name: string) => headers[name] ?? null },
    body: { getReader: () => ({ read, cancel: async () => undefined }) },
  };
}
