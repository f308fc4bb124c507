/**
 * The end of a subject: archives its attempts in files of their batches, then deletes itself. Every step can be
 * repeated.
 */

import { Buffer } from 'node:buffer';
import type { RequestState } from '../delivery/states.ts';
import { type Clock, scaledMs } from '../kernel/clock.ts';
import { ARCHIVE_CHARACTERS_MAX, OUTCOME_PAUSE_MS, WATCH_PAUSE_MS_MAX } from '../kernel/limits.ts';
import { attemptsKey, type PartnerScope } from '../kernel/names.ts';
import { sha256Hex } from '../kernel/secret.ts';
import { isOpen, type TimelineEntry } from './request.ts';
import type { SubjectStore } from './store/subject-store.ts';

/*
 * Archives the attempts of a load or order in files of their batches: a JSON line per request with its attempts.
 * One file per batch and subject, more if one would be too long. Writing them again after a crash writes the same.
 */

/** What is archived: a port, so that the rule needs no object. */
export interface Archived {
  /** Identity of the subject, written on every line. */
  identity: PartnerScope;
  /** The object's name. */
  name: string;
  /** Tells this lifetime of the object from a later one. */
  life: number;
  batches(): string[];
  seqsOf(batchId: string): number[];
  entry(seq: number): TimelineEntry | undefined;
}

type ArchiveStore = Pick<R2Bucket, 'put' | 'head'>;

/** Throws unless every file is stored as it was written. */
export async function archiveAttempts(files: ArchiveStore, archived: Archived): Promise<void> {
  const subject = sha256Hex(archived.name);
  for (const batchId of archived.batches()) {
    let part = 0;
    for (const text of textsOf(archived, batchId)) {
      part += 1;
      await writeVerified(files, attemptsKey(archived.identity, batchId, { subject, life: archived.life, part }), text);
    }
  }
}

/** Texts of up to ARCHIVE_CHARACTERS_MAX; a line is never cut. */
export function* textsOf(
  archived: Archived,
  batchId: string,
  charactersMax = ARCHIVE_CHARACTERS_MAX,
): Generator<string> {
  let text = '';
  for (const seq of archived.seqsOf(batchId)) {
    const entry = archived.entry(seq);
    if (entry === undefined) continue;
    const line = `${JSON.stringify({ subject: archived.identity, ...entry })}\n`;
    if (text !== '' && text.length + line.length > charactersMax) {
      yield text;
      text = '';
    }
    text += line;
  }
  if (text !== '') yield text;
}

async function writeVerified(files: ArchiveStore, key: string, text: string): Promise<void> {
  const sha256 = sha256Hex(text);
  await files.put(key, text, { sha256 });
  const stored = await files.head(key);
  const found = stored?.checksums.sha256;
  if (found === undefined || Buffer.from(found).toString('hex') !== sha256)
    throw new Error(`${key} was not stored whole`);
}

/* How long a load or an order is retained. */

/** State of a subject at one moment; if two are equal, nothing happened in between. */
export interface SubjectFacts {
  requests: number;
  /** Not final: `held` is among them. */
  open: number;
  /** Outcomes that their batches have not confirmed. */
  untold: number;
  /** Sum of all revisions: every change increases it. */
  revisions: number;
  /** When a request last came in or changed; null: there is none. */
  lastEventMs: number | null;
}

type RetentionStep =
  /** Something is open or unreported: it is not over. */
  | { step: 'lives' }
  | { step: 'wait'; untilMs: number }
  | { step: 'end'; lastEventMs: number }
  /** It is empty. */
  | { step: 'empty' };

/** @param lifeMs after its last event, in real ms. */
export function retentionStep(facts: SubjectFacts, lifeMs: number, clock: Clock): RetentionStep {
  const { open, untold, lastEventMs } = facts;
  if (open > 0 || untold > 0) return { step: 'lives' };
  if (lastEventMs === null) return { step: 'empty' };
  const untilMs = lastEventMs + lifeMs;
  return clock.nowMs() < untilMs ? { step: 'wait', untilMs } : { step: 'end', lastEventMs };
}

/** Whether nothing happened between the two. */
export const isUnchanged = (one: SubjectFacts, other: SubjectFacts): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

/** States that change by time or by an answer; `held` waits for a person. */
const MOVING_STATES: ReadonlySet<RequestState> = new Set(['queued', 'sending', 'waiting', 'unknown']);

function factsOf({ tables, all }: SubjectStore): SubjectFacts {
  const facts: SubjectFacts = { requests: 0, open: 0, untold: tables.outbox.size, revisions: 0, lastEventMs: null };
  for (const { state, revision, taken_at_ms, decided_at_ms } of all()) {
    facts.requests += 1;
    facts.revisions += revision;
    if (isOpen(state)) facts.open += 1;
    facts.lastEventMs = Math.max(facts.lastEventMs ?? 0, taken_at_ms, decided_at_ms);
  }
  return facts;
}

/** What may be erased of it. @property open, untold as long as there are some, nothing may. */
export type ErasableSubject = Pick<SubjectFacts, 'requests' | 'open' | 'untold'> & { batches: string[] };

const batchesOf = (store: SubjectStore): string[] =>
  [...new Set([...store.all()].map(({ batch_id }) => batch_id))].sort();

