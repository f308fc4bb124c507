/**
 * A subject's own rows: requests in dispatch order, their attempts, and the outcomes still to be reported. Nothing here
 * decides. What changes rows runs in a commit of their journal.
 */
import type { LaneRequest } from '../../delivery/drain.ts';
import type { RequestLocation } from '../../delivery/outcome.ts';
import { WITHDRAWABLE_STATES } from '../../delivery/retry.ts';
import type { RequestState } from '../../delivery/states.ts';
import { type PartnerScope, requestKey } from '../../kernel/names.ts';
import {
  type EnqueuedRequest,
  isOpen,
  type LaneName,
  type StoredAttempt,
  type StoredRequest,
  type TimelineEntry,
} from '../request.ts';
import { attemptKey, type SubjectTables } from './subject-tables.ts';

interface Intent {
  seq: number;
  /** Other than `send`: a lookup, and the request keeps its state. */
  purpose: StoredAttempt['purpose'];
  startedAtMs: number;
  requestSha256: string;
  tokenFingerprint: string | null;
  possibleDuplicate: boolean;
  late: boolean;
  /** The seqs whose points it carries; null: only its own request. */
  carries: readonly number[] | null;
}

export type EndedAttempt = Omit<
  StoredAttempt,
  'attempt' | 'purpose' | 'started_at_ms' | 'request_sha256' | 'token_fingerprint' | 'carries'
>;

export type Decided = Pick<
  StoredRequest,
  | 'seq'
  | 'state'
  | 'reason'
  | 'outcome'
  | 'evidence'
  | 'at_ms'
  | 'tries'
  | 'had_unknown'
  | 'status'
  | 'answer'
  | 'decided_at_ms'
>;

/** Seqs under what they have in common. */
class SeqsBy<Key> {
  readonly #seqs = new Map<Key, Set<number>>();

  add(key: Key, seq: number): void {
    const known = this.#seqs.get(key);
    if (known === undefined) this.#seqs.set(key, new Set([seq]));
    else known.add(seq);
  }

  remove(key: Key, seq: number): void {
    this.#seqs.get(key)?.delete(seq);
  }

  of = (key: Key): Iterable<number> => this.#seqs.get(key) ?? [];
}

/** By what requests and attempts are found. Made of the rows alone. */
class SubjectIndex {
  readonly seqOf = new Map<string, number>();
  /** By the name of the first generation. */
  readonly generations = new SeqsBy<string>();
  readonly open = new SeqsBy<LaneName>();
  readonly travelling = new SeqsBy<number>();
  readonly equals = new SeqsBy<string>();
  readonly sending = new Set<number>();
  /** Requests with a lookup that awaits its answer. */
  readonly lookedUp = new Set<number>();
  readonly attempts = new Map<number, StoredAttempt[]>();
  readonly #lastTried = new Map<LaneName, number>();

  constructor({ request, attempt }: SubjectTables) {
    request.watch((after, before) => this.#note(after, before));
    attempt.watch((after, before) => this.#noteAttempt(after, before));
  }

  lastTried = (lane: LaneName): number => this.#lastTried.get(lane) ?? 0;

  #note(after: StoredRequest | null, before: StoredRequest | null): void {
    const [row] = [after ?? before];
    if (row === null || row === undefined) return;
    const { seq, lane } = row;
    const first = requestKey(row.batch_id, row.record, row.request);
    if (before === null) {
      this.seqOf.set(row.key, seq);
      this.generations.add(first, seq);
      if (row.business_key !== null) this.equals.add(row.business_key, seq);
    }
    if (after === null) {
      this.seqOf.delete(row.key);
      this.generations.remove(first, seq);
      if (row.business_key !== null) this.equals.remove(row.business_key, seq);
    }
    if (after !== null && isOpen(after.state)) this.open.add(lane, seq);
    else this.open.remove(lane, seq);
    if (after?.state === 'sending') this.sending.add(seq);
    else this.sending.delete(seq);
    if (before?.into_seq !== after?.into_seq) {
      if (before != null && before.into_seq !== null) this.travelling.remove(before.into_seq, seq);
      if (after !== null && after.into_seq !== null) this.travelling.add(after.into_seq, seq);
    }
    if (after === null)
      this.#lastTried.clear(); // rows go only all together
    else if (after.first_tried_at_ms !== null && seq > this.lastTried(lane)) this.#lastTried.set(lane, seq);
  }

  #noteAttempt(after: StoredAttempt | null, before: StoredAttempt | null): void {
    const row = after ?? before;
    if (row === null) return;
    const { seq, attempt, purpose } = row;
    const own = (this.attempts.get(seq) ?? []).filter((each) => each.attempt !== attempt);
    this.attempts.set(seq, after === null ? own : [...own, after].sort((one, other) => one.attempt - other.attempt));
    if (purpose === 'send') return;
    if (after?.effect === null) this.lookedUp.add(seq);
    else this.lookedUp.delete(seq);
  }
}

