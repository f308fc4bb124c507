/**
 * The calls of every subject object, a load or an order; each is passed on to its `Subject`.
 * A subclass says how the subject is created, and what it adds to a request.
 */
import { DurableObject } from 'cloudflare:workers';
import type { RequestLocation } from '../delivery/outcome.ts';
import { requireKnownForm } from '../kernel/forms.ts';
import { LET_GO } from '../kernel/let-go.ts';
import { Cached, type Migrations } from '../kernel/migrate.ts';
import type { PartnerScope } from '../kernel/names.ts';
import { inJurisdiction } from '../kernel/namespaces.ts';
import type { Result } from '../kernel/result.ts';
import { UsageMeter } from '../kernel/usage.ts';
import type { DecisionMade, DecisionRefusal, DecisionRequest, SubjectHistory } from './decisions.ts';
import { type RecordPage, recordPage } from './record-page.ts';
import type {
  DispatchedRequest,
  DispatchedTo,
  EnqueuedRequest,
  Parcel,
  TimelineEntry,
  VisitReport,
} from './request.ts';
import type { ErasableSubject } from './retention.ts';
import { isWritten } from './store/migrations.ts';
import type { SubjectStore } from './store/subject-store.ts';
import type { Subject, SubjectShell } from './subject.ts';

export interface SubjectParts {
  store: SubjectStore;
  subject: Subject;
}

export abstract class SubjectObject<
  Identity extends PartnerScope,
  Parts extends SubjectParts,
> extends DurableObject<Env> {
  readonly #cached: Cached<Parts>;
  protected readonly meter: UsageMeter;
  protected readonly storage: DurableObjectStorage;

  constructor(ctx: DurableObjectState, env: Env, migrations: Migrations) {
    const meter = new UsageMeter();
    super(ctx, meter.environment(inJurisdiction(env)));
    this.meter = meter;
    this.storage = meter.storage(ctx.storage);
    this.#cached = new Cached(this.storage, migrations, () => this.build());
  }

  protected abstract build(): Parts;
  protected abstract toEnqueued(requests: readonly DispatchedRequest[]): EnqueuedRequest[];

  protected get parts(): Parts {
    return this.#cached.parts;
  }

  /** What its `Subject` needs of it. */
  protected get shell(): SubjectShell {
    const { ctx, env, storage, meter } = this;
    return { ctx, env, storage, meter };
  }

  /** Its retention has ended: the next call creates new tables. */
  protected readonly forget = (): void => this.#cached.forget();

  /** Enqueues requests, idempotent by key; they are durable when this returns. */
  async enqueue(identity: Identity, requests: readonly DispatchedRequest[]): Promise<void> {
    await this.awake(() => this.parts.subject.take(identity, this.toEnqueued(requests)));
  }

  /**
   * A batch brings all it has for this subject: enqueued as by `enqueue`, sent in this call as far as it is due, and
   * what became of it is the answer. Repeating it sends nothing twice.
   */
  async visit(parcel: Parcel<Identity>): Promise<VisitReport> {
    requireKnownForm('parcel', parcel.form);
    const visit = () => this.parts.subject.visit({ ...parcel, requests: this.toEnqueued(parcel.requests) });
    return this.awake(() => this.around(visit));
  }

  /**
   * A batch has stored what its visit was answered. Where the deployment wants it, an object with nothing left to do is let
   * go of: it would stay in memory for seconds, with its open files. A call that meets this is repeated by its caller.
   */
  async settled(receipt: string): Promise<void> {
    const { subject } = this.parts;
    subject.settled(receipt);
    if (!this.meter.isAwake && subject.isAtRest && this.env.SETTLED_OBJECTS === 'go') this.ctx.abort(LET_GO);
  }

  /**
   * Withdraws what the batch has not sent; of positions the loose ones, and sets without points of another batch.
   * Idempotent.
   * @param doubtful requests that may or may not have been dispatched: afterwards they are here, withdrawn.
   * @param cancelledAtMs absent: a batch of another release calls.
   */
  async cancel(batchId: string, doubtful?: DispatchedTo<Identity>, cancelledAtMs?: number): Promise<void> {
    const taken = doubtful && { ...doubtful, requests: this.toEnqueued(doubtful.requests) };
    await this.awake(() => this.parts.subject.withdraw(batchId, taken, cancelledAtMs));
  }

  /** Everything done for this load or order, for people and for external checks. */
  async timeline(): Promise<TimelineEntry[]> {
    const { store } = this.parts;
    store.flush(); // what is shown is stored
    return store.timeline();
  }

  /** All that is stored of it, from this line on; null: nothing is. */
  async record(from: number): Promise<RecordPage | null> {
    if (!isWritten(this.storage.sql)) return null;
    const { store } = this.parts;
    store.flush(); // what is shown is stored
    return recordPage(store, from);
  }

  /** What of it may be erased; null: nothing is stored. */
  async erasable(): Promise<ErasableSubject | null> {
    return isWritten(this.storage.sql) ? this.parts.subject.erasable() : null;
  }

  /** Deletes all of it, on request. @returns false: something is under way, or it has requests of other batches. */
  erase(batches: readonly string[] | null): Promise<boolean> {
    const isUnderWay = this.meter.isAwake; // a visit that has stored nothing yet may be
    return this.awake(async () => {
      if (!isWritten(this.storage.sql)) return true;
      if (!isUnderWay) return this.parts.subject.erase(batches);
      await this.parts.subject.ensureAlarm();
      return false;
    });
  }

  /** A person decides about a held request. */
  async decide(asked: DecisionRequest): Promise<Result<DecisionMade, DecisionRefusal>> {
    return this.awake(() => this.parts.subject.decide(asked));
  }

  /** One request with its generations, answers and decisions. */
  async history(place: RequestLocation): Promise<SubjectHistory> {
    return this.parts.subject.history(place);
  }

  /**
   * Its batch has had no report for too long. @returns when it wakes up; null: only a person can change anything here.
   */
  ensureAlarm(): Promise<number | null> {
    return this.awake(() => this.parts.subject.ensureAlarm());
  }

  override async alarm(): Promise<void> {
    await this.awake(async () => {
      if (await this.#cached.isReady()) await this.parts.subject.wakeUp((work) => this.around(work));
    });
  }

  /** For calls that wait for something, so that nothing ends it meanwhile. */
  protected awake<T>(run: () => Promise<T>): Promise<T> {
    return this.meter.awake(run);
  }

  /** What a subclass does before and after anything is sent. */
  protected around<T>(sending: () => Promise<T>): Promise<T> {
    return sending();
  }
}
