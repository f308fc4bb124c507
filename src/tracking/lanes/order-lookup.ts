/**
 * Asks the upstream which orders it has under the reference: a check of a create that proved nothing, or a pre-check of one that
 * was not sent yet. What the answers decide is `delivery/orders/reconcile.ts`.
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
import { ACTION_LOOKUP_AFTER_MS, TOKEN_PAUSE_MS } from '../../kernel/limits.ts';
import type { Observation } from '../../upstream/answer.ts';
import { orderActionStatus, orderHistory } from '../../upstream/endpoints.ts';
import type { AnswerMapping } from '../../upstream/statuses/answer-mapping.ts';
import type { StoredAttempt, StoredRequest } from '../request.ts';
import type { OrderStore } from '../store/order-store.ts';
import type { Seen } from '../store/subject-rows.ts';
import type { SubjectStore } from '../store/subject-store.ts';
import type { Lookup, Sending } from './subject-lane.ts';

/** @property orderId set exactly when the step is `delivered`. */
interface Looked {
  step: NextStep;
  orderId: string | null;
}

/** What a look-up asks of the order it is about. */
export interface LookupFacts {
  orderRef(): string;
  /** How answers about its statuses are read; null: who knows could not be asked. */
  answerMapping(): Promise<AnswerMapping | null>;
}

export class OrderLookups {
  readonly #store: SubjectStore;
  readonly #order: OrderStore;
  readonly #facts: LookupFacts;
  /** Of the look-up that is under way: there is never a second one. */
  #mapping: AnswerMapping | null = null;

  constructor(store: SubjectStore, order: OrderStore, facts: LookupFacts) {
    this.#store = store;
    this.#order = order;
    this.#facts = facts;
  }

  /** A GET has no body; its attempt names the hash of none. */
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

  /** Whether its last sending may have made an order; another may go out again. */
  isUnsure(request: StoredRequest): boolean {
    const effect = this.#lastSent(request.seq)?.effect ?? 'channel';
    return effect !== 'not_applied' && effect !== 'channel';
  }

  /** Whether the upstream took it, so that only its id is missing. */
  isAccepted(request: StoredRequest): boolean {
    return this.#lastSent(request.seq)?.effect === 'applied';
  }

  /** Whether it is known what stood under the reference before this create. */
  isPreChecked = (request: StoredRequest): boolean => this.#made(request.seq, 'precheck').some(isAnswered);

  /** @returns what a check of an unsure create decides. */
  check(request: StoredRequest, seen: Seen, clock: Clock): Looked {
    const sent = this.#lastSent(request.seq);
    const unsure: Unsure = {
      endedAtMs: (sent?.started_at_ms ?? request.taken_at_ms) + (sent?.latency_ms ?? 0),
      isAccepted: sent?.effect === 'applied',
      deadlineMs: request.deadline_ms,
    };
    // Behind the last sending: where a person had it sent again, what was looked up before tells nothing of that.
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

  /** Remembers what is listed before a create. @returns when the create, or the next try of this, is due. */
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

/* Asks what became of the last operation of an order id, where the answer to it did not say: twice at most. What that decides is `delivery/orders/step.ts`. */

const OPEN = `SELECT * FROM followed WHERE NOT EXISTS (
    SELECT 1 FROM operation JOIN request USING (seq)
    WHERE operation.seq > followed.seq AND lower(operation.order_id) = lower(followed.order_id) AND request.attempts > 0
  )`;

type Does = 'create' | 'update' | 'cancel';
type FollowedRow = { seq: number; order_id: string; does: Does; at_ms: number };

export class ActionFollow {
  readonly #sql: SqlStorage;
  readonly #store: SubjectStore;

  constructor(sql: SqlStorage, store: SubjectStore) {
    this.#sql = sql;
    this.#store = store;
  }

  /** An operation was taken. */
  toEnqueued(seq: number, { orderId, does }: { orderId: string; does: Does }, seen: Seen, clock: Clock): void {
    const said = actionInAnswer(seen.observation);
    if (said.code !== null) this.#store.noteAction(seq, said.code);
    if (said.isDecided || orderId === '') return;
    const atMs = clock.nowMs() + scaledMs(ACTION_LOOKUP_AFTER_MS[0], clock);
    this.#sql.exec('INSERT OR IGNORE INTO followed VALUES (?, ?, ?, ?)', seq, orderId, does, atMs);
  }

  /** The one that is asked about next: each last one of its order id, for the upstream tells of the most recent one. */
  next(): FollowedRow | null {
    return this.#sql.exec<FollowedRow>(`${OPEN} ORDER BY at_ms LIMIT 1`).toArray()[0] ?? null;
  }

  /** When it is asked whether the order is cancelled at all; null: that is known. */
  cancelAskedAtMs(): number | null {
    const sql = `SELECT max(at_ms) AS ms FROM (${OPEN}) WHERE does = 'cancel'`;
    return this.#sql.exec<{ ms: number | null }>(sql).one().ms;
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

  /** Nothing can be asked any more. */
  drop(seq: number): void {
    this.#sql.exec('DELETE FROM followed WHERE seq = ?', seq);
  }

  /** @returns whether it turns out that it was not done. */
  classify({ seq }: StoredRequest, seen: Seen, clock: Clock): boolean {
    const [row] = this.#sql.exec<FollowedRow>('SELECT * FROM followed WHERE seq = ?', seq).toArray();
    if (row === undefined) return false;
    if (seen.class.effect === 'not_sent' && seen.class.retry) {
      this.#lookUpAt(seq, TOKEN_PAUSE_MS, clock);
      return false;
    }
    const said = actionInStatus(seen.observation, row.does);
    if (said !== null && said.code !== null) this.#store.noteAction(seq, said.code);
    const asks = this.#store.attemptsOf(seq).filter(({ purpose }) => purpose === 'status').length;
    const waitMs = ACTION_LOOKUP_AFTER_MS[asks];
    if (said?.isDecided === true || waitMs === undefined) this.drop(seq);
    else this.#lookUpAt(seq, waitMs, clock);
    return said?.isRefused === true;
  }

  #lookUpAt(seq: number, waitMs: number, clock: Clock): void {
    this.#sql.exec('UPDATE followed SET at_ms = ? WHERE seq = ?', clock.nowMs() + scaledMs(waitMs, clock), seq);
  }
}
