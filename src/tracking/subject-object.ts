/**
 * The calls of every subject object, a load or an order; each is passed on to its `Subject`.
 * A subclass says how the subject is created, and what it adds to a request.
 */
import { DurableObject } from 'cloudflare:workers';
import type { RequestLocation } from '../delivery/outcome.ts';
import { Cached, type Migrations } from '../kernel/migrate.ts';
import type { PartnerScope } from '../kernel/names.ts';
import type { Result } from '../kernel/result.ts';
import type { DecisionMade, DecisionRefusal, DecisionRequest, SubjectHistory } from './decisions.ts';
import type { DispatchedRequest, DispatchedTo, EnqueuedRequest, TimelineEntry } from './request.ts';
import type { SubjectStore } from './store/subject-store.ts';
import type { Subject } from './subject.ts';

export interface SubjectParts {
  store: SubjectStore;
  subject: Subject;
}

export abstract class SubjectObject<
  Identity extends PartnerScope,
  Parts extends SubjectParts,
> extends DurableObject<Env> {
  readonly #cached: Cached<Parts>;

  constructor(ctx: DurableObjectState, env: Env, migrations: Migrations) {
    super(ctx, env);
    this.#cached = new Cached(ctx.storage, migrations, () => this.build());
  }

  protected abstract build(): Parts;
  protected abstract toEnqueued(requests: readonly DispatchedRequest[]): EnqueuedRequest[];

  protected get parts(): Parts {
    return this.#cached.parts;
  }

  /** Its retention has ended: the next call creates new tables. */
  protected readonly forget = (): void => this.#cached.forget();

  /** Enqueues requests, idempotent by key; they are durable when this returns. */
  async enqueue(identity: Identity, requests: readonly DispatchedRequest[]): Promise<void> {
    await this.parts.subject.take(identity, this.toEnqueued(requests));
  }

  /**
   * Withdraws what the batch has not sent; of positions the loose ones, and sets without points of another batch.
   * Idempotent.
   * @param doubtful requests that may or may not have been dispatched: afterwards they are here, withdrawn.
   */
  async cancel(batchId: string, doubtful?: DispatchedTo<Identity>): Promise<void> {
    await this.parts.subject.withdraw(
      batchId,
      doubtful && { ...doubtful, requests: this.toEnqueued(doubtful.requests) },
    );
  }

  /** Everything done for this load or order, for people and for external checks. */
  async timeline(): Promise<TimelineEntry[]> {
    return this.parts.store.timeline();
  }

  /** A person decides about a held request. */
  async decide(asked: DecisionRequest): Promise<Result<DecisionMade, DecisionRefusal>> {
    return this.parts.subject.decide(asked);
  }

  /** One request with its generations, answers and decisions. */
  async history(place: RequestLocation): Promise<SubjectHistory> {
    return this.parts.subject.history(place);
  }

  /**
   * Its batch has had no report for too long. @returns when it wakes up; null: only a person can change anything here.
   */
  ensureAlarm(): Promise<number | null> {
    return this.parts.subject.ensureAlarm();
  }

  override async alarm(): Promise<void> {
    if (await this.#cached.isReady()) await this.wakeUp();
  }

  protected wakeUp(): Promise<void> {
    return this.parts.subject.wakeUp();
  }
}
