/**
 * What every subject object does: enqueues requests, wakes up, sends what its lanes say, reports, arms its alarm.
 * A shell: lanes decide what is next and what follows. Each lane has at most one request on the wire, and none waits
 * for another.
 */

import { classify, signalOf } from '../delivery/classify.ts';
import { INTERRUPTED } from '../delivery/next-step.ts';
import type { RequestLocation, RequestOutcome } from '../delivery/outcome.ts';
import { isFinal } from '../delivery/states.ts';
import { ensureAlarm, wake } from '../kernel/alarm.ts';
import { type Clock, scaledMs } from '../kernel/clock.ts';
import { failpoint } from '../kernel/failpoint.ts';
import {
  LOAD_SENDS_PER_WAKE_UP,
  LOAD_WAKE_UP_MS,
  OUTCOME_PAUSE_MS,
  OUTCOMES_PER_CALL,
  PERMIT_WAIT_MS,
} from '../kernel/limits.ts';
import { log, messageOf } from '../kernel/log.ts';
import { batchName, type PartnerScope } from '../kernel/names.ts';
import type { Result } from '../kernel/result.ts';
import { sha256Hex } from '../kernel/secret.ts';
import type { Observation } from '../upstream/answer.ts';
import type { Channel } from '../upstream/channels.ts';
import type { Permit, Wanted } from '../upstream/permits.ts';
import { PermittedCalls } from '../upstream/permitted-call.ts';
import { type UpstreamSettings, upstreamOf } from '../upstream/settings.ts';
import {
  type DecisionMade,
  type DecisionRefusal,
  type DecisionRequest,
  DecisionStore,
  decideIn,
  historyIn,
  type SubjectHistory,
} from './decisions.ts';
import type { Sending, SubjectLane } from './lanes/subject-lane.ts';
import type { EnqueuedRequest, StoredRequest } from './request.ts';
import { Retention, type RetentionTerms } from './retention.ts';
import { attemptRow, INTERRUPTED_ANSWER, interruptedRow, outcomeOf, seenIn } from './store/subject-rows.ts';
import { type SubjectStore, WithdrawalStore } from './store/subject-store.ts';

/*
 * Reports outcomes from the outbox to their Batches: each Batch is notified of its own requests until it has confirmed.
 */

/** What a subject needs of the Batch: a port of the caller, so that tracking does not depend on batches. */
interface OutcomeReceiver {
  recordOutcomes(outcomes: RequestOutcome[]): Promise<void>;
}

/** How often a long drain reports before its end, in ms, so that a person sees progress. */
const REPORT_EVERY_MS = 1_000;

export class OutcomeReports {
  readonly #store: SubjectStore;
  readonly #receiver: (batchName: string) => OutcomeReceiver;
  #reportedAtMs = 0;

  constructor(store: SubjectStore, receiver: (batchName: string) => OutcomeReceiver) {
    this.#store = store;
    this.#receiver = receiver;
  }

  isDue = (clock: Clock): boolean => clock.nowMs() - this.#reportedAtMs > REPORT_EVERY_MS;

