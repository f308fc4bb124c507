/** The operations of one order: strictly in hand-over order; a create goes out at most once unless it was proved not to be applied. */
import { incarnationOfCreate } from '../delivery/incarnations.ts';
import type { StepTaken } from '../delivery/next-step.ts';
import { afterCreate, beforeCreate, nextOperation } from '../delivery/order-step.ts';
import { outOfTime } from '../delivery/reconcile.ts';
import { type Clock, scaledMs } from '../kernel/clock.ts';
import { CHANNEL_PAUSE_MS } from '../kernel/limits.ts';
import { createOrder } from '../upstream/endpoints.ts';
import { lookupSending, OrderLookups } from './order-lookup.ts';
import type { OrderStore } from './order-store.ts';
import { DECIDED, type Lookup, type Sending, SubjectLane, type Turn } from './subject-lane.ts';
import { type GivenUpReason, pastOf, type Seen } from './subject-rows.ts';
import type { SubjectStore } from './subject-store.ts';
import type { StoredRequest } from './subject-tables.ts';

/** What the lane asks of its object. */
export interface OrderFacts {
  orderRef(): string;
  /** Whether creates on this channel are preceded by a look at what stands under their reference. */
  preChecks(channel: string): boolean;
}

export class OrderLane extends SubjectLane {
  readonly name = 'operations';
  readonly #order: OrderStore;
  readonly #facts: OrderFacts;
  readonly #lookups: OrderLookups;

  constructor(store: SubjectStore, order: OrderStore, facts: OrderFacts) {
    super(store);
    this.#order = order;
    this.#facts = facts;
    this.#lookups = new OrderLookups(store, order);
  }

  override isRepeatable(): boolean {
    return false;
  }

  next(clock: Clock): Turn {
    const [first] = this.store.open(this.name, 1);
    if (first && this.store.isLookedUp(Number(first.key))) return { turn: 'wait', untilMs: null };
    const move = nextOperation(first, clock.nowMs());
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
    if (request.state === 'unknown' && this.#lookups.isUnsure(request)) return this.#lookUp(request, 'check');
    const existing = this.#order.accepted();
    const content = existing && { scac: existing.scac, body: existing.document };
    switch (beforeCreate({ scac, body }, content)) {
      case 'order_exists':
        this.giveUp(
          request,
          'order_exists',
          `the order exists${existing?.order_id ? ` as ${existing.order_id}` : ', under an id that nobody has named'}`,
          clock,
        );
        return DECIDED;
      case 'duplicate':
        this.repeat(request, existing?.seq ?? request.seq, clock);
        return DECIDED;
      case 'send':
        return this.#mustPreCheck(request)
          ? this.#lookUp(request, 'precheck')
          : { turn: 'send', sending: createSending(request) };
    }
  }

  /** Once per create, before its first sending. */
  #mustPreCheck(request: StoredRequest): boolean {
    return this.#facts.preChecks(request.channel) && request.attempts === 0 && !this.#lookups.isPreChecked(request);
  }

  #lookUp = (request: StoredRequest, purpose: Lookup): Turn => ({
    turn: 'send',
    sending: lookupSending(request, purpose, this.#facts.orderRef()),
  });

  /** An order that a person says stands is never made again, also where nobody knows its id. */
  override decide(request: StoredRequest, taken: StepTaken, orderId: string | null, clock: Clock): void {
    super.decide(request, taken, orderId, clock);
    if (request.kind === 'order.create' && taken.step.state === 'delivered')
      this.#accept(request, orderId ?? '', clock);
  }

  override judge(request: StoredRequest, seen: Seen, clock: Clock): void {
    const answered = { seen: seen.class, observation: seen.observation };
    const taken = afterCreate(pastOf(request), answered, clock, Math.random);
    this.write(request, taken, seen, clock);
    if (taken.orderId !== null) this.#accept(request, taken.orderId, clock);
  }

  /** What was decided while the answer was awaited stands. */
  override judgeLookup(request: StoredRequest, purpose: Lookup, seen: Seen, clock: Clock): void {
    if (purpose === 'check' && request.state === 'unknown') this.#judgeCheck(request, seen, clock);
    if (purpose === 'precheck' && request.state === 'queued') this.#judgePreCheck(request, seen, clock);
  }

  #judgePreCheck(request: StoredRequest, seen: Seen, clock: Clock): void {
    if (seen.class.effect === 'not_sent') {
      super.judge(request, seen, clock);
      return;
    }
    const step = this.#lookups.preCheck(request, seen, clock);
    this.write(request, { ...pastOf(request), step }, 'reason' in step ? seen : request, clock);
  }

  #judgeCheck(request: StoredRequest, seen: Seen, clock: Clock): void {
    const { step, orderId } = this.#lookups.check(request, this.#facts.orderRef(), seen, clock);
    const isShown = step.state === 'delivered' || (step.state === 'held' && SHOWN_REASONS.has(step.reason));
    this.write(request, { ...pastOf(request), step }, isShown ? seen : request, clock);
    if (orderId !== null) this.#accept(request, orderId, clock);
  }

  #accept({ seq, scac, body }: StoredRequest, orderId: string, clock: Clock): void {
    const incarnation = incarnationOfCreate(this.#order.latest());
    const accepted_at_ms = clock.nowMs();
    this.#order.accept({ seq, incarnation, order_id: orderId, document: body, scac, accepted_at_ms });
  }

  /** What may exist is looked up until its deadline, also while its channel is missing; it is held then, never given up. */
  override giveUp(request: StoredRequest, reason: GivenUpReason, answer: string, clock: Clock): void {
    if (request.state !== 'unknown') {
      super.giveUp(request, reason, answer, clock);
      return;
    }
    const atMs = clock.nowMs() + scaledMs(CHANNEL_PAUSE_MS, clock);
    const step = { state: 'unknown', atMs, ...(request.reason === null ? {} : { reason: request.reason }) } as const;
    this.write(request, { ...pastOf(request), step }, request, clock);
  }

  protected override expire(request: StoredRequest, clock: Clock): void {
    if (request.had_unknown === 0) super.expire(request, clock);
    else {
      const step = outOfTime(this.#lookups.isTaken(request));
      this.write(request, { ...pastOf(request), step }, request, clock);
    }
  }
}

/** Holds for which the list of orders tells more than the answer to the create. */
const SHOWN_REASONS: ReadonlySet<string> = new Set(['ambiguous', 'multiple']);

const createSending = (request: StoredRequest): Sending => ({
  purpose: 'send',
  request,
  body: request.body,
  carries: null,
  post: (port, channel) => createOrder(port, channel, { scac: request.scac, body: request.body }),
});
