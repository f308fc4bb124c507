/**
 * XML as a `RecordReader`: from each record at one path of the document, the paths that the mapping reads.
 *
 * The parser starts again after a tag for each slice and is given the elements that are open there; records, positions
 * and problems do not depend on where a slice ends. No DTD is read, so no entity is expanded but the five predefined
 * ones. A fault in the document's structure ends the reading: the start of the next record cannot be found. Pure: no
 * clock, no I/O.
 */
import type { Result } from '../../kernel/result.ts';
import { textCodec } from '../encoding.ts';
import type { Format } from '../format.ts';
import {
  type Cells,
  type ReadRecord,
  type RecordReader,
  type RecordShape,
  recordReader,
  type Slices,
  treeRecord,
  unreadRecord,
} from '../record-reader.ts';
import { type Capture, NOT_CAPTURED } from './around.ts';
import { type XmlCheckpoint, xmlStart } from './checkpoint.ts';
import { type XmlSource, xmlSource } from './declaration.ts';
import { DecodedSlice, DocumentReader, type XmlReading, type XmlRecord } from './document.ts';
import { LISTED_NAMES_MAX, XML_LIMITS, type XmlLimits } from './limits.ts';
import { DOCTYPE, findOutside, sniffXml, TEXT_OUTSIDE } from './opening.ts';
import {
  attributeOf,
  compileListPath,
  compilePath,
  compileRecordsPath,
  elementAbove,
  elementAt,
  elementsAt,
  type Reach,
  reachOf,
  type XmlElement,
} from './path.ts';
import { describeXmlProblem, type XmlEndProblem, type XmlFileProblem, type XmlRecordProblem } from './problems.ts';

type XmlSlices = Slices<XmlCheckpoint, XmlRecord, XmlFileProblem | XmlEndProblem, XmlEndProblem>;
type XmlSliceRead = ReturnType<XmlSlices>;

/** @returns what reads the slices; `XML_SLICE_BYTES_ENOUGH` bytes never give `more`. */
export function xmlSlices(source: XmlSource, captures: readonly Capture[], limits: XmlLimits = XML_LIMITS): XmlSlices {
  const path = compileRecordsPath(source.records, source.namespaces);
  // Only reached with a declaration that did not pass `xmlSource`, which is a bug of the caller.
  if (!path.ok) throw new Error(`records is no path: ${path.error}`);
  const reading = { source, path: path.value, captures, limits };
  return (checkpoint, bytes, atEnd) => {
    if (checkpoint.endProblem !== null) {
      return { outcome: 'records', records: [], checkpoint, finished: true, endProblem: checkpoint.endProblem };
    }
    if (checkpoint.encoding === null) return readStart(reading, checkpoint, bytes, atEnd);
    const slice = new DecodedSlice(textCodec(checkpoint.encoding), bytes, atEnd);
    return readDecoded(reading, checkpoint, slice, atEnd);
  };
}

/** Before any parser sees the document it is known that there is no DOCTYPE before the root. */
function readStart(reading: XmlReading, checkpoint: XmlCheckpoint, bytes: Uint8Array, atEnd: boolean): XmlSliceRead {
  const { source, captures, limits } = reading;
  if (!atEnd && bytes.byteLength < limits.sniffBytes) return { outcome: 'more' };
  const start = sniffXml(bytes.subarray(0, limits.sniffBytes), source);
  if (!start.ok) return { outcome: 'unreadable', problems: [start.error] };
  const { markBytes, ...encodings } = start.value;
  const codec = textCodec(encodings.encoding);
  const slice = new DecodedSlice(codec, bytes.subarray(markBytes), atEnd);
  const before = validateProlog(slice, markBytes, limits);
  if (before === 'open') {
    const start = { offset: 0, byte: 0, lines: 0 };
    const bytesMax = limits.recordBytesMax + (slice.bad === null ? PROLOG_LOOKAHEAD_BYTES : 0);
    if (slice.locationFrom(start, slice.text.length).byte > bytesMax) {
      return { outcome: 'unreadable', problems: [noRootWithin(limits, markBytes)] };
    }
    if (!atEnd && slice.bad === null) return { outcome: 'more' };
  } else if (before !== 'root') {
    return { outcome: 'unreadable', problems: [before] };
  }
  const opened = { ...checkpoint, ...encodings, byte: markBytes, captured: captures.map(() => NOT_CAPTURED) };
  return readDecoded(reading, opened, slice, atEnd);
}

/** Bytes of the longest mark that can be needed to recognise what is outside the root, in any encoding. */
const PROLOG_LOOKAHEAD_BYTES = 4 * DOCTYPE.length;

/**
 * Checked before any parser sees the document: the text before its root. `open`: the slice ends before it can be told.
 */
