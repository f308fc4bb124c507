/**
 * What others can ask of any subject object, a load or an order: the calls, each passed on to its `Subject`.
 *
 * A subclass says how it is built, and what it adds to a request that it takes over.
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

  /** Its life has ended: what comes next finds new tables. */
  protected readonly forget = (): void => this.#cached.forget();

  /** Takes requests over, idempotent by key; they are durable when this returns. */
  async enqueue(identity: Identity, requests: readonly DispatchedRequest[]): Promise<void> {
    await this.parts.subject.take(identity, this.toEnqueued(requests));
  }

  /**
   * Takes back what the batch has not sent: of positions the loose ones, and sets that hold no other batch's. Idempotent.
   * @param doubtful requests that may or may not have been handed over: afterwards they are here, withdrawn.
   */
  async cancel(batchId: string, doubtful?: DispatchedTo<Identity>): Promise<void> {
    await this.parts.subject.withdraw(
      batchId,
      doubtful && { ...doubtful, requests: this.toEnqueued(doubtful.requests) },
    );
  }

  /** Everything done for this load or order, for people and for the checks that look from outside. */
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

  /** Its batch has heard nothing for too long. @returns when it wakes up; null: nothing here moves but by a person. */
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
