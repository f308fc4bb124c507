/** JSON and NDJSON as a `RecordReader`: from each tree, the paths that the mapping reads. */
import type { Format } from '../format.ts';
import {
  type AnyCheckpoint,
  type Cells,
  NO_LISTS,
  type ReadRecord,
  type RecordShape,
  recordReader,
  treeRecord,
  unreadRecord,
} from '../record-reader.ts';
import { type JsonCheckpoint, jsonStart, type NdjsonCheckpoint, ndjsonStart } from './checkpoint.ts';
import { type JsonSource, jsonSource, type NdjsonSource, ndjsonSource } from './declaration.ts';
import { jsonSlices } from './document.ts';
import { ndjsonSlices } from './lines.ts';
import {
  compileElementPath,
  compileListPath,
  itemsAt,
  type JsonPath,
  type JsonValue,
  pathText,
  textAt,
} from './path.ts';
import { describeJsonProblem, type JsonRecordProblem } from './problems.ts';
import type { JsonRecord, JsonSlices } from './records.ts';

export const jsonFormat: Format<JsonSource, JsonCheckpoint> = {
  declaration: jsonSource,
  reader: (source, shape) => treeReader(jsonStart, jsonSlices(source), shape),
  isTabular: false,
  encodingOf: ({ encoding }) => encoding,
  ending: 'json',
  contentTypeOf: () => 'application/json',
};

export const ndjsonFormat: Format<NdjsonSource, NdjsonCheckpoint> = {
  declaration: ndjsonSource,
  reader: (_, shape) => treeReader(ndjsonStart, ndjsonSlices(), shape),
  isTabular: false,
  encodingOf: () => 'utf-8',
  ending: 'ndjson',
  contentTypeOf: () => 'application/x-ndjson',
};

function treeReader<Own extends AnyCheckpoint>(start: Own, slices: JsonSlices<Own>, shape: RecordShape) {
  const read = cellsReader(shape);
  const recordOf = () => (record: JsonRecord) => jsonRecord(record, read);
  return recordReader(start, slices, { describe: describeJsonProblem, recordOf, paths: shape.paths });
}

/** @property elements from the record to the one that is read. */
interface Place {
  elements: readonly JsonValue[];
  at: readonly number[];
}

/** An undeclared array on the way to another one, found while a record is read. */
interface Found {
  unexpected: { path: string; items: number; list: string } | null;
}

type ReadCells = (place: Place, found: Found) => Cells;

/** What is missing, null, an object or an array reads as the empty text: a required field then reports it. */
function cellsReader(shape: RecordShape): ReadCells {
  const paths = shape.paths.map((text) => compileElementPath(text.trim()));
  const lists = shape.lists.map(listReader);
  return ({ elements }, found) => {
    const fields: string[] = [];
    for (const path of paths) {
      // Paths were checked with the document; an invalid one reads nothing.
      const element = path.ok ? elements[elements.length - 1 - path.value.ups] : undefined;
      fields.push(path.ok && element !== undefined ? (textAt(element, path.value.path) ?? '') : '');
    }
    return { fields, lists: lists.length === 0 ? NO_LISTS : lists.map((read) => read(elements, found)) };
  };
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
  const unread = (fact: JsonRecordProblem) => unreadRecord(position, describeJsonProblem(fact));
  if (value === null) return unread(problem);
  const found: Found = { unexpected: null };
  const cells = read({ elements: [value], at: [] }, found);
  if (found.unexpected !== null) {
    const { line, byteFrom: byte } = position;
    return unread({ code: 'array_unexpected', line, byte, ...found.unexpected });
  }
  return treeRecord(position, cells, (name) => textAt(value, [name]));
}
