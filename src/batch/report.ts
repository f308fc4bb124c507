/**
 * The report of a batch: its records in input order with all original columns, then what became of each.
 *
 * Originals are read again from the stored bytes, so nothing of them is kept twice. Pure but for the ports passed in.
 */

import { readSlice, type StoredBytes } from '../formats/slices.ts';
import type { CompiledMapping } from '../mapping/compile.ts';
import type { BatchRow } from './summary.ts';

export interface ReportPort {
  source: StoredBytes;
  mapping: CompiledMapping;
  /** Rows after a record number, in order, at most `limit`. */
  rows(after: number, limit: number): Promise<BatchRow[]>;
}

export interface ReportRecord {
  columns: readonly string[];
  fields: readonly string[];
  row: BatchRow;
}

/** Rows asked for at once. Ours: keeps a report of a million rows in little memory. */
const ROWS_AT_ONCE = 500;

/** Yields up to the last row known, so a report taken early is a true part of the later one. */
export async function* reportRecords(port: ReportPort): AsyncGenerator<ReportRecord> {
  const rows = rowsInOrder(port);
  for await (const { columns, fields } of recordsOf(port)) {
    const { value: row, done } = await rows.next();
    if (done) return;
    yield { columns, fields, row };
  }
}

/** The file's columns, also where it has no record. */
export async function reportColumns(port: ReportPort): Promise<readonly string[]> {
  const { reader } = port.mapping;
  const read = await readSlice(port.source, reader.start.byte, ({ bytes, atEnd }) =>
    reader.read(reader.start, bytes, atEnd),
  );
  return read.outcome === 'records' ? read.columns : [];
}

async function* rowsInOrder(port: ReportPort): AsyncGenerator<BatchRow, undefined> {
  for (let after = 0; ; ) {
    const page = await port.rows(after, ROWS_AT_ONCE);
    yield* page;
    const last = page.at(-1);
    if (!last || page.length < ROWS_AT_ONCE) return undefined;
    after = last.record;
  }
}

async function* recordsOf(port: ReportPort): AsyncGenerator<{ columns: readonly string[]; fields: readonly string[] }> {
  const { reader } = port.mapping;
  for (let checkpoint = reader.start; ; ) {
    const from = checkpoint;
    const read = await readSlice(port.source, from.byte, ({ bytes, atEnd }) => reader.read(from, bytes, atEnd));
    if (read.outcome !== 'records') return;
    for (const record of read.records) yield { columns: read.columns, fields: record.fields };
    if (read.finished) return;
    checkpoint = read.checkpoint;
  }
}
