/** Every format a mapping can declare under `source`, and the reader of each. Pure; the formats' own folders do the reading. */
import { z } from 'zod';
import type { CsvCheckpoint } from './csv/checkpoint.ts';
import { type CsvSource, csvSource } from './csv/declaration.ts';
import { csvReader } from './csv/reader.ts';
import type { Encoding } from './encoding.ts';
import type { FixedCheckpoint } from './fixed/checkpoint.ts';
import { type FixedSource, fixedSource } from './fixed/declaration.ts';
import { fixedNotes, fixedReader } from './fixed/reader.ts';
import type { JsonCheckpoint, NdjsonCheckpoint } from './json/checkpoint.ts';
import { type JsonSource, jsonSource, type NdjsonSource, ndjsonSource } from './json/declaration.ts';
import { jsonReader, ndjsonReader } from './json/reader.ts';
import type { RecordReader, RecordShape } from './record-reader.ts';
import type { XmlCheckpoint } from './xml/checkpoint.ts';
import { type XmlSource, xmlSource } from './xml/declaration.ts';
import { xmlNotes, xmlReader } from './xml/reader.ts';

export const recordSource = z.discriminatedUnion('format', [
  csvSource,
  jsonSource,
  ndjsonSource,
  fixedSource,
  xmlSource,
]);
export type RecordSource = CsvSource | JsonSource | NdjsonSource | FixedSource | XmlSource;

export type Checkpoint = CsvCheckpoint | JsonCheckpoint | NdjsonCheckpoint | FixedCheckpoint | XmlCheckpoint;

/**
 * @param shape what the mapping reads; of no use to tables, whose files or declarations name the columns.
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
    case 'fixed':
      return fixedReader(source) as RecordReader<Checkpoint>;
    case 'xml':
      return xmlReader(source, shape) as RecordReader<Checkpoint>;
  }
}

export const encodingOf = (source: RecordSource): Encoding => (source.format === 'ndjson' ? 'utf-8' : source.encoding);

/** Whether its records are rows of a table, which hold no arrays. */
export function isTabular(source: RecordSource): boolean {
  switch (source.format) {
    case 'csv':
    case 'fixed':
      return true;
    case 'json':
    case 'ndjson':
    case 'xml':
      return false;
  }
}

/** Ending of a file's name, and the content type with which an upload of it may be sent. */
export function fileTypeOf(source: RecordSource): { ending: string; contentType: string } {
  switch (source.format) {
    case 'csv':
      return { ending: 'csv', contentType: `text/csv; charset=${source.encoding}` };
    case 'json':
      return { ending: 'json', contentType: 'application/json' };
    case 'ndjson':
      return { ending: 'ndjson', contentType: 'application/x-ndjson' };
    case 'fixed':
      return { ending: 'txt', contentType: `text/plain; charset=${source.encoding}` };
    case 'xml':
      return { ending: 'xml', contentType: 'application/xml' };
  }
}

/** What a person should know of how the file was read though nothing is wrong. */
export function readingNotes(checkpoint: Checkpoint): string[] {
  return [...markNotes(checkpoint), ...formatNotes(checkpoint)];
}

function formatNotes(checkpoint: Checkpoint): string[] {
  if ('short' in checkpoint) return fixedNotes(checkpoint);
  return 'encodingByDeclaration' in checkpoint ? xmlNotes(checkpoint) : [];
}

function markNotes(checkpoint: Checkpoint): string[] {
  if (!('encodingByMark' in checkpoint) || checkpoint.encodingByMark === null) return [];
  const encoding = checkpoint.encodingByMark;
  return [
    `The file begins with the byte-order mark of ${encoding}, so it was read as ${encoding} and not as the mapping declares.`,
  ];
}
