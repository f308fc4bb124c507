/**
 * A subject's own tables: requests in dispatch order, their attempts, and the outcomes still to be reported.
 * SQL only. Every function is synchronous, so calls without an `await` between them are one commit.
 */
import type { LaneRequest } from '../../delivery/drain.ts';
import type { RequestLocation } from '../../delivery/outcome.ts';
import { WITHDRAWABLE_STATES } from '../../delivery/retry.ts';
import type { RequestState } from '../../delivery/states.ts';
import { jsonArrays } from '../../kernel/json-arrays.ts';
import { type PartnerScope, requestKey } from '../../kernel/names.ts';
import {
  AWAITS_EQUAL,
  type EnqueuedRequest,
  type LaneName,
  OPEN_LOOKUP,
  OPEN_STATES,
  type StoredAttempt,
  type StoredRequest,
  type TimelineEntry,
} from '../request.ts';

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

export type OpenRow = {
  seq: number;
  state: RequestState;
  at: number | null;
  first: number | null;
  deadline: number;
  awaits: number;
  strict: number;
};

export const laneRequest = (row: OpenRow): LaneRequest => ({
  key: String(row.seq),
  state: row.state,
  atMs: row.at,
  firstTriedAtMs: row.first,
  deadlineMs: row.deadline,
  awaitsEqual: row.awaits === 1,
  isStrict: row.strict === 1,
});

export class SubjectStore {
  readonly #sql: SqlStorage;
  /** Per lane: no request below it is open. A final request never opens again, so finished ones are not read again. */
  readonly #firstOpenSeq = new Map<LaneName, number>();

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  identify(identity: PartnerScope): void {
    this.#sql.exec('INSERT OR IGNORE INTO identity (id, named) VALUES (1, ?)', JSON.stringify(identity));
  }

  /** As it was stored; the caller wrote it and knows the rest of its shape. */
  identity(): PartnerScope | undefined {
    const row = this.#sql.exec<{ named: string }>('SELECT named FROM identity').toArray()[0];
    return row ? (JSON.parse(row.named) as PartnerScope) : undefined;
  }

