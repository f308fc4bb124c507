/** Reads the column names, and tells whether the declared delimiter divides the first line at all. Pure. */
import { err, ok, type Result } from '../../kernel/result.ts';
import { trimmed } from '../../kernel/text.ts';
import type { TextCodec } from '../encoding.ts';
import type { FileProblem, FormatProblem } from '../problems.ts';
import type { CsvSource } from './declaration.ts';
import type { Dialect } from './dialect.ts';
import type { CsvLimits } from './limits.ts';
import { RecordScanner, type Scan } from './scan.ts';
import { shapeFault, shapeRecord } from './shape.ts';
import type { Slice } from './slice.ts';

/** The start of a file: long enough for any header, or the whole file. */
export interface Start {
  source: CsvSource;
  codec: TextCodec;
  dialect: Dialect;
  limits: CsvLimits;
  slice: Slice;
  /** The slice is the whole file. */
  isWhole: boolean;
  /** A longer slice would not be looked at. */
  isFull: boolean;
  /** Names that must stand once; null: every name must. */
  reads: ReadonlySet<string> | null;
}

/** The first line that is neither blank nor a comment. */
export interface FirstRecord {
  from: number;
  line: number;
  scan: Scan & { kind: 'record' | 'fault' };
}

const COMMON_DELIMITERS = [',', ';', '\t', '|'];

/** @returns the column names, without blanks around them and characters nobody sees; a column may be nameless (''). */
export function readHeader(start: Start, first: FirstRecord): Result<string[], FormatProblem[]> {
  const { scan, from, line } = first;
  // As many nameless columns as cells: then only the cells themselves are judged.
  const cells = scan.kind === 'record' ? Math.min(scan.count, start.limits.columnsMax) : 0;
  const reading = { ...start, columns: Array.from({ length: cells }, () => ''), width: cells };
  const { fields, problem } =
    scan.kind === 'fault' ? shapeFault(reading, line, scan) : shapeRecord(reading, from, scan);
  if (problem !== undefined) return err([headerProblem(problem)]);
  const names = fields.map(trimmed);
  const duplicates = duplicateNames(names, line).filter(({ name }) => start.reads?.has(name) !== false);
  return duplicates.length > 0 ? err(duplicates) : ok(names);
}

/** Names that cannot be decoded are no problem of one row: every name may be wrong. */
function headerProblem(problem: FormatProblem): FormatProblem {
  if (problem.code !== 'bad_encoding') return problem;
  const { encoding, byte, hex } = problem;
  return { code: 'encoding_disagrees', declared: encoding, found: null, evidence: 'bad_sequence', byte, hex };
}

function duplicateNames(names: string[], line: number): (FileProblem & { code: 'duplicate_header' })[] {
  const columnsByName = new Map<string, number[]>();
  names.forEach((name, index) => {
    const columns = columnsByName.get(name);
    if (columns === undefined) columnsByName.set(name, [index + 1]);
    else columns.push(index + 1);
  });
  // Nameless columns cannot be addressed, so several of them disturb nobody.
  columnsByName.delete('');
  return [...columnsByName]
    .filter(([, columns]) => columns.length > 1)
    .map(([name, columns]) => ({ code: 'duplicate_header' as const, name, columns, line }));
}

/**
 * Looks for a common delimiter that divides the first line where the declared one does not: the line is then one cell,
 * or a quoted cell seems to go on after its quote.
 *
 * @returns null when the declared delimiter is as good as any; `unfinished` when a longer slice is needed to tell
 */
export function findDelimiter(start: Start, { from, line, scan }: FirstRecord): FileProblem | 'unfinished' | null {
  const { slice, isWhole, isFull, dialect, source } = start;
  const cells = scan.kind === 'record' ? scan.count : scan.cells.length + 1;
  if (cells > 1 || source.columns?.length === 1) return null;
  let columns = 1;
  let found = '';
  for (const delimiter of COMMON_DELIMITERS) {
    if (delimiter === source.delimiter) continue;
    const other = { ...dialect, delimiter, delimiterFirst: delimiter.charCodeAt(0) };
    const retry = new RecordScanner(slice.text, isWhole, other).scan(from);
    if (retry.kind === 'more' && !isFull) return 'unfinished';
    if (retry.kind !== 'record' || retry.count <= columns) continue;
    // Without a header the first line is a row, and one bad row must not stop the file: the count has to agree.
    if (!source.header && retry.count !== source.columns?.length) continue;
    columns = retry.count;
    found = delimiter;
  }
  if (found === '') return null;
  const text = slice.excerpt(from);
  return { code: 'wrong_delimiter', declared: source.delimiter, found, columns, line, text };
}
