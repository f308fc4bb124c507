/**
 * The rows of a batch and what became of their requests. Rows are stored slice by slice; outcomes are appended to a log
 * of few entries, one per report, and written to their slices when it is full. SQL and memory only: nothing here
 * decides.
 *
 * An entry of the log has all that its commit changes: outcomes, counts, and how many requests of a slice have ended. So
 * counts and outcomes of the stored state are those of the last entry, or of the last time the log was written to the
 * slices, whichever is later. Its rows are used again in a ring: nothing is deleted.
 */
import type { RecordState } from '../../delivery/outcome.ts';
import { jsonArrays } from '../../kernel/json-arrays.ts';
import { type MinutePoint, type MinuteTotals, NO_MINUTES, withMinutes } from '../core/minutes.ts';
import type { StoredBatchRequest, Tally } from '../core/row.ts';
import {
  ERASED_BODY,
  type ErasedRows,
  type ErasedSubject,
  erasedAmong,
  type IsErased,
  isOf,
  withoutAnswer,
  withoutContent,
} from './erased.ts';
import type { OutcomeStore } from './outcome-store.ts';
import {
  addLater,
  charactersOf,
  describeSlice,
  firstSliceOf,
  hasBody,
  hasEnded,
  inOrder,
  isUntried,
  type LongBody,
  outcomeIn,
  packOutcomes,
  rangeOf,
  requestAt,
  rowIn,
  SLICE_CHARACTERS_SMALL,
  type Slice,
  type SliceRequest,
  type SliceRow,
  type StoredOutcome,
  slicedRows,
  stateOfRow,
  statesIn,
  unpackOutcomes,
  unpackRead,
  withOutcome,
} from './slice.ts';
import { SliceMemory } from './slice-memory.ts';
import { SliceTable } from './slice-table.ts';
import type { StoredValues } from './stored-values.ts';

/**
 * Entries of the outcome log. Ours: all are read at every start. It is in what is stored, too: with a greater number,
 * entries that are still needed would be overwritten.
 */
const LOG_ENTRIES_MAX = 128;
/** Outcomes of the log, which are in memory. Ours: a few megabytes. */
const LOG_OUTCOMES_MAX = 20_000;
/** @property logged the counts include the log up to this entry; written: the slices do. */
interface StoredCounts {
  tally: Tally;
  minutes: MinuteTotals;
  logged: number;
  written: number;
}

/** @property tally after the entry; minutes what the entry adds; ended by slice, after the entry. */
interface LoggedCounts {
  tally: Tally;
  minutes: readonly MinutePoint[];
  ended: [slice: number, ended: number][];
}

interface Loaded {
  slices: SliceMemory;
  counts: StoredCounts;
}

type LogEntry = { n: number; counts: string; outcomes: string };

const ANY_SLICE = (_: Slice): boolean => true;
const NO_COUNTS: Tally = { records: {}, requests: {} };

export class RowStore {
  readonly #sql: SqlStorage;
  readonly #values: StoredValues;
  readonly #table: SliceTable;
  #loaded: Loaded | undefined;

  constructor(sql: SqlStorage, values: StoredValues, outcomesOfSets: OutcomeStore) {
    this.#sql = sql;
    this.#values = values;
    this.#table = new SliceTable(sql, values, outcomesOfSets);
  }

