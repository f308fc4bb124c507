/**
 * Reads what comes before the first record: byte-order mark, lines to skip, comments, the header. Decides whether the
 * file as a whole can be read as declared. Pure.
 */
import { type Encoding, textCodec } from '../encoding.ts';
import type { FileProblem, FormatProblem } from '../problems.ts';
import type { CsvSource } from './declaration.ts';
import { dialectOf } from './dialect.ts';
import { type FirstRecord, findDelimiter, readHeader, type Start } from './header.ts';
import { type CsvLimits, LOOKAHEAD_BYTES } from './limits.ts';
import { afterLineEnd, findLineEnd } from './line-end.ts';
import { RecordScanner } from './scan.ts';
import { Slice } from './slice.ts';
import { sniffStart } from './sniff.ts';

/** `at`: offset, in units, of what is read next; `lines`: physical lines before it. */
export type Opening =
  | {
      outcome: 'opened';
      columns: readonly string[];
      /** Cells of every row. */
      width: number;
      at: number;
      lines: number;
      encodingByMark: Encoding | null;
    }
  | { outcome: 'more' }
  | { outcome: 'unreadable'; problems: FormatProblem[] };

export interface FileStart {
  source: CsvSource;
  limits: CsvLimits;
  /** From byte 0 of the file. */
  bytes: Uint8Array;
  /** The bytes are the whole file. */
  atEnd: boolean;
  /** Names that must stand once; null: every name must. */
  reads: ReadonlySet<string> | null;
}

interface Place {
  at: number;
  lines: number;
}

/** A first line by which some programs tell Excel the delimiter; it is no header. */
const EXCEL_DELIMITER_LINE = /^sep=(.+)$/i;
/** Longest such line with its end: a delimiter of four characters of four bytes. */
const DELIMITER_LINE_UNITS = 21;

/** @returns `more` until the header is whole; without a header, until the first record is */
export function readOpening({ source, limits, bytes, atEnd, reads }: FileStart): Opening {
  if (!atEnd && bytes.byteLength < limits.sniffBytes) return { outcome: 'more' };
  const sniffed = sniffStart(bytes.subarray(0, limits.sniffBytes), source.encoding);
  if (!sniffed.ok) return unreadable(sniffed.error);
  const { markBytes, encodingByMark } = sniffed.value;
  const codec = textCodec(encodingByMark ?? source.encoding);
  // Cut to a fixed length, so that the verdict does not depend on how much was offered.
  const windowBytes = limits.recordBytesMax + LOOKAHEAD_BYTES;
  const isWhole = atEnd && bytes.byteLength <= windowBytes;
  const isFull = !isWhole && bytes.byteLength >= windowBytes;
  const slice = new Slice(codec, 0, bytes.subarray(0, windowBytes), isWhole);
  const dialect = dialectOf(source, codec, limits);
  const start: Start = { source, codec, limits, dialect, slice, isWhole, isFull, reads };

  const headerTooLarge = unreadable({ code: 'header_too_large', bytesMax: limits.recordBytesMax });
  const preamble = passLines(start, { at: markBytes / codec.unitBytes, lines: 0 });
  if (preamble === null) return isFull ? headerTooLarge : { outcome: 'more' };
  const place = passDelimiterLine(start, preamble);
  if ('code' in place) return unreadable(place);
  const first = findFirstRecord(start, place);
  if (first === 'none') return unreadable({ code: 'empty_file', bytes: bytes.byteLength });
  if (first === 'unfinished' && !isFull) return { outcome: 'more' };
  if (first === 'unfinished' || first === 'too_large') {
    // Without a header nothing depends on the first record: reading it will tell what is wrong with it.
    const columns = source.columns ?? [];
    return source.header
      ? headerTooLarge
      : { outcome: 'opened', columns, width: columns.length, encodingByMark, ...place };
  }
  const wrong = findDelimiter(start, first);
  if (wrong === 'unfinished') return { outcome: 'more' };
  if (wrong !== null) return unreadable(wrong);
  if (!source.header) return opened(start, source.columns ?? [], place, encodingByMark);
  const names = readHeader(start, first);
  if (!names.ok) return { outcome: 'unreadable', problems: names.error };
  const lines = first.line - 1 + first.scan.lines;
  return opened(start, names.value, { at: first.scan.next, lines }, encodingByMark);
}

