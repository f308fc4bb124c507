/**
 * The Load object: one per (environment, partner, SCAC, load number), with two lanes: milestones and traces.
 * A thin shell: the lanes are in files of their own, the calls of all subjects in `subject-object.ts`, the work in
 * `subject.ts`.
 */
import { businessKey, withRequestKey } from '../delivery/events/duplicates.ts';
import { readPoint } from '../delivery/events/traces.ts';
import { type Clock, scaledMs } from '../kernel/clock.ts';
import {
  LOAD_RETENTION_MS,
  MILESTONE_DEADLINE_MS,
  TRACE_FILE_DEADLINE_MS,
  TRACE_LIVE_DEADLINE_MS,
} from '../kernel/limits.ts';
import { requestKey } from '../kernel/names.ts';
import { upstreamOf } from '../upstream/settings.ts';
import { MilestoneLane, TraceLane } from './lanes/load-lanes.ts';
import { type LoadPage, type LoadPageQuery, LoadPages } from './load-page.ts';
import type { DispatchedRequest, EnqueuedRequest, LoadIdentity, Parcel, VisitReport } from './request.ts';
import { LoadJourney } from './store/load-events.ts';
import { isWritten, LOAD_MIGRATIONS } from './store/migrations.ts';
import { SubjectStore } from './store/subject-store.ts';
import { loadTables } from './store/subject-tables.ts';
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
    const tables = loadTables(this.storage.sql);
    const store = new SubjectStore(tables);
    const traces = new TraceStore(tables, store);
    const journey = new LoadJourney(tables, store);
    tables.journal.read();
    const lanes = [new MilestoneLane(store, journey), new TraceLane(store, traces, journey)];
    const life = { lifeMs: LOAD_RETENTION_MS, forget: this.forget };
    const pages = new LoadPages(store);
    return { store, traces, pages, subject: new Subject(this.shell, store, lanes, life) };
  }

  /** Whether anything was ever enqueued or is stored for it. The check creates no tables. */
  async exists(): Promise<boolean> {
    return isWritten(this.storage.sql) && this.parts.store.identity() !== undefined;
  }

  /** What was enqueued for it; null where nothing is stored. */
  async page(asked: LoadPageQuery): Promise<LoadPage | null> {
    return (await this.exists()) ? this.parts.pages.page(asked) : null;
  }

  /** The batch has dispatched its last record: its points need not wait for more. Idempotent. */
  async release(batchId: string): Promise<void> {
    const { store, traces, subject } = this.parts;
    store.commit(() => traces.release(batchId));
    await this.awake(() => subject.wakeAt(Date.now()));
  }

  /** Called by its batch when its retention may be over. Idempotent; a load that is gone already stays so. */
  async endIfOver(): Promise<void> {
    if (await this.exists()) await this.awake(() => this.parts.subject.endIfOver());
  }

  override async visit(parcel: Parcel<LoadIdentity>): Promise<VisitReport> {
    const { store, traces } = this.parts;
    if (parcel.isLast) store.commitSoon(() => traces.release(parcel.batchId));
    return super.visit(parcel);
  }

  protected override toEnqueued(requests: readonly DispatchedRequest[]): EnqueuedRequest[] {
    const { clock } = upstreamOf(this.env);
    return requests.map((request) => accepted(request, clock));
  }
}

/** A trace without a readable point goes to the milestones, which end what cannot be sent. */
function accepted(request: DispatchedRequest, clock: Clock): EnqueuedRequest {
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

/** A trace without a point is not sent, so nobody needs a key in it. */
function bodySent({ kind, body, rules, batchId, record, request }: DispatchedRequest, isPoint: boolean): string {
  if (rules?.namesKey !== true || (kind === 'trace' && !isPoint)) return body;
  return withRequestKey(kind, body, requestKey(batchId, record, request));
}

/** Computed from the body as mapped: whatever key a request adds, the event is the same. */
function keyOf({ kind, scac, body }: DispatchedRequest, points: string | null): string | null {
  if (kind === 'milestone' || kind === 'loadMilestoneEvent') return businessKey(scac, { kind, body });
  return points === null ? null : businessKey(scac, { kind: 'trace', points });
}
