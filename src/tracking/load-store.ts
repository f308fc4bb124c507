/**
 * The Load's own tables: requests in hand-over order, their attempts, and the outcomes still to be reported.
 *
 * SQL only: nothing here decides. Every function is synchronous, so calls without an `await` between them are one commit.
 */

import type { LaneRequest } from '../delivery/drain.ts';
import type { RequestState, StateReason } from '../delivery/states.ts';
import { jsonArrays } from '../kernel/json-arrays.ts';
import type { Environment } from '../kernel/names.ts';
import type { RequestKind } from '../mapping/request.ts';

export interface LoadIdentity {
  environment: Environment;
  partner: string;
  scac: string;
  loadNumber: string;
}

/** What the Batch hands over. `key` is unique and the same on every rerun, so a repeat changes nothing. */
export interface HandedRequest {
  key: string;
  batchId: string;
  record: number;
  request: number;
  kind: RequestKind;
  /** The channel it goes out on, by name. */
  channel: string;
  /** JSON text, sent byte for byte on every try. */
  body: string;
  acceptedAtMs: number;
}

export type StoredRequest = {
  key: string;
  seq: number;
  batch_id: string;
  record: number;
  request: number;
  kind: string;
  channel: string;
  body: string;
  accepted_at_ms: number;
  deadline_ms: number;
  state: RequestState;
  reason: StateReason | null;
  outcome: 'not_applied' | 'unknown' | null;
  at_ms: number | null;
  first_tried_at_ms: number | null;
  tries: number;
  attempts: number;
  had_unknown: number;
  possible_duplicate: number;
  late: number;
  revision: number;
  status: number | null;
  answer: string;
  decided_at_ms: number;
};

export type StoredAttempt = {
  seq: number;
  attempt: number;
  started_at_ms: number;
  request_sha256: string;
  token_fingerprint: string | null;
  /** NULL while the answer is awaited. */
  effect: string | null;
  status: number | null;
  headers: string | null;
  body: string | null;
  body_end: string | null;
  /** `latin1` where the bytes were no UTF-8: one character per byte, so that nothing is lost. */
  body_encoding: string | null;
  detail: string | null;
  latency_ms: number | null;
};

const SCHEMA = `
CREATE TABLE IF NOT EXISTS identity (id INTEGER PRIMARY KEY CHECK (id = 1), named TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS request (
  seq INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, batch_id TEXT NOT NULL, record INTEGER NOT NULL, request INTEGER NOT NULL,
  kind TEXT NOT NULL, channel TEXT NOT NULL, body TEXT NOT NULL, accepted_at_ms INTEGER NOT NULL, deadline_ms INTEGER NOT NULL,
  state TEXT NOT NULL DEFAULT 'queued', reason TEXT, outcome TEXT, at_ms INTEGER, first_tried_at_ms INTEGER,
  tries INTEGER NOT NULL DEFAULT 0, attempts INTEGER NOT NULL DEFAULT 0, had_unknown INTEGER NOT NULL DEFAULT 0,
  possible_duplicate INTEGER NOT NULL DEFAULT 0, late INTEGER NOT NULL DEFAULT 0, revision INTEGER NOT NULL DEFAULT 0,
  status INTEGER, answer TEXT NOT NULL DEFAULT '', decided_at_ms INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE IF NOT EXISTS attempt (
  seq INTEGER NOT NULL, attempt INTEGER NOT NULL, started_at_ms INTEGER NOT NULL, request_sha256 TEXT NOT NULL,
  token_fingerprint TEXT, effect TEXT, status INTEGER, headers TEXT, body TEXT, body_end TEXT, body_encoding TEXT, detail TEXT, latency_ms INTEGER,
  PRIMARY KEY (seq, attempt)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS outbox (seq INTEGER PRIMARY KEY, revision INTEGER NOT NULL);
`;

/** Not final. `held` is among them: a person may let it go again. */
const OPEN_STATES = `('queued', 'sending', 'waiting', 'unknown', 'held')`;

