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
import { DOCTYPE, findOutside, sniffXml, TEXT_OUTSIDE } from './opening.ts';
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
  const before = judgeProlog(slice, markBytes, limits);
  if (before === 'open') {
    const start = { offset: 0, byte: 0, lines: 0 };
    const bytesMax = limits.recordBytesMax + (slice.bad === null ? PROLOG_LOOKAHEAD_BYTES : 0);
    if (slice.placeFrom(start, slice.text.length).byte > bytesMax) {
      return { outcome: 'unreadable', problems: [noRootWithin(limits, markBytes)] };
    }
    if (!atEnd && slice.bad === null) return { outcome: 'more' };
  } else if (before !== 'root') {
    return { outcome: 'unreadable', problems: [before] };
  }
  const opened = { ...checkpoint, ...encodings, byte: markBytes, captured: captures.map(() => NOT_CAPTURED) };
  return readDecoded(reading, opened, slice, atEnd);
}

/** Bytes of the longest mark that tells what stands outside of the root, in any encoding. */
const PROLOG_LOOKAHEAD_BYTES = 4 * DOCTYPE.length;

/** Before any parser sees the document: what stands before its root. `open`: the slice ends before it can be told. */
function judgeProlog(slice: DecodedSlice, markBytes: number, limits: XmlLimits): XmlEndProblem | 'root' | 'open' {
  const outside = findOutside(slice.text, 0);
  if (outside.kind === 'more' || outside.kind === 'nothing') return 'open';
  const { byte, lines } = slice.placeFrom({ offset: 0, byte: markBytes, lines: 0 }, outside.at);
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

/** An element on the path that holds no records is an empty list; where the path itself leads nowhere, it is wrong. */
function recordsMissing({ source, path }: XmlReading, { deepest, names }: XmlCheckpoint): XmlFileProblem | null {
  if (deepest >= path.length - 1 && path.length > 1) return null;
  const reached = source.records.trim().split('/').slice(0, deepest).join('/');
  return { code: 'records_not_found', path: source.records, reached, names: names.slice(0, LISTED_NAMES_MAX) };
}
