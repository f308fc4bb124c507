/** JSON and NDJSON behind the face that all formats share: of each tree, the paths that the mapping reads. */
import type { AnyCheckpoint, Cells, ReadRecord, RecordReader, RecordShape } from '../record-reader.ts';
import { REPLACED_BATCH, REPLACED_RECORD } from '../replaced.ts';
import { jsonStart, ndjsonStart } from './checkpoint.ts';
import type { JsonSource, NdjsonSource } from './declaration.ts';
import { readNdjsonSlice } from './ndjson.ts';
import { compilePath, ELEMENT, itemsAt, type JsonPath, textAt } from './path.ts';
import { describeJsonProblem } from './problems.ts';
import { readJsonSlice } from './read.ts';
import type { JsonRecord, JsonSliceRead, JsonValue } from './record.ts';

export const jsonReader = (source: JsonSource, shape: RecordShape) =>
  treeReader(shape, jsonStart, (checkpoint, bytes, atEnd) => readJsonSlice(source, checkpoint, bytes, atEnd));

export const ndjsonReader = (source: NdjsonSource, shape: RecordShape) =>
  treeReader(shape, ndjsonStart, (checkpoint, bytes, atEnd) => readNdjsonSlice(source, checkpoint, bytes, atEnd));

function treeReader<Own extends AnyCheckpoint>(
  shape: RecordShape,
  start: Own,
  readSlice: (checkpoint: Own, bytes: Uint8Array, atEnd: boolean) => JsonSliceRead<Own>,
): RecordReader<Own> {
  const columns = shape.paths;
  const read = cellsReader(shape);
  return {
    start,
    read(checkpoint, bytes, atEnd) {
      const slice = readSlice(checkpoint, bytes, atEnd);
      if (slice.outcome === 'more') return slice;
      if (slice.outcome === 'unreadable') {
        return { outcome: 'unreadable', problems: slice.problems.map(describeJsonProblem) };
      }
      const endProblem = slice.endProblem === null ? null : describeJsonProblem(slice.endProblem);
      return { ...slice, columns, records: slice.records.map((record) => jsonRecord(record, read)), endProblem };
    },
  };
}

type ReadCells = (value: JsonValue | null) => Cells;

/** What is missing, null, an object or an array reads as the empty text: a field that is required then says so. */
function cellsReader(shape: RecordShape): ReadCells {
  const paths = shape.paths.map(jsonPath);
  const lists = shape.lists.map((list) => ({ path: jsonPath(list.path), read: cellsReader(list.shape) }));
  return (value) => ({
    fields: paths.map((path) => (value === null || path === null ? '' : (textAt(value, path) ?? ''))),
    lists: lists.map(({ path, read }) => (value === null || path === null ? [] : itemsAt(value, path).map(read))),
  });
}

/** Paths were checked with the document; one that is none reads nothing. */
function jsonPath(text: string): JsonPath | null {
  if (text.trim() === ELEMENT) return [];
  const path = compilePath(text.trim());
  return path.ok ? path.value : null;
}

function jsonRecord({ position, value, problem }: JsonRecord, read: ReadCells): ReadRecord {
  if (problem !== undefined) return { position, fields: [], lists: [], problem: describeJsonProblem(problem) };
  const batch = value === null ? undefined : textAt(value, [REPLACED_BATCH]);
  const record = value === null ? undefined : textAt(value, [REPLACED_RECORD]);
  if (batch === undefined || record === undefined) return { position, ...read(value) };
  return { position, ...read(value), replaces: { batch, record } };
}
