/** The tables of slices: what was read, and what became of it as far as the log was written to them. SQL only. */
import type { RecordState } from '../../delivery/outcome.ts';
import { packedText, type StoredText, textIn } from '../../kernel/packed-text.ts';
import type { OutcomeStore } from './outcome-store.ts';
import {
  addLater,
  type PackedRead,
  packRead,
  SLICE_CHARACTERS_SMALL,
  type Slice,
  type SliceRow,
  type StoredOutcome,
  unpackOutcomes,
} from './slice.ts';
import type { StoredValues } from './stored-values.ts';

type SliceIndexRow = Omit<Slice, 'states'> & { states: string | null };

const OPEN_SLICE = 'openSlice';

/** @property slice and states as of its row, if it had one. */
interface OpenSlice extends PackedRead {
  id: number;
  slice: Omit<Slice, 'ended' | 'states'>;
  states: string | null;
}

export class SliceTable {
  readonly #sql: SqlStorage;
  readonly #values: StoredValues;
  readonly #outcomesOfSets: OutcomeStore;

  constructor(sql: SqlStorage, values: StoredValues, outcomesOfSets: OutcomeStore) {
    this.#sql = sql;
    this.#values = values;
    this.#outcomesOfSets = outcomesOfSets;
  }

  /** The last slice, while it is small and takes in what follows: each commit writes it with the counts anyway. */
  #openSlice = (): OpenSlice | null => this.#values.get<OpenSlice | null>(OPEN_SLICE) ?? null;

  /** What there are, without their rows, in the order of their ids. */
  *slices(): Generator<Slice> {
    const sql = `SELECT id, first, last, rows, requests, orders, characters, coalesce(ended, 0) AS ended,
                   iif(piece IS NULL, slice.states, slice_outcomes.states) AS states
                 FROM slice LEFT JOIN slice_outcomes ON slice_outcomes.slice = id AND piece = 0 ORDER BY id`;
    for (const { states, ...slice } of this.#sql.exec<SliceIndexRow>(sql)) {
      const known = states === null ? null : new Set(JSON.parse(states) as RecordState[]);
      yield { ...slice, states: known };
    }
    const open = this.#openSlice();
    if (open !== null) yield this.#withEnded(open);
  }

  packedRead(id: number): PackedRead {
    const open = this.#openSlice();
    if (open?.id === id) return open;
    const sql = 'SELECT read_records AS records, read_requests AS requests FROM slice WHERE id = ?';
    const { records, requests } = this.#sql.exec<{ records: StoredText; requests: StoredText }>(sql, id).one();
    return { records: textIn(records), requests: textIn(requests) };
  }

  /** What became of its requests may be written apart from it. */
  #withEnded({ records: _, requests: __, slice, states }: OpenSlice): Slice {
    const sql = 'SELECT ended, states FROM slice_outcomes WHERE slice = ? AND piece = 0';
    const [written] = this.#sql.exec<{ ended: number; states: string | null }>(sql, slice.id).toArray();
    const text = written === undefined ? states : written.states;
    const known = text === null ? null : new Set(JSON.parse(text) as RecordState[]);
    return { ...slice, ended: written?.ended ?? 0, states: known };
  }

  outcomes(slice: number): { outcomes: Map<string, StoredOutcome>; pieces: number } {
    const outcomes = new Map<string, StoredOutcome>();
    let pieces = 0;
    const sql = 'SELECT outcomes FROM slice_outcomes WHERE slice = ?';
    for (const row of this.#sql.exec<{ outcomes: string }>(sql, slice)) {
      pieces += 1;
      addLater(outcomes, unpackOutcomes(row.outcomes));
    }
    return { outcomes, pieces };
  }

  write(slice: Slice, read: readonly SliceRow[], isNew: boolean): void {
    const packed = packRead(read);
    const open = this.#openSlice();
    if (isNew && open !== null) this.#insertSlice(open.slice, open.states, open);
    const { ended: _, states, ...rest } = slice;
    if (slice.characters < SLICE_CHARACTERS_SMALL && (isNew || open?.id === slice.id))
      this.#values.put(OPEN_SLICE, {
        id: slice.id,
        slice: rest,
        states: statesText(states),
        ...packed,
      } satisfies OpenSlice);
    else {
      this.#insertSlice(rest, statesText(states), packed);
      if (open !== null && (isNew || open.id === slice.id)) this.#values.put(OPEN_SLICE, null);
    }
  }

  #insertSlice(
    { id, first, last, rows, requests, orders, characters }: OpenSlice['slice'],
    states: string | null,
    packed: PackedRead,
  ): void {
    this.#sql.exec(
      `INSERT INTO slice (id, first, last, rows, requests, orders, characters, states, read_records, read_requests, sets)
       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
       ON CONFLICT (id) DO UPDATE SET first = ?2, last = ?3, rows = ?4, requests = ?5, orders = ?6, characters = ?7,
         states = ?8, read_records = ?9, read_requests = ?10, sets = coalesce(?11, sets)`,
      ...[id, first, last, rows, requests, orders, characters],
      states,
      packedText(packed.records),
      packedText(packed.requests),
      this.#outcomesOfSets.take(id),
    );
  }

  /** @param pieces texts that the slice's outcomes were stored in. */
  writeOutcomes(slice: Slice, texts: readonly string[], pieces: number): void {
    for (const [piece, text] of texts.entries()) {
      this.#sql.exec(
        `INSERT INTO slice_outcomes (slice, piece, ended, states, outcomes) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT (slice, piece) DO UPDATE SET ended = ?3, states = ?4, outcomes = ?5`,
        ...[slice.id, piece, slice.ended],
        statesText(slice.states),
        text,
      );
    }
    if (texts.length < pieces)
      this.#sql.exec('DELETE FROM slice_outcomes WHERE slice = ? AND piece >= ?', slice.id, texts.length);
  }
}

const statesText = (states: ReadonlySet<RecordState> | null): string | null =>
  states === null ? null : JSON.stringify([...states]);
