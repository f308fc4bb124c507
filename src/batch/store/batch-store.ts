/**
 * What a Batch stores of its rows and of itself: the ticket, its progress, rows and requests with what became of them, and
 * the running counts. SQL only but for what counts as a row's state. What belongs together is stored within one `commit`.
 */

import { countedState, isReportable, type RecordState, type RequestOutcome } from '../../delivery/outcome.ts';
import { jsonArrays } from '../../kernel/json-arrays.ts';
import { NO_USAGE, type Usage, type UsageMeter, usageOfBoth } from '../../kernel/usage.ts';
import { orderRefOf } from '../../mapping/request.ts';
import type { SetsPage, SetsPosition } from '../acknowledgment/file.ts';
import { invalidAt, type MinutePoint, type MinuteTotals, minutesOf, NO_MINUTES, withMinutes } from '../core/minutes.ts';
import { type BatchCheckpoint, type BatchProgress, type IndexCheckpoint, isAfter } from '../core/progress.ts';
import type {
  MadeOrder,
  MadeOrderCursor,
  RowLocation,
  StoredBatchRequest,
  StoredRecord,
  Tally,
  TracedLoad,
} from '../core/row.ts';
import type { RowsQuery } from '../core/row-filter.ts';
import { type MappedRow, tracedLoads } from '../core/run.ts';
import { addTo, CORRECTABLE, countOutcome } from '../core/tally.ts';
import type { BatchTicket } from '../core/ticket.ts';
import type { ErasedRows, ErasedSubject } from './erased.ts';
import { forgetErased } from './forgotten.ts';
import { MessageStore } from './message-store.ts';
import { OldRows } from './old-rows.ts';
import { OutcomeStore, type SetsText } from './outcome-store.ts';
import { replacementOf, resolvedWithin, writeReplacement } from './replacements.ts';
import { type FoundRecords, inOneStep, recordOf, searchRows } from './row-search.ts';
import { RowStore } from './row-store.ts';
import {
  makesOrder,
  outcomeIn,
  outcomeReported,
  requestAt,
  rowStates,
  rowsRead,
  type Slice,
  type SliceRequest,
  type SliceRow,
  type StoredOutcome,
  stateOfRow,
  withOutcome,
} from './slice.ts';
import { type BatchStorage, StoredValues } from './stored-values.ts';
import { undeliveredIn, writeUndelivered } from './undelivered.ts';

export class BatchStore {
  readonly #sql: SqlStorage;
  readonly #meter: Pick<UsageMeter, 'take'> | null;
  readonly #values: StoredValues;
  readonly #outcomes: OutcomeStore;
  readonly #rows: RowStore;
  readonly messages: MessageStore;
  /** Rows of release 0.1: nothing below may be used while some are left. */
  readonly oldRows: OldRows;

