/**
 * The Load object: one per (environment, partner, SCAC, load number). Its milestones and its traces are two lanes of sending.
 *
 * A thin shell: what a lane does stands in its own file, what can be asked of all subjects in
 * `subject-object.ts`, what they do in `subject.ts`.
 */
import { businessKey } from '../delivery/events/duplicates.ts';
import { readPoint } from '../delivery/events/packing.ts';
import { withRequestKey } from '../delivery/request-key.ts';
import { type Clock, scaledMs } from '../kernel/clock.ts';
import {
  LOAD_LIFE_MS,
  MILESTONE_DEADLINE_MS,
  TRACE_FILE_DEADLINE_MS,
  TRACE_LIVE_DEADLINE_MS,
} from '../kernel/limits.ts';
import { requestKey } from '../kernel/names.ts';
import { upstreamOf } from '../upstream/settings.ts';
import type { HandedRequest, LoadIdentity } from './handed.ts';
import { MilestoneLane } from './lanes/milestone-lane.ts';
import { TraceLane } from './lanes/trace-lane.ts';
import { type LoadPage, type LoadPageAsked, LoadPages } from './load-page.ts';
import { EqualStore } from './store/equal-store.ts';
import { LoadJourney } from './store/load-journey.ts';
import { LOAD_MIGRATIONS } from './store/load-migrations.ts';
import { SubjectStore } from './store/subject-store.ts';
import type { TakenRequest } from './store/subject-tables.ts';
import { TraceStore } from './store/trace-store.ts';
import { Subject } from './subject.ts';
import { SubjectObject, type SubjectParts } from './subject-object.ts';

interface LoadParts extends SubjectParts {
  traces: TraceStore;
  pages: LoadPages;
}

export class Load extends SubjectObject<LoadIdentity, LoadParts> {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env, LOAD_MIGRATIONS);
  }

  protected override build(): LoadParts {
    const { ctx, env } = this;
    const store = new SubjectStore(ctx.storage.sql);
    const traces = new TraceStore(ctx.storage.sql);
    const equals = new EqualStore(ctx.storage.sql);
    const journey = new LoadJourney(ctx.storage.sql);
    const lanes = [new MilestoneLane(store, equals, journey), new TraceLane(store, traces, { equals, journey })];
    const life = { lifeMs: LOAD_LIFE_MS, forget: this.forget };
    const pages = new LoadPages(ctx.storage.sql, store, journey);
    return { store, traces, pages, subject: new Subject({ ctx, env }, store, lanes, life) };
  }

  /** Whether anything was ever handed over for it, or is kept of it. A look makes no tables. */
  async exists(): Promise<boolean> {
    const sql = `SELECT 1 AS found FROM sqlite_master WHERE type = 'table' AND name = 'identity'`;
    return this.ctx.storage.sql.exec(sql).toArray().length > 0 && this.parts.store.identity() !== undefined;
  }

  /** What was handed over for it; null where nothing is kept of it. */
  async page(asked: LoadPageAsked): Promise<LoadPage | null> {
    return (await this.exists()) ? this.parts.pages.page(asked) : null;
  }

  /** The batch has handed over its last record: its points need not wait for more. Idempotent. */
  async release(batchId: string): Promise<void> {
    this.parts.traces.release(batchId);
    await this.parts.subject.wakeAt(Date.now());
  }

  protected override taken(requests: readonly HandedRequest[]): TakenRequest[] {
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