  /** @returns when to try again, null when all is reported. */
  async notify(clock: Clock): Promise<number | null> {
    const identity = this.#store.identity();
    this.#reportedAtMs = clock.nowMs();
    if (!identity) return null;
    let allTold = true;
    for (const batchId of this.#store.unreportedBatches()) {
      // A Batch that cannot be reached delays only its own outcomes.
      if (!(await this.#notifyBatch(batchId, batchName(identity, batchId)))) allTold = false;
    }
    return allTold ? null : clock.nowMs() + scaledMs(OUTCOME_PAUSE_MS, clock);
  }

  async #notifyBatch(batchId: string, name: string): Promise<boolean> {
    const receiver = this.#receiver(name);
    try {
      for (;;) {
        const rows = this.#store.unreported(batchId, OUTCOMES_PER_CALL);
        if (rows.length === 0) return true;
        await receiver.recordOutcomes(this.#outcomesOf(rows));
        await failpoint('outcomes_told');
        this.#store.reported(rows);
      }
    } catch (thrown) {
      log('warn', 'outcome_not_reported', { batchId, detail: messageOf(thrown) });
      return false;
    }
  }

  /** Many points travel in few requests: each of those is read once. */
  #outcomesOf(rows: readonly StoredRequest[]): RequestOutcome[] {
    const read = new Map<number, StoredRequest>();
    const bySeq = (seq: number): StoredRequest => {
      const found = read.get(seq) ?? this.#store.bySeq(seq);
      read.set(seq, found);
      return found;
    };
    return rows.map((row) =>
      outcomeOf(row, row.into_seq === null || row.into_seq === row.seq ? null : bySeq(row.into_seq)),
    );
  }
}

export class Subject {
  readonly #ctx: DurableObjectState;
  readonly #env: Env;
  readonly #store: SubjectStore;
  readonly #lanes: readonly SubjectLane[];
  readonly #reports: OutcomeReports;
  readonly #withdrawals: WithdrawalStore;
  readonly #decisions: DecisionStore;
  readonly #retention: Retention;
  /** Seqs this process has on the wire: any other that is stored as `sending` was left by a dead process. */
  readonly #onWire = new Set<number>();
  /** Lanes that a wake-up of this process is draining: a concurrent one skips them. */
  readonly #draining = new Set<SubjectLane>();
  #recovered = false;
  #calls: PermittedCalls | undefined;

  constructor(
    object: { ctx: DurableObjectState; env: Env },
    store: SubjectStore,
    lanes: readonly SubjectLane[],
    life: RetentionTerms,
  ) {
    this.#ctx = object.ctx;
    this.#env = object.env;
    this.#store = store;
    this.#lanes = lanes;
    this.#reports = new OutcomeReports(store, (name) => this.#env.BATCH.getByName(name));
    this.#withdrawals = new WithdrawalStore(object.ctx.storage.sql);
    this.#decisions = new DecisionStore(object.ctx.storage.sql);
    this.#retention = new Retention(object, store, life);
  }

  /** Enqueues requests, idempotent by key; they are durable when this returns. */
  async take(identity: PartnerScope, requests: readonly EnqueuedRequest[]): Promise<void> {
    this.#store.identify(identity);
    this.#store.add(requests);
    await this.wakeAt(Date.now());
  }

