/**
 * The upstream as the bridge may meet it: it applies what it is asked before it answers, after, late, or never, and its
 * index of orders is behind. What it truly did is kept, so that the checks know better than any answer.
 */
import { ENDPOINTS, HEADERS } from '../../src/upstream/contracts/endpoints.ts';
import { UPSTREAM_FAULTS, type UpstreamFault } from './faults.ts';
import { type FetchInit, uuidOf } from './globals.ts';
import { OrderHistory } from './order-history.ts';
import { type LifeEvent, type OrderLives, writtenEvent } from './order-lives.ts';
import { fateOf, type Planned, reset, responseOf } from './responses.ts';
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
  /** A question: it changes nothing but the cursor of a poll. @returns to be told when it is answered, or given up. */
  asks(home: Home | null, url: URL): () => void;
  applies(sending: Sending): void;
  answered(sending: Sending, status: number, retryAfterMs: number | null, body: string): void;
  mints(home: Home | null): void;
  refusedToken(token: string): void;
}

const MINUTE_MS = 60_000;

export class Upstream {
  readonly orders: UpstreamOrder[] = [];
  /** Token → when it stops to be good. */
  readonly tokens = new Map<string, number>();
  readonly #world: World;
  readonly #witness: UpstreamWitness;
  readonly #lives: OrderLives;
  readonly #history: OrderHistory;
  readonly #weights: [UpstreamFault, number][];
  #minted = 0;
  /** Requests that will be done late. */
  #late = 0;

