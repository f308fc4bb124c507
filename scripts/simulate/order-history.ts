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
      this.#meets(fault, bearer, () => JSON.stringify({ events: read().map(writtenEvent) }), settle);
    });
  }

  /** @param read the body of the answer; a poll that is handled moves the cursor. */
  #meets(fault: UpstreamFault | null, bearer: string | null, read: () => string, settle: Settle<unknown>): void {
    const world = this.#world;
    switch (fault) {
      case null: {
        const body = read();
        const isNothing = body.endsWith('[]}') && world.dice() < 0.3;
        return this.#answer(isNothing ? { status: 204, body: '' } : { status: 200, body }, settle);
      }
      case 'refused':
        return this.#answer({ status: 422 }, settle);
      case 'conflict':
        return this.#answer({ status: world.dice() < 0.5 ? 404 : 409 }, settle);
      case 'busy':
        return this.#answer({ status: 429, headers: retryAfter(world, true) }, settle);
      case 'busy_until':
        return this.#answer({ status: 429, headers: retryAfter(world, false) }, settle);
      case 'unavailable_until':
        return this.#answer({ status: 503, headers: retryAfter(world, false) }, settle);
      case 'request_timeout':
        return this.#answer({ status: 408 }, settle);
      case 'error_before':
        return this.#answer({ status: 500 + Math.floor(world.dice() * 5) }, settle);
      case 'error_after':
        this.#port.atSomeTime(read);
        return this.#answer({ status: 502 }, settle);
      case 'reset_before':
        return reset(world, settle);
      case 'reset_after':
        this.#port.atSomeTime(read);
        return reset(world, settle);
      case 'hang_before':
        return;
      case 'hang_after':
        return this.#port.atSomeTime(read);
      case 'redirect':
        return this.#answer({ status: 307, headers: { location: 'https://elsewhere.example/' } }, settle);
      case 'credentials':
        if (bearer !== null) this.#port.refusedToken(bearer);
        return this.#answer({ status: 401 }, settle);
      case 'scac':
        return this.#answer({ status: 403 }, settle);
      case 'cut_body': {
        const body = read();
        const half = body.slice(0, body.length / 2);
        const drawn = world.dice();
        const end = drawn < 0.4 ? 'cut' : drawn < 0.7 ? 'drip' : 'whole';
        return this.#answer({ status: 200, body: end === 'whole' && drawn < 0.85 ? '<html>' : half, end }, settle);
      }
    }
  }

  #listed(orderRef: string): ReturnType<OrderLives['of']> {
    const unlisted = this.#port.unlisted();
    return this.#port.lives.of((event) => event.orderRef === orderRef && !unlisted.has(event.orderId));
  }

  #answer(planned: Planned, settle: Settle<unknown>): void {
    this.#world.after(1 + this.#world.dice() * 150, () => settle.resolve(responseOf(planned)));
  }
}
