/**
 * What an object knows of its slices: which there are, outcomes that their stored form does not have yet, and the rows of
 * those that were read last. All of it can be read again.
 */
import {
  addLater,
  rangeOf,
  rangeOfSlice,
  requestAt,
  rowIn,
  type Slice,
  type SliceRow,
  type StoredOutcome,
} from './slice.ts';

/**
 * Slices whose rows are in memory, of all batches of a process, in characters as a slice counts them. Ours: about ten times
 * that in bytes, of the 128 MB that an object has at most.
 */
const MEMORY_CHARACTERS_MAX = 5 * 1024 * 1024;

/** Those that were read last, of all batches: plain values, which objects may share. */
class RowsRead {
  /** The latest at the end. */
  readonly #read = new Set<ReadSlice>();
  #characters = 0;

  add(read: ReadSlice): void {
    this.#read.add(read);
    this.#characters += read.characters;
    for (const oldest of this.#read) {
      if (this.#characters <= MEMORY_CHARACTERS_MAX || oldest === read) break;
      this.drop(oldest);
    }
  }

  used(read: ReadSlice): void {
    this.#read.delete(read);
    this.#read.add(read);
  }

  drop(read: ReadSlice): void {
    if (this.#read.delete(read)) this.#characters -= read.characters;
    if (read.of.get(read.id) === read) read.of.delete(read.id);
  }
}

/** @property of where its batch finds it, by id. */
interface ReadSlice {
  id: number;
  rows: SliceRow[];
  characters: number;
  of: Map<number, ReadSlice>;
}

const rowsRead = new RowsRead();

export class SliceMemory {
  lastRange = -1;
  /** Number of the last record; 0: none. */
  lastRecord = 0;
  /** Outcomes of the log that their slices do not have yet, by slice. */
  readonly later = new Map<number, Map<string, StoredOutcome>>();
  /** How many those are. */
  outcomes = 0;
  /** By range, in the order of their ids. */
  readonly #ranges = new Map<number, Slice[]>();
  readonly #read = new Map<number, ReadSlice>();

  add(slice: Slice): void {
    const range = rangeOfSlice(slice.id);
    const slices = this.#ranges.get(range);
    if (slices === undefined) this.#ranges.set(range, [slice]);
    else slices.push(slice);
    this.lastRange = Math.max(this.lastRange, range);
    this.lastRecord = Math.max(this.lastRecord, slice.last);
  }

  /** It takes in further rows. */
  change(slice: Slice, now: Slice): void {
    Object.assign(slice, now);
    this.lastRecord = Math.max(this.lastRecord, now.last);
  }

  slice = (id: number): Slice | undefined => this.inRange(rangeOfSlice(id)).find((slice) => slice.id === id);

  inRange = (range: number): readonly Slice[] => this.#ranges.get(range) ?? [];

  /**
   * The slice that has a record. Only where slices of a range reach over each other does one have to be read to know.
   * @param rowsOf reads a slice.
   */
  sliceOf(record: number, rowsOf: (slice: Slice) => readonly SliceRow[]): Slice | undefined {
    const slices = this.inRange(rangeOf(record)).filter(({ first, last }) => first <= record && record <= last);
    if (slices.length <= 1) return slices[0];
    return slices.find((slice) => rowIn(rowsOf(slice), record) !== undefined);
  }

  noteLater(slice: Slice, outcome: StoredOutcome): void {
    const later = this.later.get(slice.id) ?? new Map<string, StoredOutcome>();
    this.later.set(slice.id, later);
    if (!later.has(requestAt(outcome))) this.outcomes += 1;
    addLater(later, [outcome]);
  }

  /** The slices have all outcomes now. */
  forgetLater(): void {
    this.later.clear();
    this.outcomes = 0;
  }

  rowsRead({ id }: Slice): SliceRow[] | undefined {
    const read = this.#read.get(id);
    if (read !== undefined) rowsRead.used(read);
    return read?.rows;
  }

  /** Lets go of the slices that were not read for longest, whichever batch read them. */
  remember({ id, characters }: Slice, rows: SliceRow[]): void {
    const before = this.#read.get(id);
    if (before !== undefined) rowsRead.drop(before);
    const read = { id, rows, characters, of: this.#read };
    this.#read.set(id, read);
    rowsRead.add(read);
  }

  forgetRows(): void {
    for (const read of [...this.#read.values()]) rowsRead.drop(read);
  }
}
