/**
 * The Batch's own tables: the ticket, one row per record, one per request, and the running counts.
 *
 * SQL only: nothing here decides. Functions called without an `await` between them are one commit.
 */
import { countedState, followedState, type RecordState, type RequestOutcome } from '../delivery/outcome.ts';
import type { Evidence, RequestState, StateReason } from '../delivery/states.ts';
import { jsonArrays } from '../kernel/json-arrays.ts';
import type { RequestKind } from '../mapping/request.ts';
import { messageOfRecord } from './message-store.ts';
import type { BatchProgress } from './progress.ts';
import type { RowPlace } from './replacing.ts';
import type { MappedRow } from './run.ts';
import type { BatchTicket } from './ticket.ts';

/** A load that got trace points of this batch. */
export type TracedLoad = { scac: string; subject: string };

/** Records and requests per state. Fold of what the rows say, kept as they change. */
export interface Tally {
  records: Partial<Record<RecordState, number>>;
  requests: Partial<Record<RequestState, number>>;
}

export type StoredRecord = {
  record: number;
  line: number;
  byte_from: number;
  byte_to: number;
  /** Where it stands in the format's own words; NULL where lines say enough. */
  place: string | null;
  state: RecordState;
  problems: string | null;
  /** Number of the record that carries the requests of its group; NULL: it stands alone, or carries them itself. */
  group_record: number | null;
  /** `batch/record` of the row it replaces, as the file says. */
  replaces: string | null;
  /** JSON of what was looked up for it; NULL: nothing. */
  looked_up: string | null;
};

export type StoredBatchRequest = {
  record: number;
  request: number;
  kind: RequestKind;
  subject: string;
  scac: string;
  body: string;
  /** Counts from 1; each retry is the next one. */
  generation: number;
  /** When this generation began; null for the first. */
  retried_at_ms: number | null;
  state: RequestState;
  reason: StateReason | null;
  outcome: 'not_applied' | 'unknown' | null;
  /** Only for `delivered`: what shows it. */
  evidence: Evidence | null;
  revision: number;
  attempts: number;
  status: number | null;
  answer: string | null;
  possible_duplicate: number;
  late: number;
  /** The request it travels in or repeats. */
  into_batch_id: string | null;
  into_record: number | null;
  into_request: number | null;
  into_state: RequestState | null;
  next_at_ms: number | null;
  decided_at_ms: number | null;
  /** Of an order's update: JSON of what it changes. */
  diff: string | null;
  /** What the upstream says of an order's operation. */
  action: string | null;
  /** When the message came in which it stands; null or absent: its batch says. */
  accepted_at_ms?: number | null;
  /** Id of the key it came with; null or absent: likewise. */
  uploaded_by?: string | null;
  /** JSON of what was odd about it beside the other events of its load; null: nothing. */
  surprises: string | null;
};

const SCHEMA = `
CREATE TABLE IF NOT EXISTS kept (name TEXT PRIMARY KEY, json TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS record (
  record INTEGER PRIMARY KEY, line INTEGER NOT NULL, byte_from INTEGER NOT NULL, byte_to INTEGER NOT NULL,
  state TEXT NOT NULL, problems TEXT, group_record INTEGER,
  replaces TEXT, replaced_by TEXT, place TEXT, looked_up TEXT
);
CREATE INDEX IF NOT EXISTS record_of_group ON record (group_record) WHERE group_record IS NOT NULL;
CREATE TABLE IF NOT EXISTS request (
  record INTEGER NOT NULL, request INTEGER NOT NULL, kind TEXT NOT NULL, subject TEXT NOT NULL, scac TEXT NOT NULL,
  body TEXT NOT NULL, state TEXT NOT NULL, reason TEXT, outcome TEXT, revision INTEGER NOT NULL DEFAULT 0,
  attempts INTEGER NOT NULL DEFAULT 0, status INTEGER, answer TEXT, possible_duplicate INTEGER NOT NULL DEFAULT 0,
  late INTEGER NOT NULL DEFAULT 0, into_batch_id TEXT, into_record INTEGER, into_request INTEGER, into_state TEXT,
  next_at_ms INTEGER, decided_at_ms INTEGER, evidence TEXT, generation INTEGER NOT NULL DEFAULT 1, retried_at_ms INTEGER, diff TEXT, action TEXT,
  surprises TEXT, PRIMARY KEY (record, request)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS traced_load (scac TEXT NOT NULL, subject TEXT NOT NULL, PRIMARY KEY (scac, subject)) WITHOUT ROWID;
`;