  get #known(): Loaded {
    this.#loaded ??= this.#load();
    return this.#loaded;
  }

  #load(): Loaded {
    const slices = new SliceMemory();
    for (const slice of this.#table.slices()) slices.add(slice);
    return { slices, counts: this.#loadLog(slices, this.#storedCounts()) };
  }

  /** `tally`: the counts alone, as release 0.1 stored them. */
  #storedCounts(): StoredCounts {
    const stored = this.#values.get<StoredCounts>('counts');
    if (stored !== undefined) return stored;
    return { tally: this.#values.get<Tally>('tally') ?? NO_COUNTS, minutes: NO_MINUTES, logged: 0, written: 0 };
  }

  #loadLog(slices: SliceMemory, stored: StoredCounts): StoredCounts {
    let now = stored;
    const sql = 'SELECT n, counts, outcomes FROM outcome_log WHERE n > ? ORDER BY n';
    for (const { n, counts, outcomes } of this.#sql.exec<LogEntry>(sql, stored.written).toArray()) {
      const { tally, minutes, ended } = JSON.parse(counts) as LoggedCounts;
      if (n > stored.logged) now = { ...now, tally, minutes: withMinutes(now.minutes, minutes), logged: n };
      for (const [id, count] of ended) {
        const slice = slices.slice(id);
        if (slice !== undefined) slices.change(slice, { ...slice, ended: count, states: null });
      }
      for (const outcome of unpackOutcomes(outcomes)) {
        const slice = this.#sliceOf(slices, outcome.record);
        if (slice !== undefined) slices.noteLater(slice, outcome);
      }
    }
    slices.forgetRows(); // read without the entries that came after
    return now;
  }

  /* Reading. */

  /** Number of the last record stored; 0: none. */
  lastRecord = (): number => this.#known.slices.lastRecord;

  row(record: number): SliceRow | undefined {
    const { slices } = this.#known;
    const slice = this.#sliceOf(slices, record);
    return slice && rowIn(this.#rowsOf(slices, slice), record);
  }

  /** Number of the last slice written before any record after this one. */
  lastSliceBefore(record: number): number {
    const range = rangeOf(Math.max(1, record));
    const holder = this.#known.slices.inRange(range).find(({ last }) => last >= record);
    return (holder?.id ?? firstSliceOf(range)) - 1;
  }

  #sliceOf = (slices: SliceMemory, record: number): Slice | undefined =>
    slices.sliceOf(record, (slice) => this.#rowsOf(slices, slice));

  /**
   * Rows after one of them in the order of their numbers, read as they are needed.
   * @param wanted slices that need not be read are passed over. last range that is read.
   */
  *rows(after: number, wanted = ANY_SLICE, last = Number.POSITIVE_INFINITY): Generator<SliceRow, undefined> {
    const { slices } = this.#known;
    for (let range = rangeOf(after + 1); range <= Math.min(last, slices.lastRange); range += 1) {
      const found = slices.inRange(range).filter((slice) => slice.last > after && wanted(slice));
      const waiting = found.sort((one, other) => one.first - other.first);
      let rows: SliceRow[] = [];
      let at = 0;
      for (;;) {
        const next = waiting[0];
        const row = rows[at];
        if (next !== undefined && (row === undefined || next.first < row.record)) {
          waiting.shift();
          rows = inOrder(rows.slice(at), this.#rowsOf(slices, next));
          at = 0;
        } else if (row === undefined) break;
        else {
          at += 1;
          if (row.record > after) yield row;
        }
      }
    }
    return undefined;
  }

  /** The row that has the requests of a row's group, or the row itself. */
  carrierOf = (row: SliceRow): SliceRow => (row.group_record === null ? row : (this.row(row.group_record) ?? row));

  stateOf = (row: SliceRow): RecordState => stateOfRow(row, this.carrierOf(row));

  withBody(request: SliceRequest): StoredBatchRequest {
    if (hasBody(request)) return request;
    const sql = 'SELECT body FROM long_body WHERE record = ? AND request = ?';
    const { body } = this.#sql.exec<{ body: string }>(sql, request.record, request.request).one();
    return { ...request, body };
  }

  #rowsOf(slices: SliceMemory, slice: Slice): SliceRow[] {
    const known = slices.rowsRead(slice);
    if (known !== undefined) return known;
    const read = this.#table.packedRead(slice.id);
    const outcomes = this.#table.outcomes(slice.id).outcomes;
    addLater(outcomes, slices.later.get(slice.id)?.values() ?? []);
    const rows = unpackRead(read, outcomes);
    slices.remember(slice, rows);
    return rows;
  }

  /** A copy, which the caller may change. */
  tally(): Tally {
    const { records, requests, resolved } = this.#known.counts.tally;
    return {
      records: { ...records },
      requests: { ...requests },
      ...(resolved === undefined ? {} : { resolved: { ...resolved } }),
    };
  }

  minutes = (): MinuteTotals => this.#known.counts.minutes;

  keepTally(tally: Tally, added: readonly MinutePoint[] = []): void {
    const { counts } = this.#known;
    this.#keepCounts({ ...counts, tally, minutes: withMinutes(counts.minutes, added) });
  }

  #keepCounts(counts: StoredCounts): void {
    this.#values.put('counts', counts);
    this.#known.counts = counts;
  }

  /* Writing. */

  /** Rows that are stored already are left as they are. */
  add(read: readonly SliceRow[], bodies: readonly LongBody[]): void {
    const texts = bodies.map(({ record, request, body }) => JSON.stringify([record, request, body]));
    for (const chunk of jsonArrays(texts)) {
      this.#sql.exec(
        `INSERT OR IGNORE INTO long_body (record, request, body)
         SELECT value->>0, value->>1, value->>2 FROM json_each(?)`,
        chunk,
      );
    }
    const { slices } = this.#known;
    const rows = read.filter(({ record }) => record > slices.lastRecord || this.row(record) === undefined);
    for (const slice of slicedRows(rows)) this.#addSlice(slices, slice);
  }

  #addSlice(slices: SliceMemory, rows: SliceRow[]): void {
    const range = rangeOf(rows[0]?.record ?? 1);
    const before = slices.inRange(range).at(-1);
    if (before === undefined || before.characters >= SLICE_CHARACTERS_SMALL) {
      const slice = describeSlice(before === undefined ? firstSliceOf(range) : before.id + 1, rows);
      this.#table.write(slice, rows, true);
      slices.add(slice);
      slices.remember(slice, rows);
      return;
    }
    const all = inOrder(this.#rowsOf(slices, before), rows);
    const slice = describeSlice(before.id, all);
    this.#table.write(slice, all, false);
    if (before.states !== null) this.#sql.exec('UPDATE slice_outcomes SET states = NULL WHERE slice = ?', before.id);
    slices.change(before, slice);
    slices.remember(before, all);
  }

  /** Stores outcomes and the counts after them; one commit. They are the latest of their requests. */
  append(outcomes: readonly StoredOutcome[], tally: Tally, minutes: readonly MinutePoint[] = []): void {
    const { slices, counts } = this.#known;
    const ended = new Map<number, number>();
    try {
      for (const outcome of outcomes) {
        const slice = this.#sliceOf(slices, outcome.record);
        if (slice !== undefined && this.#apply(slices, slice, outcome)) ended.set(slice.id, slice.ended);
      }
      const entries = packOutcomes(outcomes);
      const unwritten = counts.logged - counts.written + entries.length;
      if (unwritten > LOG_ENTRIES_MAX || slices.outcomes > LOG_OUTCOMES_MAX) this.#writeLog(slices, tally, minutes);
      else this.#log(entries, { tally, minutes, ended: [...ended] });
    } catch (thrown) {
      this.forget(); // it may say what is not stored
      throw thrown;
    }
  }

  /** What is known is read again. */
  forget(): void {
    this.#loaded = undefined;
  }

  /** Requests are replaced and not changed, so that what was read before stays as it was. */
  #apply(slices: SliceMemory, slice: Slice, outcome: StoredOutcome): boolean {
    const row = rowIn(this.#rowsOf(slices, slice), outcome.record);
    const at = row?.requests.findIndex(({ request }) => request === outcome.request) ?? -1;
    const known = row?.requests[at];
    if (row === undefined || known === undefined) return false;
    row.requests[at] = withOutcome(known, outcome);
    const ended = slice.ended + Number(hasEnded(outcome)) - Number(hasEnded(known));
    slices.change(slice, { ...slice, ended, states: null });
    slices.noteLater(slice, outcome);
    return true;
  }

  #log(entries: readonly string[], counts: LoggedCounts): void {
    const known = this.#known;
    for (const [index, outcomes] of entries.entries()) {
      const n = known.counts.logged + 1;
      const minutes = index === 0 ? counts.minutes : [];
      this.#sql.exec(
        `INSERT INTO outcome_log (slot, n, counts, outcomes) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (slot) DO UPDATE SET n = ?2, counts = ?3, outcomes = ?4`,
        n % LOG_ENTRIES_MAX,
        n,
        JSON.stringify({ ...counts, minutes } satisfies LoggedCounts),
        outcomes,
      );
      const all = withMinutes(known.counts.minutes, minutes);
      known.counts = { ...known.counts, tally: counts.tally, minutes: all, logged: n };
    }
  }

  /** Outcomes of the log → their slices. The entries stay until their rows are used again; they say nothing more. */
  #writeLog(slices: SliceMemory, tally: Tally, minutes: readonly MinutePoint[]): void {
    for (const [id, later] of slices.later) {
      const slice = slices.slice(id);
      if (slice === undefined) continue;
      const { outcomes, pieces } = this.#table.outcomes(id);
      addLater(outcomes, later.values());
      this.#writeOutcomes(slice, outcomes.values(), pieces);
    }
    const { logged, minutes: before } = this.#known.counts;
    this.#keepCounts({ tally, minutes: withMinutes(before, minutes), logged, written: logged });
    slices.forgetLater();
  }

  /** @param pieces texts that the slice's outcomes were stored in. */
  #writeOutcomes(slice: Slice, outcomes: Iterable<StoredOutcome>, pieces: number): void {
    const { slices } = this.#known;
    const rows = slices.rowsRead(slice);
    slices.change(slice, { ...slice, states: rows === undefined ? null : statesIn(rows) }); // not read only for that
    this.#table.writeOutcomes(slice, packOutcomes(outcomes), pieces);
  }

  /* Taking content out, on request. */

  erasable = (of: ErasedSubject): ErasedRows => erasedAmong(this.rows(0), of);

  /** Takes out what requests and their rows say; what became of them stays. The log goes, too: it has their answers. */
  erase(of: ErasedSubject): ErasedRows {
    const { slices, counts } = this.#known;
    this.#writeLog(slices, counts.tally, []);
    this.#sql.exec('DELETE FROM outcome_log');
    const erased = this.erasable(of);
    const ids = new Set([...erased.records].map((record) => this.#sliceOf(slices, record)?.id));
    for (const id of ids) {
      const slice = id === undefined ? undefined : slices.slice(id);
      if (slice !== undefined) this.#eraseIn(slices, slice, isOf(of), erased);
    }
    return erased;
  }

  #eraseIn(slices: SliceMemory, slice: Slice, isErased: IsErased, erased: ErasedRows): void {
    const before = this.#rowsOf(slices, slice);
    const rows = before.map((row) => withoutContent(row, isErased, erased));
    const now = { ...slice, characters: charactersOf(rows) };
    this.#table.write(now, rows, false);
    const { outcomes, pieces } = this.#table.outcomes(slice.id);
    for (const request of before.flatMap(({ requests }) => requests).filter(isErased)) {
      const outcome = outcomes.get(requestAt(request));
      if (outcome !== undefined) outcomes.set(requestAt(request), withoutAnswer(outcome));
      const sql = 'UPDATE long_body SET body = ? WHERE record = ? AND request = ?';
      if (request.body === null) this.#sql.exec(sql, ERASED_BODY, request.record, request.request);
    }
    slices.change(slice, now);
    slices.remember(slice, rows);
    if (pieces > 0) this.#writeOutcomes(slice, outcomes.values(), pieces);
  }

  /** Rows of release 0.1 with what became of their requests. */
  addOld(rows: readonly SliceRow[], bodies: readonly LongBody[]): void {
    this.add(rows, bodies);
    const { slices } = this.#known;
    const touched = new Map<Slice, StoredOutcome[]>();
    for (const { record, requests } of rows) {
      const slice = this.#sliceOf(slices, record);
      const tried = requests.map(outcomeIn).filter((outcome) => !isUntried(outcome));
      if (slice !== undefined && tried.length > 0) touched.set(slice, [...(touched.get(slice) ?? []), ...tried]);
    }
    for (const [slice, added] of touched) {
      const { outcomes, pieces } = this.#table.outcomes(slice.id);
      addLater(outcomes, added);
      slices.change(slice, { ...slice, ended: [...outcomes.values()].filter(hasEnded).length });
      this.#writeOutcomes(slice, outcomes.values(), pieces);
    }
  }
}
