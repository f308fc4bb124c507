/**
 * What every subject object does: enqueues requests, wakes up, sends what its lanes say, reports, arms its alarm.
 * A shell: lanes decide what is next and what follows. Each lane has at most one request on the wire, and none waits
 * for another.
 */

import { signalOf } from '../delivery/classify.ts';
import { INTERRUPTED } from '../delivery/next-step.ts';
import type { RequestLocation } from '../delivery/outcome.ts';
import { isFinal } from '../delivery/states.ts';
import { ensureAlarm, wake } from '../kernel/alarm.ts';
import type { Clock } from '../kernel/clock.ts';
import { failpoint } from '../kernel/failpoint.ts';
import { LOAD_SENDS_PER_WAKE_UP, LOAD_WAKE_UP_MS, OUTCOME_PAUSE_MS, PERMIT_WAIT_MS } from '../kernel/limits.ts';
import type { PartnerScope } from '../kernel/names.ts';
import type { Result } from '../kernel/result.ts';
import { sha256Hex } from '../kernel/secret.ts';
import type { UsageMeter } from '../kernel/usage.ts';
import type { Channel } from '../upstream/channels.ts';
import type { Permit, Wanted } from '../upstream/permits.ts';
import { PermittedCalls } from '../upstream/permitted-call.ts';
import { type UpstreamSettings, upstreamOf } from '../upstream/settings.ts';
import {
  type DecisionMade,
  type DecisionRefusal,
  type DecisionRequest,
  decideIn,
  historyIn,
  type SubjectHistory,
} from './decisions.ts';
import type { Sending, SubjectLane } from './lanes/subject-lane.ts';
import { noteAnswer, noteNotRenewed } from './note-answer.ts';
import { OutcomeReports } from './outcome-reports.ts';
import type { EnqueuedRequest, Parcel, VisitReport } from './request.ts';
import { type ErasableSubject, Retention, type RetentionTerms } from './retention.ts';
import { INTERRUPTED_ANSWER, interruptedRow } from './store/subject-rows.ts';
import type { SubjectStore } from './store/subject-store.ts';

/** The object it is the work of. @property meter counts what storage and bindings are asked for. */
export interface SubjectShell {
  ctx: DurableObjectState;
  env: Env;
  storage: DurableObjectStorage;
  meter: UsageMeter;
}

export class Subject {
  readonly #ctx: DurableObjectState;
  readonly #env: Env;
  readonly #storage: DurableObjectStorage;
  readonly #meter: UsageMeter;
  readonly #store: SubjectStore;
  readonly #lanes: readonly SubjectLane[];
  readonly #reports: OutcomeReports;
  readonly #retention: Retention;
  /** Seqs this process has on the wire: any other that is stored as `sending` was left by a dead process. */
  readonly #onWire = new Set<number>();
  /** Lanes that a wake-up or a visit is draining in this process: a concurrent one skips them. */
  readonly #draining = new Set<SubjectLane>();
  #recovered = false;
  /** What is left for later is what a visit brought, and no more. */
  #hasParcelAlone = false;
  #calls: PermittedCalls | undefined;

  constructor(object: SubjectShell, store: SubjectStore, lanes: readonly SubjectLane[], life: RetentionTerms) {
    this.#ctx = object.ctx;
    this.#env = object.env;
    this.#storage = object.storage;
    this.#meter = object.meter;
    this.#store = store;
    this.#lanes = lanes;
    this.#reports = new OutcomeReports(store, (name) => this.#env.BATCH.getByName(name), this.#meter);
    this.#retention = new Retention(object, store, life);
  }

