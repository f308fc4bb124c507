/**
 * The operations of one order, strictly in dispatch order. A create is sent at most once unless it is proved that it
 * was not applied; updates and cancels at least once, as planned at their first step.
 */

import type { StepDone } from '../../delivery/next-step.ts';
import { type OrderPlan, type OrderSituation, planCancel, planChange } from '../../delivery/orders/plan.ts';
import { outOfTime, plainOrderId } from '../../delivery/orders/reconcile.ts';
import {
  actionInAnswer,
  afterChange,
  afterCreate,
  beforeCreate,
  incarnationOfCreate,
  nextOperation,
  quietUntilMs,
} from '../../delivery/orders/step.ts';
import { isFinal } from '../../delivery/states.ts';
import { type Clock, scaledMs } from '../../kernel/clock.ts';
import { CHANNEL_PAUSE_MS, DECIDED_DEADLINE_MS, NOT_FOUND_AFTER_MS } from '../../kernel/limits.ts';
import type { OrderChange, RequestKind } from '../../mapping/request.ts';
import type { OtherUpdates } from '../../upstream/contracts/not-shown.ts';
import { cancelOrder, createOrder, updateOrder } from '../../upstream/endpoints.ts';
import type { StoredRequest } from '../request.ts';
import type { OrderStore, PlanStore } from '../store/order-store.ts';
import { type GivenUpReason, pastOf, type Seen } from '../store/subject-rows.ts';
import type { SubjectStore } from '../store/subject-store.ts';
import { type ActionFollow, type LookupFacts, OrderLookups } from './order-lookup.ts';
import { DECIDED, type LaneStep, type Lookup, type Sending, SubjectLane } from './subject-lane.ts';

/** What the lane needs from its object. */
interface OrderFacts extends LookupFacts {
  /** Whether creates on this channel are preceded by a lookup of what exists under their reference. */
  preChecks(channel: string): boolean;
  /** How updates on this channel are handled that the documentation does not list. */
  otherUpdates(channel: string): OtherUpdates;
}

export class OrderLane extends SubjectLane {
  readonly name = 'operations';
  readonly #order: OrderStore;
  readonly #plans: PlanStore;
  readonly #facts: OrderFacts;
  readonly #lookups: OrderLookups;
  readonly #actions: ActionFollow;

  constructor(
    store: SubjectStore,
    stores: { order: OrderStore; plans: PlanStore; actions: ActionFollow },
    facts: OrderFacts,
  ) {
    super(store);
    const { order, plans } = stores;
    this.#order = order;
    this.#plans = plans;
    this.#facts = facts;
    this.#actions = stores.actions;
    this.#lookups = new OrderLookups(store, order, facts);
  }

  /** A repeated create would make a second order; updates and cancels state the wanted result. */
  override isRepeatable(request: StoredRequest): boolean {
    return this.goesAs(request) !== 'order.create';
  }

  /** Whether an upsert creates or updates is known only at its step. */
  override goesAs(request: StoredRequest): RequestKind {
    const does = this.#plans.of(request.seq)?.does;
    return does === undefined ? request.kind : `order.${does}`;
  }

  next(clock: Clock): LaneStep {
    const turn = this.#operation(clock);
    const asked = turn.turn === 'wait' ? this.#actions.next() : null;
    if (turn.turn !== 'wait' || asked === null || this.store.isLookedUp(asked.seq)) return turn;
    if (asked.at_ms <= clock.nowMs()) return { turn: 'send', sending: this.#actions.sending(asked) };
    return { turn: 'wait', untilMs: Math.min(turn.untilMs ?? asked.at_ms, asked.at_ms) };
  }

  #operation(clock: Clock): LaneStep {
    const [first] = this.store.open(this.name, 1);
    if (first && this.store.isLookedUp(Number(first.key))) return { turn: 'wait', untilMs: null };
    return this.stepOf(nextOperation(first, clock.nowMs()), (request) => this.#stepFor(request, clock), clock);
  }

  #stepFor(request: StoredRequest, clock: Clock): LaneStep {
    switch (request.kind) {
      case 'order.create':
        return this.#createStep(request, request.body, clock);
      case 'order.update':
      case 'order.upsert':
      case 'order.cancel':
        return this.#plannedStep(request, clock);
      default:
        this.giveUp(request, 'not_sendable', `${request.kind} is no operation of an order`, clock);
        return DECIDED;
    }
  }

