/**
 * The road from a file to its requests, without storage or delivery: read slices, bind the columns, map every record.
 *
 * Serves the `map` command, the examples inside documents, and previews. Memory is one slice and one open group, whatever
 * the file's size; only rows that may stand anywhere are all kept until the file ends, and so is the sheet of a workbook.
 */
import type { ReadRecord } from '../../formats/record-reader.ts';
import { readSlice, type StoredBytes } from '../../formats/slices.ts';
import type { Problem } from '../../kernel/problem.ts';
import type { GroupReader } from '../groups/compile.ts';
import { type Gathered, gather, gatheredWhole } from '../groups/gather.ts';
import { groupAdjacent, type RecordsEnd } from '../groups/grouping.ts';
import { mapGrouped } from '../groups/map-group.ts';
import type { RowGroup } from '../groups/row-group.ts';
import type { BoundMapping, CompiledMapping } from './compile.ts';
import { fileContent } from './file-content.ts';
import { mapRecord, type PlacedRecord } from './map-record.ts';

/** Records mapped at once: a slice read holds thousands, and what they become is larger than they are. */
const RECORDS_PER_STEP = 500;

/** Some records in order; at most a few hundred. `unreadable` ends the file: it cannot be read as declared, or lacks columns. Nothing before it was yielded then. */
export type MappedStep =
  | { outcome: 'records'; records: readonly PlacedRecord[] }
  | { outcome: 'unreadable'; problems: readonly Problem[] }
  /** The file breaks off behind the records given, which stand. */
  | { outcome: 'ends_early'; problem: Problem };

export async function* mapFile(mapping: CompiledMapping, file: StoredBytes): AsyncGenerator<MappedStep> {
  const content = await fileContent(mapping, file);
  if (!content.ok) {
    yield { outcome: 'unreadable', problems: [content.error] };
    return;
  }
  yield* mapSlices(mapping, content.value);
}

/** As above, of what is read as it is: a file that is stored unpacked, or the rows of a sheet. */
export async function* mapSlices(
  mapping: Pick<CompiledMapping, 'bind'>,
  { source, reader }: { source: StoredBytes; reader: CompiledMapping['reader'] },
): AsyncGenerator<MappedStep> {
  let checkpoint = reader.start;
  let mapper: RecordsMapper | undefined;
  for (;;) {
    const from = checkpoint;
    const read = await readSlice(source, from.byte, ({ bytes, atEnd }) => reader.read(from, bytes, atEnd));
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
    if (read.finished) return;
    checkpoint = read.checkpoint;
  }
}

/** Takes records in order and gives back, in order, those whose requests are known. */
type RecordsMapper = (records: readonly ReadRecord[], end: RecordsEnd) => PlacedRecord[];

function recordsMapper(mapping: BoundMapping): RecordsMapper {
  const { group } = mapping;
  if (group === undefined) return (records) => records.map((record) => mapRecord(mapping.map, record));
  return group.order === 'adjacent' ? adjacentMapper(mapping, group) : anywhereMapper(mapping, group);
}

function adjacentMapper(mapping: BoundMapping, reader: GroupReader): RecordsMapper {
  const closed = new Set<string>();
  let open: RowGroup | null = null;
  const waiting: PlacedRecord[] = [];
  return (records, end) => {
    const step = groupAdjacent(reader, { open, records, end, wasClosed: (key) => closed.has(key) });
    for (const key of step.closedKeys) closed.add(key);
    open = step.open;
    waiting.push(...step.grouped.flatMap((grouped) => mapGrouped(mapping, grouped)));
    // A row that is left out of an open group stands behind the group's first row.
    const openFrom = open?.rows[0]?.position.record ?? Number.POSITIVE_INFINITY;
    const ready = inOrder(waiting.filter(({ position }) => position.record < openFrom));
    const later = waiting.filter(({ position }) => position.record >= openFrom);
    waiting.splice(0, waiting.length, ...later);
    return ready;
  };
}

function anywhereMapper(mapping: BoundMapping, reader: GroupReader): RecordsMapper {
  const gathered: Gathered = { groups: new Map(), last: null };
  const alone: PlacedRecord[] = [];
  return (records, end) => {
    alone.push(...gather(reader, gathered, records).flatMap((grouped) => mapGrouped(mapping, grouped)));
    if (end === 'more') return [];
    const placed = gatheredWhole(gathered, end === 'cut').flatMap((grouped) => mapGrouped(mapping, grouped));
    return inOrder([...alone, ...placed]);
  };
}

const inOrder = (records: PlacedRecord[]): PlacedRecord[] =>
  records.sort((left, right) => left.position.record - right.position.record);
