/** JSON and NDJSON behind the face that all formats share: of each tree, the paths that the mapping reads. */
import type { AnyCheckpoint, Cells, ReadRecord, RecordReader, RecordShape } from '../record-reader.ts';
import { REPLACED_BATCH, REPLACED_RECORD } from '../replaced.ts';
import { jsonStart, ndjsonStart } from './checkpoint.ts';
import type { JsonSource, NdjsonSource } from './declaration.ts';
import { readNdjsonSlice } from './ndjson.ts';
import { compileElementPath, compileListPath, itemsAt, type JsonPath, pathText, textAt } from './path.ts';
import { describeJsonProblem, type JsonRecordProblem } from './problems.ts';
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

/** @property elements from the record to the one that is read. */
interface Place {
  elements: readonly JsonValue[];
  at: readonly number[];
}

/** An array in the way of another one, found while a record is read. */
interface Found {
  unexpected: { path: string; items: number; list: string } | null;
}

type ReadCells = (place: Place, found: Found) => Cells;

/** What is missing, null, an object or an array reads as the empty text: a field that is required then says so. */
function cellsReader(shape: RecordShape): ReadCells {
  const paths = shape.paths.map((text) => compileElementPath(text.trim()));
  const lists = shape.lists.map(listReader);
  return ({ elements }, found) => ({
    // Paths were checked with the document; one that is none reads nothing.
    fields: paths.map((path) => {
      const element = path.ok ? elements.at(-1 - path.value.ups) : undefined;
      return path.ok && element !== undefined ? (textAt(element, path.value.path) ?? '') : '';
    }),
    lists: lists.map((read) => read(elements, found)),
  });
}

function listReader({ path, shape }: RecordShape['lists'][number]) {
  const compiled = compileListPath(path.trim());
  const levels = compiled.ok ? compiled.value : [];
  const read = cellsReader(shape);
  return (elements: readonly JsonValue[], found: Found): Cells[] => {
    const places = levels.reduce<readonly Place[]>(
      (outer, level, depth) =>
        outer.flatMap((place) => {
          const before = levels.slice(0, depth).map((step, index) => `${pathText(step)}[${place.at[index]}].`);
          return inside(place, level, { path, before: before.join(''), found });
        }),
      levels.length === 0 ? [] : [{ elements, at: [] }],
    );
    return places.map((place) => {
      const cells = read(place, found);
      return levels.length > 1 ? { ...cells, at: place.at } : cells;
    });
  };
}

function inside(
  { elements, at }: Place,
  level: JsonPath,
  list: { path: string; before: string; found: Found },
): readonly Place[] {
  const element = elements.at(-1);
  const items = element === undefined ? [] : itemsAt(element, level);
  if ('items' in items) {
    list.found.unexpected ??= { path: list.before + pathText(items.path), items: items.items, list: list.path };
    return [];
  }
  return items.map((item, index) => ({ elements: [...elements, item], at: [...at, index] }));
}

function jsonRecord({ position, value, problem }: JsonRecord, read: ReadCells): ReadRecord {
  if (problem !== undefined || value === null) return inError(position, problem);
  const found: Found = { unexpected: null };
  const cells = read({ elements: [value], at: [] }, found);
  if (found.unexpected !== null) {
    const { line, byteFrom: byte } = position;
    return inError(position, { code: 'array_unexpected', line, byte, ...found.unexpected });
  }
  const batch = textAt(value, [REPLACED_BATCH]);
  const record = textAt(value, [REPLACED_RECORD]);
  if (batch === undefined || record === undefined) return { position, ...cells };
  return { position, ...cells, replaces: { batch, record } };
}

function inError(position: ReadRecord['position'], problem: JsonRecordProblem | undefined): ReadRecord {
  return {
    position,
    fields: [],
    lists: [],
    ...(problem === undefined ? {} : { problem: describeJsonProblem(problem) }),
  };
}
