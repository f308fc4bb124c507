/**
 * The sheet of a workbook, already converted to CSV text, as a `RecordReader`: CSV whose positions are rows of the
 * sheet.
 */

import type { CsvCheckpoint } from '../csv/checkpoint.ts';
import { CSV_LIMITS } from '../csv/limits.ts';
import { csvReader } from '../csv/reader.ts';
import type { Format } from '../format.ts';
import { looksLike } from '../magic.ts';
import {
  type AnyCheckpoint,
  locatedReader,
  type ReadRecord,
  type RecordReader,
  type RecordShape,
} from '../record-reader.ts';
import type { XlsxCheckpoint } from './checkpoint.ts';
import { sheetAsCsv, type XlsxSource, xlsxSource } from './declaration.ts';
import { describeWorkbookProblem } from './problems.ts';

export function xlsxReader(source: XlsxSource, shape: RecordShape): RecordReader<XlsxCheckpoint> {
  const { start, read } = inRows(csvReader(sheetAsCsv(source), shape));
  return {
    start,
    read(checkpoint, bytes, atEnd) {
      // As many bytes of the start as CSV itself checks, so that slices make no difference.
      if (checkpoint.columns === null && (atEnd || bytes.byteLength >= CSV_LIMITS.sniffBytes)) {
        const look = looksLike(bytes);
        if (look !== null) {
          return {
            outcome: 'unreadable',
            problems: [describeWorkbookProblem({ code: 'not_a_workbook', looksLike: look })],
          };
        }
      }
      return read(checkpoint, bytes, atEnd);
    },
  };
}

/** The reader of a table as CSV, whose positions are rows of the sheet that the text came from. */
function inRows(csv: RecordReader<CsvCheckpoint>): RecordReader<XlsxCheckpoint> {
  return {
    start: { ...csv.start, breaks: 0 },
    read(checkpoint, bytes, atEnd) {
      const { breaks: before, ...csvCheckpoint } = checkpoint;
      const read = csv.read(csvCheckpoint, bytes, atEnd);
      if (read.outcome !== 'records') return read;
      let breaks = checkpoint.columns === null ? read.columns.reduce((sum, name) => sum + breaksIn(name), 0) : before;
      // In another encoding bytes cannot be counted: the line then says where a record is.
      const isLocated = read.checkpoint.encodingByMark === null || read.checkpoint.encodingByMark === 'utf-8';
      const records = read.records.map((record): ReadRecord => {
        const { line, byteFrom, byteTo } = record.position;
        const row = line - breaks;
        breaks += lineBreaks(bytes, byteFrom - checkpoint.byte, byteTo - checkpoint.byte);
        return isLocated ? { ...record, position: { ...record.position, place: `row ${row}` } } : record;
      });
      return { ...read, records, checkpoint: { ...read.checkpoint, breaks } };
    },
  };
}

/**
 * The mapping's own reader for a text that came from a workbook: its records then name their sheet, and their row on it.
 * @param reader of a mapping of CSV or of workbooks.
 */
export function readerOnSheet<Own extends AnyCheckpoint>(reader: RecordReader<Own>, sheet: string): RecordReader<Own> {
  const isCsv = !('breaks' in reader.start);
  const rows = isCsv ? (inRows(reader as never) as unknown as RecordReader<Own>) : reader;
  return locatedReader(rows, (position) => ({
    ...position,
    place: `sheet "${sheet}"${position.place === undefined ? '' : `, ${position.place}`}`,
  }));
}

const LF = 0x0a;
const CR = 0x0d;

/** LF, CRLF and CR are one each, as the CSV reader counts lines. */
function lineBreaks(bytes: Uint8Array, from: number, to: number): number {
  let count = 0;
  for (let at = Math.max(0, from); at < to; at++) {
    const byte = bytes[at];
    if (byte === CR || (byte === LF && (at === from || bytes[at - 1] !== CR))) count += 1;
  }
  return count;
}

const breaksIn = (name: string): number => name.split(/\r\n|\r|\n/).length - 1;

/** Samples and corrections are the sheet as CSV. */
export const xlsxFormat: Format<XlsxSource, XlsxCheckpoint> = {
  declaration: xlsxSource,
  reader: xlsxReader,
  isTabular: true,
  encodingOf: () => 'utf-8',
  ending: 'csv',
  contentTypeOf: () => 'text/csv; charset=utf-8',
};