  /** Adds the requests that are not known yet, in the order given. */
  add(requests: readonly EnqueuedRequest[]): void {
    for (const chunk of jsonArrays(requests.map((request) => JSON.stringify(request)))) {
      this.#sql.exec(
        `INSERT INTO request (key, lane, batch_id, record, request, generation, kind, scac, channel, body, live,
           forced, business_key, uploaded_by, accepted_at_ms, taken_at_ms, deadline_ms, event_at_ms, had_unknown, possible_duplicate,
           hold_unclear, load_wait_until_ms, strict, surprise_policy)
         SELECT value->>'key', value->>'lane', value->>'batchId', value->>'record', value->>'request',
           value->>'generation', value->>'kind', value->>'scac', value->>'channel', value->>'body', value->>'live',
           value->>'forced', value->>'businessKey', value->>'uploadedBy', value->>'acceptedAtMs', value->>'takenAtMs', value->>'deadlineMs', value->>'eventAtMs',
           value->>'mayHaveArrived', value->>'mayHaveArrived',
           value->>'$.rules.unclear' IS 'hold', value->>'loadWaitUntilMs', value->>'$.rules.laterEvents' IS 'wait',
           value->>'$.rules.surprises'
         FROM json_each(?) WHERE TRUE ON CONFLICT (key) DO NOTHING`,
        chunk,
      );
    }
  }

  /** The first `limit` open requests of a lane in dispatch order. */
  open(lane: LaneName, limit: number): LaneRequest[] {
    const from = this.#firstOpenSeq.get(lane) ?? 0;
    const rows = this.#sql
      .exec<OpenRow>(
        `SELECT seq, state, at_ms AS at, first_tried_at_ms AS first, deadline_ms AS deadline,
           ${AWAITS_EQUAL} AS awaits, strict
         FROM request WHERE seq >= ? AND lane = ? AND state IN ${OPEN_STATES} ORDER BY seq LIMIT ?`,
        from,
        lane,
        limit,
      )
      .toArray();
    this.#firstOpenSeq.set(lane, rows[0]?.seq ?? from);
    return rows.map(laneRequest);
  }

  bySeq(seq: number): StoredRequest {
    return this.#sql.exec<StoredRequest>('SELECT * FROM request WHERE seq = ?', seq).one();
  }

  /** All that was enqueued for one request of a batch, oldest generation first. */
  generationsOf({ batchId, record, request }: RequestLocation): StoredRequest[] {
    const key = requestKey(batchId, record, request);
    const sql = `SELECT * FROM request WHERE key = ?1 OR (key > ?1 || '~' AND key < ?1 || '~:') ORDER BY generation`;
    return this.#sql.exec<StoredRequest>(sql, key).toArray();
  }

  /** How many requests travel in this one, including itself. */
  travelling(seq: number): number {
    const sql = 'SELECT count(*) AS requests FROM request WHERE into_seq = ? AND seq <> into_seq';
    return 1 + this.#sql.exec<{ requests: number }>(sql, seq).one().requests;
  }

  sending(): StoredRequest[] {
    return this.#sql.exec<StoredRequest>(`SELECT * FROM request WHERE state = 'sending' ORDER BY seq`).toArray();
  }

  /** Requests with a lookup that awaits its answer. */
  lookedUp(): number[] {
    const sql = `SELECT seq FROM attempt WHERE ${OPEN_LOOKUP}`;
    return this.#sql
      .exec<{ seq: number }>(sql)
      .toArray()
      .map(({ seq }) => seq);
  }

  isLookedUp(seq: number): boolean {
    const sql = `SELECT 1 AS found FROM attempt WHERE seq = ? AND ${OPEN_LOOKUP} LIMIT 1`;
    return this.#sql.exec(sql, seq).toArray().length > 0;
  }

  /** Oldest first. */
  attemptsOf(seq: number): StoredAttempt[] {
    return this.#sql.exec<StoredAttempt>('SELECT * FROM attempt WHERE seq = ? ORDER BY attempt', seq).toArray();
  }

  laterWasTried(lane: LaneName, seq: number): boolean {
    const sql = 'SELECT 1 AS found FROM request WHERE seq > ? AND lane = ? AND first_tried_at_ms IS NOT NULL LIMIT 1';
    return this.#sql.exec(sql, seq, lane).toArray().length > 0;
  }

  /** Whether a request after the first generation of this one was tried, other than its own generations. */
  wasOvertaken({ lane, batch_id, record, request }: StoredRequest): boolean {
    const sql = `SELECT 1 AS found FROM request WHERE seq > (SELECT seq FROM request WHERE key = ?1) AND lane = ?2
                   AND first_tried_at_ms IS NOT NULL AND (batch_id, record, request) <> (?3, ?4, ?5) LIMIT 1`;
    const first = requestKey(batch_id, record, request);
    return this.#sql.exec(sql, first, lane, batch_id, record, request).toArray().length > 0;
  }

  /** The intent: committed before the request can leave. */
  beginAttempt(intent: Intent): void {
    if (intent.purpose === 'send') this.#beginSending(intent);
    this.#sql.exec(
      `INSERT INTO attempt (seq, attempt, purpose, started_at_ms, request_sha256, token_fingerprint, carries)
       SELECT ?1, coalesce(max(attempt), 0) + 1, ?2, ?3, ?4, ?5, ?6 FROM attempt WHERE seq = ?1`,
      intent.seq,
      intent.purpose,
      intent.startedAtMs,
      intent.requestSha256,
      intent.tokenFingerprint,
      intent.carries === null ? null : JSON.stringify(intent.carries),
    );
  }

  #beginSending(intent: Intent): void {
    this.#sql.exec(
      `UPDATE request SET state = 'sending', reason = NULL, at_ms = NULL, attempts = attempts + 1, revision = revision + 1,
         first_tried_at_ms = coalesce(first_tried_at_ms, ?2),
         possible_duplicate = max(possible_duplicate, ?3), late = max(late, ?4), decided_at_ms = ?2 WHERE seq = ?1`,
      intent.seq,
      intent.startedAtMs,
      Number(intent.possibleDuplicate),
      Number(intent.late),
    );
  }

  /** Closes the attempt that awaits its answer. An attempt with an outcome is never changed. */
  endAttempt(ended: EndedAttempt): void {
    this.#sql.exec(
      `UPDATE attempt SET effect = ?2, status = ?3, headers = ?4, body = ?5, body_end = ?6, detail = ?7, latency_ms = ?8,
         body_encoding = ?9 WHERE seq = ?1 AND effect IS NULL`,
      ended.seq,
      ended.effect,
      ended.status,
      ended.headers,
      ended.body,
      ended.body_end,
      ended.detail,
      ended.latency_ms,
      ended.body_encoding,
    );
  }

  /** Stores the new state of a request, and queues its outcome for the Batch. */
  decide(decided: Decided): void {
    this.#sql.exec(
      `UPDATE request SET state = ?2, reason = ?3, outcome = ?4, at_ms = ?5, tries = ?6, had_unknown = ?7, status = ?8,
         answer = ?9, decided_at_ms = ?10, evidence = ?11, revision = revision + 1 WHERE seq = ?1`,
      decided.seq,
      decided.state,
      decided.reason,
      decided.outcome,
      decided.at_ms,
      decided.tries,
      decided.had_unknown,
      decided.status,
      decided.answer,
      decided.decided_at_ms,
      decided.evidence,
    );
    this.#report(decided.seq);
  }

  /** What the upstream reports of an operation that may have ended long ago; its Batch is notified. */
  noteAction(seq: number, code: string): void {
    this.#sql.exec('UPDATE request SET action = ?, revision = revision + 1 WHERE seq = ?', code, seq);
    this.#report(seq);
  }

  #report(seq: number): void {
    this.#sql.exec(
      `INSERT INTO outbox (seq, revision) SELECT seq, revision FROM request WHERE seq = ?
       ON CONFLICT (seq) DO UPDATE SET revision = excluded.revision`,
      seq,
    );
  }

  /** Its anomalies, found at its step; never changed. */
  noteAnomalies(seq: number, surprises: string): void {
    this.#sql.exec('UPDATE request SET surprises = ? WHERE seq = ?', surprises, seq);
  }

  /** Stores which request this one repeats. */
  pointTo(seq: number, intoSeq: number): void {
    this.#sql.exec('UPDATE request SET into_seq = ? WHERE seq = ?', intoSeq, seq);
  }

  /** Batches that have not confirmed all outcomes. */
  unreportedBatches(): string[] {
    const sql = 'SELECT DISTINCT request.batch_id AS id FROM outbox JOIN request USING (seq)';
    return this.#sql
      .exec<{ id: string }>(sql)
      .toArray()
      .map(({ id }) => id);
  }

  /** Requests whose outcome their Batch has not confirmed, oldest first. */
  unreported(batchId: string, limit: number): StoredRequest[] {
    const sql = 'SELECT request.* FROM outbox JOIN request USING (seq) WHERE request.batch_id = ? ORDER BY seq LIMIT ?';
    return this.#sql.exec<StoredRequest>(sql, batchId, limit).toArray();
  }

  /** Removes confirmed outcomes, unless they changed since. */
  reported(confirmed: readonly { seq: number; revision: number }[]): void {
    this.#sql.exec(
      `DELETE FROM outbox WHERE (seq, revision) IN
         (SELECT value->>'seq', value->>'revision' FROM json_each(?))`,
      JSON.stringify(confirmed.map(({ seq, revision }) => ({ seq, revision }))),
    );
  }

  /** Every request with its attempts, in dispatch order. */
  timeline(): TimelineEntry[] {
    const attempts = this.#sql.exec<StoredAttempt>('SELECT * FROM attempt ORDER BY seq, attempt').toArray();
    const bySeq = Map.groupBy(attempts, ({ seq }) => seq);
    return this.#sql
      .exec<StoredRequest>('SELECT * FROM request ORDER BY seq')
      .toArray()
      .map((request) => ({ request, attempts: bySeq.get(request.seq) ?? [] }));
  }
}

