/**
 * Asks the upstream which orders exist under the reference: a check after a create without a clear answer, or a
 * pre-check before one that was not sent yet. `delivery/orders/reconcile.ts` decides what the answers mean.
 */
import type { NextStep } from '../../delivery/next-step.ts';
import {
  afterAnsweredCheck,
  afterFailedCheck,
  type Check,
  failedWaitMs,
  findingIn,
  type ListedOrder,
  plainOrderId,
  readListing,
  type Unsure,
} from '../../delivery/orders/reconcile.ts';
import { actionInAnswer, actionInStatus, statusEffect } from '../../delivery/orders/step.ts';
import { type Clock, scaledMs } from '../../kernel/clock.ts';
import { ACTION_LOOKUP_AFTER_MS, ACTION_LOOKUPS_FAILED_MAX, TOKEN_PAUSE_MS } from '../../kernel/limits.ts';
import type { Observation } from '../../upstream/answer.ts';
import { orderActionStatus, orderHistory } from '../../upstream/endpoints.ts';
import type { AnswerMapping } from '../../upstream/statuses/answer-mapping.ts';
import type { StoredAttempt, StoredRequest } from '../request.ts';
import type { OrderStore } from '../store/order-store.ts';
import type { Seen } from '../store/subject-rows.ts';
import type { SubjectStore } from '../store/subject-store.ts';
import type { FollowedRow, OrderTables } from '../store/subject-tables.ts';
import type { Lookup, Sending } from './subject-lane.ts';

/** @property orderId set exactly when the step is `delivered`. */
interface Looked {
  step: NextStep;
  orderId: string | null;
}

/** What a lookup needs to know about its order. */
export interface LookupFacts {
  orderRef(): string;
  /** How answers about its statuses are read; null: that could not be loaded. */
  answerMapping(): Promise<AnswerMapping | null>;
}

export class OrderLookups {
  readonly #store: SubjectStore;
  readonly #order: OrderStore;
  readonly #facts: LookupFacts;
  /** Of the lookup in progress: there is never a second one. */
  #mapping: AnswerMapping | null = null;

  constructor(store: SubjectStore, order: OrderStore, facts: LookupFacts) {
    this.#store = store;
    this.#order = order;
    this.#facts = facts;
  }

