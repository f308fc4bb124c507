/** Every format a mapping can declare under `source`, and the reader of each. Pure; the formats' own folders do the reading. */
import { z } from 'zod';
import type { CsvCheckpoint } from './csv/checkpoint.ts';
import { type CsvSource, csvSource } from './csv/declaration.ts';
import { csvReader } from './csv/reader.ts';
import type { EdifactCheckpoint } from './edifact/checkpoint.ts';
import { type EdifactSource, edifactSource } from './edifact/declaration.ts';
import { edifactPartsReader } from './edifact/reader.ts';
import type { Encoding } from './encoding.ts';
import type { FixedCheckpoint } from './fixed/checkpoint.ts';
import { type FixedSource, fixedSource } from './fixed/declaration.ts';
import { fixedNotes, fixedReader } from './fixed/reader.ts';
import type { JsonCheckpoint, NdjsonCheckpoint } from './json/checkpoint.ts';
import { type JsonSource, jsonSource, type NdjsonSource, ndjsonSource } from './json/declaration.ts';
import { jsonReader, ndjsonReader } from './json/reader.ts';
import type { RecordReader, RecordShape } from './record-reader.ts';
import { DEFAULT_POLICY, type EnvelopePolicy, type PartsReader, type SegmentCheckpoint } from './segments/parts.ts';
import { type SegmentFileCheckpoint, type SegmentTaking, segmentReader } from './segments/reader.ts';
import type { X12Checkpoint } from './x12/checkpoint.ts';
import { type X12Source, x12Source } from './x12/declaration.ts';
import { x12PartsReader } from './x12/reader.ts';
import type { XlsxCheckpoint } from './xlsx/checkpoint.ts';
import { type XlsxSource, xlsxSource } from './xlsx/declaration.ts';
import { xlsxReader } from './xlsx/reader.ts';
import type { XmlCheckpoint } from './xml/checkpoint.ts';
import { type XmlSource, xmlSource } from './xml/declaration.ts';
import { xmlNotes, xmlReader } from './xml/reader.ts';

export const recordSource = z.discriminatedUnion('format', [
  csvSource,
  jsonSource,
  ndjsonSource,
  x12Source,
  edifactSource,
  xmlSource,
  fixedSource,
  xlsxSource,
]);
export type RecordSource =
  | CsvSource
  | JsonSource
  | NdjsonSource
  | X12Source
  | EdifactSource
  | XmlSource
  | FixedSource
  | XlsxSource;

export type Checkpoint =
  | CsvCheckpoint
  | JsonCheckpoint
  | NdjsonCheckpoint
  | SegmentFileCheckpoint<X12Checkpoint>
  | SegmentFileCheckpoint<EdifactCheckpoint>
  | XmlCheckpoint
  | FixedCheckpoint
  | XlsxCheckpoint;

/**
 * @param policy of the partner, for formats that have envelopes. @param shape what the mapping reads. A table names its
 * own columns, and returns them all.
 * @returns a reader that is only given its own checkpoints: a batch is pinned to one mapping version.
 */
export function readerOf(
  source: RecordSource,
  shape: RecordShape,
  policy: EnvelopePolicy = DEFAULT_POLICY,
): RecordReader<Checkpoint> {
  switch (source.format) {
    case 'csv':
      return csvReader(source, shape) as RecordReader<Checkpoint>;
    case 'json':
      return jsonReader(source, shape) as RecordReader<Checkpoint>;
    case 'ndjson':
      return ndjsonReader(shape) as RecordReader<Checkpoint>;
    case 'x12':
    case 'edifact': {
      const { parts, taking } = segmentsOf(source, policy);
      return segmentReader(parts, taking, shape) as RecordReader<Checkpoint>;
    }
    case 'fixed':
      return fixedReader(source) as RecordReader<Checkpoint>;
    case 'xlsx':
      return xlsxReader(source, shape) as RecordReader<Checkpoint>;
    case 'xml':
      return xmlReader(source, shape) as RecordReader<Checkpoint>;
  }
}

