/**
 * Reads what comes before the first record: byte-order mark, lines to skip, comments, the header. Decides whether the
 * file as a whole can be read as declared. Pure.
 */
import { err, ok, type Result } from '../../kernel/result.ts';
import { trimmed } from '../../kernel/text.ts';
import { type Encoding, textCodec } from '../encoding.ts';
import { sniffStart } from '../sniff.ts';
import { findLineEnd, TextSlice } from '../text-slice.ts';
import { type CsvSource, dialectOf } from './declaration.ts';
import { LOOKAHEAD_BYTES } from './limits.ts';
import type { CsvFileProblem, CsvProblem } from './problems.ts';
import { RecordScanner, type Scan } from './scan.ts';
import { type Reading, shapeFault, shapeRecord } from './shape.ts';

/* Reads the column names, and checks whether the declared delimiter divides the first line at all. */

/** The start of a file: long enough for any header, or the whole file. */
interface Start extends Omit<Reading, 'columns' | 'width'> {
  source: CsvSource;
  /** More bytes than this would not be looked at. */
  isFull: boolean;
  /** Names that may occur only once; null: every name. */
  reads: ReadonlySet<string> | null;
}

/** The first line that is neither blank nor a comment. */
interface FirstRecord {
  from: number;
  line: number;
  scan: Scan & { kind: 'record' | 'fault' };
}

const COMMON_DELIMITERS = [',', ';', '\t', '|'];

/** @returns the column names, trimmed and without invisible characters; a name may be empty ('') */
function readHeader(start: Start, first: FirstRecord): Result<string[], CsvProblem[]> {
  const { scan, from, line } = first;
  // As many nameless columns as cells: then only the cells themselves are checked.
  const cells = scan.kind === 'record' ? Math.min(scan.count, start.limits.columnsMax) : 0;
  const columns = Array.from({ length: cells }, () => '');
  const reading = { ...start, columns, width: cells };
  const { fields, problem } =
    scan.kind === 'fault' ? shapeFault(reading, line, scan) : shapeRecord(reading, from, scan);
  if (problem !== undefined) return err([headerProblem(problem)]);
  const names = fields.map(trimmed);
  const duplicates = duplicateNames(names, line).filter(({ name }) => start.reads?.has(name) !== false);
  return duplicates.length > 0 ? err(duplicates) : ok(names);
}

/** A header that cannot be decoded is not a problem of one row: every name may be wrong. */
function headerProblem(problem: CsvProblem): CsvProblem {
  if (problem.code !== 'bad_encoding') return problem;
  const { encoding, found, byte, hex } = problem;
  const evidence = found === null ? 'bad_sequence' : 'utf_8_sequences';
  return { code: 'encoding_disagrees', declared: encoding, found, evidence, byte, hex };
}

function duplicateNames(names: string[], line: number): (CsvFileProblem & { code: 'duplicate_header' })[] {
  const columnsByName = new Map<string, number[]>();
  names.forEach((name, index) => {
    const columns = columnsByName.get(name);
    if (columns === undefined) columnsByName.set(name, [index + 1]);
    else columns.push(index + 1);
  });
  // Nameless columns cannot be addressed, so several of them do no harm.
  columnsByName.delete('');
  return [...columnsByName]
    .filter(([, columns]) => columns.length > 1)
    .map(([name, columns]) => ({ code: 'duplicate_header' as const, name, columns, line }));
}

/**
 * Looks for a common delimiter that divides the first line where the declared one does not: the line is then one cell,
 * or a quoted cell seems to continue after its quote.
 *
 * @returns null when the declared delimiter is as good as any; `unfinished` when a longer slice is needed to decide
 */
function findDelimiter(start: Start, { from, line, scan }: FirstRecord): CsvFileProblem | 'unfinished' | null {
  const { slice, isFull, dialect, source } = start;
  const cells = scan.kind === 'record' ? scan.count : scan.cells.length + 1;
  if (cells > 1 || source.columns?.length === 1) return null;
  let columns = 1;
  let found = '';
  for (const delimiter of COMMON_DELIMITERS) {
    if (delimiter === source.delimiter) continue;
    const other = { ...dialect, delimiter, delimiterFirst: delimiter.charCodeAt(0) };
    const retry = new RecordScanner(slice, other).scan(from);
    if (retry.kind === 'more' && !isFull) return 'unfinished';
    if (retry.kind !== 'record' || retry.count <= columns) continue;
    // Without a header the first line is a row, and one bad row must not stop the file: the count has to match.
    if (!source.header && retry.count !== source.columns?.length) continue;
    columns = retry.count;
    found = delimiter;
  }
  if (found === '') return null;
  const text = slice.excerpt(from);
  return { code: 'wrong_delimiter', declared: source.delimiter, found, columns, line, text };
}

/** `at`: offset, in units, of what is read next; `lines`: physical lines before it. */
type Opening =
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
  | { outcome: 'unreadable'; problems: CsvProblem[] };

interface FileStart extends Pick<Start, 'source' | 'limits' | 'reads'> {
  /** From byte 0 of the file. */
  bytes: Uint8Array;
  /** The bytes are the whole file. */
  atEnd: boolean;
}

interface Place {
  at: number;
  lines: number;
}