/** @property lifeMs after the last event; forget: the storage was emptied. */
export interface RetentionTerms {
  lifeMs: number;
  forget(): void;
  /** When it last learned of its subject other than from its own requests; null: never. */
  lastHeardMs?(): number | null;
}

export class Retention {
  readonly #object: { ctx: DurableObjectState; env: Env };
  readonly #store: SubjectStore;
  readonly #terms: RetentionTerms;
  /** `gone`: whoever still works with this one has it of a life that is over. */
  #end: 'none' | 'under_way' | 'gone' = 'none';

  constructor(object: { ctx: DurableObjectState; env: Env }, store: SubjectStore, life: RetentionTerms) {
    this.#object = object;
    this.#store = store;
    this.#terms = life;
  }

  get isEnding(): boolean {
    return this.#end === 'under_way';
  }

  /** Whether a wake-up has something to do, now or later. */
  hasWork = (): boolean => this.#store.tables.outbox.size > 0 || this.#isMoving();

  #isMoving = (): boolean => [...this.#store.all()].some(({ state }) => MOVING_STATES.has(state));

  /**
   * What moves by itself goes on by then. A request may wait in a line of the gate, for its window, or for another one, and
   * says nothing of it; but an alarm that is later than that is not for it.
   */
  latestMs(clock: Clock): number {
    const nowMs = clock.nowMs();
    const dueMs = [...this.#store.all()].flatMap(({ state, at_ms }) =>
      MOVING_STATES.has(state) ? (at_ms ?? nowMs) : [],
    );
    const firstMs = dueMs.reduce((one, other) => Math.min(one, other), Number.POSITIVE_INFINITY);
    return Math.max(nowMs, firstMs) + scaledMs(WATCH_PAUSE_MS_MAX, clock);
  }

  /**
   * @returns when to look again where a visit found nothing due: soon, if something came in while it ended; else its end,
   * if nothing is open by then. null: it is empty.
   */
  endsMs(clock: Clock): number | null {
    if (this.#isMoving()) return clock.nowMs() + scaledMs(OUTCOME_PAUSE_MS, clock);
    const step = retentionStep({ ...this.#facts(), open: 0, untold: 0 }, scaledMs(this.#terms.lifeMs, clock), clock);
    if (step.step === 'wait') return step.untilMs;
    return step.step === 'end' ? clock.nowMs() : null;
  }

  /** @returns when to call again; null: what is open wakes it, or waits for a person; or it is gone. */
  async step(clock: Clock): Promise<number | null> {
    if (this.#end === 'gone') return null;
    const facts = this.#facts();
    const step = retentionStep(facts, scaledMs(this.#terms.lifeMs, clock), clock);
    // What is untold here came in after the wake-up told the rest: by a visit, whose answer may never arrive.
    if (step.step === 'lives') return facts.untold > 0 ? clock.nowMs() + scaledMs(OUTCOME_PAUSE_MS, clock) : null;
    if (step.step === 'wait') return step.untilMs;
    if (this.isEnding) return clock.nowMs() + scaledMs(OUTCOME_PAUSE_MS, clock); // the other one may fail
    const identity = this.#store.identity();
    if (step.step === 'end' && identity) {
      this.#end = 'under_way';
      try {
        await archiveAttempts(this.#object.env.FILES, this.#archived(identity, step.lastEventMs));
      } finally {
        this.#end = 'none';
      }
      if (!isUnchanged(facts, this.#facts())) return clock.nowMs(); // something came in meanwhile: it stays
    }
    await this.#empty(); // in the same tick as the check above
    return null;
  }

  /** Deletes its alarm too. What comes in from now on is of another life, which nothing of this one may delete. */
  #empty(): Promise<void> {
    this.#end = 'gone';
    const emptied = this.#object.ctx.storage.deleteAll();
    this.#terms.forget();
    return emptied;
  }

  /**
   * Deletes it before its time, on request; nothing is archived.
   * @param batches of its requests, as the caller knows them; null: whichever. @returns false: it is not as the caller
   * knows it.
   */
  async erase(batches: readonly string[] | null): Promise<boolean> {
    const { open, untold } = this.#facts();
    const isKnown = (batchId: string): boolean => batches === null || batches.includes(batchId);
    if (open > 0 || untold > 0 || !batchesOf(this.#store).every(isKnown)) return false;
    await this.#empty();
    return true;
  }

  erasable(): ErasableSubject {
    const { requests, open, untold } = this.#facts();
    return { requests, open, untold, batches: batchesOf(this.#store) };
  }

  #facts(): SubjectFacts {
    const facts = factsOf(this.#store);
    const heardMs = this.#terms.lastHeardMs?.() ?? null;
    const { lastEventMs } = facts;
    return { ...facts, lastEventMs: heardMs === null ? lastEventMs : Math.max(heardMs, lastEventMs ?? heardMs) };
  }

  #archived(identity: Archived['identity'], life: number): Archived {
    const store = this.#store;
    const requests = [...store.all()];
    return {
      identity,
      name: this.#object.ctx.id.name ?? JSON.stringify(identity),
      life,
      batches: () => [...new Set(requests.map(({ batch_id }) => batch_id))].sort(),
      seqsOf: (batchId) => requests.filter(({ batch_id }) => batch_id === batchId).map(({ seq }) => seq),
      entry: (seq) => ({ request: store.bySeq(seq), attempts: store.attemptsOf(seq) }),
    };
  }
}
