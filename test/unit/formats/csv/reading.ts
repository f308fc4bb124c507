/** Reads a whole small file through slices of a chosen size, as the caller of the reader does: longer slices on `more`. */
import { Buffer } from 'node:buffer';
import { type CsvSource, csvSource } from '../../../../src/formats/csv/declaration.ts';
import { CSV_LIMITS, type CsvLimits } from '../../../../src/formats/csv/limits.ts';
import { type CsvCheckpoint, csvStart, readCsvSliceWithin } from '../../../../src/formats/csv/reader.ts';
import type { SourceRecord } from '../../../../src/formats/csv/shape.ts';
import type { FormatProblem } from '../../../../src/formats/problems.ts';

export interface WholeRead {
  columns: readonly string[];
  records: SourceRecord[];
  problems: FormatProblem[];
  checkpoint: CsvCheckpoint;
}

export type Declared = Partial<Record<keyof CsvSource, unknown>>;

export const declare = (source: Declared = {}): CsvSource => csvSource.parse({ format: 'csv', ...source });

export const bytesOf = (text: string): Uint8Array => Buffer.from(text, 'utf8');

export function readWhole(
  input: string | Uint8Array,
  source: CsvSource = declare(),
  { sliceBytes = Number.POSITIVE_INFINITY, limits = CSV_LIMITS }: { sliceBytes?: number; limits?: CsvLimits } = {},
): WholeRead {
  const file = typeof input === 'string' ? bytesOf(input) : input;
  const records: SourceRecord[] = [];
  let checkpoint = csvStart;
  let length = sliceBytes;
  for (let steps = 0; steps <= 4 * file.byteLength + 100; steps++) {
    const to = Math.min(checkpoint.byte + length, file.byteLength);
    // A copy in a buffer of its own, so that nothing is read beyond the slice.
    const bytes = file.slice(checkpoint.byte, to);
    const read = readCsvSliceWithin(limits, { declaration: source, checkpoint, bytes, atEnd: to === file.byteLength });
    if (read.outcome === 'unreadable') return { columns: [], records: [], problems: read.problems, checkpoint };
    if (read.outcome === 'more') {
      length = length < 64 ? length + 1 : length * 2;
      continue;
    }
    for (const record of read.records) records.push(record);
    length = sliceBytes;
    // As it comes back from storage.
    checkpoint = JSON.parse(JSON.stringify(read.checkpoint)) as CsvCheckpoint;
    if (read.finished) return { columns: read.columns, records, problems: [], checkpoint };
  }
  throw new Error('the reader does not come to an end');
}

export const fieldsOf = (read: WholeRead): (readonly string[])[] => read.records.map((record) => record.fields);

export const problemsOf = (read: WholeRead): (string | undefined)[] =>
  read.records.map((record) => record.problem?.code);

/** The text a record's position names, cut out of the file. */
export function cutOut(
  file: Uint8Array,
  record: SourceRecord,
  encoding: 'utf8' | 'latin1' | 'utf16le' = 'utf8',
): string {
  return Buffer.from(file.subarray(record.position.byteFrom, record.position.byteTo)).toString(encoding);
}