  /**
   * Withdraws what the batch has not sent; what is being sent, ambiguous or held stays. Idempotent.
   * @param doubtful requests of which the batch does not know whether they were dispatched: they are stored as
   * withdrawn.
   */
  async withdraw(
    batchId: string,
    doubtful?: { identity: PartnerScope; requests: readonly EnqueuedRequest[] },
  ): Promise<void> {
    if (doubtful) {
      this.#store.identify(doubtful.identity);
      this.#store.add(doubtful.requests);
    }
    const { clock } = upstreamOf(this.#env);
    this.#withdrawals.withdraw(batchId, clock.nowMs());
    await this.wakeAt(Date.now());
    this.#ctx.waitUntil(this.#reports.notify(clock)); // a wake-up in progress may wait long for an answer
  }

  /** A person decides about a held request. Idempotent by the decision's id; an answer that came first wins. */
  async decide(asked: DecisionRequest): Promise<Result<DecisionMade, DecisionRefusal>> {
    const { clock } = upstreamOf(this.#env);
    const parts = { store: this.#store, decisions: this.#decisions, lanes: this.#lanes };
    const made = decideIn(parts, asked, clock);
    if (!made.ok || asked.dryRun) return made;
    await this.wakeAt(Date.now());
    this.#ctx.waitUntil(this.#reports.notify(clock)); // as for a withdrawal
    return made;
  }

  /** All generations of a request, with every answer and every decision. */
  history = (place: RequestLocation): SubjectHistory =>
    historyIn({ store: this.#store, decisions: this.#decisions, lanes: this.#lanes }, place);

  /**
   * Arms its alarm again if it was lost. Idempotent; sends nothing by itself.
   * @returns when it wakes up; null: only a person can change anything here.
   */
  async ensureAlarm(): Promise<number | null> {
    const hasWork = this.#retention.hasWork();
    const armedMs = await this.#ctx.storage.getAlarm();
    if (armedMs === null) await this.wakeAt(Date.now()); // the end of its retention depends on an alarm too
    return hasWork ? (armedMs ?? Date.now()) : null;
  }

  wakeUp(): Promise<void> {
    const beganAtMs = Date.now();
    return wake(this.#ctx.storage, {
      work: async () => {
        const settings = upstreamOf(this.#env);
        this.#recover(settings.clock);
        const lanes = await allOf(this.#lanes.map((lane) => this.#run(lane, settings)));
        const nextMs = earliest([...lanes, await this.#reports.notify(settings.clock)]);
        return nextMs ?? this.#retention.step(settings.clock);
      },
      failed: 'subject_wake_up_failed',
      afterFailure: () => {
        this.#recovered = false; // what it left as `sending` must not block a lane for ever
        return beganAtMs + OUTCOME_PAUSE_MS;
      },
    });
  }

  wakeAt = (atMs: number): Promise<void> => ensureAlarm(this.#ctx.storage, atMs);

  /**
   * What a dead process left as `sending` may have arrived. Runs once per instance of the object, before anything is
   * sent.
   */
  #recover(clock: Clock): void {
    if (this.#recovered) return;
    for (const seq of this.#store.lookedUp()) {
      if (!this.#onWire.has(seq)) this.#store.endAttempt(interruptedRow(seq, 'unanswered'));
    }
    for (const request of this.#store.sending()) {
      if (this.#onWire.has(request.seq)) continue;
      this.#store.endAttempt(interruptedRow(request.seq, 'unknown'));
      const seen = { class: INTERRUPTED, observation: null, status: null, answer: INTERRUPTED_ANSWER };
      this.#lanes.find(({ name }) => name === request.lane)?.classify(request, seen, clock);
    }
    this.#recovered = true;
  }

  async #run(lane: SubjectLane, settings: UpstreamSettings): Promise<number | null> {
    if (this.#draining.has(lane)) return null; // the wake-up that drains it arms the alarm
    this.#draining.add(lane);
    try {
      const nextMs = await this.#drain(lane, settings).finally(() => this.#draining.delete(lane));
      if (this.#onWire.size > 0) await this.#reports.notify(settings.clock); // another lane may wait long for its answer
      return nextMs;
    } finally {
      await this.#calls?.permits.settle(lane.name);
    }
  }

  /** @returns when to wake next; null when nothing is open. */
  async #drain(lane: SubjectLane, settings: UpstreamSettings): Promise<number | null> {
    const { clock } = settings;
    const untilMs = clock.nowMs() + LOAD_WAKE_UP_MS;
    for (let turns = 0; turns < LOAD_SENDS_PER_WAKE_UP && clock.nowMs() < untilMs; turns += 1) {
      const turn = lane.next(clock);
      if (turn.turn === 'wait') return turn.untilMs;
      if (turn.turn === 'send') {
        const parkedMs = await this.#sendOrDefer(lane, turn.sending, settings);
        if (parkedMs !== null) return parkedMs;
      } else await failpoint('turn_decided');
      if (this.#reports.isDue(clock)) await this.#reports.notify(clock);
    }
    return clock.nowMs();
  }

  /**
   * With a permit at hand it is sent; otherwise the gate is called, and the next step is computed again. @returns until
   * when it is deferred.
   */
  async #sendOrDefer(lane: SubjectLane, sending: Sending, settings: UpstreamSettings): Promise<number | null> {
    const { clock } = settings;
    const { request } = sending;
    const channel = settings.channels.get(request.channel);
    const identity = this.#store.identity();
    if (!channel || !identity || channel.environment !== identity.environment) {
      // The channel it was accepted for is gone or belongs to the other environment: nothing may be sent.
      const answer = `channel "${request.channel}" is not configured for this environment`;
      lane.giveUp(request, 'channel_missing', answer, clock);
      return null;
    }
    const { scac } = request;
    const of = { channel: channel.name, scac };
    this.#calls ??= new PermittedCalls(this.#env, { ...identity, subject: JSON.stringify(identity) });
    const { permits } = this.#calls;
    const permit = permits.take(lane.name, of, clock);
    if (permit !== null) {
      await this.#send(lane, sending, { calls: this.#calls, channel, clock, permit });
      return null;
    }
    const wanted: Wanted = {
      ...of,
      repeatable: sending.purpose !== 'send' || lane.isRepeatable(request),
      backlog: lane.backlog(),
    };
    const parked = await permits.request(lane.name, wanted, clock);
    if (parked === null) return null;
    const soonMs = parked.untilMs - clock.nowMs();
    if (parked.why === 'rate' && soonMs <= PERMIT_WAIT_MS) {
      await scheduler.wait(Math.max(0, soonMs)); // a new wake-up would have to wait for the other lane's answer
      return null;
    }
    lane.defer(request.seq, parked, clock);
    return parked.untilMs;
  }

  /** The intent is written before each sending, the outcome after it, in one commit with the next intent. */
  async #send(
    lane: SubjectLane,
    sending: Sending,
    { calls, channel, clock, permit }: { calls: PermittedCalls; channel: Channel; clock: Clock; permit: Permit },
  ): Promise<void> {
    const { request, purpose, body, carries } = sending;
    const { seq, scac } = request;
    this.#onWire.add(seq);
    try {
      const observed = await calls.call(lane.name, permit, {
        channel,
        scac,
        clock,
        signal: signalOf,
        post: (port) => sending.post(port, channel),
        mayBegin: () => this.#mayLeave(sending),
        begin: (tokenFingerprint) => {
          const current = this.#store.bySeq(seq);
          this.#store.beginAttempt({
            seq,
            purpose,
            carries,
            tokenFingerprint,
            startedAtMs: clock.nowMs(),
            requestSha256: sha256Hex(body),
            possibleDuplicate: current.had_unknown === 1,
            late: lane.isLate(current),
          });
        },
        end: (seen) => this.#classify(lane, sending, seen, clock, permit.probe),
      });
      const isLate = observed.outcome === 'not_sent' && observed.code === 'withdrawn'; // or its permit expired: it is unchanged
      if (observed.outcome === 'not_sent' && !isLate && this.#mayLeave(sending)) {
        this.#classify(lane, sending, observed, clock);
      }
    } finally {
      this.#onWire.delete(seq);
    }
  }

  /**
   * It may have been withdrawn while a permit or a token was fetched. A lookup about an ended request is not withdrawn.
   */
  #mayLeave = ({ purpose, request }: Sending): boolean =>
    purpose === 'status' || !isFinal(this.#store.bySeq(request.seq).state);

  #classify(lane: SubjectLane, sending: Sending, observed: Observation, clock: Clock, isProbe = false): void {
    const { purpose } = sending;
    const { seq } = sending.request;
    const seen = { ...seenIn(observed, classify(observed, clock.nowMs())), isProbe };
    const effect = sending.shows?.(observed) ?? seen.class.effect;
    if (observed.outcome !== 'not_sent') this.#store.endAttempt(attemptRow(seq, observed, effect));
    if (purpose === 'send') lane.classify(this.#store.bySeq(seq), seen, clock);
    else lane.classifyLookup(this.#store.bySeq(seq), purpose, seen, clock);
  }
}

/** Waits for every lane, also when one fails: none may still run after its wake-up has ended. */
async function allOf<T>(runs: readonly Promise<T>[]): Promise<T[]> {
  const ended = await Promise.allSettled(runs);
  return ended.map((run) => {
    if (run.status === 'rejected') throw run.reason;
    return run.value;
  });
}

const earliest = (times: readonly (number | null)[]): number | null =>
  times.reduce((one, other) => (one === null ? other : other === null ? one : Math.min(one, other)), null);