  #plannedStep(request: StoredRequest, clock: Clock): LaneStep {
    const known = this.#plans.of(request.seq);
    if (known === null) return this.#plan(request, clock);
    const { does, order_id: id, body, incarnation } = known;
    if (does === 'create') return this.#createStep(request, body, clock);
    const quietMs = quietUntilMs(this.#plans.lastAmbiguousMs(incarnation ?? 0), clock);
    if (request.attempts === 0 && quietMs > clock.nowMs()) return this.#waitFor(request, quietMs, clock);
    return { turn: 'send', sending: changeSending(request, { does, id: id ?? '', body }) };
  }

  /** Planned once, from what is known of the order at that time. It ends only upon what is decided. */
  #plan(request: StoredRequest, clock: Clock): LaneStep {
    const inDoubt = request.kind === 'order.cancel' ? this.#cancelInDoubt(request.seq) : undefined;
    if (inDoubt !== undefined && !this.#isDecided(request)) return this.#holdBehind(inDoubt, request, clock);
    const plan = this.#planOf(request);
    if (plan.does !== 'nothing' && plan.does !== 'end') {
      this.#plans.keep(request.seq, plan);
      return DECIDED;
    }
    const undecidedMs = this.#actions.undecidedUntilMs();
    if (undecidedMs !== null) return this.#waitFor(request, undecidedMs, clock);
    if (plan.does === 'nothing') this.repeat(request, plan.of, clock);
    else this.giveUp(request, plan.reason, plan.answer, clock);
    return DECIDED;
  }

