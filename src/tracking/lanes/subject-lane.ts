/** One lane of a subject: the pure core decides what is next and what follows from an attempt; the lane stores it. */

import { type LaneRequest, type Move, nextMove } from '../../delivery/drain.ts';
import { type BesideEqual, besideEqual } from '../../delivery/events/duplicates.ts';
import { afterAttempt, afterDeadline, type StepDone } from '../../delivery/next-step.ts';
import { type Clock, scaledMs } from '../../kernel/clock.ts';
import { LEASE_PERMITS_MAX, STEP_ASIDE_MS } from '../../kernel/limits.ts';
import type { RequestKind } from '../../mapping/request.ts';
import type { Observation } from '../../upstream/answer.ts';
import type { UpstreamPort } from '../../upstream/call.ts';
import type { Channel } from '../../upstream/channels.ts';
import type { Deferred } from '../../upstream/permits.ts';
import type { LaneName, StoredAttempt, StoredRequest } from '../request.ts';
import { equalsBefore, type LoadJourney } from '../store/load-events.ts';
import { decidedRow, deferredReason, type GivenUpReason, givenUp, pastOf, type Seen } from '../store/subject-rows.ts';
import type { SubjectStore } from '../store/subject-store.ts';

/** A call that reads and changes nothing. */
export type Lookup = Exclude<StoredAttempt['purpose'], 'send'>;

/** A request that is next, and how it is sent. */
export interface Sending {
  purpose: StoredAttempt['purpose'];
  request: StoredRequest;
  /** JSON text, the same on every try; empty for a lookup. */
  body: string;
  /** The seqs whose points it carries; null: only its own request. */
  carries: readonly number[] | null;
  /** For a lookup: whether its answer can be read. */
  shows?(observed: Observation): 'answered' | 'unanswered';
  post(port: UpstreamPort, channel: Channel): Promise<Observation>;
}

export type LaneStep =
  | { turn: 'send'; sending: Sending }
  /** Decided without sending; the next step follows at once. */
  | { turn: 'decided' }
  /** null: nothing is waiting here, or an answer is awaited. */
  | { turn: 'wait'; untilMs: number | null };

export const DECIDED: LaneStep = { turn: 'decided' };

/** Requests read to find the next one; a lane is longer only during a backlog. */
const LANE_HEAD = 64;

export abstract class SubjectLane {
  abstract readonly name: LaneName;
  protected readonly store: SubjectStore;

  constructor(store: SubjectStore) {
    this.store = store;
  }

  abstract next(clock: Clock): LaneStep;

