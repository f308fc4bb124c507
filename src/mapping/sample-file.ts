/** Groups of records → the bytes of one file in the mapping's own form, and what becomes of them under the mapping. */
import type { CsvSource } from '../formats/csv/declaration.ts';
import type { JsonSource, NdjsonSource } from '../formats/json/declaration.ts';
import type { RecordSource } from '../formats/reader.ts';
import type { RecordShape } from '../formats/record-reader.ts';
import { sheetAsCsv, type XlsxSource } from '../formats/xlsx/declaration.ts';
import type { CompiledMapping } from './compile.ts';
import type { DocumentParts } from './document-parts.ts';
import { encode } from './examples.ts';
import type { PlacedRecord } from './map-record.ts';
import { csvText, csvWrites } from './sample-csv.ts';
import { columnsOf, type Draft, type DraftGroup } from './sample-draft.ts';
import { mappedRecords, type SampleExamples } from './sample-examples.ts';
import { bareColumns, jsonText, ndjsonText } from './sample-json.ts';

/** Formats whose files are composed from single texts; of any other one, an example of the document is the sample. */
type ComposedSource = CsvSource | JsonSource | NdjsonSource | XlsxSource;
export type ComposedMapping = CompiledMapping & { source: ComposedSource };

const COMPOSED: readonly RecordSource['format'][] = [
  'csv',
  'json',
  'ndjson',
  'xlsx',
] satisfies ComposedSource['format'][];

export const isComposed = (mapping: CompiledMapping): mapping is ComposedMapping =>
  COMPOSED.includes(mapping.source.format);

export interface FileWriter {
  /** The file's columns; undefined: a tree has whatever is written. */
  columns: readonly string[] | undefined;
  writes(text: string): boolean;
  /** Rows of groups that may stand anywhere are mixed. @returns undefined where the encoding cannot write them. */
  write(groups: readonly DraftGroup[]): { bytes: Uint8Array; groupOf: readonly number[] } | undefined;
}

export function fileWriter(mapping: ComposedMapping, parts: DocumentParts, examples: SampleExamples): FileWriter {
  const { source, name } = mapping;
  const rows = rowsAsCsv(source);
  const columns = rows === undefined ? undefined : csvColumns(rows, mapping.shape, examples);
  const text = textWriter(source, { columns: columns ?? [], title: `Sample of ${name}`, bare: bareColumns(parts) });
  return {
    columns,
    writes: rows === undefined ? (cell) => cell.isWellFormed() : (cell) => csvWrites(rows, cell),
    write(groups) {
      const drafts = parts.group?.order === 'anywhere' ? mixed(groups) : inOrder(groups);
      const bytes = encode(text(drafts.map(({ draft }) => draft)), source);
      return bytes && { bytes, groupOf: drafts.map(({ group }) => group) };
    },
  };
}

/** How rows are written, where there are rows. */
function rowsAsCsv(source: ComposedSource): CsvSource | undefined {
  if (source.format === 'csv') return source;
  return source.format === 'xlsx' ? sheetAsCsv(source) : undefined;
}

function textWriter(
  source: ComposedSource,
  { columns, title, bare }: { columns: readonly string[]; title: string; bare: ReadonlySet<string> },
): (rows: readonly Draft[]) => string {
  switch (source.format) {
    case 'csv':
      return (rows) => csvText(source, { columns, rows, title });
    case 'xlsx': {
      const sheet = sheetAsCsv(source);
      return (rows) => csvText(sheet, { columns, rows, title });
    }
    case 'json':
      return (rows) => jsonText(rows, source.records, bare);
    case 'ndjson':
      return (rows) => ndjsonText(rows, bare);
  }
}

/** Those of the partner's own file, as the examples show it, and behind them what else the mapping can read. */
function csvColumns(source: CsvSource, shape: RecordShape, examples: SampleExamples): string[] {
  if (!source.header) return [...(source.columns ?? [])];
  const shown = examples.columns.map((column) => column.trim());
  return [...shown, ...columnsOf(shape).filter((column) => !shown.includes(column))];
}

interface Row {
  draft: Draft;
  group: number;
}

const inOrder = (groups: readonly DraftGroup[]): Row[] =>
  groups.flatMap((drafts, group) => drafts.map((draft) => ({ draft, group })));

/** The first rows of all groups, then their second rows, and so on. */
function mixed(groups: readonly DraftGroup[]): Row[] {
  const most = Math.max(0, ...groups.map(({ length }) => length));
  return Array.from({ length: most }, (_, row) =>
    groups.flatMap((drafts, group) => {
      const draft = drafts[row];
      return draft === undefined ? [] : [{ draft, group }];
    }),
  ).flat();
}

/** @returns undefined when the file cannot be written, or does not have exactly these records. */
export async function mapGroups(
  mapping: CompiledMapping,
  writer: FileWriter,
  groups: readonly DraftGroup[],
): Promise<{ bytes: Uint8Array; groupOf: readonly number[]; records: readonly PlacedRecord[] } | undefined> {
  const written = writer.write(groups);
  if (written === undefined) return undefined;
  const records = await mappedRecords(mapping, written.bytes);
  return records.length === written.groupOf.length ? { ...written, records } : undefined;
}