/** Rows by which it is told whether all of them end with delimiters that the header does not have. */
const ROWS_LOOKED_AT = 5;

/**
 * A row that alone has an empty cell too many has been shifted by a delimiter in a cell. Where the first rows all have as many,
 * two of them at least, the file is written so.
 */
function opened(start: Start, columns: readonly string[], place: Place, encodingByMark: Encoding | null): Opening {
  const asNamed = { outcome: 'opened', columns, width: columns.length, encodingByMark, ...place } as const;
  let width = 0;
  let rows = 0;
  let next = place;
  while (rows < ROWS_LOOKED_AT) {
    const found = findFirstRecord(start, next);
    if (found === 'none') break;
    if (found === 'unfinished') {
      if (start.isFull) break;
      return { outcome: 'more' };
    }
    if (found === 'too_large' || found.scan.kind === 'fault') break;
    const { scan, line } = found;
    const isLonger = scan.count > columns.length && scan.count <= start.limits.columnsMax;
    const surplus = scan.cells.slice(columns.length);
    if (!isLonger || (rows > 0 && scan.count !== width) || surplus.some((cell) => cell.trim() !== '')) return asNamed;
    width = scan.count;
    rows += 1;
    next = { at: scan.next, lines: line - 1 + scan.lines };
  }
  return rows > 1 ? { ...asNamed, width } : asNamed;
}

function unreadable(problem: FormatProblem): Opening {
  return { outcome: 'unreadable', problems: [problem] };
}

/** Passes the lines to skip, of whatever content. @returns null when the text ends before them */
function passLines(start: Start, from: Place): Place | null {
  let place: Place | null = from;
  for (let line = 0; line < start.source.skipLines && place !== null; line++) place = passLine(start, place);
  return place;
}

function passLine({ slice: { text }, isWhole }: Start, { at, lines }: Place): Place | null {
  const end = findLineEnd(text, at, text.length);
  if (end === text.length && !isWhole) return null;
  const next = afterLineEnd(text, end, isWhole);
  return next === null ? null : { at: next, lines: next > at ? lines + 1 : lines };
}

function passDelimiterLine(start: Start, place: Place): Place | FileProblem {
  const { slice, source, codec, isWhole } = start;
  const limit = Math.min(slice.text.length, place.at + DELIMITER_LINE_UNITS);
  const end = findLineEnd(slice.text, place.at, limit);
  if (end === limit && !(isWhole && limit === slice.text.length)) return place;
  const text = codec.toText(slice.text.slice(place.at, end));
  const found = EXCEL_DELIMITER_LINE.exec(text)?.[1];
  if (found === undefined) return place;
  if (found === source.delimiter) return passLine(start, place) ?? place;
  const line = place.lines + 1;
  return { code: 'wrong_delimiter', declared: source.delimiter, found, columns: null, line, text };
}

function findFirstRecord(start: Start, place: Place): FirstRecord | 'none' | 'unfinished' | 'too_large' {
  const { text } = start.slice;
  const scanner = new RecordScanner(text, start.isWhole, start.dialect);
  let { at, lines } = place;
  while (at < text.length) {
    const scan = scanner.scan(at);
    if (scan.kind === 'more') return 'unfinished';
    if (scan.kind === 'oversize') return 'too_large';
    if (scan.kind !== 'skip') return { from: at, line: lines + 1, scan };
    at = scan.next;
    lines += scan.lines;
  }
  return start.isWhole ? 'none' : 'unfinished';
}
