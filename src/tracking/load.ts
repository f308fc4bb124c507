/**
 * The Load object: one per (environment, partner, SCAC, load number). Its milestones and its traces are two lanes of sending.
 *
 * A thin shell: what a lane does stands in its own file, what all subjects do in `subject.ts`.
 */
import { DurableObject } from 'cloudflare:workers';
import { businessKey } from '../delivery/duplicates.ts';
import type { RequestPlace } from '../delivery/outcome.ts';
import { readPoint } from '../delivery/packing.ts';
import { withRequestKey } from '../delivery/request-key.ts';
import { Built } from '../kernel/built.ts';
import { type Clock, scaledMs } from '../kernel/clock.ts';
import {
  LOAD_LIFE_MS,
  MILESTONE_DEADLINE_MS,
  TRACE_FILE_DEADLINE_MS,
  TRACE_LIVE_DEADLINE_MS,
} from '../kernel/limits.ts';
import { requestKey } from '../kernel/names.ts';
import type { Result } from '../kernel/result.ts';
import { upstreamOf } from '../upstream/settings.ts';
import { EqualStore } from './equal-store.ts';
import { MilestoneLane } from './milestone-lane.ts';
import { Subject } from './subject.ts';
import type { DecisionAsked, DecisionMade, DecisionRefusal, SubjectHistory } from './subject-decision.ts';
import { SubjectStore } from './subject-store.ts';
import type { HandedRequest, HandedTo, LoadIdentity, TakenRequest, TimelineEntry } from './subject-tables.ts';
import { TraceLane } from './trace-lane.ts';
import { TraceStore } from './trace-store.ts';

export class Load extends DurableObject<Env> {
  readonly #built: Built<{ store: SubjectStore; traces: TraceStore; subject: Subject }>;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#built = new Built(() => {
      const store = new SubjectStore(ctx.storage.sql);
      const traces = new TraceStore(ctx.storage.sql);
      const equals = new EqualStore(ctx.storage.sql);
      const lanes = [new MilestoneLane(store, equals), new TraceLane(store, traces, equals)];
      const life = { lifeMs: LOAD_LIFE_MS, forget: () => this.#built.forget() };
      return { store, traces, subject: new Subject({ ctx, env }, store, lanes, life) };
    });
  }

  get #store(): SubjectStore {
    return this.#built.parts.store;
  }

  get #traces(): TraceStore {
    return this.#built.parts.traces;
  }

  get #subject(): Subject {
    return this.#built.parts.subject;
  }

  /** Takes requests over, idempotent by key; they are durable when this returns. */
  async enqueue(identity: LoadIdentity, requests: readonly HandedRequest[]): Promise<void> {
    await this.#subject.take(identity, this.#taken(requests));
  }

  /**
   * Takes back what the batch has not sent: milestones, loose points, and sets that hold no other batch's points. Idempotent.
   * @param doubtful requests that may or may not have been handed over: afterwards they are here, withdrawn.
   */
  async cancel(batchId: string, doubtful?: HandedTo<LoadIdentity>): Promise<void> {
    await this.#subject.withdraw(batchId, doubtful && { ...doubtful, requests: this.#taken(doubtful.requests) });
  }

  /** The batch has handed over its last record: its points need not wait for more. Idempotent. */
  async release(batchId: string): Promise<void> {
    this.#traces.release(batchId);
    await this.#subject.wakeAt(Date.now());
  }

  /** Everything this load did, for people and for the checks that look from outside. */
  async timeline(): Promise<TimelineEntry[]> {
    return this.#store.timeline();
  }

  /** A person decides about a held request. */
  async decide(asked: DecisionAsked): Promise<Result<DecisionMade, DecisionRefusal>> {
    return this.#subject.decide(asked);
  }

  /** One request with its generations, answers and decisions. */
  async history(place: RequestPlace): Promise<SubjectHistory> {
    return this.#subject.history(place);
  }

  /** Its batch has heard nothing for too long. @returns when it wakes up; null: nothing here moves but by a person. */
  poke(): Promise<number | null> {
    return this.#subject.poke();
  }

  override alarm(): Promise<void> {
    return this.#subject.wakeUp();
  }

  #taken(requests: readonly HandedRequest[]): TakenRequest[] {
    const { clock } = upstreamOf(this.env);
    return requests.map((request) => taken(request, clock));
  }
}

/** A trace without a readable point goes where what cannot be sent is ended. */
function taken(request: HandedRequest, clock: Clock): TakenRequest {
  const point = request.kind === 'trace' ? readPoint(request.body) : null;
  const isPoint = point !== null;
  const lifeMs = !isPoint ? MILESTONE_DEADLINE_MS : request.live ? TRACE_LIVE_DEADLINE_MS : TRACE_FILE_DEADLINE_MS;
  const waitMs = request.rules?.loadWaitMs ?? null;
  return {
    ...request,
    body: bodySent(request, isPoint),
    lane: isPoint ? 'traces' : 'milestones',
    takenAtMs: clock.nowMs(),
    deadlineMs: request.acceptedAtMs + scaledMs(lifeMs, clock),
    loadWaitUntilMs: waitMs === null ? null : request.acceptedAtMs + scaledMs(waitMs, clock),
    eventAtMs: point?.atMs ?? null,
    businessKey: keyOf(request, point?.points ?? null),
  };
}

/** A trace that is no point is not sent, so nobody reads a key in it. */
function bodySent({ kind, body, rules, batchId, record, request }: HandedRequest, isPoint: boolean): string {
  if (rules?.namesKey !== true || (kind === 'trace' && !isPoint)) return body;
  return withRequestKey(kind, body, requestKey(batchId, record, request));
}

/** Of the body as mapped: whatever a request says of itself, the event is the same. */
function keyOf({ kind, scac, body }: HandedRequest, points: string | null): string | null {
  if (kind === 'milestone' || kind === 'loadMilestoneEvent') return businessKey(scac, { kind, body });
  return points === null ? null : businessKey(scac, { kind: 'trace', points });
}
