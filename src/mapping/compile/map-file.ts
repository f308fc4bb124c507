/**
 * From a file to its requests, without storage or delivery: read slices, bind the columns, map every record.
 *
 * Used by the `map` command, examples inside documents, and previews. Memory is one slice and one open group, whatever
 * the file's size; only rows of groups with `order: anywhere` and the sheet of a workbook are held until the end.
 */
import { looksLike } from '../../formats/magic.ts';
import type { Checkpoint } from '../../formats/reader.ts';
import type { ReadRecord, RecordReader } from '../../formats/record-reader.ts';
import { bytesInMemory, type StoredBytes, slicesOf } from '../../formats/slices.ts';
import { openSheet } from '../../formats/xlsx/convert.ts';
import { WORKBOOK_BYTES_MAX } from '../../formats/xlsx/limits.ts';
import { describeWorkbookProblem } from '../../formats/xlsx/problems.ts';
import { readerOnSheet } from '../../formats/xlsx/reader.ts';
import type { Problem } from '../../kernel/problem.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import {
  collectGroups,
  type GroupReader,
  groupAdjacent,
  groupedWhole,
  type RecordsEnd,
  type RowGroup,
  type WholeGroup,
} from '../groups/grouping.ts';
import { mapGrouped } from '../groups/map-group.ts';
import { type BoundMapping, type CompiledMapping, type LocatedRecord, mapRecord } from './compile.ts';

/*
 * A file as sent → the text for its reader: a workbook becomes its sheet as CSV, in memory; anything else is unchanged.
 */

interface FileContent {
  source: StoredBytes;
  reader: RecordReader<Checkpoint>;
}

/** How many bytes identify a ZIP. */
const MAGIC_BYTES = 8;

/** @param file whose length may be known only after reading it. */
export async function fileContent(
  { sheet, reader }: CompiledMapping,
  file: StoredBytes,
): Promise<Result<FileContent, Problem>> {
  const asItIs = { source: file, reader };
  if (sheet === null) return ok(asItIs);
  if (looksLike(await file.read(0, Math.min(MAGIC_BYTES, file.bytes))) !== 'zip') return ok(asItIs);
  const bytes = await file.read(0, Math.min(WORKBOOK_BYTES_MAX + 1, file.bytes));
  if (bytes.byteLength > WORKBOOK_BYTES_MAX) {
    const facts = { of: 'file', bytes: bytes.byteLength, bytesMax: WORKBOOK_BYTES_MAX } as const;
    return err(describeWorkbookProblem({ code: 'workbook_too_large', ...facts }));
  }
  const opened = await openSheet(bytesInMemory(bytes), sheet);
  if (!opened.ok) return err(describeWorkbookProblem(opened.error));
  if (opened.value === null) return ok(asItIs); // an archive of files: the reader reports it
  const pieces: Uint8Array[] = [];
  const csv = opened.value.csv();
  for (;;) {
    const { done, value } = await csv.next();
    if (!done) pieces.push(value);
    else if (value !== null) return err(describeWorkbookProblem(value));
    else break;
  }
  const text = bytesInMemory(new Uint8Array(await new Blob(pieces as Uint8Array<ArrayBuffer>[]).arrayBuffer()));
  return ok({ source: text, reader: readerOnSheet(reader, opened.value.name) });
}

/** Records mapped at once: a slice holds thousands, and mapped records are larger. */
const RECORDS_PER_STEP = 500;

/**
 * Some records in order; at most a few hundred. `unreadable` ends the file: it cannot be read as declared, or lacks
 * columns; nothing was yielded before.
 */
type MappedStep =
  | { outcome: 'records'; records: readonly LocatedRecord[] }
  | { outcome: 'unreadable'; problems: readonly Problem[] }
  /** The file breaks off after the given records, which remain valid. */
  | { outcome: 'ends_early'; problem: Problem };

export async function* mapFile(mapping: CompiledMapping, file: StoredBytes): AsyncGenerator<MappedStep> {
  const content = await fileContent(mapping, file);
  if (!content.ok) {
    yield { outcome: 'unreadable', problems: [content.error] };
    return;
  }
  yield* mapSlices(mapping, content.value);
}

/**
 * The same mapping for bytes that are only the beginning of a file: the record in which they end is left out, and that
 * they end is no problem.
 */
