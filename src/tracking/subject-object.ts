/**
 * What others can ask of any subject object, a load or an order: the calls, each passed on to its `Subject`.
 *
 * A subclass says how it is built, and what it adds to a request that it takes over.
 */
import { DurableObject } from 'cloudflare:workers';
import type { RequestPlace } from '../delivery/outcome.ts';
import { Built } from '../kernel/built.ts';
import type { Migrations } from '../kernel/migrate.ts';
import type { PartnerScope } from '../kernel/names.ts';
import type { Result } from '../kernel/result.ts';
import type { HandedRequest, HandedTo } from './handed.ts';
import type { SubjectStore } from './store/subject-store.ts';
import type { TakenRequest, TimelineEntry } from './store/subject-tables.ts';
import type { Subject } from './subject.ts';
import type { DecisionAsked, DecisionMade, DecisionRefusal, SubjectHistory } from './subject-decision.ts';

export interface SubjectParts {
  store: SubjectStore;
  subject: Subject;
}

export abstract class SubjectObject<
  Identity extends PartnerScope,
  Parts extends SubjectParts,
> extends DurableObject<Env> {
  readonly #built: Built<Parts>;

  constructor(ctx: DurableObjectState, env: Env, migrations: Migrations) {
    super(ctx, env);
    this.#built = new Built(ctx.storage, migrations, () => this.build());
  }

  protected abstract build(): Parts;
  protected abstract taken(requests: readonly HandedRequest[]): TakenRequest[];

  protected get parts(): Parts {
    return this.#built.parts;
  }

  /** Its life has ended: what comes next finds new tables. */
  protected readonly forget = (): void => this.#built.forget();

  /** Takes requests over, idempotent by key; they are durable when this returns. */
  async enqueue(identity: Identity, requests: readonly HandedRequest[]): Promise<void> {
    await this.parts.subject.take(identity, this.taken(requests));
  }

  /**
   * Takes back what the batch has not sent: of positions the loose ones, and sets that hold no other batch's. Idempotent.
   * @param doubtful requests that may or may not have been handed over: afterwards they are here, withdrawn.
   */
  async cancel(batchId: string, doubtful?: HandedTo<Identity>): Promise<void> {
    await this.parts.subject.withdraw(batchId, doubtful && { ...doubtful, requests: this.taken(doubtful.requests) });
  }

  /** Everything done for this load or order, for people and for the checks that look from outside. */
  async timeline(): Promise<TimelineEntry[]> {
    return this.parts.store.timeline();
  }

  /** A person decides about a held request. */
  async decide(asked: DecisionAsked): Promise<Result<DecisionMade, DecisionRefusal>> {
    return this.parts.subject.decide(asked);
  }

  /** One request with its generations, answers and decisions. */
  async history(place: RequestPlace): Promise<SubjectHistory> {
    return this.parts.subject.history(place);
  }

  /** Its batch has heard nothing for too long. @returns when it wakes up; null: nothing here moves but by a person. */
  poke(): Promise<number | null> {
    return this.parts.subject.poke();
  }

  override async alarm(): Promise<void> {
    if (await this.#built.isReady()) await this.wakeUp();
  }

  protected wakeUp(): Promise<void> {
    return this.parts.subject.wakeUp();
  }
}
