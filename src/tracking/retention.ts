/**
 * The end of a subject: archives its attempts in files of their batches, then deletes itself. Every step can be
 * repeated.
 */

import { Buffer } from 'node:buffer';
import { type Clock, scaledMs } from '../kernel/clock.ts';
import { ARCHIVE_CHARACTERS_MAX } from '../kernel/limits.ts';
import { attemptsKey, type PartnerScope } from '../kernel/names.ts';
import { sha256Hex } from '../kernel/secret.ts';
import { OPEN_STATES, type StoredAttempt, type StoredRequest, type TimelineEntry } from './request.ts';
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
  /** Something is open or unreported; that will wake it. */
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

/* What the end of a subject reads from its tables. SQL only. */

/** States that change by time or by an answer; `held` waits for a person. */
const MOVING_STATES = `('queued', 'sending', 'waiting', 'unknown')`;

class RetentionStore {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  facts(): SubjectFacts {
    const sql = `SELECT count(*) AS requests, coalesce(sum(state IN ${OPEN_STATES}), 0) AS open,
                   (SELECT count(*) FROM outbox) AS untold, coalesce(sum(revision), 0) AS revisions,
                   max(max(taken_at_ms, decided_at_ms)) AS lastEventMs FROM request`;
    return this.#sql.exec<{ [Key in keyof SubjectFacts]: SubjectFacts[Key] }>(sql).one();
  }

  /** Whether a wake-up has something to do, now or later. */
  hasWork(): boolean {
    const sql = `SELECT EXISTS (SELECT 1 FROM request WHERE state IN ${MOVING_STATES}) OR EXISTS (SELECT 1 FROM outbox) AS found`;
    return this.#sql.exec<{ found: number }>(sql).one().found === 1;
  }

  batches(): string[] {
    return this.#sql
      .exec<{ id: string }>('SELECT DISTINCT batch_id AS id FROM request ORDER BY batch_id')
      .toArray()
      .map(({ id }) => id);
  }

  seqsOf(batchId: string): number[] {
    return this.#sql
      .exec<{ seq: number }>('SELECT seq FROM request WHERE batch_id = ? ORDER BY seq', batchId)
      .toArray()
      .map(({ seq }) => seq);
  }

  /** undefined: it is gone. */
  entry(seq: number): TimelineEntry | undefined {
    const request = this.#sql.exec<StoredRequest>('SELECT * FROM request WHERE seq = ?', seq).toArray()[0];
    const attempts = 'SELECT * FROM attempt WHERE seq = ? ORDER BY attempt';
    return request && { request, attempts: this.#sql.exec<StoredAttempt>(attempts, seq).toArray() };
  }
}

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
  readonly #rows: RetentionStore;
  readonly #terms: RetentionTerms;

  constructor(object: { ctx: DurableObjectState; env: Env }, store: SubjectStore, life: RetentionTerms) {
    this.#object = object;
    this.#store = store;
    this.#rows = new RetentionStore(object.ctx.storage.sql);
    this.#terms = life;
  }

  /** Whether a wake-up has something to do, now or later. */
  hasWork = (): boolean => this.#rows.hasWork();

  /** @returns when to call again; null: something else wakes it, or it is gone. */
  async step(clock: Clock): Promise<number | null> {
    const facts = this.#facts();
    const step = retentionStep(facts, scaledMs(this.#terms.lifeMs, clock), clock);
    if (step.step === 'lives') return null;
    if (step.step === 'wait') return step.untilMs;
    const identity = this.#store.identity();
    if (step.step === 'end' && identity) {
      await archiveAttempts(this.#object.env.FILES, this.#archived(identity, step.lastEventMs));
      if (!isUnchanged(facts, this.#facts())) return clock.nowMs(); // something came in meanwhile: it stays
    }
    const emptied = this.#object.ctx.storage.deleteAll(); // deletes its alarm too; in the same tick as the check above
    this.#terms.forget();
    await emptied;
    return null;
  }

  #facts(): SubjectFacts {
    const facts = this.#rows.facts();
    const heardMs = this.#terms.lastHeardMs?.() ?? null;
    const { lastEventMs } = facts;
    return { ...facts, lastEventMs: heardMs === null ? lastEventMs : Math.max(heardMs, lastEventMs ?? heardMs) };
  }

  #archived(identity: Archived['identity'], life: number): Archived {
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