export class LoadStore {
  readonly #sql: SqlStorage;
  /** Nothing below it is open: a final request never opens again, so finished ones are not read over and over. */
  #firstOpenSeq = 0;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec(SCHEMA);
  }

  identify(identity: LoadIdentity): void {
    this.#sql.exec('INSERT OR IGNORE INTO identity (id, named) VALUES (1, ?)', JSON.stringify(identity));
  }

  identity(): LoadIdentity | undefined {
    const row = this.#sql.exec<{ named: string }>('SELECT named FROM identity').toArray()[0];
    return row ? (JSON.parse(row.named) as LoadIdentity) : undefined;
  }

  /** Adds what is not known yet, in the order given. */
  add(requests: readonly (HandedRequest & { deadlineMs: number })[]): void {
    for (const chunk of jsonArrays(requests.map((request) => JSON.stringify(request)))) {
      this.#sql.exec(
        `INSERT INTO request (key, batch_id, record, request, kind, channel, body, accepted_at_ms, deadline_ms)
         SELECT value->>'key', value->>'batchId', value->>'record', value->>'request', value->>'kind', value->>'channel',
                value->>'body', value->>'acceptedAtMs', value->>'deadlineMs'
         FROM json_each(?) WHERE TRUE ON CONFLICT (key) DO NOTHING`,
        chunk,
      );
    }
  }

  /** The first `limit` open requests of the lane in hand-over order. */
  open(limit: number): LaneRequest[] {
    const rows = this.#sql
      .exec<{ seq: number; state: RequestState; at: number | null; first: number | null; deadline: number }>(
        `SELECT seq, state, at_ms AS at, first_tried_at_ms AS first, deadline_ms AS deadline
         FROM request WHERE seq >= ? AND state IN ${OPEN_STATES} ORDER BY seq LIMIT ?`,
        this.#firstOpenSeq,
        limit,
      )
      .toArray();
    this.#firstOpenSeq = rows[0]?.seq ?? this.#firstOpenSeq;
    return rows.map((row) => ({
      key: String(row.seq),
      state: row.state,
      atMs: row.at,
      firstTriedAtMs: row.first,
      deadlineMs: row.deadline,
    }));
  }

  bySeq(seq: number): StoredRequest {
    return this.#sql.exec<StoredRequest>('SELECT * FROM request WHERE seq = ?', seq).one();
  }

  sending(): StoredRequest[] {
    return this.#sql.exec<StoredRequest>(`SELECT * FROM request WHERE state = 'sending' ORDER BY seq`).toArray();
  }

  laterWasTried(seq: number): boolean {
    const sql = 'SELECT 1 AS found FROM request WHERE seq > ? AND first_tried_at_ms IS NOT NULL LIMIT 1';
    return this.#sql.exec(sql, seq).toArray().length > 0;
  }

  /** The intent: committed before the request can leave. */
  beginAttempt(intent: {
    seq: number;
    startedAtMs: number;
    requestSha256: string;
    tokenFingerprint: string | null;
    possibleDuplicate: boolean;
    late: boolean;
  }): void {
    const { seq, startedAtMs } = intent;
    this.#sql.exec(
      `UPDATE request SET state = 'sending', reason = NULL, at_ms = NULL, attempts = attempts + 1, revision = revision + 1,
         first_tried_at_ms = coalesce(first_tried_at_ms, ?2),
         possible_duplicate = max(possible_duplicate, ?3), late = max(late, ?4), decided_at_ms = ?2 WHERE seq = ?1`,
      seq,
      startedAtMs,
      Number(intent.possibleDuplicate),
      Number(intent.late),
    );
    this.#sql.exec(
      `INSERT INTO attempt (seq, attempt, started_at_ms, request_sha256, token_fingerprint)
       SELECT seq, attempts, ?, ?, ? FROM request WHERE seq = ?`,
      startedAtMs,
      intent.requestSha256,
      intent.tokenFingerprint,
      seq,
    );
  }

  /** Closes the attempt that awaits its answer. An attempt that has its outcome is never touched again. */
  endAttempt(ended: Omit<StoredAttempt, 'attempt' | 'started_at_ms' | 'request_sha256' | 'token_fingerprint'>): void {
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

  /** Where the request stands now; also queues its outcome for the Batch. */
  decide(
    decided: Pick<
      StoredRequest,
      'seq' | 'state' | 'reason' | 'outcome' | 'at_ms' | 'tries' | 'had_unknown' | 'status' | 'answer' | 'decided_at_ms'
    >,
  ): void {
    this.#sql.exec(
      `UPDATE request SET state = ?2, reason = ?3, outcome = ?4, at_ms = ?5, tries = ?6, had_unknown = ?7, status = ?8,
         answer = ?9, decided_at_ms = ?10, revision = revision + 1 WHERE seq = ?1`,
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
    );
    this.#sql.exec(
      `INSERT INTO outbox (seq, revision) SELECT seq, revision FROM request WHERE seq = ?
       ON CONFLICT (seq) DO UPDATE SET revision = excluded.revision`,
      decided.seq,
    );
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

  /** Forgets what was confirmed, unless it has changed since. */
  reported(confirmed: readonly { seq: number; revision: number }[]): void {
    this.#sql.exec(
      `DELETE FROM outbox WHERE (seq, revision) IN
         (SELECT value->>'seq', value->>'revision' FROM json_each(?))`,
      JSON.stringify(confirmed.map(({ seq, revision }) => ({ seq, revision }))),
    );
  }

  /** Every request with its attempts, in hand-over order: the timeline. */
  timeline(): { request: StoredRequest; attempts: StoredAttempt[] }[] {
    const attempts = this.#sql.exec<StoredAttempt>('SELECT * FROM attempt ORDER BY seq, attempt').toArray();
    return this.#sql
      .exec<StoredRequest>('SELECT * FROM request ORDER BY seq')
      .toArray()
      .map((request) => ({ request, attempts: attempts.filter(({ seq }) => seq === request.seq) }));
  }
}