  /** A GET has no body; its attempt records the hash of the empty one. */
  sending(request: StoredRequest, purpose: Lookup): Sending {
    return {
      purpose,
      request,
      body: '',
      carries: null,
      shows: (observed) => (this.#listedIn(observed) === null ? 'unanswered' : 'answered'),
      post: async (port, channel) => {
        this.#mapping = await this.#facts.answerMapping();
        return orderHistory(port, channel, { scac: request.scac, orderRef: this.#facts.orderRef() });
      },
    };
  }

  #listedIn = (observed: Observation | null): ListedOrder[] | null => readListing(observed, this.#mapping);

  /** Whether its last sending may have made an order; another sending may follow. */
  isUnsure(request: StoredRequest): boolean {
    const effect = this.#lastSent(request.seq)?.effect ?? 'channel';
    return effect !== 'not_applied' && effect !== 'channel';
  }

  /** Whether the upstream accepted it, so that only its id is missing. */
  isAccepted(request: StoredRequest): boolean {
    return this.#lastSent(request.seq)?.effect === 'applied';
  }

  /** Whether it is known what existed under the reference before this create. */
  isPreChecked = (request: StoredRequest): boolean => this.#made(request.seq, 'precheck').some(isAnswered);

  /** @returns what a check of an unsure create decides. */
  check(request: StoredRequest, seen: Seen, clock: Clock): Looked {
    const sent = this.#lastSent(request.seq);
    const unsure: Unsure = {
      endedAtMs: (sent?.started_at_ms ?? request.taken_at_ms) + (sent?.latency_ms ?? 0),
      isAccepted: sent?.effect === 'applied',
      deadlineMs: request.deadline_ms,
    };
    // Only checks after the last sending: when a person had it sent again, earlier lookups say nothing about that.
    const checks = this.#checks(request.seq, 'check', sent?.attempt);
    const listed = this.#listedIn(seen.observation);
    if (listed === null) {
      return { step: afterFailedCheck(unsure, checks, seen.class, clock, Math.random), orderId: null };
    }
    const sentAtMs = sent?.started_at_ms ?? request.taken_at_ms;
    const orderRef = this.#facts.orderRef();
    const finding = findingIn(listed, { orderRef, known: this.#order.knownIds(), sentAtMs });
    const step = afterAnsweredCheck(unsure, checks, finding, clock);
    return { step, orderId: finding.found === 'one' ? finding.orderId : null };
  }

  /** Stores what is listed before a create. @returns when the create, or the next pre-check, is due. */
  preCheck(request: StoredRequest, seen: Seen, clock: Clock): NextStep {
    const listed = this.#listedIn(seen.observation);
    if (listed !== null) {
      this.#order.noteForeign(
        request.seq,
        listed.map(({ orderId }) => plainOrderId(orderId)),
      );
      return { state: 'queued', atMs: clock.nowMs() };
    }
    const waitMs = failedWaitMs(this.#checks(request.seq, 'precheck'), seen.class, Math.random);
    const reason = seen.class.effect === 'channel' ? seen.class.reason : 'pre_check_failed';
    return { state: 'queued', atMs: clock.nowMs() + scaledMs(waitMs, clock), reason };
  }

  #lastSent(seq: number): StoredAttempt | undefined {
    return this.#made(seq, 'send').at(-1);
  }

  #made(seq: number, purpose: StoredAttempt['purpose']): StoredAttempt[] {
    return this.#store.attemptsOf(seq).filter((attempt) => attempt.purpose === purpose);
  }

  #checks(seq: number, purpose: Lookup, after = 0): Check[] {
    const made = this.#made(seq, purpose).filter(({ attempt }) => attempt > after);
    return made.map((attempt) => ({ atMs: attempt.started_at_ms, isAnswered: isAnswered(attempt) }));
  }
}

const isAnswered = ({ effect }: StoredAttempt): boolean => effect === 'answered';

/*
 * Queries what became of the last operation of an order id when its answer did not say: twice at most, and again after
 * failures. `delivery/orders/step.ts` decides what that means.
 */

/** In place of a time: no more queries. In the past, so that release 0.2, which does not know it, makes one more and ends it. */
const GIVEN_UP_MS = -1;

export class ActionFollow {
  readonly #tables: OrderTables;
  readonly #store: SubjectStore;

  constructor(tables: OrderTables, store: SubjectStore) {
    this.#tables = tables;
    this.#store = store;
  }

  /** An operation was accepted. */
  toEnqueued(seq: number, of: { orderId: string; does: FollowedRow['does'] }, seen: Seen, clock: Clock): void {
    const { followed } = this.#tables;
    const said = actionInAnswer(seen.observation);
    if (said.code !== null) this.#store.noteAction(seq, said.code);
    if (said.isDecided && !said.isRefused) this.#countsAsDone({ seq, order_id: of.orderId, does: of.does });
    if (said.isDecided || of.orderId === '' || followed.has(seq)) return;
    const at_ms = clock.nowMs() + scaledMs(ACTION_LOOKUP_AFTER_MS[0], clock);
    followed.put({ seq, order_id: of.orderId, does: of.does, at_ms });
  }

  /** The next one to query. Only the last operation of each order id: the upstream reports the most recent one. */
  next = (): FollowedRow | null =>
    this.#open().reduce<FollowedRow | null>((first, row) => (first && first.at_ms <= row.at_ms ? first : row), null);

  /** When to query what became of those that were only accepted; null: that is known, or nothing tells it any more. */
  undecidedUntilMs(): number | null {
    const times = this.#open().map(({ at_ms }) => at_ms);
    return times.length === 0 ? null : Math.max(...times);
  }

  /** It was only accepted, and nothing will tell whether it was done: a later operation overtook it, or no query was answered. */
  isNeverDecided(seq: number): boolean {
    const row = this.#tables.followed.get(seq);
    return row !== undefined && this.#isOver(row);
  }

  #open = (): FollowedRow[] => [...this.#tables.followed.values()].filter((row) => !this.#isOver(row));

  #isOver = (row: FollowedRow): boolean => row.at_ms === GIVEN_UP_MS || this.#isOvertaken(row);

  /** A later operation of the order id was sent. */
  #isOvertaken({ seq, order_id }: FollowedRow): boolean {
    return [...this.#tables.operation.values()].some(
      (later) =>
        later.seq > seq &&
        later.order_id?.toLowerCase() === order_id.toLowerCase() &&
        this.#store.bySeq(later.seq).attempts > 0,
    );
  }

  sending({ seq, order_id: id }: FollowedRow): Sending {
    const request = this.#store.bySeq(seq);
    return {
      purpose: 'status',
      request,
      body: '',
      carries: null,
      shows: statusEffect,
      post: (port, channel) => orderActionStatus(port, channel, { scac: request.scac, id }),
    };
  }

  /** It is known what became of it. */
  drop(seq: number): void {
    this.#tables.followed.drop(seq);
  }

  /** With it, an earlier cancel of the same order is no longer in doubt: the order is cancelled. */
  #countsAsDone({ seq, does, order_id }: Omit<FollowedRow, 'at_ms'>): void {
    this.drop(seq);
    for (const row of [...this.#tables.followed.values()])
      if (does === 'cancel' && row.does === does && plainOrderId(row.order_id) === plainOrderId(order_id))
        this.drop(row.seq);
  }

  /** It can no longer be queried. */
  giveUp(seq: number): void {
    const { followed } = this.#tables;
    if (followed.has(seq)) followed.patch(seq, { at_ms: GIVEN_UP_MS });
  }

  /** @returns whether it turns out that it was not done. */
  classify({ seq }: StoredRequest, seen: Seen, clock: Clock): boolean {
    const row = this.#tables.followed.get(seq);
    if (row === undefined) return false;
    if (seen.class.effect === 'not_sent' && seen.class.retry) {
      this.#lookUpAt(seq, TOKEN_PAUSE_MS, clock);
      return false;
    }
    const said = actionInStatus(seen.observation, row.does);
    if (said !== null && said.code !== null) this.#store.noteAction(seq, said.code);
    if (said?.isRefused === true) this.drop(seq);
    else if (said?.isDecided === true) this.#countsAsDone(row);
    else this.#lookUpAgain(row, seen, clock);
    return said?.isRefused === true;
  }

  /** What the upstream does not tell in its answers counts as done; without any answer that stays open. */
  #lookUpAgain(row: FollowedRow, seen: Seen, clock: Clock): void {
    const { seq } = row;
    const attempts = this.#store.attemptsOf(seq).filter(({ purpose }) => purpose === 'status');
    const checks = attempts.map((attempt) => ({ atMs: attempt.started_at_ms, isAnswered: isAnswered(attempt) }));
    const answered = checks.filter(({ isAnswered }) => isAnswered).length;
    const hasFailed = checks.at(-1)?.isAnswered !== true;
    const isGivenUp = hasFailed && checks.length - answered >= ACTION_LOOKUPS_FAILED_MAX;
    const waitMs = hasFailed ? failedWaitMs(checks, seen.class, Math.random) : ACTION_LOOKUP_AFTER_MS[answered];
    if (isGivenUp || seen.class.effect === 'not_sent') this.giveUp(seq);
    else if (waitMs === undefined) this.#countsAsDone(row);
    else this.#lookUpAt(seq, waitMs, clock);
  }

  #lookUpAt(seq: number, waitMs: number, clock: Clock): void {
    const { followed } = this.#tables;
    if (followed.has(seq)) followed.patch(seq, { at_ms: clock.nowMs() + scaledMs(waitMs, clock) });
  }
}
