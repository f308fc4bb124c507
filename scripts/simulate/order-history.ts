/**
 * The upstream's order history as a feed meets it (seed 4.4): polls, whose cursor moves as they are handled, and looks at
 * one order, which move nothing. Both fail like whatever else is asked of it.
 */
import type { UpstreamFault } from './faults.ts';
import { type OrderLives, writtenEvent } from './order-lives.ts';
import { type Planned, reset, responseOf, retryAfter } from './responses.ts';
import type { Settle, World } from './world.ts';

/** What the whole upstream knows. */
export interface HistoryPort {
  lives: OrderLives;
  isGood(token: string): boolean;
  /** Ids of orders that the index does not show yet. */
  unlisted(): ReadonlySet<string>;
  fault(): UpstreamFault | null;
  refusedToken(token: string): void;
  /** It is done at some time, now or late. */
  atSomeTime(run: () => void): void;
}

export class OrderHistory {
  readonly #world: World;
  readonly #port: HistoryPort;

  constructor(world: World, port: HistoryPort) {
    this.#world = world;
    this.#port = port;
  }

  take(url: URL, bearer: string | null, settle: Settle<unknown>): void {
    const world = this.#world;
    world.after(5 + world.dice() * 60, () => {
      if (bearer !== null && !this.#port.isGood(bearer)) {
        this.#port.refusedToken(bearer);
        return this.#answer({ status: 401 }, settle);
      }
      const fault = this.#port.fault();
      const orderRef = url.searchParams.get('orderRef');
      world.note('upstream', orderRef === null ? 'poll' : `look ${orderRef}`, fault ?? 'well');
      const read = orderRef === null ? () => this.#port.lives.poll() : () => this.#listed(orderRef);
      const fate = this.#fate(fault, bearer, () => JSON.stringify({ events: read().map(writtenEvent) }));
      if (fate === 'reset') reset(world, settle);
      else if (fate !== 'silence') this.#answer(fate, settle);
    });
  }

  /** @param read the body of the answer; a poll that is handled moves the cursor. */
  #fate(fault: UpstreamFault | null, bearer: string | null, read: () => string): Planned | 'reset' | 'silence' {
    const world = this.#world;
    switch (fault) {
      case null: {
        const body = read();
        return body.endsWith('[]}') && world.dice() < 0.3 ? { status: 204, body: '' } : { status: 200, body };
      }
      case 'refused':
        return { status: 422 };
      case 'conflict':
        return { status: world.dice() < 0.5 ? 404 : 409 };
      case 'busy':
        return { status: 429, headers: retryAfter(world, true) };
      case 'busy_until':
        return { status: 429, headers: retryAfter(world, false) };
      case 'unavailable_until':
        return { status: 503, headers: retryAfter(world, false) };
      case 'request_timeout':
        return { status: 408 };
      case 'error_before':
        return { status: 500 + Math.floor(world.dice() * 5) };
      case 'error_after':
        this.#port.atSomeTime(read);
        return { status: 502 };
      case 'reset_before':
        return 'reset';
      case 'reset_after':
        this.#port.atSomeTime(read);
        return 'reset';
      case 'hang_before':
        return 'silence';
      case 'hang_after':
        this.#port.atSomeTime(read);
        return 'silence';
      case 'redirect':
        return { status: 307, headers: { location: 'https://elsewhere.example/' } };
      case 'credentials':
        if (bearer !== null) this.#port.refusedToken(bearer);
        return { status: 401 };
      case 'scac':
        return { status: 403 };
      case 'cut_body':
        return this.#broken(read());
    }
  }

  /** It breaks off, never ends, or is no list at all. */
  #broken(body: string): Planned {
    const half = body.slice(0, body.length / 2);
    const drawn = this.#world.dice();
    if (drawn < 0.4) return { status: 200, body: half, end: 'cut' };
    if (drawn < 0.7) return { status: 200, body: half, end: 'drip' };
    return { status: 200, body: drawn < 0.85 ? '<html>' : half };
  }

  #listed(orderRef: string): ReturnType<OrderLives['of']> {
    const unlisted = this.#port.unlisted();
    return this.#port.lives.of((event) => event.orderRef === orderRef && !unlisted.has(event.orderId));
  }

  #answer(planned: Planned, settle: Settle<unknown>): void {
    this.#world.after(1 + this.#world.dice() * 150, () => settle.resolve(responseOf(planned)));
  }
}
