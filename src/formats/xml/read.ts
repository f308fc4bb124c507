/**
 * Reads an XML document slice by slice into the records at one path, with exact positions.
 *
 * The parser begins anew behind a tag for each slice, told which elements are open there; records, positions and
 * problems do not depend on where a slice ends. No DTD is read, so that no entity is expanded but the five predefined
 * ones. What breaks the document ends the reading: nothing tells where the next record begins. Pure: no clock, no I/O.
 */
import type { Position } from '../../kernel/problem.ts';
import { textCodec } from '../encoding.ts';
import { type Capture, NOT_CAPTURED } from './captures.ts';
import type { XmlCheckpoint } from './checkpoint.ts';
import type { XmlSource } from './declaration.ts';
import { DecodedSlice } from './decoded.ts';
import { DocumentReader } from './document.ts';
import { LISTED_NAMES_MAX, XML_LIMITS, type XmlLimits } from './limits.ts';
import { DOCTYPE, findDoctype, sniffXml } from './opening.ts';
import { compileRecordsPath, type NameTest } from './path.ts';
import type { XmlEndProblem, XmlFileProblem, XmlRecordProblem } from './problems.ts';
import type { XmlElement } from './tree.ts';

/** One record. `element` is null exactly when `problem` is set. `captured`: texts from around it, as they were asked for. */
export interface XmlRecord {
  position: Position;
  element: XmlElement | null;
  captured: readonly string[];
  problem?: XmlRecordProblem;
}

/** As `RecordsRead`, with trees and facts. */
export type XmlSliceRead =
  | {
      outcome: 'records';
      records: XmlRecord[];
      checkpoint: XmlCheckpoint;
      finished: boolean;
      endProblem: XmlEndProblem | null;
    }
  | { outcome: 'more' }
  | { outcome: 'unreadable'; problems: (XmlFileProblem | XmlEndProblem)[] };

/** @property path from the root to the repeated element. */
export interface XmlReading {
  source: XmlSource;
  path: readonly NameTest[];
  captures: readonly Capture[];
  limits: XmlLimits;
}

/** @returns what reads the slices; `XML_SLICE_BYTES_ENOUGH` bytes are never answered with `more`. */
export function xmlSlices(
  source: XmlSource,
  captures: readonly Capture[],
  limits: XmlLimits = XML_LIMITS,
): (checkpoint: XmlCheckpoint, bytes: Uint8Array, atEnd: boolean) => XmlSliceRead {
  const path = compileRecordsPath(source.records, source.namespaces);
  // Only a declaration that did not pass `xmlSource` comes here, which is a bug of the caller.
  if (!path.ok) throw new Error(`records is no path: ${path.error}`);
  const reading = { source, path: path.value, captures, limits };
  return (checkpoint, bytes, atEnd) => readSlice(reading, checkpoint, bytes, atEnd);
}

function readSlice(reading: XmlReading, checkpoint: XmlCheckpoint, bytes: Uint8Array, atEnd: boolean): XmlSliceRead {
  if (checkpoint.endProblem !== null) {
    return { outcome: 'records', records: [], checkpoint, finished: true, endProblem: checkpoint.endProblem };
  }
  if (checkpoint.encoding === null) return readStart(reading, checkpoint, bytes, atEnd);
  const codec = textCodec(checkpoint.encoding);
  return readDecoded(reading, checkpoint, new DecodedSlice(codec, bytes, atEnd), atEnd);
}

/** Before any parser sees the document it is known that no DOCTYPE stands before the root. */
function readStart(reading: XmlReading, checkpoint: XmlCheckpoint, bytes: Uint8Array, atEnd: boolean): XmlSliceRead {
  const { source, captures, limits } = reading;
  if (!atEnd && bytes.byteLength < limits.sniffBytes) return { outcome: 'more' };
  const start = sniffXml(bytes.subarray(0, limits.sniffBytes), source);
  if (!start.ok) return { outcome: 'unreadable', problems: [start.error] };
  const { markBytes, ...encodings } = start.value;
  const codec = textCodec(encodings.encoding);
  const slice = new DecodedSlice(codec, bytes.subarray(markBytes), atEnd);
  const doctype = findDoctype(slice.text);
  if (doctype === 'more' && !atEnd && slice.bad === null && bytes.byteLength <= limits.recordBytesMax) {
    return { outcome: 'more' };
  }
  if (typeof doctype === 'object') {
    const { byte, lines } = slice.placeFrom({ offset: 0, byte: markBytes, lines: 0 }, doctype.at);
    const text = slice.text.slice(doctype.at, doctype.at + DOCTYPE.length);
    return { outcome: 'unreadable', problems: [{ code: 'xml_doctype', byte, line: lines + 1, text, inside: '' }] };
  }
  const opened = { ...checkpoint, ...encodings, byte: markBytes, captured: captures.map(() => NOT_CAPTURED) };
  return readDecoded(reading, opened, slice, atEnd);
}

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

/** An element on the path that holds no records is an empty list; where the path itself leads nowhere, it is wrong. */
function recordsMissing({ source, path }: XmlReading, { deepest, names }: XmlCheckpoint): XmlFileProblem | null {
  if (deepest >= path.length - 1 && path.length > 1) return null;
  const reached = source.records.trim().split('/').slice(0, deepest).join('/');
  return { code: 'records_not_found', path: source.records, reached, names: names.slice(0, LISTED_NAMES_MAX) };
}