  constructor(world: World, witness: UpstreamWitness, lives: OrderLives) {
    this.#world = world;
    this.#witness = witness;
    this.#lives = lives;
    this.#weights = UPSTREAM_FAULTS.map((fault) => [fault, world.faults.upstream[fault] ?? 0]);
    this.#history = new OrderHistory(world, {
      lives,
      isGood: this.isGood,
      unlisted: () => new Set(this.orders.filter(({ visibleMs }) => visibleMs > world.nowMs).map(({ id }) => id)),
      fault: () => this.#drawnFault(),
      refusedToken: (token) => witness.refusedToken(token),
      atSomeTime: (run) => this.#atSomeTime(run),
    });
  }

  isIdle = (): boolean => this.#late === 0 && this.#lives.isOver();

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
      let onOver = (): void => undefined;
      const over = (answer: () => void): void => {
        if (isOver) return;
        isOver = true;
        onOver();
        answer();
      };
      const once: Settle<unknown> = {
        resolve: (value) => over(() => settle.resolve(value)),
        reject: (error) => over(() => settle.reject(error)),
      };
      // The caller gives up in a turn of its own, in which nothing else of it waits for this.
      signal?.addEventListener('abort', () => world.after(0, () => once.reject(new Error('aborted'))));
      const path = url.slice(BASE_URL.length);
      if (path.endsWith('/token')) return this.#mint(home, once);
      const bearer = init.headers?.[HEADERS.authorization]?.replace('Bearer ', '') ?? null;
      if (method === 'GET') {
        onOver = this.#witness.asks(home, new URL(url));
        if (home?.className === 'OrderFeed') return this.#history.take(new URL(url), bearer, once);
        return this.#look(new URL(url), once);
      }
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
      if (fault === null) return this.#well(sending, settle);
      const fate = fateOf(fault, world, {
        late: () => this.#atSomeTime(() => this.#apply(sending)),
        refused: () => bearer !== null && this.#witness.refusedToken(bearer),
        conflict: () => ({ status: sending.path.includes('order') ? 409 : 422 }),
        cut: () => {
          this.#apply(sending);
          return { status: 200, body: '{"id": "', end: world.dice() < 0.5 ? 'cut' : 'drip' };
        },
      });
      if (fate === 'reset') reset(world, settle);
      else if (fate !== 'silence') this.#answer(sending, fate, settle);
    });
  }

  #fault(sending: Sending): UpstreamFault | null {
    const world = this.#world;
    if (sending.body.includes('POISON')) return 'refused';
    const { stuck } = world.faults;
    if (stuck !== 'never' && sending.home?.name.includes('STUCK')) return stuck === 'busy' ? 'busy' : 'error_before';
    return this.#drawnFault();
  }

  #drawnFault(): UpstreamFault | null {
    const world = this.#world;
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

  #atSomeTime(run: () => unknown): void {
    const world = this.#world;
    if (world.chance(world.faults.late)) {
      this.#late += 1;
      world.after(world.dice() * 10 * MINUTE_MS, () => {
        this.#late -= 1;
        run();
      });
    } else run();
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
      this.#lives.created(order);
      return order;
    }
    const order = this.orders.find((one) => one.id === id);
    if (order === undefined || order.cancelledMs !== null) return 'unknown_order';
    this.#witness.applies(sending);
    if (sending.seq < order.lastSeq) world.breach('I10', `${sending.keys[0]} came late, over a younger operation`);
    order.lastSeq = Math.max(order.lastSeq, sending.seq);
    if (sending.method === 'DELETE') {
      order.cancelledMs = world.nowMs;
      this.#lives.cancelled(order);
    } else {
      order.document = this.#updated(sending, order);
      this.#lives.updated(order);
    }
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
    const wait = headers['retry-after'];
    const seconds = wait !== undefined && /^\d+$/.test(wait) ? Number(wait) : null;
    this.#world.after(1 + this.#world.dice() * 150, () => {
      const told = () => this.#witness.answered(sending, status, seconds === null ? null : seconds * 1_000, body);
      return settle.resolve(responseOf({ status, headers, body, end }, told));
    });
  }

  #mint(home: Home | null, settle: Settle<unknown>): void {
    const world = this.#world;
    this.#witness.mints(home);
    world.after(10 + world.dice() * 100, () => {
      if (world.chance(world.faults.tokenFails)) {
        if (world.dice() < 0.3) return undefined;
        return settle.resolve(responseOf({ status: 500, body: 'no' }));
      }
      this.#minted += 1;
      const token = `token-${this.#minted}`;
      const lifeSeconds = world.faults.tokenLifeSeconds;
      this.tokens.set(token, world.nowMs + lifeSeconds * 1_000);
      if (world.chance(world.faults.tokenRevoked)) {
        world.after(world.dice() * 300_000, () => void this.tokens.set(token, 0));
      }
      const body = JSON.stringify({ access_token: token, expires_in: lifeSeconds });
      return settle.resolve(responseOf({ status: 200, body }));
    });
  }

  /** The gate's own probe: it fails like what it stands for. */
  #showLocations(settle: Settle<unknown>): void {
    const { dice, faults } = this.#world;
    const { credentials = 0, scac = 0, error_before = 0, redirect = 0 } = faults.upstream;
    const isRefused = this.#world.chance(Math.min(0.5, credentials + scac + error_before + redirect));
    const status = isRefused ? (PROBE_STATUSES[Math.floor(dice() * PROBE_STATUSES.length)] ?? 500) : 200;
    settle.resolve(responseOf({ status, body: '{"locations":[]}' }));
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
      const events =
        this.#lives.isFollowed && id === undefined
          ? this.#lives.of(({ orderId }) => seen.some((order) => order.id === orderId))
          : seen.flatMap(actionsOf);
      const body = JSON.stringify({ events: events.map(writtenEvent) });
      return settle.resolve(responseOf({ status: 200, body }));
    });
  }
}

/** What else a gate's own probe may be told, beside what a refused call is told. */
const PROBE_STATUSES = [401, 403, 500, 307];

/** What was done to it, as those who do it are told. */
const actionsOf = ({ id, orderRef, createdMs, cancelledMs }: UpstreamOrder): LifeEvent[] => {
  const event = (code: string, atMs: number): LifeEvent => ({ orderId: id, orderRef, code, level: 'milestone', atMs });
  return [event('received', createdMs), ...(cancelledMs === null ? [] : [event('cancelled', cancelledMs)])];
};

const ORDER_PATH = new RegExp(`^${ENDPOINTS.orderCreate.path}([^/]*)`);

function refOf(body: string): string {
  const orderRef = body === '' ? undefined : (JSON.parse(body) as { orderRef?: unknown }).orderRef;
  return typeof orderRef === 'string' ? orderRef : '';
}