export class BatchStore {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec(SCHEMA);
  }

  #kept<T>(name: string): T | undefined {
    const row = this.#sql.exec<{ json: string }>('SELECT json FROM kept WHERE name = ?', name).toArray()[0];
    return row ? (JSON.parse(row.json) as T) : undefined;
  }

  #keep(name: string, value: unknown): void {
    const sql = 'INSERT INTO kept (name, json) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET json = excluded.json';
    this.#sql.exec(sql, name, JSON.stringify(value));
  }

  ticket = (): BatchTicket | undefined => this.#kept('ticket');
  keepTicket = (ticket: BatchTicket): void => this.#keep('ticket', ticket);
  progress = (): BatchProgress | undefined => this.#kept('progress');
  keepProgress = (progress: BatchProgress): void => this.#keep('progress', progress);
  /** Why the last wake-up failed; null when it went well. */
  trouble = (): string | null => this.#kept('trouble') ?? null;
  keepTrouble = (detail: string | null): void => this.#keep('trouble', detail);
  tally = (): Tally => this.#kept('tally') ?? { records: {}, requests: {} };
  keepTally = (tally: Tally): void => this.#keep('tally', tally);

  /** The whole slice in two statements, each bound to one JSON text below the 2 MB a value may have. */
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

  /** Loads that got trace points and were not told yet that these are all, in the order of SCAC and subject. */
  tracedLoads(limit: number): TracedLoad[] {
    return this.#sql.exec<TracedLoad>('SELECT * FROM traced_load ORDER BY scac, subject LIMIT ?', limit).toArray();
  }

  /** They were told. */
  dropTracedLoads(last: TracedLoad): void {
    this.#sql.exec('DELETE FROM traced_load WHERE (scac, subject) <= (?, ?)', last.scac, last.subject);
  }

  /** The number of the last record that is stored; 0: there is none. */
  lastRecord = (): number =>
    this.#sql.exec<{ last: number }>('SELECT coalesce(max(record), 0) AS last FROM record').one().last;

  /** Whether records behind `after` up to `last` have any. */
  hasRequests(after: number, last: number): boolean {
    const sql = 'SELECT 1 AS found FROM request WHERE record > ? AND record <= ? LIMIT 1';
    return this.#sql.exec(sql, after, last).toArray().length > 0;
  }

  /** Counts of records behind `after` up to `last`. */
  tallyWithin(after: number, last: number): Tally {
    const tally: Tally = { records: {}, requests: {} };
    const within = 'WHERE record > ? AND record <= ?';
    const records = `SELECT state, count(*) AS count FROM record ${within} GROUP BY state`;
    for (const { state, count } of this.#sql.exec<{ state: RecordState; count: number }>(records, after, last))
      tally.records[state] = count;
    const requests = `SELECT state, into_state, count(*) AS count FROM request ${within} GROUP BY state, into_state`;
    type Counted = { state: RequestState; into_state: RequestState | null; count: number };
    for (const { state, into_state, count } of this.#sql.exec<Counted>(requests, after, last)) {
      const counted = countedState(state, into_state);
      tally.requests[counted] = (tally.requests[counted] ?? 0) + count;
    }
    return tally;
  }

  /** The next requests to hand over, in record order. */
  requestsAfter(mark: { record: number; request: number }, limit: number): StoredBatchRequest[] {
    const sql = `SELECT *, ${messageOfRecord('received_at_ms', 'request.record')} AS accepted_at_ms, ${messageOfRecord('uploaded_by', 'request.record')} AS uploaded_by FROM request WHERE (record, request) > (?, ?) ORDER BY record, request LIMIT ?`;
    return this.#sql.exec<StoredBatchRequest>(sql, mark.record, mark.request, limit).toArray();
  }

  request(record: number, request: number): StoredBatchRequest | undefined {
    const sql = 'SELECT * FROM request WHERE record = ? AND request = ?';
    return this.#sql.exec<StoredBatchRequest>(sql, record, request).toArray()[0];
  }

  /** Of each request of a record, the state its row folds from. */
  requestStates(record: number): RequestState[] {
    const sql = 'SELECT state, into_state FROM request WHERE record = ?';
    return this.#sql
      .exec<{ state: RequestState; into_state: RequestState | null }>(sql, record)
      .toArray()
      .map(({ state, into_state }) => followedState(state, into_state));
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
  replacedBy(record: number): RowPlace | null {
    const sql = 'SELECT replaced_by FROM record WHERE record = ?';
    const row = this.#sql.exec<{ replaced_by: string | null }>(sql, record).toArray()[0];
    return row?.replaced_by ? (JSON.parse(row.replaced_by) as RowPlace) : null;
  }

  writeReplacedBy(record: number, by: RowPlace): void {
    this.#sql.exec('UPDATE record SET replaced_by = ? WHERE record = ?', JSON.stringify(by), record);
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

/** Each load once: a slice holds many points of few loads. */
function tracedLoads(rows: readonly MappedRow[]): string[] {
  const traces = rows.flatMap(({ requests }) => requests.filter(({ kind }) => kind === 'trace'));
  return [...new Set(traces.map(({ scac, subject }) => JSON.stringify([scac, subject])))];
}
