/**
 * The upstream's order history as a feed meets it (seed 4.4): polls, whose cursor moves as they are handled, and looks at
 * one order, which move nothing. Both fail like whatever else is asked of it.
 */
import type { UpstreamFault } from './faults.ts';
import { type OrderLives, writtenEvent } from './order-lives.ts';
import { fateOf, type Met, type Planned, reset, responseOf } from './responses.ts';
import type { Settle, World } from './world.ts';

/** What the whole upstream knows. */
interface HistoryPort {
  lives: OrderLives;
  isGood(token: string): boolean;
  /** Ids of orders that the index does not show yet. */
  unlisted(): ReadonlySet<string>;
  fault(): UpstreamFault | null;
  refusedToken(token: string): void;
  /** It is done at some time, now or late. */
  atSomeTime(run: () => void): void;
}

/** Of looks at one order that fail: says that it does not know an order that it has. */
const FORGOTTEN_SHARE = 0.3;

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
      const events = orderRef === null ? () => this.#port.lives.poll() : () => this.#listed(orderRef);
      const read = (): string => JSON.stringify({ events: events().map(writtenEvent) });
      const met: Met = {
        late: () => this.#port.atSomeTime(read),
        refused: () => bearer !== null && this.#port.refusedToken(bearer),
        conflict: () => ({ status: world.dice() < 0.5 ? 404 : 409 }),
        cut: () => this.#broken(read()),
      };
      const isForgotten = fault !== null && orderRef !== null && world.dice() < FORGOTTEN_SHARE;
      const fate = fault === null ? this.#well(read()) : isForgotten ? { status: 404 } : fateOf(fault, world, met);
      if (fate === 'reset') reset(world, settle);
      else if (fate !== 'silence') this.#answer(fate, settle);
    });
  }

  #well(body: string): Planned {
    return body.endsWith('[]}') && this.#world.dice() < 0.3 ? { status: 204, body: '' } : { status: 200, body };
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
