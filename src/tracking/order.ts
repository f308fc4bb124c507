/**
 * The Order object: one per (environment, partner, orderRef). Its operations go out one at a time, in hand-over order.
 *
 * A thin shell: what its lane does stands in `order-lane.ts`, what all subjects do in `subject.ts`.
 */
import { DurableObject } from 'cloudflare:workers';
import type { RequestPlace } from '../delivery/outcome.ts';
import { Built } from '../kernel/built.ts';
import { scaledMs } from '../kernel/clock.ts';
import { ORDER_DEADLINE_MS, ORDER_LIFE_MS } from '../kernel/limits.ts';
import type { PartnerScope } from '../kernel/names.ts';
import type { Result } from '../kernel/result.ts';
import { upstreamOf } from '../upstream/settings.ts';
import { OrderLane } from './order-lane.ts';
import { type AcceptedOrder, OrderStore } from './order-store.ts';
import { Subject } from './subject.ts';
import type { DecisionAsked, DecisionMade, DecisionRefusal, SubjectHistory } from './subject-decision.ts';
import { SubjectStore } from './subject-store.ts';
import type { HandedRequest, HandedTo, OrderIdentity, TakenRequest, TimelineEntry } from './subject-tables.ts';

export class Order extends DurableObject<Env> {
  readonly #built: Built<{ store: SubjectStore; order: OrderStore; subject: Subject }>;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#built = new Built(() => {
      const store = new SubjectStore(ctx.storage.sql);
      const order = new OrderStore(ctx.storage.sql);
      const life = { lifeMs: ORDER_LIFE_MS, forget: () => this.#built.forget() };
      const lane = new OrderLane(store, order, {
        orderRef: () => this.#orderRef(),
        preChecks: (channel) => upstreamOf(env).channels.get(channel)?.orderPreCheck === true,
      });
      return { store, order, subject: new Subject({ ctx, env }, store, [lane], life) };
    });
  }

  get #store(): SubjectStore {
    return this.#built.parts.store;
  }

  get #order(): OrderStore {
    return this.#built.parts.order;
  }

  get #subject(): Subject {
    return this.#built.parts.subject;
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

  /** A person decides about a held request. */
  async decide(asked: DecisionAsked): Promise<Result<DecisionMade, DecisionRefusal>> {
    return this.#subject.decide(asked);
  }

  /** One request with its generations, answers and decisions. */
  async history(place: RequestPlace): Promise<SubjectHistory> {
    return this.#subject.history(place);
  }

  /** Its batch has heard nothing for too long. @returns when it wakes up; null: nothing here moves but by a person. */
  poke(): Promise<number | null> {
    return this.#subject.poke();
  }

  override alarm(): Promise<void> {
    return this.#subject.wakeUp();
  }

  #orderRef(): string {
    const identity = this.#store.identity();
    if (identity === undefined || !isOrder(identity)) throw new Error('an order that was never named');
    return identity.orderRef;
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
      loadWaitUntilMs: null,
      eventAtMs: null,
      businessKey: null,
    }));
  }
}

const isOrder = (identity: PartnerScope): identity is OrderIdentity =>
  'orderRef' in identity && typeof identity.orderRef === 'string';