export class SubjectStore {
  readonly tables: SubjectTables;
  readonly #index: SubjectIndex;
  /** Who it is: the text that is stored, and what that says. */
  #named: string | undefined;
  #identity: PartnerScope | undefined;

  constructor(tables: SubjectTables) {
    this.tables = tables;
    this.#index = new SubjectIndex(tables);
  }

  /** As `RowJournal.commit`. */
  commit = <T>(run: () => T): T => this.tables.journal.commit(run);
  /** As `RowJournal.commitSoon`. */
  commitSoon = <T>(run: () => T): T => this.tables.journal.commitSoon(run);
  flush = (): void => this.tables.journal.flush();

  identify(identity: PartnerScope): void {
    const { identity: rows } = this.tables;
    if (!rows.has(1)) rows.put({ id: 1, named: JSON.stringify(identity) });
  }

  /** As it was stored; the caller wrote it and knows the rest of its shape. */
  identity(): PartnerScope | undefined {
    const named = this.tables.identity.get(1)?.named;
    if (named !== this.#named) {
      this.#named = named;
      this.#identity = named === undefined ? undefined : (JSON.parse(named) as PartnerScope);
    }
    return this.#identity;
  }

  isKnown = (key: string): boolean => this.#index.seqOf.has(key);

  /** Adds the requests that are not known yet, in the order given. */
  add(requests: readonly EnqueuedRequest[]): void {
    const { request: rows } = this.tables;
    const known = new Set<string>();
    const added = requests.filter(({ key }) => {
      if (this.isKnown(key) || known.has(key)) return false;
      known.add(key);
      return true;
    });
    const first = rows.size + 1; // seqs have no gaps: rows go only all together
    rows.putAll(added.map((request, at) => storedRequest(first + at, request)));
  }

  /** Seqs of open requests of a lane, in dispatch order. */
  openSeqs = (lane: LaneName): Iterable<number> => this.#index.open.of(lane);

  /** The first `limit` open requests of a lane in dispatch order. */
  open(lane: LaneName, limit: number): LaneRequest[] {
    const found: LaneRequest[] = [];
    for (const seq of this.openSeqs(lane)) {
      if (found.length >= limit) break;
      found.push(this.laneRequest(this.bySeq(seq)));
    }
    return found;
  }

  laneRequest = (row: StoredRequest): LaneRequest => ({
    key: String(row.seq),
    state: row.state,
    atMs: row.at_ms,
    firstTriedAtMs: row.first_tried_at_ms,
    deadlineMs: row.deadline_ms,
    awaitsEqual: this.awaitsEqual(row),
    isStrict: row.strict === 1,
  });

  /** Whether the earlier request that this one awaits is still open; a point has the state of its set. */
  awaitsEqual({ awaits_seq }: StoredRequest): boolean {
    if (awaits_seq === null) return false;
    const earlier = this.bySeq(awaits_seq);
    return isOpen((this.leadOf(earlier) ?? earlier).state);
  }

  /** The request it travels in or repeats; null: it goes by itself. The lead of a set is its own. */
  leadOf = ({ into_seq }: StoredRequest): StoredRequest | null =>
    into_seq === null ? null : (this.tables.request.get(into_seq) ?? null);

  bySeq(seq: number): StoredRequest {
    const row = this.tables.request.get(seq);
    if (row === undefined) throw new Error(`no request ${seq}`);
    return row;
  }

  all = (): Iterable<StoredRequest> => this.tables.request.values();

