/** A subject's last act: folds its attempts into files of their batches, then deletes itself. Every step can be repeated. */
import { type Clock, scaledMs } from '../kernel/clock.ts';
import { type Folded, foldAttempts } from './fold.ts';
import { isUnchanged, lifeStep, type SubjectFacts } from './lifetime.ts';
import { LifeStore } from './store/life-store.ts';
import type { SubjectStore } from './store/subject-store.ts';

/** @property lifeMs after the last event; forget: the storage was emptied. */
export interface Life {
  lifeMs: number;
  forget(): void;
  /** When it last heard of its subject by another way than its own requests; null: never. */
  lastHeardMs?(): number | null;
}

export class SubjectLife {
  readonly #object: { ctx: DurableObjectState; env: Env };
  readonly #store: SubjectStore;
  readonly #rows: LifeStore;
  readonly #life: Life;

  constructor(object: { ctx: DurableObjectState; env: Env }, store: SubjectStore, life: Life) {
    this.#object = object;
    this.#store = store;
    this.#rows = new LifeStore(object.ctx.storage.sql);
    this.#life = life;
  }

  /** Whether a wake-up would find something to do, now or later. */
  hasWork = (): boolean => this.#rows.hasWork();

  /** @returns when it is to be asked again; null: something else wakes it, or it is gone. */
  async turn(clock: Clock): Promise<number | null> {
    const facts = this.#facts();
    const step = lifeStep(facts, scaledMs(this.#life.lifeMs, clock), clock);
    if (step.step === 'lives') return null;
    if (step.step === 'wait') return step.untilMs;
    const identity = this.#store.identity();
    if (step.step === 'end' && identity) {
      await foldAttempts(this.#object.env.FILES, this.#folded(identity, step.lastEventMs));
      if (!isUnchanged(facts, this.#facts())) return clock.nowMs(); // what came in meanwhile keeps it alive
    }
    const emptied = this.#object.ctx.storage.deleteAll(); // its alarm too; in one turn with the look above
    this.#life.forget();
    await emptied;
    return null;
  }

  #facts(): SubjectFacts {
    const facts = this.#rows.facts();
    const heardMs = this.#life.lastHeardMs?.() ?? null;
    const { lastEventMs } = facts;
    return { ...facts, lastEventMs: heardMs === null ? lastEventMs : Math.max(heardMs, lastEventMs ?? heardMs) };
  }

  #folded(identity: Folded['identity'], life: number): Folded {
    const rows = this.#rows;
    return {
      identity,
      name: this.#object.ctx.id.name ?? JSON.stringify(identity),
      life,
      batches: () => rows.batches(),
      seqsOf: (batchId) => rows.seqsOf(batchId),
      entry: (seq) => rows.entry(seq),
    };
  }
}
