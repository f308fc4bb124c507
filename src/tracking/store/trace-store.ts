/**
 * The Load's trace points and the sets they travel in.
 * SQL only. A set is identified by its lead, the request of its oldest point; the others point to it.
 */
import type { LaneRequest } from '../../delivery/drain.ts';
import type { LoosePoints, PackedSet, WaitingPoint } from '../../delivery/events/traces.ts';
import { TRACE_BODY_BYTES_MAX, TRACE_POINTS_MAX } from '../../kernel/limits.ts';
import { AWAITS_EQUAL, OPEN_STATES } from '../request.ts';
import { laneRequest, type OpenRow } from './subject-store.ts';

export type TraceSet = { seq: number; set_no: number; part: number; points: number; body: string };

const LOOSE = `event_at_ms IS NOT NULL AND into_seq IS NULL AND state = 'queued'`;
/** A live point may be sent at once; a file's at the end of its batch or when it has waited long enough (?1, in ms). */
const READY_AT = `CASE WHEN live = 1 OR batch_id IN (SELECT batch_id FROM released) THEN taken_at_ms ELSE taken_at_ms + ?1 END`;

/**
 * The delivery rules of a point's mapping, as a number: all points of a set must have the same, since they share one
 * answer.
 */
const RULES = 'hold_unclear + 2 * strict + 4 * (load_wait_until_ms IS NOT NULL)';

export class TraceStore {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** The batch has dispatched its last record. */
  release(batchId: string): void {
    this.#sql.exec('INSERT OR IGNORE INTO released (batch_id) VALUES (?)', batchId);
  }

  /** The leads of the first `limit` open sets, in sending order. */
  openSets(limit: number): LaneRequest[] {
    return this.#sql
      .exec<OpenRow>(
        `SELECT seq, state, at_ms AS at, first_tried_at_ms AS first, deadline_ms AS deadline, 0 AS awaits, strict
         FROM trace_set JOIN request USING (seq) WHERE state IN ${OPEN_STATES} ORDER BY set_no, part LIMIT ?`,
        limit,
      )
      .toArray()
      .map(laneRequest);
  }

  loose(holdMs: number): LoosePoints | null {
    const sql = `SELECT min(deadline_ms) AS deadline, min(CASE WHEN ${AWAITS_EQUAL} THEN deadline_ms + 1 ELSE ${READY_AT} END) AS ready
                 FROM request WHERE ${LOOSE}`;
    const { deadline, ready } = this.#sql.exec<{ deadline: number | null; ready: number | null }>(sql, holdMs).one();
    return deadline === null || ready === null ? null : { deadlineMs: deadline, readyAtMs: ready };
  }

  /** Points past their deadline that are in no set; at most `limit`. */
  expiredLoose(nowMs: number, limit: number): number[] {
    const sql = `SELECT seq FROM request WHERE ${LOOSE} AND deadline_ms < ? ORDER BY event_at_ms, seq LIMIT ?`;
    return this.#sql
      .exec<{ seq: number }>(sql, nowMs, limit)
      .toArray()
      .map(({ seq }) => seq);
  }

  /** Points that may be sent now, oldest event first: at most as many as one set can hold. */
  ready(holdMs: number, nowMs: number): WaitingPoint[] {
    const sql = `
      SELECT seq, channel, body, hadUnknown, rules FROM (
        SELECT seq, channel, body, had_unknown AS hadUnknown, ${RULES} AS rules, event_at_ms, sum(length(body)) OVER (ORDER BY event_at_ms, seq) - length(body) AS before
        FROM request WHERE ${LOOSE} AND ${READY_AT} <= ?2 AND NOT ${AWAITS_EQUAL})
      WHERE before <= ?3 ORDER BY event_at_ms, seq LIMIT ?4`;
    return this.#sql
      .exec<WaitingPoint & Record<string, SqlStorageValue>>(sql, holdMs, nowMs, TRACE_BODY_BYTES_MAX, TRACE_POINTS_MAX)
      .toArray();
  }

  anyReady(holdMs: number, nowMs: number): boolean {
    const sql = `SELECT 1 AS found FROM request WHERE ${LOOSE} AND ${READY_AT} <= ?2 AND NOT ${AWAITS_EQUAL} LIMIT 1`;
    return this.#sql.exec(sql, holdMs, nowMs).toArray().length > 0;
  }