function validateProlog(slice: DecodedSlice, markBytes: number, limits: XmlLimits): XmlEndProblem | 'root' | 'open' {
  const outside = findOutside(slice.text, 0);
  if (outside.kind === 'more' || outside.kind === 'nothing') return 'open';
  const { byte, lines } = slice.locationFrom({ offset: 0, byte: markBytes, lines: 0 }, outside.at);
  if (byte - markBytes > limits.recordBytesMax) return noRootWithin(limits, markBytes);
  const place = { byte, line: lines + 1, text: '', inside: '' };
  switch (outside.kind) {
    case 'doctype':
      return { ...place, code: 'xml_doctype', text: DOCTYPE };
    case 'text':
      return { ...place, code: 'xml_not_well_formed', detail: TEXT_OUTSIDE };
    case 'element':
      return 'root';
  }
}

const noRootWithin = ({ recordBytesMax: max }: XmlLimits, byte: number): XmlEndProblem => ({
  code: 'xml_too_large',
  what: 'markup',
  max,
  byte,
  line: 1,
  text: '',
  inside: '',
});

function readDecoded(reading: XmlReading, from: XmlCheckpoint, slice: DecodedSlice, atEnd: boolean): XmlSliceRead {
  const document = new DocumentReader(reading, from, slice);
  const { records, checkpoint, endProblem } = document.read(atEnd);
  if (endProblem !== null && checkpoint.record === 0) return { outcome: 'unreadable', problems: [endProblem] };
  const finished = atEnd || endProblem !== null;
  if (!finished && checkpoint.byte === from.byte) return { outcome: 'more' };
  if (finished && endProblem === null && checkpoint.record === 0) {
    const missing = recordsMissing(reading, checkpoint);
    if (missing !== null) return { outcome: 'unreadable', problems: [missing] };
  }
  return { outcome: 'records', records, checkpoint, finished, endProblem };
}

/** An element on the path that has no records is an empty list; if the path itself leads nowhere, it is wrong. */
function recordsMissing({ source, path }: XmlReading, { deepest, names }: XmlCheckpoint): XmlFileProblem | null {
  if (deepest >= path.length - 1 && path.length > 1) return null;
  const reached = source.records.trim().split('/').slice(0, deepest).join('/');
  return { code: 'records_not_found', path: source.records, reached, names: names.slice(0, LISTED_NAMES_MAX) };
}

export function xmlReader(source: XmlSource, shape: RecordShape): RecordReader<XmlCheckpoint> {
  const captures: Capture[] = [];
  const read = cellsReader(source, shape, 0, captures);
  const recordOf = () => (record: XmlRecord) => xmlRecord(record, read);
  return recordReader(xmlStart, xmlSlices(source, captures), {
    describe: describeXmlProblem,
    recordOf,
    paths: shape.paths,
  });
}

/** @property tooLarge the first text that is too long. */
interface Element {
  element: XmlElement;
  captured: readonly string[];
  tooLarge: { path: string; text: string } | null;
}

type ReadCells = (of: Element) => Cells;

/** What is missing reads as the empty text: a required field then reports it. */
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

/** Paths were checked with the document; an invalid one reads nothing. */
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

/** All elements of a list look for the same element above them: it is searched once. */
function foundOnce(): typeof elementAt {
  let last: { above: XmlElement; found: XmlElement | undefined } | undefined;
  return (above, steps) => {
    if (last?.above !== above) last = { above, found: elementAt(above, steps) };
    return last.found;
  };
}

function reachIn(source: XmlSource, path: string, depth: number): Result<Reach, string> {
  const compiled = compilePath(path, source.namespaces);
  const records = compileRecordsPath(source.records, source.namespaces);
  if (!compiled.ok) return compiled;
  return records.ok ? reachOf(compiled.value, records.value, depth) : records;
}

/**
 * @param lists paths of the enclosing arrays, outermost first.
 * @returns the expected form, if a path or the innermost list is invalid.
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
  const unread = (fact: XmlRecordProblem) => unreadRecord(position, describeXmlProblem(fact));
  if (element === null) return unread(problem);
  const of: Element = { element, captured, tooLarge: null };
  const cells = read(of);
  if (of.tooLarge !== null) {
    const { line } = position;
    const [characters, charactersMax] = [of.tooLarge.text.length, XML_LIMITS.valueCharactersMax];
    return unread({ code: 'value_too_large', line, characters, charactersMax, ...of.tooLarge });
  }
  return treeRecord(position, cells, (local) => attributeOf(element.attributes, { local, uri: '' }));
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

export const xmlFormat: Format<XmlSource, XmlCheckpoint> = {
  declaration: xmlSource,
  reader: xmlReader,
  isTabular: false,
  encodingOf: ({ encoding }) => encoding,
  ending: 'xml',
  contentTypeOf: () => 'application/xml',
};