/** Formats of sets and envelopes, which are acknowledged. */
export type SegmentSource = X12Source | EdifactSource;

export const isSegmented = (source: RecordSource): source is SegmentSource => hasEnvelopes(source.format);

/** @param format of a mapping, or what the first bytes of a file look like. */
export const hasEnvelopes = (format: string | null): format is SegmentSource['format'] =>
  format === 'x12' || format === 'edifact';

/** A reader of sets and envelopes for callers that only need envelopes, whatever sets the mapping accepts. */
export const partsReaderOf = (
  format: SegmentSource['format'],
  policy: EnvelopePolicy,
): PartsReader<SegmentCheckpoint> =>
  format === 'x12'
    ? (x12PartsReader({ encoding: 'windows-1252' }, policy) as PartsReader<SegmentCheckpoint>)
    : (edifactPartsReader({ encoding: 'iso-8859-1', bare: 'accept' }, policy) as PartsReader<SegmentCheckpoint>);

/** How a file of segments is divided, and which parts of it the mapping accepts. */
export function segmentsOf(
  source: SegmentSource,
  policy: EnvelopePolicy,
): { parts: PartsReader<SegmentCheckpoint>; taking: SegmentTaking } {
  const { loops, record, single = [], ignore: ignores = [] } = source;
  if (source.format === 'x12') {
    const parts = x12PartsReader(source, policy) as PartsReader<SegmentCheckpoint>;
    const reads = { elements: 'whole', single } as const;
    return {
      parts,
      taking: { takes: source.sets, ignores, notVersions: source.notVersions ?? [], loops, record, reads },
    };
  }
  const parts = edifactPartsReader(source, policy) as PartsReader<SegmentCheckpoint>;
  const reads = { elements: 'first', single } as const;
  return { parts, taking: { takes: source.messages, ignores, notVersions: [], loops, record, reads } };
}

/**
 * The encoding in which a text is written to make a file of it. Readers of segments try UTF-8 first; a sheet is written
 * as CSV.
 */
export const encodingOf = (source: RecordSource): Encoding =>
  source.format === 'ndjson' || source.format === 'xlsx' || isSegmented(source) ? 'utf-8' : source.encoding;

/** Whether its records are rows of a table, which hold no arrays. */
export function isTabular(source: RecordSource): boolean {
  switch (source.format) {
    case 'csv':
    case 'fixed':
    case 'xlsx':
      return true;
    case 'json':
    case 'ndjson':
    case 'x12':
    case 'edifact':
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
    case 'x12':
      return { ending: 'x12', contentType: 'application/EDI-X12' };
    case 'edifact':
      return { ending: 'edi', contentType: 'application/EDIFACT' };
    case 'fixed':
      return { ending: 'txt', contentType: `text/plain; charset=${source.encoding}` };
    case 'xlsx': // samples and corrections are the sheet as CSV
      return { ending: 'csv', contentType: 'text/csv; charset=utf-8' };
    case 'xml':
      return { ending: 'xml', contentType: 'application/xml' };
  }
}

/** What a person should know of how the file was read though nothing is wrong. */
export function readingNotes(checkpoint: Checkpoint): string[] {
  return [...markNotes(checkpoint), ...formatNotes(checkpoint)];
}

function formatNotes(checkpoint: Checkpoint): readonly string[] {
  if ('short' in checkpoint) return fixedNotes(checkpoint);
  if ('own' in checkpoint) return checkpoint.notes;
  return 'encodingByDeclaration' in checkpoint ? xmlNotes(checkpoint) : [];
}

function markNotes(checkpoint: Checkpoint): string[] {
  if (!('encodingByMark' in checkpoint) || checkpoint.encodingByMark === null) return [];
  const encoding = checkpoint.encodingByMark;
  return [
    `The file begins with the byte-order mark of ${encoding}, so it was read as ${encoding} and not as the mapping declares.`,
  ];
}
