/** Every format a mapping can declare under `source`, and what each can do. Pure; the formats' own folders do the reading. */
import * as z from 'zod';
import { csvFormat } from './csv/reader.ts';
import type { EdifactCheckpoint } from './edifact/checkpoint.ts';
import { type EdifactSource, edifactSource } from './edifact/declaration.ts';
import { edifactPartsReader } from './edifact/reader.ts';
import type { Encoding } from './encoding.ts';
import { fixedFormat, fixedNotes } from './fixed/reader.ts';
import type { Format } from './format.ts';
import { jsonFormat, ndjsonFormat } from './json/reader.ts';
import type { AnyCheckpoint, RecordReader, RecordShape } from './record-reader.ts';
import { DEFAULT_POLICY, type EnvelopePolicy, type PartsReader, type SegmentCheckpoint } from './segments/parts.ts';
import { type SegmentFileCheckpoint, type SegmentTaking, segmentReader } from './segments/reader.ts';
import type { X12Checkpoint } from './x12/checkpoint.ts';
import { type X12Source, x12Source } from './x12/declaration.ts';
import { x12PartsReader } from './x12/reader.ts';
import { type SheetReading, sheetOfCsv, sheetOfXlsx } from './xlsx/declaration.ts';
import { xlsxFormat } from './xlsx/reader.ts';
import { xmlFormat, xmlNotes } from './xml/reader.ts';

/** What both formats of segments share. Their readers try UTF-8 first. */
const segmentFormat = <Source extends SegmentSource, Own extends SegmentCheckpoint>(
  own: Pick<Format<Source, AnyCheckpoint>, 'declaration' | 'ending' | 'contentTypeOf'>,
): Format<Source, SegmentFileCheckpoint<Own>> => ({
  ...own,
  reader(source, shape, policy) {
    const { parts, taking } = segmentsOf(source, policy);
    return segmentReader(parts as PartsReader<Own>, taking, shape);
  },
  isTabular: false,
  encodingOf: () => 'utf-8',
});

const x12Format = segmentFormat<X12Source, X12Checkpoint>({
  declaration: x12Source,
  ending: 'x12',
  contentTypeOf: () => 'application/EDI-X12',
});

const edifactFormat = segmentFormat<EdifactSource, EdifactCheckpoint>({
  declaration: edifactSource,
  ending: 'edi',
  contentTypeOf: () => 'application/EDIFACT',
});

/** A new format is a folder and a line here; the compiler lists what else depends on the format. */
const FORMATS = {
  csv: csvFormat,
  json: jsonFormat,
  ndjson: ndjsonFormat,
  x12: x12Format,
  edifact: edifactFormat,
  xml: xmlFormat,
  fixed: fixedFormat,
  xlsx: xlsxFormat,
};
type AnyFormat = (typeof FORMATS)[keyof typeof FORMATS];

export type RecordSource = z.output<AnyFormat['declaration']>;
export type Checkpoint = ReturnType<AnyFormat['reader']>['start'];

export const recordSource: z.ZodType<RecordSource> = z.discriminatedUnion(
  'format',
  Object.values(FORMATS).map(({ declaration }) => declaration) as never,
);

const formatOf = (source: RecordSource): Format<RecordSource, Checkpoint> => FORMATS[source.format];

/**
 * @param policy of the partner, for formats that have envelopes. @param shape what the mapping reads. A table names its
 * own columns, and returns them all.
 * @returns a reader that is only given its own checkpoints: a batch is pinned to one mapping version.
 */
export const readerOf = (
  source: RecordSource,
  shape: RecordShape,
  policy: EnvelopePolicy = DEFAULT_POLICY,
): RecordReader<Checkpoint> => formatOf(source).reader(source, shape, policy);

export const encodingOf = (source: RecordSource): Encoding => formatOf(source).encodingOf(source);

export const isTabular = (source: RecordSource): boolean => formatOf(source).isTabular;

/** How a workbook is read that comes in place of the declared file. @returns null: the file is no table, and never one. */
export function sheetReadingOf(source: RecordSource, moments: SheetReading['moments']): SheetReading | null {
  if (source.format === 'xlsx') return sheetOfXlsx(source);
  return source.format === 'csv' ? sheetOfCsv(source, moments) : null;
}

export function fileTypeOf(source: RecordSource): { ending: string; contentType: string } {
  const format = formatOf(source);
  return { ending: format.ending, contentType: format.contentTypeOf(source) };
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
  if ('breaks' in checkpoint && checkpoint.encodingByMark === 'utf-8') return []; // we wrote it, from a workbook
  const encoding = checkpoint.encodingByMark;
  return [
    `The file begins with the byte-order mark of ${encoding}, so it was read as ${encoding} and not as the mapping declares.`,
  ];
}
