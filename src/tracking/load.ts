/**
 * The Load object: one per (environment, partner, SCAC, load number). Its milestones go out one at a time, in hand-over order.
 *
 * A thin shell: it loads rows, asks the pure core in `delivery/`, writes what comes back and arms its alarm.
 */

import { DurableObject } from 'cloudflare:workers';
import { createHash } from 'node:crypto';
import { classify } from '../delivery/classify.ts';
import { type Move, nextMove } from '../delivery/drain.ts';
import { afterAttempt, INTERRUPTED, type NextStep, type Past } from '../delivery/next-step.ts';
import { type Clock, scaledMs } from '../kernel/clock.ts';
import {
  LOAD_SENDS_PER_WAKE_UP,
  LOAD_WAKE_UP_MS,
  MILESTONE_DEADLINE_MS,
  OUTCOME_PAUSE_MS,
  OUTCOMES_PER_CALL,
  STEP_ASIDE_MS,
} from '../kernel/limits.ts';
import { log, messageOf } from '../kernel/log.ts';
import { batchName } from '../kernel/names.ts';
import type { Observation } from '../upstream/answer.ts';
import type { SendingLog, UpstreamPort } from '../upstream/call.ts';
import type { Channel } from '../upstream/channels.ts';
import { postLoadMilestoneEvent, postMilestone } from '../upstream/endpoints.ts';
import { type UpstreamSettings, upstreamOf } from '../upstream/settings.ts';
import { tokenSource } from '../upstream/tokens.ts';
import { answerHead, attemptRow, type OutcomeReceiver, outcomeOf } from './load-rows.ts';
import {
  type HandedRequest,
  type LoadIdentity,
  LoadStore,
  type StoredAttempt,
  type StoredRequest,
} from './load-store.ts';

/** Requests read to find the next one; a lane is longer only while a backlog waits. */
const LANE_HEAD = 64;
/** How often a long drain reports on its way, in ms, so that a person sees progress. */
const REPORT_EVERY_MS = 1_000;