  #planOf({ seq, kind, body, channel }: StoredRequest): OrderPlan {
    const standing = this.#situation(seq);
    if (kind === 'order.cancel') return this.#cancelAgain(seq) ?? planCancel(standing);
    const change = JSON.parse(body) as OrderChange; // in the form its mapping produced
    return planChange(
      kind === 'order.upsert' ? kind : 'order.update',
      change,
      standing,
      (incarnation, line) => this.#plans.counted(incarnation, line),
      this.#facts.otherUpdates(channel),
    );
  }

  /** An update that is never decided is in doubt as much as one that was given up: what says the same is sent. */
  #situation(seq: number): OrderSituation {
    const found = this.#order.current(seq);
    return found.order === 'live' && this.#actions.isNeverDecided(found.seq) ? { ...found, isDoubtful: true } : found;
  }

  /** The cancel that ended the order, where it was only accepted and nothing tells whether it was done. */
  #cancelInDoubt(seq: number): StoredRequest | undefined {
    const found = this.#order.current(seq);
    const isInDoubt = found.order === 'cancelled' && this.#actions.isNeverDecided(found.bySeq);
    return isInDoubt ? this.store.bySeq(found.bySeq) : undefined;
  }

  /** A person has the cancel in doubt sent once more. */
  #cancelAgain(seq: number): OrderPlan | undefined {
    const { incarnation = null, order_id: orderId = null } = this.#plans.of(this.#cancelInDoubt(seq)?.seq ?? 0) ?? {};
    return incarnation === null || orderId === null ? undefined : { does: 'cancel', incarnation, orderId };
  }

  #createStep(request: StoredRequest, body: string, clock: Clock): LaneStep {
    if (request.state === 'unknown' && this.#lookups.isUnsure(request)) return this.#lookUp(request, 'check');
    const undecidedMs = this.#actions.undecidedUntilMs();
    if (request.attempts === 0 && undecidedMs !== null) return this.#waitFor(request, undecidedMs, clock);
    const existing = this.#order.created();
    const content = existing && { scac: existing.scac, body: existing.document };
    switch (beforeCreate({ scac: request.scac, body }, content)) {
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
      case 'send': {
        const doubtful = this.#order.doubtfulCreate(request.seq) ?? this.#cancelInDoubt(request.seq);
        if (doubtful !== undefined && !this.#isDecided(request)) return this.#holdBehind(doubtful, request, clock);
        return this.#mustPreCheck(request)
          ? this.#lookUp(request, 'precheck')
          : { turn: 'send', sending: createSending(request, body) };
      }
    }
  }

  /** It was sent, or a person has said that it shall be. */
  #isDecided = ({ attempts, possible_duplicate }: StoredRequest): boolean => attempts > 0 || possible_duplicate === 1;

  /** A second order is real freight: a person looks up first what became of the earlier one. */
  #holdBehind(earlier: StoredRequest, request: StoredRequest, clock: Clock): LaneStep {
    const which = `of record ${earlier.record} of batch ${earlier.batch_id}`;
    const answer =
      this.goesAs(earlier) === 'order.cancel'
        ? `the cancel ${which} was accepted, and nothing tells whether it was done: the order may still stand`
        : `the create ${which} was given up, and may have made this order`;
    const step = { state: 'held', reason: 'earlier_unclear' } as const;
    this.write(request, { ...pastOf(request), step }, { status: null, answer }, clock);
    return DECIDED;
  }

  /** Waits for what an earlier operation may still do. Status queries about it that are due come first. */
  #waitFor(request: StoredRequest, untilMs: number, clock: Clock): LaneStep {
    const nowMs = clock.nowMs();
    const atMs = untilMs > nowMs ? untilMs : nowMs + scaledMs(CHANNEL_PAUSE_MS, clock);
    const step = { state: 'queued', atMs, reason: 'earlier_unclear' } as const;
    this.write(request, { ...pastOf(request), step }, request, clock);
    return DECIDED;
  }

  /** Once per create, before it is first sent. */
  #mustPreCheck(request: StoredRequest): boolean {
    return this.#facts.preChecks(request.channel) && request.attempts === 0 && !this.#lookups.isPreChecked(request);
  }

  #lookUp = (request: StoredRequest, purpose: Lookup): LaneStep => ({
    turn: 'send',
    sending: this.#lookups.sending(request, purpose),
  });

  /**
   * The earlier create of which a person says that it made the order: this one waited for that and was never sent, so the
   * order is not what it asks for.
   */
  #madeBy({ seq, attempts, reason }: StoredRequest, { step }: StepDone): StoredRequest | undefined {
    if (attempts > 0 || reason !== 'earlier_unclear' || step.state !== 'delivered') return;
    const earlier = this.#order.doubtfulCreate(seq);
    return earlier !== undefined && this.goesAs(earlier) === 'order.create' ? earlier : undefined;
  }

  /** The cancel in doubt behind which a create waited, of which a person says that the same order stands: it was not done. */
  #undone(request: StoredRequest, { step }: StepDone, orderId: string | null): StoredRequest | undefined {
    const { seq, attempts, reason } = request;
    const isSaid = attempts === 0 && reason === 'earlier_unclear' && step.state === 'delivered';
    const cancel = isSaid && this.goesAs(request) === 'order.create' ? this.#cancelInDoubt(seq) : undefined;
    const cancelledId = this.#plans.of(cancel?.seq ?? 0)?.order_id ?? '';
    return orderId === null || plainOrderId(orderId) === plainOrderId(cancelledId) ? cancel : undefined;
  }

  override afterDecision(request: StoredRequest, taken: StepDone, orderId: string | null, clock: Clock): StepDone {
    const isAnother = this.#madeBy(request, taken) ?? this.#undone(request, taken, orderId);
    return isAnother === undefined ? taken : { ...taken, step: { state: 'queued', atMs: clock.nowMs() } };
  }

  /** An order that a person says exists is never created again, even where nobody knows its id. */
  override decide(request: StoredRequest, taken: StepDone, orderId: string | null, clock: Clock): void {
    const earlier = this.#madeBy(request, taken);
    const undone = this.#undone(request, taken, orderId);
    const inDoubt = this.#cancelInDoubt(request.seq);
    super.decide(request, taken, orderId, clock);
    if (undone !== undefined) this.#refuse(undone.seq);
    else if (taken.step.state === 'delivered') {
      if (inDoubt !== undefined) this.#actions.drop(inDoubt.seq); // it is cancelled, or a new one stands
      this.#applied(earlier ?? request, orderId ?? '', clock);
    }
    if (earlier !== undefined) this.#plans.forgetBehind(earlier.seq);
    this.#prolong(request.seq, clock);
  }

  /** What is open from there on waited for a person, however long that took. */
  #prolong(from: number, clock: Clock): void {
    const { request } = this.store.tables;
    const decidedMs = clock.nowMs() + scaledMs(DECIDED_DEADLINE_MS, clock);
    for (const seq of [...this.store.openSeqs(this.name)]) {
      const { deadline_ms } = this.store.bySeq(seq);
      if (seq >= from && deadline_ms < decidedMs) request.patch(seq, { deadline_ms: decidedMs });
    }
  }

  override classify(request: StoredRequest, answer: Seen, clock: Clock): void {
    const seen = refusedAfterAll(answer);
    const answered = { seen: seen.class, observation: seen.observation };
    const does = this.goesAs(request);
    if (does === 'order.update' || does === 'order.cancel') {
      const sent = {
        does: does === 'order.update' ? 'update' : 'cancel',
        mayBeYoung: isYoung(this.#order.foundAtMs(), clock),
      } as const;
      const taken = afterChange(pastOf(request), answered, sent, clock, Math.random);
      this.write(request, taken, seen, clock);
      if (taken.step.state === 'delivered') {
        this.#applied(request, '', clock);
        this.#follow(request, { orderId: this.#plans.of(request.seq)?.order_id ?? '', does: sent.does }, seen, clock);
      }
      return;
    }
    const taken = afterCreate(pastOf(request), answered, clock, Math.random);
    this.write(request, taken, seen, clock);
    if (taken.orderId === null) return;
    this.#applied(request, taken.orderId, clock);
    this.#follow(request, { orderId: taken.orderId, does: 'create' }, seen, clock);
  }

  /** A cancel that found no order was done by an earlier try: no status query is needed. */
  #follow(
    request: StoredRequest,
    of: { orderId: string; does: 'create' | 'update' | 'cancel' },
    seen: Seen,
    clock: Clock,
  ): void {
    if (seen.class.effect === 'applied') this.#actions.toEnqueued(request.seq, of, seen, clock);
  }

  /** A decision made while the answer was awaited is kept. */
  override classifyLookup(request: StoredRequest, purpose: Lookup, seen: Seen, clock: Clock): void {
    if (purpose === 'status' && this.#actions.classify(request, seen, clock)) this.#refuse(request.seq);
    if (purpose === 'check' && request.state === 'unknown') this.#classifyCheck(request, seen, clock);
    if (purpose === 'precheck' && request.state === 'queued') this.#classifyPreCheck(request, seen, clock);
  }

  /** An operation that was accepted was not done after all. */
  #refuse(seq: number): void {
    this.#order.refuse(seq);
    this.#plans.uncount(seq);
    this.#plans.forgetBehind(seq);
  }

  #classifyPreCheck(request: StoredRequest, seen: Seen, clock: Clock): void {
    if (seen.class.effect === 'not_sent') {
      super.classify(request, seen, clock);
      return;
    }
    const step = this.#lookups.preCheck(request, seen, clock);
    this.write(request, { ...pastOf(request), step }, 'reason' in step ? seen : request, clock);
  }

  #classifyCheck(request: StoredRequest, seen: Seen, clock: Clock): void {
    const { step, orderId } = this.#lookups.check(request, seen, clock);
    const isShown = step.state === 'delivered' || (step.state === 'held' && SHOWN_REASONS.has(step.reason));
    this.write(request, { ...pastOf(request), step }, isShown ? seen : request, clock);
    if (orderId !== null) this.#applied(request, orderId, clock);
  }

  /** The upstream applied it: the order becomes what the operation makes of it. */
  #applied({ seq, kind, scac, body }: StoredRequest, createdId: string, clock: Clock): void {
    const plan = this.#plans.of(seq);
    const accepted_at_ms = clock.nowMs();
    if (plan === null || plan.does === 'create') {
      if (plan === null && kind !== 'order.create') return; // closed before its step
      const incarnation = incarnationOfCreate(this.#order.latest());
      const document = plan?.document ?? body;
      this.#order.accept({ seq, incarnation, order_id: createdId, document, scac, accepted_at_ms });
      if (plan !== null) this.#plans.count(plan, incarnation);
      return;
    }
    const { does, incarnation, order_id, document } = plan;
    if (does === 'cancel') this.#order.end(seq, accepted_at_ms);
    else if (incarnation !== null && order_id !== null && document !== null) {
      this.#order.accept({ seq, incarnation, order_id, document, scac, accepted_at_ms });
      this.#plans.count(plan, incarnation);
    }
  }

  /**
   * What may have been done is never given up because its channel is missing: a create is looked up until its deadline;
   * what is not under way, because a person has it sent again, is held.
   */
  override giveUp(request: StoredRequest, reason: GivenUpReason, answer: string, clock: Clock): void {
    if (isFinal(request.state)) {
      this.#actions.giveUp(request.seq); // its status can no longer be queried
      return;
    }
    if (request.state !== 'unknown') {
      if (reason === 'channel_missing' && request.had_unknown === 1) this.#holdOutOfTime(request, clock);
      else super.giveUp(request, reason, answer, clock);
      return;
    }
    const atMs = clock.nowMs() + scaledMs(CHANNEL_PAUSE_MS, clock);
    const step = { state: 'unknown', atMs, ...(request.reason === null ? {} : { reason: request.reason }) } as const;
    this.write(request, { ...pastOf(request), step }, request, clock);
  }

  protected override expire(request: StoredRequest, clock: Clock): void {
    if (request.had_unknown === 0) super.expire(request, clock);
    else this.#holdOutOfTime(request, clock);
  }

  #holdOutOfTime(request: StoredRequest, clock: Clock): void {
    const isAccepted = this.goesAs(request) === 'order.create' && this.#lookups.isAccepted(request);
    this.write(request, { ...pastOf(request), step: outOfTime(isAccepted) }, request, clock);
  }
}

