/**
 * What becomes of orders upstream once they are made, and how far polls have read of it: the cursor stands there, so that
 * what an answer was given is gone from the next one, whether it arrived or not (seed 4.4).
 */
import type { World } from './world.ts';

export interface LifeEvent {
  orderId: string;
  orderRef: string;
  code: string;
  level: 'milestone' | 'detail';
  atMs: number;
}

/** As much of an upstream order as its life needs. */
interface Living {
  id: string;
  orderRef: string;
  cancelledMs: number | null;
}

const MINUTE_MS = 60_000;
/** An order that nobody cancels goes on like this, as far as it comes. */
const STEPS: readonly Pick<LifeEvent, 'code' | 'level'>[] = [
  { code: 'scheduled', level: 'milestone' },
  { code: 'picked_up', level: 'milestone' },
  { code: 'at_terminal', level: 'detail' },
  { code: 'out_for_delivery', level: 'milestone' },
  { code: 'delivered', level: 'milestone' },
  { code: 'returned', level: 'milestone' },
];
/** The longest from one step to the next, and how often nothing follows any more. */
const STEP_MS = 50 * MINUTE_MS;
const STOPS_SHARE = 0.2;

export class OrderLives {
  /** Whatever happened, in its order. */
  readonly happened: LifeEvent[] = [];
  readonly #world: World;
  /** False: nobody follows the orders of this seed, and nothing becomes of them. */
  readonly isFollowed: boolean;
  /** How much of it polls were given. */
  #given = 0;
  #underWay = 0;

  constructor(world: World, isFollowed: boolean) {
    this.#world = world;
    this.isFollowed = isFollowed;
  }

  /** Nothing more happens, and polls were given all of it. */
  isOver = (): boolean => this.#underWay === 0 && this.#given === this.happened.length;

  created(order: Living): void {
    if (!this.isFollowed) return;
    this.#happens(order, 'received', 'milestone');
    this.#goesOn(order, 0);
  }

  updated(order: Living): void {
    if (this.isFollowed) this.#happens(order, 'updated', 'detail');
  }

  cancelled(order: Living): void {
    if (this.isFollowed) this.#happens(order, 'cancelled', 'milestone');
  }

  /** A poll is handled: the cursor moves. */
  poll(): LifeEvent[] {
    const fresh = this.happened.slice(this.#given);
    this.#given = this.happened.length;
    return fresh;
  }

  /** Moves no cursor. */
  of(isMeant: (event: LifeEvent) => boolean): LifeEvent[] {
    return this.happened.filter(isMeant);
  }

  #goesOn(order: Living, at: number): void {
    const world = this.#world;
    const step = STEPS[at];
    if (step === undefined || world.dice() < STOPS_SHARE) return;
    this.#underWay += 1;
    world.after(world.dice() * world.dice() * STEP_MS, () => {
      this.#underWay -= 1;
      if (order.cancelledMs !== null) return;
      this.#happens(order, step.code, step.level);
      this.#goesOn(order, at + 1);
    });
  }

  /** No two changes of one order have the same time, so that their order can be told from it. */
  #happens({ id, orderRef }: Living, code: string, level: LifeEvent['level']): void {
    const last = this.happened.findLast((event) => event.orderRef === orderRef)?.atMs ?? 0;
    const atMs = Math.max(Math.floor(this.#world.nowMs), last + 1);
    this.happened.push({ orderId: id, orderRef, code, level, atMs });
    this.#world.note('happens', orderRef, code);
  }
}

export const writtenEvent = ({ orderId, orderRef, code, level, atMs }: LifeEvent) => ({
  orderId,
  id: orderId,
  orderRef,
  code,
  level,
  eventTime: new Date(atMs).toISOString().replace('Z', '0000+00:00'),
});
