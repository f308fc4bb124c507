/** CSV behind the face that all formats share; its files name their own columns. */
import { trimmed } from '../../kernel/text.ts';
import { describeFormatProblem } from '../problems.ts';
import type { SourceRecord } from '../record.ts';
import { NO_LISTS, type ReadRecord, type RecordReader, type RecordShape } from '../record-reader.ts';
import { REPLACED_BATCH, REPLACED_RECORD, type ReplacedReader, replacedReader } from '../replaced.ts';
import { type CsvCheckpoint, csvStart } from './checkpoint.ts';
import type { CsvSource } from './declaration.ts';
import { readCsvSlice } from './read.ts';

/** @param shape the columns that are read: of the others nobody minds two of one name. */
export function csvReader(source: CsvSource, { paths }: RecordShape): RecordReader<CsvCheckpoint> {
  const reads = new Set([...paths.map(trimmed), REPLACED_BATCH, REPLACED_RECORD]);
  return {
    start: csvStart,
    read(checkpoint, bytes, atEnd) {
      const read = readCsvSlice(source, checkpoint, bytes, atEnd, reads);
      if (read.outcome === 'more') return read;
      if (read.outcome === 'unreadable') {
        return { outcome: 'unreadable', problems: read.problems.map(describeFormatProblem) };
      }
      const replaced = replacedReader(read.columns);
      const records = read.records.map(csvRecord);
      return { ...read, records: replaced === undefined ? records : broughtBack(records, replaced), endProblem: null };
    },
  };
}

const csvRecord = ({ position, fields, problem }: SourceRecord): ReadRecord =>
  problem === undefined
    ? { position, fields, lists: NO_LISTS }
    : { position, fields, lists: NO_LISTS, problem: describeFormatProblem(problem) };

const broughtBack = (records: readonly ReadRecord[], replaced: ReplacedReader): ReadRecord[] =>
  records.map((record) => ({ ...record, ...replaced.read(record.fields) }));
