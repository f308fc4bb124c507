/**
 * Reads NDJSON, one JSON object on each line, slice by slice into records with exact positions.
 *
 * Every line is independent: a bad one costs that record only. Lines end at LF; a CR before it, blanks around the
 * record and blank lines belong to no record. Records, positions and problems do not depend on where a slice ends.
 * Pure: no clock, no I/O.
 */
import { CR } from '../text-slice.ts';
import { isBlank, OPEN_ARRAY, OPEN_OBJECT, skipBlanks } from './characters.ts';
import type { NdjsonCheckpoint } from './checkpoint.ts';
import { JSON_LIMITS, type JsonLimits } from './limits.ts';
import { sniffJson } from './opening.ts';
import type { Parsed, Reason, Refusal, Stretch } from './parse.ts';
import type { JsonProblem } from './problems.ts';
import { JsonSlice, type JsonSlices, RecordTaker } from './records.ts';

/** @returns what reads the slices; `JSON_SLICE_BYTES_ENOUGH` bytes never give `more`. */
export const ndjsonSlices =
  (limits: JsonLimits = JSON_LIMITS): JsonSlices<NdjsonCheckpoint> =>
  (checkpoint, bytes, atEnd) => {
    const reader = new LineReader(new JsonSlice(checkpoint.byte, bytes, atEnd), limits, checkpoint);
    if (checkpoint.byte > 0) return reader.read(0);
    if (!atEnd && bytes.byteLength < limits.sniffBytes) return { outcome: 'more' };
    const sniffed = sniffJson(bytes.subarray(0, limits.sniffBytes));
    return sniffed.ok ? reader.read(sniffed.value) : { outcome: 'unreadable', problems: [sniffed.error] };
  };

class LineReader {
  private readonly slice: JsonSlice;
  private readonly limits: JsonLimits;
  private readonly taker: RecordTaker;
  private overlongFrom: number | null;
  /** Offset in the slice. */
  private at = 0;
  private unreadable: JsonProblem | null = null;

  constructor(slice: JsonSlice, limits: JsonLimits, checkpoint: NdjsonCheckpoint) {
    this.slice = slice;
    this.limits = limits;
    this.taker = new RecordTaker(slice, limits, checkpoint);
    this.overlongFrom = checkpoint.overlongFrom;
  }

  read(at: number): ReturnType<JsonSlices<NdjsonCheckpoint>> {
    const { slice, taker } = this;
    this.at = at;
    let moved = true;
    while (moved && !taker.isFull)
      moved = this.overlongFrom === null ? this.takeLine() : this.passOverlong(this.overlongFrom);
    if (this.unreadable !== null) return { outcome: 'unreadable', problems: [this.unreadable] };
    const finished = slice.atEnd && this.at === slice.text.length;
    if (this.at === 0 && !finished) return { outcome: 'more' };
    const { records, count: record } = taker;
    const line = taker.linesBefore(this.at);
    const checkpoint = { byte: slice.byteAt(this.at), line, record, overlongFrom: this.overlongFrom };
    return { outcome: 'records', records, checkpoint, finished, endProblem: null };
  }

  /** @returns false when the end of the line is not in sight, or when nothing is left */
  private takeLine(): boolean {
    const { slice, limits, taker } = this;
    const { text, atEnd } = slice;
    this.at = skipBlanks(text, this.at, text.length);
    const from = this.at;
    if (from === text.length) {
      if (atEnd && taker.count === 0) this.unreadable = { code: 'empty_file', bytes: slice.byteAt(from) };
      return false;
    }
    const lineFeed = text.indexOf('\n', from);
    if (lineFeed === -1 && !atEnd) {
      // One byte more than a record may have can still be the CR of its line end.
      if (text.length - from <= limits.recordBytesMax + 1) return false;
      this.overlongFrom = slice.byteAt(from);
      return true;
    }
    const lineTo = withoutCr(text, lineFeed === -1 ? text.length : lineFeed);
    if (lineTo - from > limits.recordBytesMax) {
      this.overlongFrom = slice.byteAt(from);
      return true;
    }
    const to = withoutBlanks(text, lineTo);
    const parsed = this.parseLine({ from, limit: to, ends: lineFeed === -1 ? 'end_of_file' : 'end_of_line' });
    if (parsed.kind === 'value') taker.keep(from, parsed.to, parsed.value);
    else if (!this.refuse(from, to, parsed.refusal)) return false;
    this.at = to;
    return true;
  }

  private parseLine(stretch: Stretch & { ends: 'end_of_file' | 'end_of_line' }): Exclude<Parsed, { kind: 'more' }> {
    const parsed = this.taker.parseLine(stretch);
    if (parsed.kind === 'refused') return parsed;
    const next = skipBlanks(this.slice.text, parsed.to, stretch.limit);
    if (next === stretch.limit) return parsed;
    const reason: Reason = { code: 'invalid_json', wanted: 'end_of_line', found: 'text' };
    return { kind: 'refused', refusal: { at: next, path: [], reason } };
  }

  /** @returns false when the file as a whole is not NDJSON: its first line opens a document of several lines */
  private refuse(from: number, to: number, refusal: Refusal): boolean {
    const { slice, taker } = this;
    const { text } = slice;
    const opening = text.charCodeAt(from);
    if (taker.count === 0 && (opening === OPEN_ARRAY || (opening === OPEN_OBJECT && to === from + 1))) {
      const line = taker.linesBefore(from) + 1;
      this.unreadable = { code: 'not_ndjson', byte: slice.byteAt(from), line, text: slice.excerpt(from) };
      return false;
    }
    taker.keepRefused(taker.refuse(from, refusal, false), to);
    return true;
  }

  /** Skips a line longer than a record may be, from byte `byteFrom` of the file to its end. */
  private passOverlong(byteFrom: number): boolean {
    const { slice, limits, taker } = this;
    const { text, atEnd } = slice;
    const lineFeed = text.indexOf('\n', this.at);
    const to = withoutCr(text, lineFeed === -1 ? text.length : lineFeed);
    this.at = to;
    // A CR that ends the slice is left unread: it may be part of the line's end.
    if (lineFeed === -1 && !atEnd) return false;
    const line = taker.linesBefore(to) + 1;
    const problem = { code: 'record_too_large', bytes: 0, bytesMax: limits.recordBytesMax } as const;
    taker.keepRefused({ byteFrom, line, problem }, to);
    this.overlongFrom = null;
    return true;
  }
}

/** `to` ends a line, without its LF. */
function withoutCr(text: string, to: number): number {
  return to > 0 && text.charCodeAt(to - 1) === CR ? to - 1 : to;
}

function withoutBlanks(text: string, to: number): number {
  let end = to;
  while (end > 0 && isBlank(text.charCodeAt(end - 1))) end--;
  return end;
}
