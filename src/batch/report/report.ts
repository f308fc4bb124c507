/**
 * The report of a batch: its records in input order with all original columns, then the outcome of each.
 * Originals are read again from the stored bytes, so nothing is stored twice. Pure but for the ports passed in.
 */

import { type StoredBytes, slicesOf } from '../../formats/slices.ts';
import type { Problem } from '../../kernel/problem.ts';
import type { CompiledMapping } from '../../mapping/compile/compile.ts';
import type { BatchRow } from './summary.ts';

/** Rows read at once. Ours: a report of a million rows needs little memory. */
const ROWS_AT_ONCE = 500;

/** @param rows after a record number, in order, at most `limit`. */
export async function* rowsInOrder(
  rows: (after: number, limit: number) => Promise<readonly BatchRow[]>,
): AsyncGenerator<BatchRow, undefined> {
  for (let after = 0; ; ) {
    const page = await rows(after, ROWS_AT_ONCE);
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < ROWS_AT_ONCE) return undefined;
    after = last.record;
  }
}

export interface ReportPort {
  /** One, or the files of an archive, in order. */
  files: readonly ReportFile[];
  mapping: CompiledMapping;
  /** Rows after a record number, in order, at most `limit`. */
  rows(after: number, limit: number): Promise<BatchRow[]>;
}

export interface ReportFile {
  source: StoredBytes;
  /** Why the file could not be read (it has no rows then). Empty: it was read. */
  problems: readonly Problem[];
}

export interface ReportRecord {
  columns: readonly string[];
  fields: readonly string[];
  row: BatchRow;
}

/** A record, or an unreadable file of an archive in its place. */
type ReportPart = ReportRecord | { problems: readonly Problem[] };

/** Yields up to the last row known, so an early report is a true part of the later one. */
export async function* reportParts(port: ReportPort): AsyncGenerator<ReportPart> {
  const rows = rowsInOrder(port.rows);
  let record = 0;
  let next: BatchRow | undefined;
  for (const { source, problems } of port.files) {
    if (problems.length > 0) {
      yield { problems };
      continue;
    }
    for await (const { columns, fields } of recordsOf(source, port.mapping)) {
      record += 1;
      next ??= (await rows.next()).value ?? undefined;
      if (next === undefined || next.record > record) return; // rows of an open group are not known yet
      yield { columns, fields, row: next };
      next = undefined;
    }
  }
}

/** The records of the rows that the port gives, which may be some of them; all others are passed over. */
export async function* recordsOfRows(port: ReportPort): AsyncGenerator<ReportRecord> {
  const rows = rowsInOrder(port.rows);
  let next = (await rows.next()).value;
  let record = 0;
  for (const { source, problems } of port.files) {
    if (problems.length > 0) continue;
    for await (const { columns, fields } of recordsOf(source, port.mapping)) {
      record += 1;
      if (next === undefined) return;
      if (next.record !== record) continue;
      yield { columns, fields, row: next };
      next = (await rows.next()).value;
    }
  }
}

/**
 * The columns of all files in the order first met, even without records. A name repeated in one file is repeated here.
 */
export async function reportColumns({ files, mapping }: ReportPort): Promise<readonly string[]> {
  const all: string[] = [];
  const times = new Map<string, number>();
  const isTable = mapping.source.format === 'csv' || mapping.source.format === 'xlsx';
  for (const { source } of files) {
    if (!isTable && all.length > 0) break; // named by the mapping, the same for every file
    const own = new Map<string, number>();
    for (const name of await columnsOf(source, mapping)) {
      const time = (own.get(name) ?? 0) + 1;
      own.set(name, time);
      if (time <= (times.get(name) ?? 0)) continue;
      times.set(name, time);
      all.push(name);
    }
  }
  return all;
}

/**
 * Arranges the cells of records under the report's columns, by name; a file with all of them in this order keeps its
 * cells.
 */
export function cellsUnder(header: readonly string[]): (record: Omit<ReportRecord, 'row'>) => readonly string[] {
  let columnsSeen: readonly string[] | undefined;
  let places: (number | undefined)[] = [];
  return ({ columns, fields }) => {
    if (columns !== columnsSeen) {
      columnsSeen = columns;
      places = locationsIn(columns, header);
    }
    return places.map((place) => (place === undefined ? '' : (fields[place] ?? '')));
  };
}

function locationsIn(columns: readonly string[], header: readonly string[]): (number | undefined)[] {
  const left = Map.groupBy(columns.keys(), (index) => columns[index] ?? '');
  return header.map((name) => left.get(name)?.shift());
}

async function columnsOf(source: StoredBytes, { reader }: CompiledMapping): Promise<readonly string[]> {
  for await (const read of slicesOf(source, reader)) return read.outcome === 'records' ? read.columns : [];
  return [];
}

async function* recordsOf(
  source: StoredBytes,
  { reader }: CompiledMapping,
): AsyncGenerator<{ columns: readonly string[]; fields: readonly string[] }> {
  for await (const read of slicesOf(source, reader)) {
    if (read.outcome !== 'records') return;
    for (const record of read.records) yield { columns: read.columns, fields: record.fields };
  }
}