export class Load extends DurableObject<Env> {
  readonly #store: LoadStore;
  #recovered = false;
  #reportedAtMs = 0;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#store = new LoadStore(ctx.storage.sql);
  }

  /** Takes requests over, idempotent by key; they are durable when this returns. */
  async enqueue(identity: LoadIdentity, requests: readonly HandedRequest[]): Promise<void> {
    const { clock } = upstreamOf(this.env);
    const lifeMs = scaledMs(MILESTONE_DEADLINE_MS, clock);
    this.#store.identify(identity);
    this.#store.add(requests.map((request) => ({ ...request, deadlineMs: request.acceptedAtMs + lifeMs })));
    await this.#wakeAt(clock.nowMs());
  }

  /** Everything this load did, for people and for the checks that look from outside. */
  async timeline(): Promise<{ request: StoredRequest; attempts: StoredAttempt[] }[]> {
    return this.#store.timeline();
  }

  /** Never throws: after six failed retries the platform would drop the alarm. */
  override async alarm(): Promise<void> {
    let nextMs: number | null = Date.now() + OUTCOME_PAUSE_MS;
    try {
      const settings = upstreamOf(this.env);
      this.#recover(settings.clock);
      nextMs = earliest(await this.#drain(settings), await this.#report(settings.clock));
    } catch (thrown) {
      this.#recovered = false; // what it left as `sending` must not block the lane for ever
      log('error', 'load_wake_up_failed', { detail: messageOf(thrown) });
    }
    if (nextMs !== null) await this.#wakeAt(nextMs);
  }

  /** What a dead process left as `sending` may have landed. Runs once per life of the object, before anything is sent. */
  #recover(clock: Clock): void {
    if (this.#recovered) return;
    for (const request of this.#store.sending()) {
      this.#store.endAttempt({
        seq: request.seq,
        effect: 'unknown',
        status: null,
        headers: null,
        body: null,
        body_end: null,
        body_encoding: null,
        detail: 'interrupted: the bridge stopped before the answer was recorded',
        latency_ms: null,
      });
      const taken = afterAttempt(pastOf(request), INTERRUPTED, clock, Math.random);
      const step = taken.step.state === 'unknown' ? { ...taken.step, reason: 'interrupted' as const } : taken.step;
      this.#write(
        request,
        { ...taken, step },
        { status: null, answer: 'interrupted before an answer was recorded' },
        clock,
      );
    }
    this.#recovered = true;
  }

  /** @returns when to wake next; null when nothing is open. */
  async #drain(settings: UpstreamSettings): Promise<number | null> {
    const { clock } = settings;
    const untilMs = clock.nowMs() + LOAD_WAKE_UP_MS;
    for (let sends = 0; sends < LOAD_SENDS_PER_WAKE_UP && clock.nowMs() < untilMs; sends += 1) {
      const move = this.#nextMove(clock);
      switch (move.move) {
        case 'send':
          await this.#send(this.#store.bySeq(Number(move.key)), settings);
          break;
        case 'expire':
          this.#expire(this.#store.bySeq(Number(move.key)), clock);
          break;
        case 'wait':
          return move.untilMs;
        case 'busy':
        case 'idle':
          return null;
      }
      if (clock.nowMs() - this.#reportedAtMs > REPORT_EVERY_MS) await this.#report(clock);
    }
    return clock.nowMs();
  }

  /** Reads only the head of the lane, and more of it where all of the head has stepped aside. */
  #nextMove(clock: Clock): Move {
    for (let limit = LANE_HEAD; ; limit *= 4) {
      const open = this.#store.open(limit);
      const move = nextMove(open, clock.nowMs(), scaledMs(STEP_ASIDE_MS, clock));
      const passedAll = move.move === 'idle' || (move.move === 'wait' && !move.isBlocked);
      if (open.length < limit || !passedAll) return move;
    }
  }

  async #send(request: StoredRequest, settings: UpstreamSettings): Promise<void> {
    const { clock, channels } = settings;
    const identity = this.#store.identity();
    const channel = channels.get(request.channel);
    if (!identity || !channel || channel.environment !== identity.environment) {
      this.#refuseChannel(request, clock);
      return;
    }
    const port = { tokens: this.#tokens(clock), clock, log: this.#sendingLog(request.seq, clock) };
    const observed = await postEvent(port, channel, identity.scac, request);
    if (observed.outcome === 'not_sent') this.#decide(request.seq, observed, clock);
  }

  /** The intent is written before each sending, the outcome after it; the next intent joins the same commit. */
  #sendingLog(seq: number, clock: Clock): SendingLog {
    return {
      begin: (tokenFingerprint) => {
        const request = this.#store.bySeq(seq);
        this.#store.beginAttempt({
          seq,
          startedAtMs: clock.nowMs(),
          requestSha256: createHash('sha256').update(request.body).digest('hex'),
          tokenFingerprint,
          possibleDuplicate: request.had_unknown === 1,
          late: request.first_tried_at_ms !== null && this.#store.laterWasTried(seq),
        });
      },
      end: (observed) => this.#decide(seq, observed, clock),
    };
  }

  #decide(seq: number, observed: Observation, clock: Clock): void {
    const request = this.#store.bySeq(seq);
    const seen = classify(observed, clock.nowMs());
    if (observed.outcome !== 'not_sent') this.#store.endAttempt(attemptRow(seq, observed, seen.effect));
    const status = observed.outcome === 'answered' ? observed.status : null;
    const taken = afterAttempt(pastOf(request), seen, clock, Math.random);
    this.#write(request, taken, { status, answer: answerHead(observed) }, clock);
  }

  #expire(request: StoredRequest, clock: Clock): void {
    const past = pastOf(request);
    const step = { state: 'dead', outcome: past.hadUnknown ? 'unknown' : 'not_applied', reason: 'deadline' } as const;
    this.#write(request, { ...past, step }, { status: request.status, answer: request.answer }, clock);
  }

  /** The channel this was accepted for is gone or belongs to the other environment: nothing may leave. */
  #refuseChannel(request: StoredRequest, clock: Clock): void {
    const past = pastOf(request);
    const outcome = past.hadUnknown ? 'unknown' : 'not_applied';
    const step = { state: 'dead', outcome, reason: 'channel_missing' } as const;
    const answer = `channel "${request.channel}" is not configured for this environment`;
    this.#write(request, { ...past, step }, { status: null, answer }, clock);
  }

  #write(
    request: StoredRequest,
    taken: { tries: number; hadUnknown: boolean; step: NextStep },
    seen: { status: number | null; answer: string },
    clock: Clock,
  ): void {
    const { step } = taken;
    this.#store.decide({
      seq: request.seq,
      state: step.state,
      reason: 'reason' in step ? (step.reason ?? null) : null,
      outcome: step.state === 'dead' ? step.outcome : null,
      at_ms: 'atMs' in step ? step.atMs : null,
      tries: taken.tries,
      had_unknown: Number(taken.hadUnknown),
      status: seen.status,
      answer: seen.answer,
      decided_at_ms: clock.nowMs(),
    });
  }

  /** Tells each Batch what became of its requests. @returns when to try again, null when all is told. */
  async #report(clock: Clock): Promise<number | null> {
    const identity = this.#store.identity();
    this.#reportedAtMs = clock.nowMs();
    if (!identity) return null;
    let allTold = true;
    for (const batchId of this.#store.unreportedBatches()) {
      // One Batch that cannot be reached keeps its outcomes here and holds up no other.
      if (!(await this.#reportTo(batchId, identity))) allTold = false;
    }
    return allTold ? null : clock.nowMs() + scaledMs(OUTCOME_PAUSE_MS, clock);
  }

  async #reportTo(batchId: string, identity: LoadIdentity): Promise<boolean> {
    const receiver: OutcomeReceiver = this.env.BATCH.getByName(batchName(identity, batchId));
    try {
      for (;;) {
        const rows = this.#store.unreported(batchId, OUTCOMES_PER_CALL);
        if (rows.length === 0) return true;
        await receiver.recordOutcomes(rows.map(outcomeOf));
        this.#store.reported(rows);
      }
    } catch (thrown) {
      log('warn', 'outcome_not_reported', { load: identity.loadNumber, batchId, detail: messageOf(thrown) });
      return false;
    }
  }

  #tokens(clock: Clock) {
    return tokenSource({ cache: this.env.TOKENS, gate: (name) => this.env.UPSTREAM_GATE.getByName(name) }, clock);
  }

  /** An earlier alarm stands; a later one is moved forward. */
  async #wakeAt(atMs: number): Promise<void> {
    const armedMs = await this.ctx.storage.getAlarm();
    if (armedMs === null || armedMs > atMs) await this.ctx.storage.setAlarm(atMs);
  }
}

/** The load's events by kind; any other kind is a mistake of ours, and nothing leaves. */
async function postEvent(
  port: UpstreamPort,
  channel: Channel,
  scac: string,
  { kind, body }: StoredRequest,
): Promise<Observation> {
  if (kind === 'milestone') return postMilestone(port, channel, { scac, body });
  if (kind === 'loadMilestoneEvent') return postLoadMilestoneEvent(port, channel, { body });
  return { outcome: 'not_sent', code: 'not_composed', detail: `${kind} is not sent by a load` };
}

const pastOf = (request: StoredRequest): Past => ({
  tries: request.tries,
  hadUnknown: request.had_unknown === 1,
  attempted: request.attempts > 0,
  deadlineMs: request.deadline_ms,
});

const earliest = (one: number | null, other: number | null): number | null =>
  one === null ? other : other === null ? one : Math.min(one, other);
