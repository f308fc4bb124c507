/**
 * The Batch's own tables: the ticket, one row per record, one per request, and the running counts.
 * SQL only: nothing here decides. Functions called without an `await` between them are one commit.
 */

import { countedState, followedState, type RecordState, type RequestOutcome } from '../../delivery/outcome.ts';
import type { RequestState } from '../../delivery/states.ts';
import { jsonArrays } from '../../kernel/json-arrays.ts';
import { orderRefOf } from '../../mapping/request.ts';
import type { BatchProgress, IndexCheckpoint } from '../core/progress.ts';
import type {
  MadeOrder,
  MadeOrderCursor,
  RowLocation,
  StoredBatchRequest,
  StoredRecord,
  Tally,
  TracedLoad,
} from '../core/row.ts';
import type { MappedRow } from '../core/run.ts';
import { CORRECTABLE } from '../core/tally.ts';
import type { BatchTicket } from '../core/ticket.ts';
import { DISPATCH_CHARACTERS_MAX } from '../limits.ts';
import { messageOfRecord } from './message-store.ts';

export class BatchStore {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  #stored<T>(name: string): T | undefined {
    const row = this.#sql.exec<{ json: string }>('SELECT json FROM kept WHERE name = ?', name).toArray()[0];
    return row ? (JSON.parse(row.json) as T) : undefined;
  }

  #keep(name: string, value: unknown): void {
    const sql = 'INSERT INTO kept (name, json) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET json = excluded.json';
    this.#sql.exec(sql, name, JSON.stringify(value));
  }

  ticket = (): BatchTicket | undefined => this.#stored('ticket');
  keepTicket = (ticket: BatchTicket): void => this.#keep('ticket', ticket);
  progress = (): BatchProgress | undefined => this.#stored('progress');
  keepProgress = (progress: BatchProgress): void => this.#keep('progress', progress);
  /** Why the last wake-up failed; null when it succeeded. */
  trouble = (): string | null => this.#stored('trouble') ?? null;
  keepTrouble(detail: string | null): void {
    this.#keep('trouble', detail);
  }
  /** What the index of batches has of this batch. */
  indexCheckpoint = (): IndexCheckpoint => this.#stored('indexed') ?? { revision: 0, written: null };
  storeIndexCheckpoint = (mark: IndexCheckpoint): void => this.#keep('indexed', mark);
  tally = (): Tally => this.#stored('tally') ?? { records: {}, requests: {} };
  keepTally = (tally: Tally): void => this.#keep('tally', tally);

  /** The whole slice in two statements, each bound to one JSON text below the 2 MB limit of a value. */
  addRows(rows: readonly MappedRow[], recordState: (row: MappedRow) => RecordState): void {
    for (const chunk of jsonArrays(rows.map((row) => recordJson(row, recordState(row))))) {
      this.#sql.exec(
        `INSERT OR IGNORE INTO record (record, line, byte_from, byte_to, state, problems, group_record, replaces, place, looked_up)
         SELECT value->>0, value->>1, value->>2, value->>3, value->>4, value->>5, value->>6, value->>7, value->>8, value->>9 FROM json_each(?)`,
        chunk,
      );
    }
    for (const chunk of jsonArrays(rows.flatMap(requestsJson))) {
      this.#sql.exec(
        `INSERT OR IGNORE INTO request (record, request, kind, subject, scac, body, state)
         SELECT value->>0, value->>1, value->>2, value->>3, value->>4, value->>5, 'queued' FROM json_each(?)`,
        chunk,
      );
    }
    for (const chunk of jsonArrays(tracedLoads(rows))) {
      this.#sql.exec(
        `INSERT OR IGNORE INTO traced_load (scac, subject) SELECT value->>0, value->>1 FROM json_each(?)`,
        chunk,
      );
    }
  }

  /** Loads with trace points that were not notified yet that these are all, sorted by SCAC and subject. */
  tracedLoads(limit: number): TracedLoad[] {
    return this.#sql.exec<TracedLoad>('SELECT * FROM traced_load ORDER BY scac, subject LIMIT ?', limit).toArray();
  }

  /** They were notified. */
  dropTracedLoads(last: TracedLoad): void {
    this.#sql.exec('DELETE FROM traced_load WHERE (scac, subject) <= (?, ?)', last.scac, last.subject);
  }

  /** Number of the last record stored; 0: none. */
  lastRecord = (): number =>
    this.#sql.exec<{ last: number }>('SELECT coalesce(max(record), 0) AS last FROM record').one().last;

  /** Whether records after `after` up to `last` have any. */
  hasRequests(after: number, last: number): boolean {
    const sql = 'SELECT 1 AS found FROM request WHERE record > ? AND record <= ? LIMIT 1';
    return this.#sql.exec(sql, after, last).toArray().length > 0;
  }

  /** Counts of records after `after` up to `last`. */
  tallyWithin(after: number, last: number): Tally {
    const tally: Tally = { records: {}, requests: {} };
    const within = 'WHERE record > ? AND record <= ?';
    const records = `SELECT state, count(*) AS count FROM record ${within} GROUP BY state`;
    for (const { state, count } of this.#sql.exec<{ state: RecordState; count: number }>(records, after, last))
      tally.records[state] = count;
    const resolved = `SELECT state, count(*) AS count FROM record ${within} AND resolved_by IS NOT NULL GROUP BY state`;
    for (const { state, count } of this.#sql.exec<{ state: RecordState; count: number }>(resolved, after, last))
      tally.resolved = { ...tally.resolved, [state]: count };
    const requests = `SELECT state, into_state, count(*) AS count FROM request ${within} GROUP BY state, into_state`;
    type Counted = { state: RequestState; into_state: RequestState | null; count: number };
    for (const { state, into_state, count } of this.#sql.exec<Counted>(requests, after, last)) {
      const counted = countedState(state, into_state);
      tally.requests[counted] = (tally.requests[counted] ?? 0) + count;
    }
    return tally;
  }

  /** The next requests to dispatch, in record order, with as many characters as fit in one step. */
  requestsAfter(mark: { record: number; request: number }, limit: number): StoredBatchRequest[] {
    const sql = `SELECT *, ${messageOfRecord('received_at_ms', 'request.record')} AS accepted_at_ms, ${messageOfRecord('uploaded_by', 'request.record')} AS uploaded_by FROM request WHERE (record, request) > (?, ?) ORDER BY record, request LIMIT ?`;
    return inOneStep(this.#sql.exec<StoredBatchRequest>(sql, mark.record, mark.request, limit));
  }

  madeOrders(after: MadeOrderCursor, limit: number): MadeOrder[] {
    const sql = `SELECT record, request, subject, state, into_state FROM request
                 WHERE (record, request) > (?, ?) AND kind IN ('order.create', 'order.upsert') ORDER BY record, request LIMIT ?`;
    type Row = {
      record: number;
      request: number;
      subject: string;
      state: RequestState;
      into_state: RequestState | null;
    };
    return this.#sql
      .exec<Row>(sql, after.record, after.request, limit)
      .toArray()
      .map(({ subject, state, into_state, ...place }) => ({
        ...place,
        orderRef: orderRefOf(subject),
        state: countedState(state, into_state),
      }));
  }

  request(record: number, request: number): StoredBatchRequest | undefined {
    const sql = 'SELECT * FROM request WHERE record = ? AND request = ?';
    return this.#sql.exec<StoredBatchRequest>(sql, record, request).toArray()[0];
  }

  /**
   * What a row's state is computed from: the state of each of its requests, and `invalid` if something else in it is in
   * error.
   */
  rowStates(record: number): (RequestState | 'invalid')[] {
    const sql = `SELECT state, into_state FROM request WHERE record = ?1
      UNION ALL SELECT 'invalid', NULL FROM record WHERE record = ?1 AND problems IS NOT NULL`;
    return this.#sql
      .exec<{ state: RequestState | 'invalid'; into_state: RequestState | null }>(sql, record)
      .toArray()
      .map(({ state, into_state }) => (state === 'invalid' ? state : followedState(state, into_state)));
  }

  writeOutcome(outcome: RequestOutcome): void {
    this.#sql.exec(
      `UPDATE request SET state = ?3, reason = ?4, outcome = ?5, revision = ?6, attempts = ?7, status = ?8, answer = ?9,
         possible_duplicate = ?10, late = ?11, next_at_ms = ?12, decided_at_ms = ?13, into_batch_id = ?14, into_record = ?15,
         into_request = ?16, into_state = ?17, evidence = ?18, diff = ?19, action = ?20, surprises = ?21 WHERE record = ?1 AND request = ?2`,
      outcome.record,
      outcome.request,
      outcome.state,
      outcome.reason,
      outcome.outcome,
      outcome.revision,
      outcome.attempts,
      outcome.status,
      outcome.answer,
      Number(outcome.possibleDuplicate),
      Number(outcome.late),
      outcome.nextAtMs,
      outcome.decidedAtMs,
      outcome.into?.batchId ?? null,
      outcome.into?.record ?? null,
      outcome.into?.request ?? null,
      outcome.intoState,
      outcome.evidence,
      outcome.diff === null ? null : JSON.stringify(outcome.diff),
      outcome.action,
      outcome.surprises === undefined || outcome.surprises.length === 0 ? null : JSON.stringify(outcome.surprises),
    );
  }

  recordState(record: number): RecordState | undefined {
    const sql = 'SELECT state FROM record WHERE record = ?';
    return this.#sql.exec<{ state: RecordState }>(sql, record).toArray()[0]?.state;
  }

  /** The row that replaces a record, if one does. */
  replacedBy(record: number): RowLocation | null {
    const sql = 'SELECT replaced_by FROM record WHERE record = ?';
    const row = this.#sql.exec<{ replaced_by: string | null }>(sql, record).toArray()[0];
    return row?.replaced_by ? (JSON.parse(row.replaced_by) as RowLocation) : null;
  }

  writeReplacedBy(record: number, by: RowLocation): void {
    this.#sql.exec('UPDATE record SET replaced_by = ? WHERE record = ?', JSON.stringify(by), record);
  }

  /** Marks a row, and those of its group, as delivered by another one. @returns those not marked before. */
  resolve(record: number, by: RowLocation): { record: number; state: RecordState }[] {
    const sql = `UPDATE record SET resolved_by = ?2, replaced_by = CASE record WHEN ?1 THEN coalesce(replaced_by, ?2) ELSE replaced_by END
                 WHERE record IN (SELECT record FROM record WHERE record = ?3 UNION ALL SELECT record FROM record WHERE group_record = ?3)
                   AND resolved_by IS NULL AND state IN (SELECT value FROM json_each(?4)) RETURNING record, state`;
    const correctable = JSON.stringify(CORRECTABLE);
    return this.#sql
      .exec<{ record: number; state: RecordState }>(sql, record, JSON.stringify(by), this.#carrier(record), correctable)
      .toArray();
  }

  /** The record that has the requests of its group. */
  #carrier(record: number): number {
    const sql = 'SELECT coalesce(group_record, record) AS carrier FROM record WHERE record = ?';
    return this.#sql.exec<{ carrier: number }>(sql, record).toArray()[0]?.carrier ?? record;
  }

  /** How many rows point at the requests of a record: itself and the other rows of its group. */
  rowsOfRecord(record: number): number {
    const sql = 'SELECT count(*) AS rows FROM record WHERE group_record = ?';
    return 1 + this.#sql.exec<{ rows: number }>(sql, record).one().rows;
  }

  /** Of a record and of all rows of its group. */
  writeRecordState(record: number, state: RecordState): void {
    this.#sql.exec('UPDATE record SET state = ?1 WHERE record = ?2', state, record);
    this.#sql.exec('UPDATE record SET state = ?1 WHERE group_record = ?2', state, record);
  }

  /** Records after `after` up to `last` in input order, of the given states or of all. */
  records(after: number, limit: number, states: readonly string[] | null, last: number | null = null): StoredRecord[] {
    const sql = `SELECT * FROM record WHERE record > ?1 AND (?4 IS NULL OR record <= ?4) AND (?3 IS NULL OR state IN (SELECT value FROM json_each(?3)))
                 ORDER BY record LIMIT ?2`;
    return this.#sql
      .exec<StoredRecord>(sql, after, limit, states === null ? null : JSON.stringify(states), last)
      .toArray();
  }

  requestsOf(records: readonly number[]): StoredBatchRequest[] {
    const sql = `SELECT request.* FROM json_each(?) AS asked JOIN request ON request.record = asked.value
                 ORDER BY record, request`;
    return this.#sql.exec<StoredBatchRequest>(sql, JSON.stringify(records)).toArray();
  }
}

/** Reads no more than one dispatch step: the rest must not be in memory. */
export function inOneStep<Row extends { body: string }>(rows: Iterable<Row>): Row[] {
  const taken: Row[] = [];
  let characters = 0;
  for (const row of rows) {
    characters += row.body.length;
    if (taken.length > 0 && characters > DISPATCH_CHARACTERS_MAX) break;
    taken.push(row);
  }
  return taken;
}

const recordJson = ({ position, problems, group, replaces, lookedUp }: MappedRow, state: RecordState): string =>
  JSON.stringify([
    position.record,
    position.line,
    position.byteFrom,
    position.byteTo,
    state,
    problems.length > 0 ? JSON.stringify(problems) : null,
    group,
    replaces === undefined ? null : `${replaces.batch}/${replaces.record}`,
    position.place ?? null,
    lookedUp === undefined ? null : JSON.stringify(lookedUp),
  ]);

const requestsJson = ({ position, requests }: MappedRow): string[] =>
  requests.map(({ kind, subject, scac, body }, index) =>
    JSON.stringify([position.record, index + 1, kind, subject, scac, JSON.stringify(body)]),
  );

/** Each load once: a slice has many points of few loads. */
function tracedLoads(rows: readonly MappedRow[]): string[] {
  const traces = rows.flatMap(({ requests }) => requests.filter(({ kind }) => kind === 'trace'));
  return [...new Set(traces.map(({ scac, subject }) => JSON.stringify([scac, subject])))];
}