  /** @param meter counts what the batch itself uses; absent: nobody wants to know. */
  constructor(storage: BatchStorage, meter: Pick<UsageMeter, 'take'> | null = null) {
    const { sql } = storage;
    this.#sql = sql;
    this.#meter = meter;
    this.#values = new StoredValues(storage, () => {
      this.#rows.forget(); // memory may say what is not stored
      this.messages.forget();
    });
    this.#outcomes = new OutcomeStore(sql, this.#values);
    this.#rows = new RowStore(sql, this.#values, this.#outcomes);
    this.messages = new MessageStore(sql, this.#values);
    this.oldRows = new OldRows(sql, this.#values, this.#rows);
  }

  ticket = (): BatchTicket | undefined => this.#values.get('ticket');
  keepTicket = (ticket: BatchTicket): void => this.#values.put('ticket', ticket);
  progress = (): BatchProgress | undefined => this.#values.get('progress');
  keepProgress = (progress: BatchProgress): void => this.#values.put('progress', progress);
  /** In memory until something is stored: a step that gives the same when it is repeated. */
  noteProgress = (progress: BatchProgress): void => this.#values.note('progress', progress);
  /** Why the last wake-up failed; null when it succeeded. */
  trouble = (): string | null => this.#values.get('trouble') ?? null;
  keepTrouble(detail: string | null): void {
    this.#values.put('trouble', detail);
  }
  /** What the index of batches has of this batch. */
  indexCheckpoint = (): IndexCheckpoint => this.#values.get('indexed') ?? { revision: 0, written: null };
  storeIndexCheckpoint = (mark: IndexCheckpoint): void => this.#values.put('indexed', mark);
  /** From here on it is counted what the batch takes. */
  beginUsage = (): void => this.#values.note('usage', NO_USAGE);
  /** One commit. */
  create(ticket: BatchTicket, progress: () => BatchProgress): void {
    this.commit(() => {
      this.keepTicket(ticket);
      this.beginUsage();
      this.keepProgress(progress());
    });
  }
  /** null: it began before this was counted. */
  usage(): Usage | null {
    this.uses();
    return this.#values.get<Usage>('usage') ?? null;
  }
  /** What a load or an order used, and the batch itself since the last time: in memory until something is stored. */
  uses(reported: Usage = NO_USAGE): void {
    const known = this.#values.get<Usage>('usage');
    if (known === undefined || this.#meter === null) return;
    this.#values.note('usage', usageOfBoth(usageOfBoth(known, this.#meter.take()), reported));
  }
  tally = (): Tally => this.#rows.tally();
  keepTally = (tally: Tally): void => this.#rows.keepTally(tally);
  /** What was delivered and refused by the minute. */
  minutes = (): MinuteTotals => this.#rows.minutes();

  /** All that `work` stores is one commit: all of it, or nothing if it throws. It must not wait for anything. */
  commit<T>(work: () => T): T {
    return this.#values.commit(work);
  }

  /**
   * The rows of one reading step. @param kept what became of its sets. readAtMs: those that never become requests count
   * there; null: they do not. @returns whether the sets are kept with them.
   */
  addRows(
    rows: readonly MappedRow[],
    recordState: (row: MappedRow) => RecordState,
    kept: SetsText | null = null,
    readAtMs: number | null = null,
  ): boolean {
    const read = rowsRead(rows, recordState);
    const invalid = read.rows.filter(({ state }) => state === 'invalid').length;
    if (readAtMs !== null && invalid > 0) this.#rows.keepTally(this.tally(), invalidAt(invalid, readAtMs));
    const isKept = this.#outcomes.keep(kept, () => this.#rows.add(read.rows, read.bodies));
    writeUndelivered(this.#sql, [], read.rows.flatMap(undeliveredIn));
    for (const chunk of jsonArrays(tracedLoads(rows))) {
      this.#sql.exec(
        `INSERT OR IGNORE INTO traced_load (scac, subject) SELECT value->>0, value->>1 FROM json_each(?)`,
        chunk,
      );
    }
    return isKept;
  }

  /**
   * What became of the sets of a message, or of the upload (0). @param after null: from the first one on.
   * @returns null where none are kept: those of a batch that an earlier release began to read, or of groups, or too many.
   */
  setOutcomes(message: number, after: SetsPosition | null): SetsPage | null {
    const { setTexts, erased } = this.progress() ?? {};
    const texts = message === 0 ? setTexts : this.messages.setTexts(message);
    if (texts === undefined || erased !== undefined) return null;
    const before = this.messages.recordsBefore(message) ?? 0;
    return this.#outcomes.page(message, texts, after ?? { texts: 0, slice: this.#rows.lastSliceBefore(before) });
  }

  /** Loads with trace points that were not notified yet that these are all, sorted by SCAC and subject. */
  tracedLoads(limit: number): TracedLoad[] {
    return this.#sql.exec<TracedLoad>('SELECT * FROM traced_load ORDER BY scac, subject LIMIT ?', limit).toArray();
  }

  /** They were notified. */
  dropTracedLoads(last: TracedLoad): void {
    this.#sql.exec('DELETE FROM traced_load WHERE (scac, subject) <= (?, ?)', last.scac, last.subject);
  }

  /* What becomes of requests. */

  /**
   * Changes requests as their subjects report, and the counts with them; what is not news changes nothing.
   * @returns numbers of the rows that are delivered now, or repeat what was.
   */
  move(outcomes: readonly RequestOutcome[]): number[] {
    const tally = this.tally();
    const before = new Map<number, SliceRow>();
    const rows = new Map<number, SliceRow>();
    const latest = new Map<string, StoredOutcome>();
    const delivered = new Set<number>();
    const minutes: MinutePoint[] = [];
    for (const outcome of outcomes) {
      const row = rows.get(outcome.record) ?? this.#rows.row(outcome.record);
      const known = row?.requests.find(({ request }) => request === outcome.request);
      if (row === undefined || known === undefined || !isReportable(outcome, known)) continue;
      const stored = outcomeReported(outcome, known);
      const next = rowWith(row, stored);
      const was = countedState(known.state, known.into_state);
      const counts = { was, outcome, rowWas: stateOfRow(row, row), rowStates: rowStates(next) };
      const state = countOutcome(tally, { ...counts, rows: 1 + row.members.length });
      if (state !== counts.rowWas && (state === 'delivered' || state === 'duplicate'))
        for (const record of [row.record, ...row.members]) delivered.add(record);
      if (!rows.has(row.record)) before.set(row.record, row);
      rows.set(row.record, next);
      latest.set(requestAt(stored), stored);
      minutes.push(...minutesOf(known, stored, outcome.decidedAtMs, this.#tookMs(known, outcome.decidedAtMs)));
    }
    if (latest.size === 0) return [];
    const was = [...before.values()].flatMap(undeliveredIn);
    this.#rows.append([...latest.values()], tally, withMinutes(NO_MINUTES, minutes).points);
    writeUndelivered(this.#sql, was, [...rows.values()].flatMap(undeliveredIn));
    return [...delivered];
  }

  /** From when it came in, or was begun again. @returns null: that is not known. */
  #tookMs({ record, retried_at_ms }: SliceRequest, atMs: number): number | null {
    const isShared = this.progress()?.message !== undefined;
    const receivedAtMs = isShared
      ? this.messages.holding(record, record)[0]?.receivedAtMs
      : this.ticket()?.receivedAtMs;
    const fromMs = retried_at_ms ?? receivedAtMs;
    return fromMs === undefined ? null : Math.max(0, atMs - fromMs);
  }

  /** Begins the next generation of requests; the caller moves them to their new state. */
  raise(requests: readonly BatchCheckpoint[], retriedAtMs: number): void {
    const raised = requests.flatMap((at): StoredOutcome[] => {
      const known = this.#request(at);
      if (known === undefined) return [];
      return [{ ...outcomeIn(known), generation: known.generation + 1, revision: -1, retried_at_ms: retriedAtMs }];
    });
    this.#rows.append(raised, this.tally());
  }

  /* Reading rows and requests. */

  /** Number of the last record stored; 0: none. */
  lastRecord = (): number => this.#rows.lastRecord();

  /** Whether records after `after` up to `last` have any. */
  hasRequests(after: number, last: number): boolean {
    for (const { record } of this.#requests({ record: after, request: Number.POSITIVE_INFINITY }))
      return record <= last;
    return false;
  }

  /** Requests after one of them, in record order. @param wanted slices that need not be read are passed over. */
  *#requests(after: BatchCheckpoint, wanted: (slice: Slice) => boolean = () => true): Generator<SliceRequest> {
    const slices = (slice: Slice): boolean => slice.requests > 0 && wanted(slice);
    for (const { record, requests } of this.#rows.rows(after.record - 1, slices)) {
      for (const request of requests) if (record > after.record || request.request > after.request) yield request;
    }
  }

  *#withBodies(requests: Iterable<SliceRequest>): Generator<StoredBatchRequest> {
    for (const request of requests) yield this.#rows.withBody(request);
  }

  /** Counts of records after `after` up to `last`. */
  tallyWithin(after: number, last: number): Tally {
    const tally: Tally = { records: {}, requests: {} };
    const resolved: NonNullable<Tally['resolved']> = {};
    const replacements = resolvedWithin(this.#sql, after, last);
    for (const row of this.#rows.rows(after)) {
      if (row.record > last) break;
      const state = this.#rows.stateOf(row);
      addTo(tally.records, state, 1);
      if (replacements.has(row.record)) addTo(resolved, state, 1);
      for (const request of row.requests) addTo(tally.requests, countedState(request.state, request.into_state), 1);
    }
    return replacements.size === 0 ? tally : { ...tally, resolved };
  }

  /** The next requests to dispatch, in record order, with as many characters as fit in one step. */
  requestsAfter(after: BatchCheckpoint, limit: number): StoredBatchRequest[] {
    const found = inOneStep(this.#withBodies(this.#requests(after)), limit);
    const [first, last] = [found.at(0), found.at(-1)];
    if (first === undefined || last === undefined) return [];
    const messages = this.messages.holding(first.record, last.record);
    if (messages.length === 0) return found;
    let at = 0; // requests come in order
    return found.map((request) => {
      while ((messages[at + 1]?.recordsBefore ?? Number.POSITIVE_INFINITY) < request.record) at += 1;
      const message = messages[at];
      return { ...request, accepted_at_ms: message?.receivedAtMs ?? null, uploaded_by: message?.uploadedBy ?? null };
    });
  }

  /** Requests after `after` up to `last`, in record order. */
  requestsWithin(after: BatchCheckpoint, last: BatchCheckpoint, limit: number): SliceRequest[] {
    const found: SliceRequest[] = [];
    for (const request of this.#requests(after)) {
      if (found.length >= limit || isAfter(request, last)) break;
      found.push(request);
    }
    return found;
  }

  /** The same of those that match, where all requests of a slice may have ended, with as many characters as fit. */
  openWithin(
    after: BatchCheckpoint,
    last: BatchCheckpoint,
    isWanted: (request: SliceRequest) => boolean,
    limit: number,
  ): StoredBatchRequest[] {
    const open = this.#requests(after, ({ ended, requests }) => ended < requests);
    return inOneStep(this.#withBodies(matching(open, last, isWanted)), limit);
  }

  madeOrders(after: MadeOrderCursor, limit: number): MadeOrder[] {
    const found: MadeOrder[] = [];
    for (const made of this.#requests(after, ({ orders }) => orders > 0)) {
      if (found.length >= limit) break;
      if (!makesOrder(made)) continue;
      const { record, request, subject, state, into_state } = made;
      found.push({ record, request, orderRef: orderRefOf(subject), state: countedState(state, into_state) });
    }
    return found;
  }

  #request({ record, request }: BatchCheckpoint): SliceRequest | undefined {
    return this.#rows.row(record)?.requests.find((each) => each.request === request);
  }

  request(record: number, request: number): StoredBatchRequest | undefined {
    const found = this.#request({ record, request });
    return found && this.#rows.withBody(found);
  }

  /** A record as it was read, with its requests. */
  row = (record: number): SliceRow | undefined => this.#rows.row(record);

  recordState(record: number): RecordState | undefined {
    const row = this.#rows.row(record);
    return row && this.#rows.stateOf(row);
  }

  /** Number of the record that has the requests of its group; its own without one. */
  carrierOf = (record: number): number => this.#rows.row(record)?.group_record ?? record;

  /** Numbers of all records of its group, the carrier first; none: there is no such record. */
  groupOf = (record: number): number[] => {
    const carrier = this.#rows.row(this.carrierOf(record));
    return carrier === undefined ? [] : [carrier.record, ...carrier.members];
  };

  /** Records after `after` up to `last` in input order, of the given states or of all. */
  records(after: number, limit: number, states: readonly string[] | null, last: number | null = null): StoredRecord[] {
    const found: StoredRecord[] = [];
    if (states !== null && this.#hasNone(states)) return found;
    const mayHave = ({ states: known }: Slice): boolean =>
      states === null || known === null || states.some((state) => known.has(state as RecordState));
    for (const row of this.#rows.rows(after, mayHave)) {
      if (found.length >= limit || (last !== null && row.record > last)) break;
      const state = this.#rows.stateOf(row);
      if (states === null || states.includes(state)) found.push(recordOf(row, state));
    }
    return this.#withResolved(found);
  }

  /** Looks for rows, but through so many only. */
  find(asked: RowsQuery): FoundRecords {
    if (asked.filter.states !== null && this.#hasNone(asked.filter.states)) return { records: [], lookedTo: null };
    const { records, lookedTo } = searchRows(this.#rows, asked);
    return { records: this.#withResolved(records), lookedTo };
  }

  /** Those of these numbers that there are. */
  recordsAt(numbers: readonly number[]): StoredRecord[] {
    const rows = numbers.toSorted((one, other) => one - other).flatMap((number) => this.#rows.row(number) ?? []);
    return this.#withResolved(rows.map((row) => recordOf(row, this.#rows.stateOf(row))));
  }

  #withResolved(found: StoredRecord[]): StoredRecord[] {
    const [first, last] = [found.at(0), found.at(-1)];
    if (first === undefined || last === undefined) return found;
    const resolved = resolvedWithin(this.#sql, first.record - 1, last.record);
    return resolved.size === 0
      ? found
      : found.map((record) => ({ ...record, resolved_by: resolved.get(record.record) ?? null }));
  }

  #hasNone(states: readonly string[]): boolean {
    const { records } = this.tally();
    return states.every((state) => records[state as RecordState] === undefined);
  }

  erasable = (of: ErasedSubject): ErasedRows => this.#rows.erasable(of);

  /** Takes out what the rows of a load or order say. They are not sent again, and not listed as undelivered. */
  erase(of: ErasedSubject): void {
    this.#outcomes.forget();
    forgetErased(this.#sql, this.#rows.erase(of));
  }

  requestsOf(records: readonly number[]): StoredBatchRequest[] {
    const requests = records
      .toSorted((one, other) => one - other)
      .flatMap((record) => this.#rows.row(record)?.requests ?? []);
    return [...this.#withBodies(requests)];
  }

  /* Rows in whose place others are sent. */

  /** The row that replaces a record, if one does. */
  replacedBy = (record: number): RowLocation | null => {
    const by = replacementOf(this.#sql, record)?.replaced_by ?? null;
    return by === null ? null : (JSON.parse(by) as RowLocation);
  };

  /** The same, or the row that replaces its group, under whichever of its rows that came; not another of the same batch. */
  replacedInGroup(record: number, by: RowLocation): RowLocation | null {
    const known = this.groupOf(record).flatMap((each) => this.replacedBy(each) ?? []);
    return this.replacedBy(record) ?? known.find(({ batchId }) => batchId !== by.batchId) ?? null;
  }

  /** Its group goes with it: nothing of that is sent again. */
  writeReplacedBy(record: number, by: RowLocation): void {
    const carrier = this.carrierOf(record);
    const rows = this.replacedBy(carrier) === null ? new Set([record, carrier]) : [record];
    for (const each of rows) writeReplacement(this.#sql, each, by);
  }

  /** Marks a row, and those of its group, as delivered by another one. @returns those not marked before. */
  resolve(record: number, by: RowLocation): { record: number; state: RecordState }[] {
    const marked: { record: number; state: RecordState }[] = [];
    for (const each of this.groupOf(record)) {
      const state = this.recordState(each);
      const known = replacementOf(this.#sql, each);
      if (state === undefined || !CORRECTABLE.includes(state) || (known?.resolved_by ?? null) !== null) continue;
      const text = JSON.stringify(by);
      const replacedBy = known?.replaced_by ?? (each === record ? text : null);
      const sql = 'INSERT OR REPLACE INTO replacement (record, replaced_by, resolved_by) VALUES (?, ?, ?)';
      this.#sql.exec(sql, each, replacedBy, text);
      marked.push({ record: each, state });
    }
    return marked;
  }
}

const rowWith = (row: SliceRow, outcome: StoredOutcome): SliceRow => ({
  ...row,
  requests: row.requests.map((request) =>
    request.request === outcome.request ? withOutcome(request, outcome) : request,
  ),
});

function* matching(
  requests: Iterable<SliceRequest>,
  last: BatchCheckpoint,
  isWanted: (request: SliceRequest) => boolean,
): Generator<SliceRequest> {
  for (const request of requests) {
    if (isAfter(request, last)) return;
    if (isWanted(request)) yield request;
  }
}