export function beginningOf(mapping: CompiledMapping): CompiledMapping {
  const { reader } = mapping;
  let columns: readonly string[] | null = null;
  const read: RecordReader<Checkpoint>['read'] = (checkpoint, bytes, atEnd) => {
    const found = reader.read(checkpoint, bytes, false);
    if (found.outcome === 'records') {
      ({ columns } = found);
      return atEnd ? { ...found, finished: true, endProblem: null } : found;
    }
    if (found.outcome === 'unreadable' || !atEnd) return found;
    if (columns === null) return reader.read(checkpoint, bytes, true); // not even one record
    return { outcome: 'records', columns, records: [], checkpoint, finished: true, endProblem: null };
  };
  return { ...mapping, reader: { start: reader.start, read } };
}

/** As above, for content that is read as it is: a file stored unpacked, or the rows of a sheet. */
export async function* mapSlices(
  mapping: Pick<CompiledMapping, 'bind'>,
  { source, reader }: { source: StoredBytes; reader: CompiledMapping['reader'] },
): AsyncGenerator<MappedStep> {
  let mapper: RecordsMapper | undefined;
  for await (const read of slicesOf(source, reader)) {
    if (read.outcome === 'unreadable') {
      yield { outcome: 'unreadable', problems: read.problems };
      return;
    }
    if (mapper === undefined) {
      const bound = mapping.bind(read.columns);
      if (!bound.ok) {
        yield { outcome: 'unreadable', problems: bound.error };
        return;
      }
      mapper = recordsMapper(bound.value);
    }
    for (let first = 0; first < read.records.length; first += RECORDS_PER_STEP) {
      const records = mapper(read.records.slice(first, first + RECORDS_PER_STEP), 'more');
      if (records.length > 0) yield { outcome: 'records', records };
    }
    if (read.finished) {
      const records = mapper([], read.endProblem === null ? 'whole' : 'cut');
      if (records.length > 0) yield { outcome: 'records', records };
    }
    if (read.endProblem !== null) yield { outcome: 'ends_early', problem: read.endProblem };
  }
}

/** Reads records in order and returns, in order, those whose requests are known. */
type RecordsMapper = (records: readonly ReadRecord[], end: RecordsEnd) => LocatedRecord[];

function recordsMapper(mapping: BoundMapping): RecordsMapper {
  const { group } = mapping;
  if (group === undefined) return (records) => records.map((record) => mapRecord(mapping.map, record));
  return group.order === 'adjacent' ? adjacentMapper(mapping, group) : anywhereMapper(mapping, group);
}

function adjacentMapper(mapping: BoundMapping, reader: GroupReader): RecordsMapper {
  const closed = new Set<string>();
  let open: RowGroup | null = null;
  const waiting: LocatedRecord[] = [];
  return (records, end) => {
    const step = groupAdjacent(reader, { open, records, end, wasClosed: (key) => closed.has(key) });
    for (const key of step.closedKeys) closed.add(key);
    open = step.open;
    waiting.push(...step.grouped.flatMap((grouped) => mapGrouped(mapping, grouped)));
    // A row that is left out of an open group comes after the group's first row.
    const openFrom = open?.rows[0]?.position.record ?? Number.POSITIVE_INFINITY;
    const ready = inOrder(waiting.filter(({ position }) => position.record < openFrom));
    const later = waiting.filter(({ position }) => position.record >= openFrom);
    waiting.splice(0, waiting.length, ...later);
    return ready;
  };
}

function anywhereMapper(mapping: BoundMapping, reader: GroupReader): RecordsMapper {
  const gathered: WholeGroup = { groups: new Map(), last: null };
  const alone: LocatedRecord[] = [];
  return (records, end) => {
    alone.push(...collectGroups(reader, gathered, records).flatMap((grouped) => mapGrouped(mapping, grouped)));
    if (end === 'more') return [];
    const placed = groupedWhole(gathered, end === 'cut').flatMap((grouped) => mapGrouped(mapping, grouped));
    return inOrder([...alone, ...placed]);
  };
}

const inOrder = (records: LocatedRecord[]): LocatedRecord[] =>
  records.sort((left, right) => left.position.record - right.position.record);
