/**
 * The milestones of a load, in both of their forms: sent one at a time, in dispatch order, at least once; one that was
 * delivered is not sent again.
 */

import {
  afterHalving,
  halve,
  isHalved,
  nextTraceMove,
  packSet,
  type TraceMove,
  windowOpensMs,
} from '../../delivery/events/traces.ts';
import { type Clock, scaledMs } from '../../kernel/clock.ts';
import { LEASE_PERMITS_MAX, TRACE_WINDOW_MS } from '../../kernel/limits.ts';
import type { Observation } from '../../upstream/answer.ts';
import type { UpstreamPort } from '../../upstream/call.ts';
import type { Channel } from '../../upstream/channels.ts';
import { postLoadMilestoneEvent, postMilestone, postTrace } from '../../upstream/endpoints.ts';
import type { StoredRequest } from '../request.ts';
import type { LoadJourney } from '../store/load-events.ts';
import { pastOf, type Seen } from '../store/subject-rows.ts';
import type { SubjectStore } from '../store/subject-store.ts';
import type { TraceStore } from '../store/trace-store.ts';
import { DECIDED, headMove, type LaneStep, type Sending, SubjectLane } from './subject-lane.ts';

export class MilestoneLane extends SubjectLane {
  readonly name = 'milestones';
  readonly #journey: LoadJourney;

  constructor(store: SubjectStore, journey: LoadJourney) {
    super(store);
    this.#journey = journey;
  }

  next(clock: Clock): LaneStep {
    const move = headMove((limit) => this.store.open(this.name, limit), clock);
    return this.stepOf(move, (request) => this.#stepFor(request, clock), clock);
  }

  /** A request that was sent before keeps the form it began with. */
  #stepFor(request: StoredRequest, clock: Clock): LaneStep {
    const isNew = request.first_tried_at_ms === null;
    if (isNew && this.beside(request.seq, clock).turn !== 'send') return DECIDED;
    if (isNew && this.refuseAnomalous(this.#journey, request.seq, clock)) return DECIDED;
    return { turn: 'send', sending: sendingOf(request) };
  }

  protected override write(...[request, taken, seen, clock]: Parameters<SubjectLane['write']>): void {
    super.write(request, taken, seen, clock);
    this.#journey.ended(request.seq, taken.step);
  }
}

const sendingOf = (request: StoredRequest): Sending => ({
  purpose: 'send',
  request,
  body: request.body,
  carries: null,
  post: (port, channel) => postEvent(port, channel, request),
});

/** Any other kind is a bug of ours, and nothing is sent. */
async function postEvent(
  port: UpstreamPort,
  channel: Channel,
  { kind, scac, body }: StoredRequest,
): Promise<Observation> {
  if (kind === 'milestone') return postMilestone(port, channel, { scac, body });
  if (kind === 'loadMilestoneEvent') return postLoadMilestoneEvent(port, channel, { body });
  return { outcome: 'not_sent', code: 'not_composed', detail: `${kind} is no event of a load` };
}

/*
 * The trace points of a load: packed into sets, one set per window, each sent like a milestone; a refused set is
 * halved.
 */

/** Expired points ended per step. Ours: bounds one commit. */
const EXPIRED_POINTS_AT_ONCE = 500;

export class TraceLane extends SubjectLane {
  readonly name = 'traces';
  readonly #traces: TraceStore;
  readonly #journey: LoadJourney;

  constructor(store: SubjectStore, traces: TraceStore, journey: LoadJourney) {
    super(store);
    this.#traces = traces;
    this.#journey = journey;
  }

  next(clock: Clock): LaneStep {
    const move = this.#move(clock);
    switch (move.move) {
      case 'expire_loose':
        for (const seq of this.#traces.expiredLoose(clock.nowMs(), EXPIRED_POINTS_AT_ONCE)) {
          this.expire(this.store.bySeq(seq), clock);
        }
        return DECIDED;
      case 'pack':
        this.#pack(clock);
        return DECIDED;
      default:
        return this.stepOf(move, ({ seq }) => ({ turn: 'send', sending: this.#sending(seq) }), clock);
    }
  }

  /** Counts packed sets only: the next window has its own time. */
  override backlog(): number {
    return this.#traces.openSets(LEASE_PERMITS_MAX).length;
  }

  #move(clock: Clock): TraceMove {
    const windowMs = scaledMs(TRACE_WINDOW_MS, clock);
    const { startedMs, overflowed } = this.#traces.lastSet();
    return nextTraceMove(
      headMove((limit) => this.#traces.openSets(limit), clock),
      this.#traces.loose(windowMs),
      windowOpensMs(startedMs, overflowed, windowMs),
      clock.nowMs(),
    );
  }

  #pack(clock: Clock): void {
    const windowMs = scaledMs(TRACE_WINDOW_MS, clock);
    const leaving = this.#traces.ready(windowMs, clock.nowMs()).flatMap((point) => {
      const beside = this.beside(point.seq, clock);
      if (beside.turn !== 'send' || this.refuseAnomalous(this.#journey, point.seq, clock)) return [];
      return [beside.mayBeThere ? { ...point, hadUnknown: 1 } : point];
    });
    if (leaving.length === 0) return;
    const lead = this.#traces.freeze(packSet(leaving));
    this.#traces.markOverflowed(lead, this.#traces.anyReady(windowMs, clock.nowMs()));
  }

  #sending(lead: number): Sending {
    const request = this.store.bySeq(lead);
    const { body } = this.#traces.setOf(lead);
    const carries = this.#traces.pointsOf(lead).map(({ seq }) => seq);
    const { scac } = request;
    return {
      purpose: 'send',
      request,
      body,
      carries: carries.length > 1 ? carries : null,
      post: (port, channel) => postTrace(port, channel, { scac, body }),
    };
  }

  override classify(request: StoredRequest, seen: Seen, clock: Clock): void {
    const set = this.#traces.setOf(request.seq);
    if (!isHalved(seen.class, set.points)) {
      super.classify(request, seen, clock);
      return;
    }
    const younger = this.#traces.split(set, halve(this.#traces.pointsOf(request.seq)));
    const taken = afterHalving(pastOf(request), clock.nowMs());
    this.write(request, taken, seen, clock);
    this.write(this.store.bySeq(younger), taken, seen, clock);
  }

  protected override write(...[request, taken, seen, clock]: Parameters<SubjectLane['write']>): void {
    super.write(request, taken, seen, clock);
    this.#traces.notifyPoints(request.seq, clock.nowMs());
    this.#journey.ended(request.seq, taken.step);
  }

  /** The younger half of a set was tried with all of it. */
  override isLate({ seq, first_tried_at_ms }: StoredRequest): boolean {
    const wasTried = first_tried_at_ms !== null || this.#traces.setOf(seq).part > 0;
    return wasTried && this.#traces.laterWasTried(seq);
  }
}
