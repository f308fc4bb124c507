/** The operations of one order: strictly in hand-over order; a create goes out at most once unless it was proved not to be applied. */
import { afterCreate, beforeCreate, nextOperation } from '../delivery/order-step.ts';
import type { Clock } from '../kernel/clock.ts';
import { createOrder } from '../upstream/endpoints.ts';
import type { OrderStore } from './order-store.ts';
import { DECIDED, SubjectLane, type Turn } from './subject-lane.ts';
import { pastOf, type Seen } from './subject-rows.ts';
import type { SubjectStore } from './subject-store.ts';
import type { StoredRequest } from './subject-tables.ts';

export class OrderLane extends SubjectLane {
  readonly name = 'operations';
  readonly #order: OrderStore;

  constructor(store: SubjectStore, order: OrderStore) {
    super(store);
    this.#order = order;
  }

  next(clock: Clock): Turn {
    const move = nextOperation(this.store.open(this.name, 1)[0], clock.nowMs());
    switch (move.move) {
      case 'send':
        return this.#turnOf(this.store.bySeq(Number(move.key)), clock);
      case 'expire':
        this.expire(this.store.bySeq(Number(move.key)), clock);
        return DECIDED;
      case 'wait':
        return { turn: 'wait', untilMs: move.untilMs };
      case 'busy':
      case 'idle':
        return { turn: 'wait', untilMs: null };
    }
  }

  #turnOf(request: StoredRequest, clock: Clock): Turn {
    const { kind, scac, body } = request;
    if (kind !== 'order.create') {
      this.giveUp(request, 'not_sendable', `${kind} is not delivered yet`, clock);
      return DECIDED;
    }
    const existing = this.#order.accepted();
    const content = existing && { scac: existing.scac, body: existing.document };
    switch (beforeCreate({ scac, body }, content)) {
      case 'order_exists':
        this.giveUp(request, 'order_exists', `the order exists as ${existing?.order_id}`, clock);
        return DECIDED;
      case 'duplicate':
        this.repeat(request, existing?.seq ?? request.seq, clock);
        return DECIDED;
      case 'send':
        return {
          turn: 'send',
          sending: {
            request,
            body,
            carries: null,
            post: (port, channel) => createOrder(port, channel, { scac, body }),
          },
        };
    }
  }

  override judge(request: StoredRequest, seen: Seen, clock: Clock): void {
    const answered = { seen: seen.class, observation: seen.observation };
    const taken = afterCreate(pastOf(request), answered, clock, Math.random);
    this.write(request, taken, seen, clock);
    if (taken.orderId === null) return;
    const { seq, scac, body } = request;
    this.#order.accept({ seq, order_id: taken.orderId, document: body, scac, accepted_at_ms: clock.nowMs() });
  }
}