/** A new order may not be visible everywhere yet: it counts as young for as long as a missing one is looked for. */
const isYoung = (foundAtMs: number | null, clock: Clock): boolean =>
  foundAtMs !== null && clock.nowMs() < foundAtMs + scaledMs(NOT_FOUND_AFTER_MS, clock);

/** The HTTP status accepts it, the message in the body refuses it: it is refused. */
const refusedAfterAll = (seen: Seen): Seen =>
  seen.class.effect === 'applied' && actionInAnswer(seen.observation).isRefused
    ? { ...seen, class: { effect: 'refused' } }
    : seen;

/** Held reasons for which the list of orders says more than the answer to the create. */
const SHOWN_REASONS: ReadonlySet<string> = new Set(['ambiguous', 'multiple']);

const createSending = (request: StoredRequest, body: string): Sending => ({
  purpose: 'send',
  request,
  body,
  carries: null,
  post: (port, channel) => createOrder(port, channel, { scac: request.scac, body }),
});

const changeSending = (
  request: StoredRequest,
  { does, id, body }: { does: 'update' | 'cancel'; id: string; body: string },
): Sending => ({
  purpose: 'send',
  request,
  body,
  carries: null,
  post: (port, channel) =>
    does === 'update'
      ? updateOrder(port, channel, { scac: request.scac, id, body })
      : cancelOrder(port, channel, { scac: request.scac, id }),
});
