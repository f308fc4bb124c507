/**
 * Rows of a batch as a file of the kind that was sent: for a person to correct, or to be mapped again as it is. Pure but
 * for the ports passed in.
 */
import type { JsonSource, NdjsonSource } from '../../formats/json/declaration.ts';
import { compileRecordsPath } from '../../formats/json/path.ts';
import { fileTypeOf, type RecordSource } from '../../formats/reader.ts';
import { sheetAsCsv } from '../../formats/xlsx/declaration.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import { type AroundJson, csvCorrections, fixedCorrections, jsonCorrections, xmlCorrections } from './corrections.ts';
import type { ReportFile, ReportPort } from './report.ts';
import type { BatchRow } from './summary.ts';

/** @property rows only those that are to be in the file. */
export interface CorrectionPort extends ReportPort {
  /** @property name as the rows call it; undefined: there is only one. */
  files: readonly (ReportFile & { name: string | undefined })[];
}

/** @property ending of its name. bytes where the encoding is that of the file. */
export type CorrectionFile = { contentType: string; ending: string } & (
  | { text: AsyncGenerator<string>; bytes: null }
  | { text: null; bytes: AsyncGenerator<Uint8Array> }
);

/**
 * `segments`: a set cannot be sent again by itself; only its sender can give it control numbers. `several_documents`:
 * they cannot become one.
 */
export type CorrectionRefusal = { why: 'segments'; format: 'x12' | 'edifact' } | { why: 'several_documents' };

/** @param isForPeople beside each row stands why it is there, where the format has room for it. */
export function correctionFile(
  port: CorrectionPort,
  batchId: string,
  source: RecordSource,
  isForPeople: boolean,
): Result<CorrectionFile, CorrectionRefusal> {
  const { ending, contentType } = fileTypeOf(source);
  const ofText = (text: AsyncGenerator<string>, type = contentType): Result<CorrectionFile, never> =>
    ok({ contentType: type, ending, text, bytes: null });
  const ofBytes = (bytes: AsyncGenerator<Uint8Array>): Result<CorrectionFile, never> =>
    ok({ contentType, ending, text: null, bytes });
  const { files, rows } = port;
  switch (source.format) {
    case 'csv':
      return ofText(csvCorrections(port, batchId, source, isForPeople), 'text/csv; charset=utf-8');
    case 'xlsx':
      return ofText(csvCorrections(port, batchId, sheetAsCsv(source), isForPeople));
    case 'json':
    case 'ndjson': {
      const around = aroundRecords(source);
      const json = { files, rows, fileOf: fileIndex(port) };
      return ofText(jsonCorrections(json, batchId, around), 'application/json; charset=utf-8');
    }
    case 'x12':
    case 'edifact':
      return err({ why: 'segments', format: source.format });
    case 'fixed':
      return ofBytes(fixedCorrections({ files, rows }, source));
    case 'xml': {
      const [file, ...others] = files;
      if (file === undefined || others.length > 0) return err({ why: 'several_documents' });
      return ofBytes(xmlCorrections({ source: file.source, rows }, batchId, source));
    }
  }
}

/** Whether a row of such a file says which row it replaces. */
export function namesReplaced(source: RecordSource): boolean {
  if (source.format === 'csv' || source.format === 'xlsx') return source.header;
  return source.format === 'json' || source.format === 'ndjson' || source.format === 'xml';
}

function fileIndex({ files }: CorrectionPort): (row: BatchRow) => number {
  const byName = new Map(files.map(({ name }, index) => [name, index]));
  return ({ position: { file } }) => byName.get(file) ?? 0;
}

/** What stands around the records. */
export const aroundRecords = (source: JsonSource | NdjsonSource): AroundJson =>
  source.format === 'ndjson' ? 'lines' : recordsPath(source.records);

/** Checked with the mapping. */
function recordsPath(text: string): readonly string[] {
  const path = compileRecordsPath(text);
  return path.ok ? path.value : [];
}
