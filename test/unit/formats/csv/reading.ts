/** Small CSV files read whole. */
import { Buffer } from 'node:buffer';
import { type CsvCheckpoint, csvStart } from '../../../../src/formats/csv/checkpoint.ts';
import { type CsvSource, csvSource } from '../../../../src/formats/csv/declaration.ts';
import { CSV_LIMITS, type CsvLimits } from '../../../../src/formats/csv/limits.ts';
import type { CsvProblem } from '../../../../src/formats/csv/problems.ts';
import { type CsvRecord, csvSlices } from '../../../../src/formats/csv/reader.ts';
import { readSlices, type WholeRead as Whole } from '../whole-read.ts';

export type WholeRead = Whole<CsvCheckpoint, CsvRecord, CsvProblem>;

export type Declared = Partial<Record<keyof CsvSource, unknown>>;

export const declare = (source: Declared = {}): CsvSource => csvSource.parse({ format: 'csv', ...source });

export const bytesOf = (text: string): Uint8Array => Buffer.from(text, 'utf8');

export function readWhole(
  input: string | Uint8Array,
  source: CsvSource = declare(),
  { sliceBytes = Number.POSITIVE_INFINITY, limits = CSV_LIMITS }: { sliceBytes?: number; limits?: CsvLimits } = {},
): WholeRead {
  const file = typeof input === 'string' ? bytesOf(input) : input;
  return readSlices(csvSlices(source, null, limits), csvStart, file, sliceBytes);
}

export const fieldsOf = (read: WholeRead): (readonly string[])[] => read.records.map((record) => record.fields);

export const problemsOf = (read: WholeRead): (string | undefined)[] =>
  read.records.map((record) => record.problem?.code);

/** The text a record's position names, cut out of the file. */
export function cutOut(file: Uint8Array, record: CsvRecord, encoding: 'utf8' | 'latin1' | 'utf16le' = 'utf8'): string {
  return Buffer.from(file.subarray(record.position.byteFrom, record.position.byteTo)).toString(encoding);
}
