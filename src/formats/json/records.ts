/** Takes records off a slice and keeps them with their positions; those that are refused wait until their end is found. */
import type { RefusedRecord } from './checkpoint.ts';
import { recordProblem } from './facts.ts';
import type { JsonLimits } from './limits.ts';
import { type Parsed, RecordParser, type Refusal, type Stretch } from './parse.ts';
import type { JsonRecordProblem } from './problems.ts';
import type { JsonRecord, JsonValue } from './record.ts';
import { LineCounter, type Slice } from './slice.ts';

/** Where reading begins: how many records and line feeds were read before the slice. */
interface Before {
  record: number;
  line: number;
}

/** Offsets are asked for in ascending order, so that lines are counted once. */
export class RecordTaker {
  readonly records: JsonRecord[] = [];
  private readonly slice: Slice;
  private readonly limits: JsonLimits;
  private readonly parser: RecordParser;
  private readonly lines: LineCounter;
  private readonly before: number;
  private values = 0;

  constructor(slice: Slice, limits: JsonLimits, { record, line }: Before) {
    this.slice = slice;
    this.limits = limits;
    this.parser = new RecordParser(slice.text, slice.codec, limits);
    this.lines = new LineCounter(slice.text, line);
    this.before = record;
  }

  /** Records of the file so far. */
  get count(): number {
    return this.before + this.records.length;
  }

  /** Enough was taken off this slice: what its records hold in memory is many times their size in the file. */
  get isFull(): boolean {
    return this.records.length + this.values >= this.limits.sliceValuesMax;
  }

  linesBefore(offset: number): number {
    return this.lines.endedBefore(offset);
  }

  /** Parses the value at an offset, which may be as long as a record. */
  parse(from: number): Parsed {
    const { slice } = this;
    const parsed = this.parser.parse(this.stretch(from));
    return parsed.kind === 'refused' && !slice.shows(parsed.refusal.at) ? { kind: 'more' } : parsed;
  }

  private stretch(from: number): Stretch {
    const { text, atEnd } = this.slice;
    const limit = from + this.limits.recordBytesMax;
    if (limit <= text.length) return { from, limit, ends: 'record_too_large' };
    return { from, limit: text.length, ends: atEnd ? 'end_of_file' : 'more' };
  }

  /** Parses the value that begins a whole line. */
  parseLine(stretch: Stretch & { ends: 'end_of_file' | 'end_of_line' }): Exclude<Parsed, { kind: 'more' }> {
    const parsed = this.parser.parse(stretch);
    // Both ends are final, so that nothing is left undecided.
    if (parsed.kind === 'more') throw new Error('a whole line cannot be too short');
    return parsed;
  }

  keep(from: number, to: number, value: JsonValue): void {
    const { slice } = this;
    const line = this.linesBefore(from) + 1;
    const byteFrom = slice.byteAt(from);
    const position = { record: this.count + 1, line, byteFrom, byteTo: slice.byteAt(to) };
    if (value.kind === 'object') {
      this.values += this.parser.values;
      this.records.push({ position, value });
      return;
    }
    const text = slice.excerpt(from, to);
    const problem: JsonRecordProblem = { code: 'not_an_object', byte: byteFrom, line, found: value.kind, text };
    this.records.push({ position, value: null, problem });
  }

  /** What a refused record is kept with, once its end is known. @param single it stands in the place of the array */
  refuse(from: number, refusal: Refusal, single: boolean): RefusedRecord {
    const line = this.linesBefore(from) + 1;
    const problem = recordProblem(this.slice, this.limits, { from, line }, refusal);
    return { byteFrom: this.slice.byteAt(from), line, single, problem };
  }

  /** @param to offset of its end */
  keepRefused({ byteFrom, line, problem }: Omit<RefusedRecord, 'single'>, to: number): void {
    const byteTo = this.slice.byteAt(to);
    const position = { record: this.count + 1, line, byteFrom, byteTo };
    const bytes = byteTo - byteFrom;
    const whole = problem.code === 'record_too_large' ? { ...problem, bytes } : problem;
    this.records.push({ position, value: null, problem: whole });
  }
}