/** A first line by which some programs tell Excel the delimiter; it is not a header. */
const EXCEL_DELIMITER_LINE = /^sep=(.+)$/i;
/** Longest such line with its end: a delimiter of four characters of four bytes. */
const DELIMITER_LINE_UNITS = 21;

/** @returns `more` until the header is whole; without a header, until the first record is */
export function readOpening({ source, limits, bytes, atEnd, reads }: FileStart): Opening {
  if (!atEnd && bytes.byteLength < limits.sniffBytes) return { outcome: 'more' };
  const sniffed = sniffStart(bytes.subarray(0, limits.sniffBytes), source.encoding, 'not_csv');
  if (!sniffed.ok) return unreadable(sniffed.error);
  const { markBytes, encodingByMark } = sniffed.value;
  const codec = textCodec(encodingByMark ?? source.encoding);
  // Cut to a fixed length, so that the result does not depend on how many bytes were given.
  const windowBytes = limits.recordBytesMax + LOOKAHEAD_BYTES;
  const isWhole = atEnd && bytes.byteLength <= windowBytes;
  const isFull = !isWhole && bytes.byteLength >= windowBytes;
  const slice = new TextSlice(codec, 0, bytes.subarray(0, windowBytes), isWhole);
  const dialect = dialectOf(source, codec, limits);
  const start: Start = { source, limits, dialect, slice, isFull, reads };

  const headerTooLarge = unreadable({ code: 'header_too_large', bytesMax: limits.recordBytesMax });
  const preamble = passLines(start, { at: markBytes / codec.unitBytes, lines: 0 });
  if (preamble === null) return isFull ? headerTooLarge : { outcome: 'more' };
  const locate = passDelimiterLine(start, preamble);
  if ('code' in locate) return unreadable(locate);
  const first = findFirstRecord(start, locate);
  if (first === 'none') return unreadable({ code: 'empty_file', bytes: bytes.byteLength });
  if (first === 'unfinished' && !isFull) return { outcome: 'more' };
  if (first === 'unfinished' || first === 'too_large') {
    // Without a header nothing depends on the first record: reading it shows what is wrong with it.
    const columns = source.columns ?? [];
    return source.header
      ? headerTooLarge
      : { outcome: 'opened', columns, width: columns.length, encodingByMark, ...locate };
  }
  const wrong = findDelimiter(start, first);
  if (wrong === 'unfinished') return { outcome: 'more' };
  if (wrong !== null) return unreadable(wrong);
  if (!source.header) return opened(start, source.columns ?? [], locate, encodingByMark);
  const names = readHeader(start, first);
  if (!names.ok) return { outcome: 'unreadable', problems: names.error };
  const lines = first.line - 1 + first.scan.lines;
  return opened(start, names.value, { at: first.scan.next, lines }, encodingByMark);
}

/** How many rows are checked for trailing delimiters that the header does not have. */
const ROWS_LOOKED_AT = 5;

/**
 * A single row with one empty cell too many has been shifted by a delimiter in a cell. If the first rows (at least two)
 * all have as many, the file is written that way.
 */
function opened(start: Start, columns: readonly string[], locate: Place, encodingByMark: Encoding | null): Opening {
  const asNamed = { outcome: 'opened', columns, width: columns.length, encodingByMark, ...locate } as const;
  let width = 0;
  let rows = 0;
  let next = locate;
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

function unreadable(problem: CsvProblem): Opening {
  return { outcome: 'unreadable', problems: [problem] };
}

/** Skips the declared number of lines, whatever they contain. @returns null when the text ends before them */
function passLines(start: Start, from: Place): Place | null {
  let locate: Place | null = from;
  for (let line = 0; line < start.source.skipLines && locate !== null; line++) locate = passLine(start, locate);
  return locate;
}

function passLine({ slice }: Start, { at, lines }: Place): Place | null {
  const next = slice.nextLine(findLineEnd(slice.text, at, slice.text.length));
  return next === null ? null : { at: next, lines: next > at ? lines + 1 : lines };
}

function passDelimiterLine(start: Start, locate: Place): Place | CsvFileProblem {
  const { slice, source } = start;
  const limit = Math.min(slice.text.length, locate.at + DELIMITER_LINE_UNITS);
  const end = findLineEnd(slice.text, locate.at, limit);
  if (end === limit && !(slice.atEnd && limit === slice.text.length)) return locate;
  const text = slice.codec.toText(slice.text.slice(locate.at, end));
  const found = EXCEL_DELIMITER_LINE.exec(text)?.[1];
  if (found === undefined) return locate;
  if (found === source.delimiter) return passLine(start, locate) ?? locate;
  const line = locate.lines + 1;
  return { code: 'wrong_delimiter', declared: source.delimiter, found, columns: null, line, text };
}

function findFirstRecord(start: Start, locate: Place): FirstRecord | 'none' | 'unfinished' | 'too_large' {
  const { text } = start.slice;
  const scanner = new RecordScanner(start.slice, start.dialect);
  let { at, lines } = locate;
  while (at < text.length) {
    const scan = scanner.scan(at);
    if (scan.kind === 'more') return 'unfinished';
    if (scan.kind === 'oversize') return 'too_large';
    if (scan.kind !== 'skip') return { from: at, line: lines + 1, scan };
    at = scan.next;
    lines += scan.lines;
  }
  return start.slice.atEnd ? 'none' : 'unfinished';
}
