/** XML behind the face that all formats share: of each record, the paths that the mapping reads. */
import type { Cells, ReadRecord, RecordReader, RecordShape } from '../record-reader.ts';
import { REPLACED_BATCH, REPLACED_RECORD } from '../replaced.ts';
import type { Capture } from './captures.ts';
import { type XmlCheckpoint, xmlStart } from './checkpoint.ts';
import type { XmlSource } from './declaration.ts';
import { XML_LIMITS } from './limits.ts';
import { compileListPath, compilePath, compileRecordsPath, type Reach, reachOf } from './path.ts';
import { describeXmlProblem, type XmlRecordProblem } from './problems.ts';
import { type XmlRecord, xmlSlices } from './read.ts';
import { attributeOf, elementAbove, elementAt, elementsAt, type XmlElement } from './tree.ts';

export function xmlReader(source: XmlSource, shape: RecordShape): RecordReader<XmlCheckpoint> {
  const captures: Capture[] = [];
  const read = cellsReader(source, shape, 0, captures);
  const readSlice = xmlSlices(source, captures);
  return {
    start: xmlStart,
    read(checkpoint, bytes, atEnd) {
      const slice = readSlice(checkpoint, bytes, atEnd);
      if (slice.outcome === 'more') return slice;
      if (slice.outcome === 'unreadable') {
        return { outcome: 'unreadable', problems: slice.problems.map(describeXmlProblem) };
      }
      const endProblem = slice.endProblem === null ? null : describeXmlProblem(slice.endProblem);
      return {
        ...slice,
        columns: shape.paths,
        records: slice.records.map((record) => xmlRecord(record, read)),
        endProblem,
      };
    },
  };
}

/** @property tooLarge the first text that is longer than may be read. */
interface Element {
  element: XmlElement;
  captured: readonly string[];
  tooLarge: { path: string; text: string } | null;
}

type ReadCells = (of: Element) => Cells;

/** What is missing reads as the empty text: a field that is required then says so. */
function cellsReader(source: XmlSource, shape: RecordShape, depth: number, captures: Capture[]): ReadCells {
  const texts = shape.paths.map((path) => textReader(source, path, depth, captures));
  const lists = shape.lists.map((list) => {
    const steps = compileListPath(list.path, source.namespaces);
    const found = steps.ok ? steps.value : [];
    return { steps: found, read: cellsReader(source, list.shape, depth + found.length, captures) };
  });
  return (of) => ({
    fields: texts.map((read) => read(of)),
    lists: lists.map(({ steps, read }) =>
      steps.length === 0
        ? []
        : elementsAt(of.element, steps).map((element) => {
            const inner = { ...of, element };
            const cells = read(inner);
            of.tooLarge ??= inner.tooLarge;
            return cells;
          }),
    ),
  });
}

/** Paths were checked with the document; one that is none reads nothing. */
function textReader(source: XmlSource, path: string, depth: number, captures: Capture[]): (of: Element) => string {
  const reach = reachIn(source, path, depth);
  if (!reach.ok) return () => '';
  const { kind, steps, attribute } = reach.value;
  if (kind === 'around') {
    const index = captures.push({ base: reach.value.base, steps, attribute }) - 1;
    return ({ captured }) => captured[index] ?? '';
  }
  const { ups } = reach.value;
  const find = ups === 0 ? elementAt : foundOnce();
  return (of) => {
    const above = elementAbove(of.element, ups);
    const element = above && find(above, steps);
    if (element === undefined) return '';
    const text = attribute === null ? element.text : (attributeOf(element.attributes, attribute) ?? '');
    if (text.length <= XML_LIMITS.valueCharactersMax) return text;
    of.tooLarge ??= { path, text };
    return '';
  };
}

/** The elements of a list look for the same thing above them: it is looked for once, however many they are. */
function foundOnce(): typeof elementAt {
  let last: { above: XmlElement; found: XmlElement | undefined } | undefined;
  return (above, steps) => {
    if (last?.above !== above) last = { above, found: elementAt(above, steps) };
    return last.found;
  };
}

type ReachResult = { ok: true; value: Reach } | { ok: false; error: string };

function reachIn(source: XmlSource, path: string, depth: number): ReachResult {
  const compiled = compilePath(path, source.namespaces);
  const records = compileRecordsPath(source.records, source.namespaces);
  if (!compiled.ok) return compiled;
  return records.ok ? reachOf(compiled.value, records.value, depth) : records;
}

/**
 * @param lists paths of the arrays around it, outermost first.
 * @returns what is wanted instead, where a path or the innermost list is none.
 */
export function xmlPathFault(
  source: XmlSource,
  path: string,
  lists: readonly string[],
): { value: string; wanted: string } | null {
  let depth = 0;
  for (const list of lists) {
    const steps = compileListPath(list, source.namespaces);
    if (!steps.ok) return { value: list, wanted: steps.error };
    depth += steps.value.length;
  }
  const reach = reachIn(source, path, depth);
  return reach.ok ? null : { value: path, wanted: reach.error };
}

function xmlRecord({ position, element, captured, problem }: XmlRecord, read: ReadCells): ReadRecord {
  if (element === null) return inError(position, problem);
  const of: Element = { element, captured, tooLarge: null };
  const cells = read(of);
  if (of.tooLarge !== null) {
    const { path, text } = of.tooLarge;
    const charactersMax = XML_LIMITS.valueCharactersMax;
    return inError(position, {
      code: 'value_too_large',
      line: position.line,
      path,
      characters: text.length,
      charactersMax,
      text,
    });
  }
  const batch = attributeOf(element.attributes, { local: REPLACED_BATCH, uri: '' });
  const record = attributeOf(element.attributes, { local: REPLACED_RECORD, uri: '' });
  if (batch === undefined || record === undefined) return { position, ...cells };
  return { position, ...cells, replaces: { batch, record } };
}

function inError(position: ReadRecord['position'], problem: XmlRecordProblem | undefined): ReadRecord {
  return {
    position,
    fields: [],
    lists: [],
    ...(problem === undefined ? {} : { problem: describeXmlProblem(problem) }),
  };
}

/** What a person should know of how the file was read though nothing is wrong. */
export function xmlNotes({ encodingByDeclaration, record, names, deepest }: XmlCheckpoint): string[] {
  const notes: string[] = [];
  if (encodingByDeclaration !== null) {
    notes.push(
      `The document says of itself that it is ${encodingByDeclaration}, so it was read as that and not as the mapping declares.`,
    );
  }
  if (record === 0 && deepest > 0 && names.length > 0) {
    notes.push(`The document holds no records; in their place stand: ${names.join(', ')}.`);
  }
  return notes;
}