  /** Start of the last new set's first attempt, and whether ready points did not fit into it. Halves open no window. */
  lastSet(): { startedMs: number | null; overflowed: boolean } {
    const started = this.#sql
      .exec<{ ms: number | null }>(
        'SELECT max(first_tried_at_ms) AS ms FROM trace_set JOIN request USING (seq) WHERE part = 0',
      )
      .one().ms;
    const last = this.#sql
      .exec<{ overflowed: number }>('SELECT overflowed FROM trace_set WHERE part = 0 ORDER BY set_no DESC LIMIT 1')
      .toArray()[0];
    return { startedMs: started, overflowed: last?.overflowed === 1 };
  }

  /** Freezes a set: its points and its bytes never change again. @returns the seq of its lead. */
  freeze(set: PackedSet): number {
    const lead = leadOf(set);
    this.#sql.exec(
      `INSERT INTO trace_set (seq, set_no, part, points, body)
       SELECT ?1, coalesce(max(set_no), 0) + 1, 0, ?2, ?3 FROM trace_set`,
      lead,
      set.seqs.length,
      set.body,
    );
    this.#join(set);
    return lead;
  }

  markOverflowed(lead: number, overflowed: boolean): void {
    this.#sql.exec('UPDATE trace_set SET overflowed = ? WHERE seq = ?', Number(overflowed), lead);
  }

  setOf(lead: number): TraceSet {
    return this.#sql.exec<TraceSet>('SELECT seq, set_no, part, points, body FROM trace_set WHERE seq = ?', lead).one();
  }

  /**
   * The points of a set, oldest event first. A doubt about one is a doubt about all: it is stored with their lead, as
   * their rules are.
   */
  pointsOf(lead: number): WaitingPoint[] {
    const sql =
      'SELECT seq, channel, body, 0 AS hadUnknown, 0 AS rules FROM request WHERE into_seq = ? ORDER BY event_at_ms, seq';
    return this.#sql.exec<WaitingPoint & Record<string, SqlStorageValue>>(sql, lead).toArray();
  }

  /** Replaces a set by two halves. @returns the lead of the younger one, which has no attempt yet. */
  split(set: TraceSet, [older, younger]: readonly [PackedSet, PackedSet]): number {
    const lead = leadOf(younger);
    this.#sql.exec('UPDATE trace_set SET points = ?, body = ? WHERE seq = ?', older.seqs.length, older.body, set.seq);
    this.#sql.exec(
      'INSERT INTO trace_set (seq, set_no, part, points, body) VALUES (?, ?, ?, ?, ?)',
      lead,
      set.set_no,
      set.part + older.seqs.length,
      younger.seqs.length,
      younger.body,
    );
    this.#join(younger);
    return lead;
  }

  /** Points follow their lead, which is tried until the last of their deadlines. */
  #join(set: PackedSet): void {
    const lead = leadOf(set);
    this.#sql.exec(
      `UPDATE request SET into_seq = ?1, state = CASE WHEN seq = ?1 THEN 'queued' ELSE 'coalesced' END
       WHERE seq IN (SELECT value FROM json_each(?2))`,
      lead,
      JSON.stringify(set.seqs),
    );
    this.#sql.exec(
      `UPDATE request SET (deadline_ms, load_wait_until_ms) =
         (SELECT max(deadline_ms), max(load_wait_until_ms) FROM request WHERE into_seq = ?1) WHERE seq = ?1`,
      lead,
    );
  }

  /** The lead's state changed: every point that travels with it is reported to its batch. */
  notifyPoints(lead: number, nowMs: number): void {
    this.#sql.exec(
      'UPDATE request SET revision = revision + 1, decided_at_ms = ?2 WHERE into_seq = ?1 AND seq <> ?1',
      lead,
      nowMs,
    );
    this.#sql.exec(
      `INSERT INTO outbox (seq, revision) SELECT seq, revision FROM request WHERE into_seq = ?1 AND seq <> ?1
       ON CONFLICT (seq) DO UPDATE SET revision = excluded.revision`,
      lead,
    );
  }

  /** Whether a set after this one was tried. */
  laterWasTried(lead: number): boolean {
    const sql = `SELECT 1 AS found FROM trace_set AS later JOIN request USING (seq), trace_set AS own
                 WHERE own.seq = ?1 AND (later.set_no, later.part) > (own.set_no, own.part)
                   AND first_tried_at_ms IS NOT NULL LIMIT 1`;
    return this.#sql.exec(sql, lead).toArray().length > 0;
  }
}

function leadOf({ seqs }: PackedSet): number {
  const [lead] = seqs;
  if (lead === undefined) throw new Error('a set without points');
  return lead;
}
