/** Every format a mapping can declare under `source`, and the reader of each. Pure; the formats' own folders do the reading. */
import { z } from 'zod';
import type { CsvCheckpoint } from './csv/checkpoint.ts';
import { type CsvSource, csvSource } from './csv/declaration.ts';
import { csvReader } from './csv/reader.ts';
import type { Encoding } from './encoding.ts';
import type { JsonCheckpoint, NdjsonCheckpoint } from './json/checkpoint.ts';
import { type JsonSource, jsonSource, type NdjsonSource, ndjsonSource } from './json/declaration.ts';
import { jsonReader, ndjsonReader } from './json/reader.ts';
import type { RecordReader, RecordShape } from './record-reader.ts';
import { sheetAsCsv, type XlsxSource, xlsxSource } from './xlsx/declaration.ts';
import { type XlsxCheckpoint, xlsxReader } from './xlsx/reader.ts';

export const recordSource = z.discriminatedUnion('format', [csvSource, jsonSource, ndjsonSource, xlsxSource]);
export type RecordSource = CsvSource | JsonSource | NdjsonSource | XlsxSource;

export type Checkpoint = CsvCheckpoint | JsonCheckpoint | NdjsonCheckpoint | XlsxCheckpoint;

/**
 * @param shape what the mapping reads; of no use to rows, whose files name their own columns.
 * @returns a reader that is given no checkpoints but its own: a batch is pinned to one mapping version.
 */
export function readerOf(source: RecordSource, shape: RecordShape): RecordReader<Checkpoint> {
  switch (source.format) {
    case 'csv':
      return csvReader(source) as RecordReader<Checkpoint>;
    case 'json':
      return jsonReader(source, shape) as RecordReader<Checkpoint>;
    case 'ndjson':
      return ndjsonReader(source, shape) as RecordReader<Checkpoint>;
    case 'xlsx':
      return xlsxReader(source) as RecordReader<Checkpoint>;
  }
}

/** Of the text that is read: a workbook is read as CSV. */
export const encodingOf = (source: RecordSource): Encoding => ('encoding' in source ? source.encoding : 'utf-8');

/** How rows are written as text: as declared for CSV, the one form for sheets; undefined for formats that have no rows. */
export function rowsAsCsv(source: RecordSource): CsvSource | undefined {
  switch (source.format) {
    case 'csv':
      return source;
    case 'xlsx':
      return sheetAsCsv(source);
    case 'json':
    case 'ndjson':
      return undefined;
  }
}

/** Whether its records are rows with columns, and no trees. */
export const hasRows = (source: RecordSource): boolean => rowsAsCsv(source) !== undefined;

/** What the names of files end in that we write in this form: samples and corrections of a sheet are CSV. */
export const textEnding = (source: RecordSource): string => (source.format === 'xlsx' ? 'csv' : source.format);

/** What a person should know of how the file was read though nothing is wrong. */
export function readingNotes(checkpoint: Checkpoint): string[] {
  if (!('encodingByMark' in checkpoint) || checkpoint.encodingByMark === null) return [];
  const encoding = checkpoint.encodingByMark;
  return [
    `The file begins with the byte-order mark of ${encoding}, so it was read as ${encoding} and not as the mapping declares.`,
  ];
}