  /** Earlier and later ones that report the same event, in dispatch order. */
  equalTo = (key: string | null): Iterable<number> => (key === null ? [] : this.#index.equals.of(key));

  /** All that was enqueued for one request of a batch, oldest generation first. */
  generationsOf({ batchId, record, request }: RequestLocation): StoredRequest[] {
    const seqs = [...this.#index.generations.of(requestKey(batchId, record, request))];
    return seqs.map((seq) => this.bySeq(seq)).sort((one, other) => one.generation - other.generation);
  }

  /** Those that point to this one, itself included if it leads a set. */
  pointing = (seq: number): StoredRequest[] =>
    [...this.#index.travelling.of(seq)].map((each) => this.bySeq(each)).sort((one, other) => one.seq - other.seq);

  /** How many requests travel in this one, including itself. */
  travelling = (seq: number): number => 1 + this.pointing(seq).filter((each) => each.seq !== seq).length;

  sending = (): StoredRequest[] => inOrder(this.#index.sending).map((seq) => this.bySeq(seq));

  /** Requests with a lookup that awaits its answer. */
  lookedUp = (): number[] => inOrder(this.#index.lookedUp);

  isLookedUp = (seq: number): boolean => this.#index.lookedUp.has(seq);

  /** Oldest first. */
  attemptsOf = (seq: number): StoredAttempt[] => this.#index.attempts.get(seq) ?? [];

  laterWasTried = (lane: LaneName, seq: number): boolean => this.#index.lastTried(lane) > seq;

  /** Whether a request after the first generation of this one was tried, other than its own generations. */
  wasOvertaken({ lane, batch_id, record, request }: StoredRequest): boolean {
    const first = this.#index.seqOf.get(requestKey(batch_id, record, request));
    if (first === undefined) return false;
    for (let seq = first + 1; seq <= this.#index.lastTried(lane); seq += 1) {
      const other = this.bySeq(seq);
      const isOwn = other.batch_id === batch_id && other.record === record && other.request === request;
      if (other.lane === lane && other.first_tried_at_ms !== null && !isOwn) return true;
    }
    return false;
  }

  /** The intent: committed before the request can leave. */
  beginAttempt(intent: Intent): void {
    const { request: rows, attempt: attempts } = this.tables;
    const { seq, purpose, startedAtMs } = intent;
    if (purpose === 'send') {
      const row = this.bySeq(seq);
      rows.patch(seq, {
        state: 'sending',
        reason: null,
        at_ms: null,
        attempts: row.attempts + 1,
        revision: row.revision + 1,
        first_tried_at_ms: row.first_tried_at_ms ?? startedAtMs,
        possible_duplicate: Math.max(row.possible_duplicate, Number(intent.possibleDuplicate)),
        late: Math.max(row.late, Number(intent.late)),
        decided_at_ms: startedAtMs,
      });
    }
    attempts.put({
      ...NO_ANSWER,
      seq,
      attempt: (this.attemptsOf(seq).at(-1)?.attempt ?? 0) + 1,
      purpose,
      started_at_ms: startedAtMs,
      request_sha256: intent.requestSha256,
      token_fingerprint: intent.tokenFingerprint,
      carries: intent.carries === null ? null : JSON.stringify(intent.carries),
    });
  }

  /** Closes the attempt that awaits its answer. The outcome of an attempt is never changed. */
  endAttempt({ seq, ...ended }: EndedAttempt): void {
    const { attempt: attempts } = this.tables;
    for (const { attempt, effect } of this.attemptsOf(seq)) {
      if (effect === null) attempts.patch(attemptKey(seq, attempt), ended);
    }
  }

  /** Stores the new state of a request, and queues its outcome for the Batch. */
  decide({ seq, ...decided }: Decided): void {
    this.tables.request.patch(seq, { ...decided, revision: this.bySeq(seq).revision + 1 });
    this.#report(seq);
  }

  /** What the upstream reports of an operation that may have ended long ago; its Batch is notified. */
  noteAction(seq: number, code: string): void {
    this.tables.request.patch(seq, { action: code, revision: this.bySeq(seq).revision + 1 });
    this.#report(seq);
  }

  /** It has a new outcome of its own, or of the request it travels in. */
  renew(seq: number, nowMs: number): void {
    this.tables.request.patch(seq, { revision: this.bySeq(seq).revision + 1, decided_at_ms: nowMs });
    this.#report(seq);
  }

  #report = (seq: number): void => this.tables.outbox.put({ seq, revision: this.bySeq(seq).revision });

  /** Its anomalies, found at its step; never changed. */
  noteAnomalies = (seq: number, surprises: string): void => void this.tables.request.patch(seq, { surprises });

  /** Stores which request this one repeats. */
  pointTo = (seq: number, into_seq: number): void => void this.tables.request.patch(seq, { into_seq });

  /** It is passed over until the earlier one is final. */
  waitFor = (seq: number, awaits_seq: number): void => void this.tables.request.patch(seq, { awaits_seq });

  /** An equal one may have arrived already. */
  doubt = (seq: number): void => void this.tables.request.patch(seq, { had_unknown: 1, possible_duplicate: 1 });

  /** Batches that have not confirmed all outcomes. */
  unreportedBatches(): string[] {
    const batches = new Set<string>();
    for (const { seq } of this.tables.outbox.values()) batches.add(this.bySeq(seq).batch_id);
    return [...batches];
  }

  /** Requests whose outcome their Batch has not confirmed, oldest first. */
  unreported(batchId: string, limit: number): StoredRequest[] {
    const rows = inOrder(this.#unreportedSeqs()).map((seq) => this.bySeq(seq));
    return rows.filter(({ batch_id }) => batch_id === batchId).slice(0, limit);
  }

  *#unreportedSeqs(): Iterable<number> {
    for (const { seq } of this.tables.outbox.values()) yield seq;
  }

  /**
   * Removes confirmed outcomes, unless they changed since. What is told of a request that is on its way again is newer than
   * its outcome.
   */
  reported(confirmed: readonly { seq: number; revision: number }[]): void {
    const { outbox } = this.tables;
    for (const { seq, revision } of confirmed) {
      const untold = outbox.get(seq);
      if (untold !== undefined && untold.revision <= revision) outbox.drop(seq);
    }
  }

  /** Every request with its attempts, in dispatch order. */
  timeline = (): TimelineEntry[] =>
    [...this.all()].map((request) => ({ request, attempts: this.attemptsOf(request.seq) }));

  /**
   * Withdraws a batch's requests: `delivery/retry.ts` decides which states allow it. Idempotent. The last answer stays
   * with the request. A set of trace points is withdrawn when all of it is of this batch; a set with points of another
   * batch is sent as planned.
   * @param cancelledAtMs what was sent again after that stays.
   */
  withdraw(batchId: string, nowMs: number, cancelledAtMs = Number.POSITIVE_INFINITY): void {
    const withdrawable: readonly RequestState[] = WITHDRAWABLE_STATES;
    const isMeant = ({ batch_id, generation, accepted_at_ms }: StoredRequest): boolean =>
      batch_id === batchId && (generation === 1 || accepted_at_ms <= cancelledAtMs);
    const own = [...this.all()].filter(
      (row) => isMeant(row) && withdrawable.includes(row.state) && this.pointing(row.seq).every(isMeant),
    );
    for (const { seq, revision } of own) {
      const ended = { state: 'cancelled', reason: null, outcome: null, at_ms: null } as const;
      this.tables.request.patch(seq, { ...ended, revision: revision + 1, decided_at_ms: nowMs });
    }
    for (const { seq } of own) {
      this.#report(seq);
      for (const point of this.pointing(seq)) if (point.seq !== seq) this.renew(point.seq, nowMs);
    }
  }
}

const inOrder = (seqs: Iterable<number>): number[] => [...seqs].sort((one, other) => one - other);

const NO_ANSWER = {
  effect: null,
  status: null,
  headers: null,
  body: null,
  body_end: null,
  body_encoding: null,
  detail: null,
  latency_ms: null,
} as const;

const storedRequest = (seq: number, request: EnqueuedRequest): StoredRequest => ({
  seq,
  key: request.key,
  lane: request.lane,
  batch_id: request.batchId,
  record: request.record,
  request: request.request,
  generation: request.generation,
  kind: request.kind,
  scac: request.scac,
  channel: request.channel,
  body: request.body,
  live: Number(request.live),
  forced: Number(request.forced),
  business_key: request.businessKey,
  accepted_at_ms: request.acceptedAtMs,
  uploaded_by: request.uploadedBy ?? null,
  taken_at_ms: request.takenAtMs,
  deadline_ms: request.deadlineMs,
  hold_unclear: Number(request.rules?.unclear === 'hold'),
  load_wait_until_ms: request.loadWaitUntilMs,
  strict: Number(request.rules?.laterEvents === 'wait'),
  surprise_policy: request.rules?.surprises === undefined ? null : JSON.stringify(request.rules.surprises),
  surprises: null,
  event_at_ms: request.eventAtMs,
  state: 'queued',
  into_seq: null,
  awaits_seq: null,
  reason: null,
  outcome: null,
  evidence: null,
  at_ms: null,
  first_tried_at_ms: null,
  tries: 0,
  attempts: 0,
  had_unknown: Number(request.mayHaveArrived),
  possible_duplicate: Number(request.mayHaveArrived),
  late: 0,
  revision: 0,
  status: null,
  answer: '',
  decided_at_ms: 0,
  diff: null,
  action: null,
});