  /** Enqueues requests, idempotent by key; they are durable when this returns. */
  async take(identity: PartnerScope, requests: readonly EnqueuedRequest[]): Promise<void> {
    this.#store.commit(() => {
      this.#store.identify(identity);
      this.#store.add(requests);
    });
    await this.wakeAt(Date.now());
  }

  /**
   * Enqueues requests as `take` does and sends what is due, in this call. An alarm is armed only for what is left. If
   * the answer is lost, the batch repeats the visit, and what it has not confirmed is answered again.
   */
  visit({
    identity,
    batchId,
    requests,
    endsLoads,
  }: Parcel<PartnerScope> & { requests: readonly EnqueuedRequest[] }): Promise<VisitReport> {
    const { clock } = upstreamOf(this.#env);
    this.#reports.beginVisit(clock);
    // What a drain left for later was stored at its end, or could not be; and what a batch confirmed may be lost.
    this.#hasParcelAlone = this.#draining.size === 0 && !this.#store.tables.journal.isBehind;
    this.#store.commitSoon(() => {
      this.#store.identify(identity);
      this.#store.add(requests);
    });
    const visit = this.#drainOnce(batchId, endsLoads === true);
    this.#ctx.waitUntil(visit.catch(() => undefined)); // a caller that goes away does not end it
    return visit;
  }

  /** @param endsLoads the batch looks after the end of its retention. */
  async #drainOnce(batchId: string, endsLoads: boolean): Promise<VisitReport> {
    try {
      const settings = upstreamOf(this.#env);
      this.#recover(settings.clock);
      const lanes = await allOf(this.#lanes.map((lane) => this.#run(lane, settings)));
      this.#hasParcelAlone = false;
      this.#store.flush(); // its batch brings nothing again that this visit answers
      const { report, isAll } = this.#reports.answer(batchId);
      const dueMs = earliest([...lanes, isAll ? null : Date.now(), this.#whileDraining(settings.clock)]);
      const nextMs = dueMs ?? (endsLoads ? null : this.#retention.endsMs(settings.clock));
      if (nextMs !== null) await this.wakeAt(nextMs);
      return { ...report, usage: this.#meter.take() };
    } catch (thrown) {
      this.#recovered = false; // what it left as `sending` must not block a lane for ever
      // What it brought may be stored by another call, and its batch may have died before it brings it again.
      await this.wakeAt(Date.now() + OUTCOME_PAUSE_MS).catch(() => undefined);
      throw thrown;
    }
  }

  /** The batch has stored what this visit was answered. */
  settled(receipt: string): void {
    this.#reports.confirm(receipt);
  }

  /** Nothing is under way, waits, or is to be reported. */
  get isAtRest(): boolean {
    const isIdle = this.#draining.size === 0 && this.#onWire.size === 0;
    return isIdle && !this.#retention.hasWork() && !this.#retention.isEnding;
  }

  /**
   * Withdraws what the batch has not sent; what is being sent, ambiguous or held stays. Idempotent.
   * @param doubtful requests of which the batch does not know whether they were dispatched: they are stored as
   * withdrawn.
   * @param cancelledAtMs what was sent again after that stays: the call may come late. Absent: all of it goes.
   */
  async withdraw(
    batchId: string,
    doubtful?: { identity: PartnerScope; requests: readonly EnqueuedRequest[] },
    cancelledAtMs?: number,
  ): Promise<void> {
    const { clock } = upstreamOf(this.#env);
    this.#store.commit(() => {
      if (doubtful) {
        this.#store.identify(doubtful.identity);
        this.#store.add(doubtful.requests);
      }
      this.#store.withdraw(batchId, clock.nowMs(), cancelledAtMs);
    });
    await this.wakeAt(Date.now());
    this.#ctx.waitUntil(this.#reports.notify(clock)); // a wake-up in progress may wait long for an answer
  }

  /** A person decides about a held request. Idempotent by the decision's id; an answer that came first wins. */
  async decide(asked: DecisionRequest): Promise<Result<DecisionMade, DecisionRefusal>> {
    const { clock } = upstreamOf(this.#env);
    const parts = { store: this.#store, lanes: this.#lanes };
    const made = this.#store.commit(() => decideIn(parts, asked, clock));
    if (!made.ok || asked.dryRun) return made;
    await this.wakeAt(Date.now());
    this.#ctx.waitUntil(this.#reports.notify(clock)); // as for a withdrawal
    return made;
  }

  /** All generations of a request, with every answer and every decision. */
  history = (place: RequestLocation): SubjectHistory => historyIn({ store: this.#store, lanes: this.#lanes }, place);

  /**
   * Arms its alarm again if it was lost, also where one is armed that is later than any wait; and now if a batch has not
   * confirmed an outcome: who asks may take for open what the answer to a visit told that never arrived. Idempotent; sends
   * nothing by itself.
   * @returns when it wakes up; null: only a person can change anything here.
   */
  async ensureAlarm(): Promise<number | null> {
    const hasWork = this.#retention.hasWork();
    const isUntold = this.#store.tables.outbox.size > 0;
    const armedMs = await this.#storage.getAlarm();
    const nowMs = Date.now();
    const latestMs = isUntold ? nowMs : this.#retention.latestMs(upstreamOf(this.#env).clock);
    const wakesAtMs = armedMs === null ? nowMs : Math.min(armedMs, latestMs);
    if (wakesAtMs !== armedMs) await this.wakeAt(wakesAtMs); // the end of its retention depends on an alarm too
    return hasWork ? wakesAtMs : null;
  }

  /** A batch of it ended so long ago that it may be over. If it is not, it wakes up by itself from now on. Idempotent. */
  async endIfOver(): Promise<void> {
    const { clock } = upstreamOf(this.#env);
    if (!this.isAtRest) return void (await this.ensureAlarm());
    if ((await this.#storage.getAlarm()) !== null) return;
    const nextMs = await this.#retention.step(clock);
    if (nextMs !== null) await this.wakeAt(nextMs);
  }

  /** Batches are told first: what they confirmed of a visit is forgotten with an instance that notes nothing after it. */
  async erasable(): Promise<ErasableSubject> {
    const nextMs = await this.#reports.notify(upstreamOf(this.#env).clock);
    if (nextMs !== null) await this.wakeAt(nextMs);
    return this.#retention.erasable();
  }

  /** As `Retention.erase`, once nothing is under way; until then it wakes up, and tells its batches. */
  async erase(batches: readonly string[] | null): Promise<boolean> {
    if (this.isAtRest) return this.#retention.erase(batches);
    await this.ensureAlarm();
    return false;
  }

  /** @param around what its object does before and after anything is sent; alarms that it sets come before later ones. */
  wakeUp(around = (sending: () => Promise<null>): Promise<null> => sending()): Promise<void> {
    const beganAtMs = Date.now();
    return wake(this.#storage, {
      work: () => around(() => this.#work()),
      failed: 'subject_wake_up_failed',
      afterFailure: () => {
        this.#recovered = false; // what it left as `sending` must not block a lane for ever
        return beganAtMs + OUTCOME_PAUSE_MS;
      },
    });
  }

  /** Arms the next alarm itself: what is armed after it may be lost, and then none is left that hides that. */
  async #work(): Promise<null> {
    const settings = upstreamOf(this.#env);
    const { clock } = settings;
    this.#recover(clock);
    const lanes = await allOf(this.#lanes.map((lane) => this.#run(lane, settings)));
    const nextMs = earliest([...lanes, await this.#reports.notify(clock), this.#whileDraining(clock)]);
    this.#store.flush(); // a batch may have confirmed meanwhile what a visit told: nothing else would store that here
    const atMs = nextMs ?? (await this.#retention.step(clock));
    if (atMs !== null) await this.wakeAt(atMs);
    return null;
  }

  wakeAt = (atMs: number): Promise<void> => ensureAlarm(this.#storage, atMs);

  /**
   * What a dead process left as `sending` may have arrived. Runs once per instance of the object, before anything is
   * sent.
   */
  #recover(clock: Clock): void {
    if (this.#recovered) return;
    this.#store.commitSoon(() => this.#endInterrupted(clock));
    this.#recovered = true;
  }

  #endInterrupted(clock: Clock): void {
    for (const seq of this.#store.lookedUp()) {
      if (!this.#onWire.has(seq)) this.#store.endAttempt(interruptedRow(seq, 'unanswered'));
    }
    for (const request of this.#store.sending()) {
      if (this.#onWire.has(request.seq)) continue;
      this.#store.endAttempt(interruptedRow(request.seq, 'unknown'));
      const seen = { class: INTERRUPTED, observation: null, status: null, answer: INTERRUPTED_ANSWER };
      this.#lanes.find(({ name }) => name === request.lane)?.classify(this.#store.bySeq(request.seq), seen, clock);
    }
  }

  async #run(lane: SubjectLane, settings: UpstreamSettings): Promise<number | null> {
    // Who drains it arms the alarm when done; this one is for the case that it never gets there.
    if (this.#draining.has(lane)) {
      this.#store.flush();
      return settings.clock.nowMs() + OUTCOME_PAUSE_MS;
    }
    this.#draining.add(lane);
    try {
      const nextMs = await this.#drain(lane, settings).finally(() => {
        this.#draining.delete(lane);
        this.#beforeWaiting();
      });
      if (this.#onWire.size > 0) await this.#reports.notify(settings.clock); // another lane may wait long for its answer
      return nextMs;
    } finally {
      // The next drain of it may have begun, with a permit of its own: it tells with its next call what ended here.
      if (!this.#draining.has(lane)) await this.#calls?.settle(lane.name);
    }
  }

  /**
   * What one visit or wake-up found of a lane may be long past when its other lane ends, and another drains that lane
   * now: it arms the alarm when it is done, and this one is for the case that it never gets there.
   */
  #whileDraining = (clock: Clock): number | null => (this.#draining.size > 0 ? clock.nowMs() + OUTCOME_PAUSE_MS : null);

  /** @returns when to wake next; null when nothing is open. */
  async #drain(lane: SubjectLane, settings: UpstreamSettings): Promise<number | null> {
    const { clock } = settings;
    const untilMs = clock.nowMs() + LOAD_WAKE_UP_MS;
    for (let turns = 0; turns < LOAD_SENDS_PER_WAKE_UP && clock.nowMs() < untilMs; turns += 1) {
      const turn = this.#store.commitSoon(() => lane.next(clock));
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
      this.#store.commit(() => lane.giveUp(request, 'channel_missing', answer, clock));
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
    this.#beforeWaiting();
    const parked = await permits.request(lane.name, wanted, clock);
    if (parked === null) return null;
    const soonMs = parked.untilMs - clock.nowMs();
    if (parked.why === 'rate' && soonMs <= PERMIT_WAIT_MS) {
      await scheduler.wait(Math.max(0, soonMs)); // a new wake-up would have to wait for the other lane's answer
      return null;
    }
    this.#store.commit(() => lane.defer(request.seq, parked, clock));
    return parked.untilMs;
  }

  /**
   * Stores what was left for later. A parcel alone is not: it is stored with its first intent, and its batch brings it
   * again if this process dies before.
   */
  #beforeWaiting(): void {
    if (!this.#hasParcelAlone) this.#store.flush();
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
        waits: () => this.#beforeWaiting(),
        mayBegin: () => this.#mayLeave(sending),
        begin: (tokenFingerprint) => {
          const current = this.#store.bySeq(seq);
          this.#hasParcelAlone = false;
          this.#meter.sends();
          this.#store.commit(() =>
            this.#store.beginAttempt({
              seq,
              purpose,
              carries,
              tokenFingerprint,
              startedAtMs: clock.nowMs(),
              requestSha256: sha256Hex(body),
              possibleDuplicate: current.had_unknown === 1,
              late: lane.isLate(current),
            }),
          );
        },
        end: (seen) => noteAnswer(this.#store, lane, sending, seen, clock, permit.probe),
      });
      const isLate = observed.outcome === 'not_sent' && observed.code === 'withdrawn'; // or its permit expired: it is unchanged
      if (observed.outcome === 'not_sent' && !isLate && this.#mayLeave(sending)) {
        noteAnswer(this.#store, lane, sending, observed, clock);
      }
      if (observed.outcome === 'answered' && observed.notRenewed !== undefined) {
        noteNotRenewed(this.#store, lane, sending, { ...observed, notRenewed: observed.notRenewed }, clock);
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