/* Withdraws a batch's requests at their subject. SQL only: `delivery/retry.ts` decides which states allow it. */

export class WithdrawalStore {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /**
   * Idempotent. The last answer stays with the request. A set of trace points is withdrawn when all of it is of this
   * batch; a set with points of another batch is sent as planned.
   */
  withdraw(batchId: string, nowMs: number): void {
    const withdrawn = this.#sql
      .exec<{ seq: number }>(
        `UPDATE request SET state = 'cancelled', reason = NULL, outcome = NULL, at_ms = NULL, revision = revision + 1,
           decided_at_ms = ?2
         WHERE batch_id = ?1 AND state IN (SELECT value FROM json_each(?3))
           AND NOT EXISTS (SELECT 1 FROM request AS other WHERE other.into_seq = request.seq AND other.batch_id <> ?1)
         RETURNING seq`,
        batchId,
        nowMs,
        JSON.stringify(WITHDRAWABLE_STATES),
      )
      .toArray();
    for (const seqs of jsonArrays(withdrawn.map(({ seq }) => String(seq)))) this.#notify(seqs, nowMs);
  }

  /** Queues the outcome for the batch, also for points that travelled with what was withdrawn. */
  #notify(seqs: string, nowMs: number): void {
    this.#sql.exec(
      `UPDATE request SET revision = revision + 1, decided_at_ms = ?2
       WHERE into_seq IN (SELECT value FROM json_each(?1)) AND seq <> into_seq`,
      seqs,
      nowMs,
    );
    this.#sql.exec(
      `INSERT INTO outbox (seq, revision) SELECT seq, revision FROM request
       WHERE seq IN (SELECT value FROM json_each(?1)) OR into_seq IN (SELECT value FROM json_each(?1))
       ON CONFLICT (seq) DO UPDATE SET revision = excluded.revision`,
      seqs,
    );
  }
}