  /** What a move comes to. @param send the step of the request that may be sent now. */
  protected stepOf(move: Move, send: (request: StoredRequest) => LaneStep, clock: Clock): LaneStep {
    switch (move.move) {
      case 'send':
        return send(this.store.bySeq(Number(move.key)));
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

  /** Whether a request may arrive twice without harm. */
  isRepeatable(request: StoredRequest): boolean {
    return request.hold_unclear === 0;
  }

  /** The kind it is sent as, which may be known only at its step. */
  goesAs(request: StoredRequest): RequestKind {
    return request.kind;
  }

  /** How many of its requests could use a permit; at most one lease's worth. */
  backlog(): number {
    return this.store.open(this.name, LEASE_PERMITS_MAX).length;
  }

  /** The gate gives no permit: a request that waits for its first try shows why. Others keep the reason they show. */
  defer(seq: number, parked: Deferred, clock: Clock): void {
    const reason = deferredReason(parked.why);
    const request = this.store.bySeq(seq);
    if (reason === null || request.state !== 'queued' || request.reason === reason) return;
    const step = { state: 'queued', atMs: parked.untilMs, reason } as const;
    this.write(request, { ...pastOf(request), step }, request, clock);
  }

  /** An attempt ended, or nothing could be sent: stores what follows. */
  classify(request: StoredRequest, seen: Seen, clock: Clock): void {
    this.write(request, stepAfter(request, seen, clock), seen, clock);
  }

  /** A lookup ended, or could not be sent: stores what follows. Called only for lanes that make lookups. */
  classifyLookup(request: StoredRequest, purpose: Lookup, _seen: Seen, _clock: Clock): void {
    throw new Error(`a ${purpose} of ${request.kind}, which nobody asked for`);
  }

  /** Ends a request without another attempt. */
  giveUp(request: StoredRequest, reason: GivenUpReason, answer: string, clock: Clock): void {
    this.write(request, givenUp(request, reason), { status: null, answer }, clock);
  }

  /** Past its deadline; the last answer is kept. */
  protected expire(request: StoredRequest, clock: Clock): void {
    const past = pastOf(request);
    this.write(request, { ...past, step: afterDeadline(past, request.reason) }, request, clock);
  }

  /** What a person's decision comes to here. @param _orderId as in `decide`. */
  afterDecision(_request: StoredRequest, taken: StepDone, _orderId: string | null, _clock: Clock): StepDone {
    return taken;
  }

  /**
   * A person decided about a held request; the last answer is kept.
   * @param orderId the upstream id of an existing order, if known.
   */
  decide(request: StoredRequest, taken: StepDone, orderId: string | null, clock: Clock): void {
    this.write(request, this.afterDecision(request, taken, orderId, clock), request, clock);
  }

  protected write(
    request: StoredRequest,
    taken: StepDone,
    seen: { status: number | null; answer: string; isProbe?: boolean },
    clock: Clock,
  ): void {
    this.store.decide(decidedRow(request, taken, seen, clock.nowMs()));
  }

  /** Compares with earlier equal requests: ends a duplicate, and lets a request wait for an open one. */
  protected beside(seq: number, clock: Clock): BesideEqual {
    const beside = besideEqual(equalsBefore(this.store, seq));
    switch (beside.turn) {
      case 'duplicate':
        this.repeat(this.store.bySeq(seq), beside.of, clock);
        break;
      case 'wait':
        this.store.waitFor(seq, beside.for);
        break;
      case 'send':
        if (beside.mayBeThere) this.store.doubt(seq);
        break;
    }
    return beside;
  }

  /**
   * Checks a request at its step against the other events of its load. @returns whether it was refused, and so ended.
   */
  protected refuseAnomalous(journey: LoadJourney, seq: number, clock: Clock): boolean {
    const request = this.store.bySeq(seq);
    const { surprises, refusal } = journey.classify(request);
    if (surprises.length > 0) this.store.noteAnomalies(seq, JSON.stringify(surprises));
    if (refusal !== null) this.giveUp(request, refusal, '', clock);
    return refusal !== null;
  }

  /** Ends a request whose equal was delivered: it is not sent. */
  protected repeat(request: StoredRequest, first: number, clock: Clock): void {
    this.store.pointTo(request.seq, first);
    this.write(request, { ...pastOf(request), step: { state: 'duplicate' } }, { status: null, answer: '' }, clock);
  }

  /** Whether it is sent after a later one of its lane, because it waited, was sent again or was retried. */
  isLate(request: StoredRequest): boolean {
    if (request.first_tried_at_ms !== null || request.awaits_seq !== null)
      return this.store.laterWasTried(this.name, request.seq);
    return request.generation > 1 && this.store.wasOvertaken(request);
  }
}

/** What follows by the rules that milestones and traces share. */
function stepAfter(request: StoredRequest, seen: Seen, clock: Clock): StepDone {
  const taken = afterAttempt(pastOf(request), seen.class, clock, Math.random);
  const { step } = taken;
  const isInterrupted = seen.observation === null && step.state === 'unknown';
  return isInterrupted ? { ...taken, step: { ...step, reason: 'interrupted' } } : taken;
}

/** Reads only the head of a lane, and more when all of the head is deferred. */
export function headMove(open: (limit: number) => LaneRequest[], clock: Clock): Move {
  for (let limit = LANE_HEAD; ; limit *= 4) {
    const requests = open(limit);
    const move = nextMove(requests, clock.nowMs(), scaledMs(STEP_ASIDE_MS, clock));
    const passedAll = move.move === 'idle' || (move.move === 'wait' && !move.isBlocked);
    if (requests.length < limit || !passedAll) return move;
  }
}
