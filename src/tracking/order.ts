/**
 * The Order object: one per (environment, partner, orderRef). Its operations go out one at a time, in hand-over order.
 *
 * A thin shell: what its lane does stands in `order-lane.ts`, what all subjects do in `subject.ts`.
 */
import { DurableObject } from 'cloudflare:workers';
import { scaledMs } from '../kernel/clock.ts';
import { ORDER_DEADLINE_MS } from '../kernel/limits.ts';
import { upstreamOf } from '../upstream/settings.ts';
import { OrderLane } from './order-lane.ts';
import { type AcceptedOrder, OrderStore } from './order-store.ts';
import { Subject } from './subject.ts';
import { SubjectStore } from './subject-store.ts';
import type { HandedRequest, HandedTo, OrderIdentity, TakenRequest, TimelineEntry } from './subject-tables.ts';

export class Order extends DurableObject<Env> {
  readonly #store: SubjectStore;
  readonly #order: OrderStore;
  readonly #subject: Subject;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#store = new SubjectStore(ctx.storage.sql);
    this.#order = new OrderStore(ctx.storage.sql);
    this.#subject = new Subject({ ctx, env }, this.#store, [new OrderLane(this.#store, this.#order)]);
  }

  /** Takes operations over, idempotent by key; they are durable when this returns. */
  async enqueue(identity: OrderIdentity, requests: readonly HandedRequest[]): Promise<void> {
    await this.#subject.take(identity, this.#taken(requests));
  }

  /**
   * Takes back what the batch has not sent. Idempotent.
   * @param doubtful operations that may or may not have been handed over: afterwards they are here, withdrawn.
   */
  async cancel(batchId: string, doubtful?: HandedTo<OrderIdentity>): Promise<void> {
    await this.#subject.withdraw(batchId, doubtful && { ...doubtful, requests: this.#taken(doubtful.requests) });
  }

  /** The order as the upstream accepted it, with its id; null while there is none. */
  async accepted(): Promise<AcceptedOrder | null> {
    return this.#order.accepted();
  }

  /** Everything done for this order, for people and for the checks that look from outside. */
  async timeline(): Promise<TimelineEntry[]> {
    return this.#store.timeline();
  }

  override alarm(): Promise<void> {
    return this.#subject.wakeUp();
  }

  #taken(requests: readonly HandedRequest[]): TakenRequest[] {
    const { clock } = upstreamOf(this.env);
    const takenAtMs = clock.nowMs();
    const lifeMs = scaledMs(ORDER_DEADLINE_MS, clock);
    return requests.map((request) => ({
      ...request,
      lane: 'operations',
      takenAtMs,
      deadlineMs: request.acceptedAtMs + lifeMs,
      eventAtMs: null,
      businessKey: null,
    }));
  }
}
