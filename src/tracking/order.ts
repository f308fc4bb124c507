/**
 * The Order object: one per (environment, partner, orderRef). Its operations go out one at a time, in hand-over order.
 *
 * A thin shell: what its lane does stands in `order-lane.ts`, what can be asked of all
 * subjects in `subject-object.ts`, what they do in `subject.ts`.
 */
import { scaledMs } from '../kernel/clock.ts';
import { ORDER_DEADLINE_MS, ORDER_LIFE_MS } from '../kernel/limits.ts';
import type { PartnerScope } from '../kernel/names.ts';
import { upstreamOf } from '../upstream/settings.ts';
import { ActionFollow } from './action-follow.ts';
import { OrderLane } from './order-lane.ts';
import { type AcceptedOrder, OrderStore, type OrderVersion } from './order-store.ts';
import { PlanStore } from './plan-store.ts';
import { Subject } from './subject.ts';
import { SubjectObject, type SubjectParts } from './subject-object.ts';
import { SubjectStore } from './subject-store.ts';
import type { HandedRequest, OrderIdentity, TakenRequest } from './subject-tables.ts';

interface OrderParts extends SubjectParts {
  order: OrderStore;
}

export class Order extends SubjectObject<OrderIdentity, OrderParts> {
  protected override build(): OrderParts {
    const { ctx, env } = this;
    const store = new SubjectStore(ctx.storage.sql);
    const order = new OrderStore(ctx.storage.sql);
    const plans = new PlanStore(ctx.storage.sql);
    const actions = new ActionFollow(ctx.storage.sql, store);
    const lane = new OrderLane(
      store,
      { order, plans, actions },
      {
        orderRef: () => this.#orderRef(),
        preChecks: (channel) => upstreamOf(env).channels.get(channel)?.orderPreCheck === true,
      },
    );
    const life = { lifeMs: ORDER_LIFE_MS, forget: this.forget };
    return { store, order, subject: new Subject({ ctx, env }, store, [lane], life) };
  }

  /** The order as the upstream accepted it, with its id; null while there is none. */
  async accepted(): Promise<AcceptedOrder | null> {
    return this.parts.order.accepted();
  }

  /** Every document the upstream accepted, with the row that brought it about, oldest first. */
  async versions(): Promise<OrderVersion[]> {
    return this.parts.order.versions();
  }

  #orderRef(): string {
    const identity = this.parts.store.identity();
    if (identity === undefined || !isOrder(identity)) throw new Error('an order that was never named');
    return identity.orderRef;
  }

  protected override taken(requests: readonly HandedRequest[]): TakenRequest[] {
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
