/** Reads records from a slice with their positions; a refused one is pending until its end is found. */
import type { Position } from '../../kernel/problem.ts';
import { textCodec } from '../encoding.ts';
import type { Slices } from '../record-reader.ts';
import { findLineEnd, hexOf, isLineEnd, LF, TextSlice } from '../text-slice.ts';
import type { RefusedRecord } from './checkpoint.ts';
import { EXCERPT_BYTES, type JsonLimits } from './limits.ts';
import { type Parsed, RecordParser, type Refusal, type Stretch } from './parse.ts';
import { type JsonValue, pathText } from './path.ts';
import type { BreakCause, Found, InvalidJson, JsonProblem, JsonRecordProblem, Wanted } from './problems.ts';

/** One record. Its bytes run from its first to its last character. */
export type JsonRecord = { position: Position } & (
  | { value: JsonValue; problem?: never }
  | { value: null; problem: JsonRecordProblem }
);

/** Of a document, and of lines. */
export type JsonSlices<Checkpoint> = Slices<Checkpoint, JsonRecord, JsonProblem, JsonProblem>;

/** What is left of a character of several bytes when the excerpt ends inside it. */
const REPLACEMENT = '\ufffd';

/** Units of one byte each. */
export class JsonSlice extends TextSlice {
  constructor(byteFrom: number, bytes: Uint8Array, atEnd: boolean) {
    super(textCodec('utf-8'), byteFrom, bytes, atEnd);
  }

  /** Enough follows the offset for its excerpt not to depend on where the slice ends. */
  shows(offset: number): boolean {
    return this.atEnd || this.text.length - offset >= EXCERPT_BYTES;
  }

  /** The text at an offset, up to the end of its line, or up to `limit`. A line break at the offset itself is shown. */
  override excerpt(offset: number, limit: number = this.text.length): string {
    const end = Math.min(limit, offset + EXCERPT_BYTES, this.text.length);
    const to = isLineEnd(this.text, offset) ? Math.min(offset + 1, end) : findLineEnd(this.text, offset, end);
    const shown = this.codec.toText(this.text.slice(offset, to));
    const isCut = to === offset + EXCERPT_BYTES && shown.endsWith(REPLACEMENT);
    return isCut ? shown.slice(0, -1) : shown;
  }
}

function countLineFeeds(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to; at++) if (text.charCodeAt(at) === LF) count++;
  return count;
}

/** Counts the lines of a text from its start on; every line end is searched once, however often this is called. */
class LineCounter {
  private readonly text: string;
  private lines: number;
  private nextLineFeed: number;

  /** @param lines that ended before the text begins */
  constructor(text: string, lines: number) {
    this.text = text;
    this.lines = lines;
    this.nextLineFeed = this.find(0);
  }

  /** Lines that ended before `offset`, which must not be smaller than in any call before. */
  endedBefore(offset: number): number {
    while (this.nextLineFeed < offset) {
      this.lines++;
      this.nextLineFeed = this.find(this.nextLineFeed + 1);
    }
    return this.lines;
  }

  private find(from: number): number {
    const at = this.text.indexOf('\n', from);
    return at === -1 ? Number.POSITIVE_INFINITY : at;
  }
}

/* Converts a parser's finding at an offset of a slice into facts about the file: bytes, lines, paths, text. */

/** The first unit of a record and its line, from which the location of a fault is counted. */
interface RecordStart {
  from: number;
  line: number;
}

function recordProblem(
  slice: JsonSlice,
  limits: JsonLimits,
  { from, line: firstLine }: RecordStart,
  refusal: Refusal,
): JsonRecordProblem {
  const { at, reason } = refusal;
  const line = firstLine + countLineFeeds(slice.text, from, at);
  const byte = slice.byteAt(at);
  const path = pathText(refusal.path);
  switch (reason.code) {
    case 'invalid_json':
      return { code: reason.code, byte, line, path, ...faultAt(slice, at, reason.wanted, reason.found) };
    case 'duplicate_key':
      return { code: reason.code, byte, line, path, name: reason.name };
    case 'too_many_members': {
      const countMax = reason.counted === 'members' ? limits.membersMax : limits.itemsMax;
      return { code: reason.code, byte, line, path, counted: reason.counted, countMax };
    }
    case 'value_too_large':
      return { code: reason.code, byte, line, path, bytesMax: limits.valueBytesMax, text: slice.excerpt(at) };
    case 'record_too_large':
      // Its size is not known before its end.
      return { code: reason.code, bytes: 0, bytesMax: limits.recordBytesMax };
    case 'too_deep':
      return { code: reason.code, byte, line, path, depthMax: limits.depthMax };
    case 'bad_encoding':
      return { code: reason.code, byte, line, path, hex: hexOf(slice.text, at, slice.codec), text: slice.excerpt(at) };
    case 'lone_surrogate':
      return { code: reason.code, byte, line, path, text: slice.excerpt(at) };
  }
}

/** The text at an offset where something else is expected. @param line of that offset */
export function breakCause(
  slice: JsonSlice,
  limits: JsonLimits,
  { at, line }: { at: number; line: number },
  wanted: Wanted | 'fewer_levels',
): BreakCause {
  const byte = slice.byteAt(at);
  if (wanted === 'fewer_levels') return { code: 'nested_too_deep', byte, line, depthMax: limits.passedDepthMax };
  const found: Found = at < slice.text.length ? 'text' : 'end_of_file';
  return { code: 'invalid_json', byte, line, path: '', ...faultAt(slice, at, wanted, found) };
}

function faultAt(
  slice: JsonSlice,
  at: number,
  wanted: Wanted,
  found: Found,
): Pick<InvalidJson, 'wanted' | 'found' | 'text'> {
  return { wanted, found, text: found === 'text' ? slice.excerpt(at) : '' };
}

/** Where reading begins: how many records and line feeds were read before the slice. */
interface Before {
  record: number;
  line: number;
}

/** Offsets are looked up in ascending order, so that lines are counted once. */
export class RecordTaker {
  readonly records: JsonRecord[] = [];
  private readonly slice: JsonSlice;
  private readonly limits: JsonLimits;
  private readonly parser: RecordParser;
  private readonly lines: LineCounter;
  private readonly before: number;
  private values = 0;

  constructor(slice: JsonSlice, limits: JsonLimits, { record, line }: Before) {
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

  /** Enough was read from this slice: in memory its records take many times their size in the file. */
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
    // Both ends are final, so that nothing stays undecided.
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

  /** What is stored of a refused record until its end is known. @param single it is there instead of the array */
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
