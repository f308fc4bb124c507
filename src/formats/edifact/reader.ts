/** EDIFACT as a reader of segments: bytes in, messages and facts of their envelopes out. */

import { type Finding, pointAt } from '../segments/faults.ts';
import type { EnvelopePolicy, PartsRead, PartsReader, TakePart } from '../segments/parts.ts';
import { sliceText } from '../segments/scan.ts';
import { dividedSegment, elementText, type Segment } from '../segments/segment.ts';
import { type EdifactCheckpoint, edifactStart, type OpenInterchange, type PassedMessage } from './checkpoint.ts';
import type { EdifactSource } from './declaration.ts';
import { validateMessage } from './envelope.ts';
import { EDIFACT_LIMITS, type EdifactLimits } from './limits.ts';
import { type TooLarge, readMessage as takeMessage } from './message.ts';
import { between, type Opening, passGarbage, readOpening } from './opening.ts';
import { describeFault, describeFileFault, type Fault } from './problems.ts';
import { headAt, type SegmentScanner, serviceTag } from './scan.ts';
import { SliceReading } from './slice-reading.ts';
import { excerptAt, isEscaped, isPlain } from './text.ts';

/* Skips to the end of a message that is too large, keeping only its first and last segment. */

function beginPassing(reading: SliceReading, open: OpenInterchange, read: TooLarge): boolean {
  const { header: found, fault, segments, inSegment } = read;
  const isSmall = found !== null && found.byteTo - found.byteFrom <= reading.input.limits.envelopeSegmentBytesMax;
  const header = isSmall ? reading.textOf(found, open) : null;
  const reference = found === null || !isSmall ? '' : elementText(found, 1, null).trim();
  const isMessageFault = fault.code !== 'segment_too_large' && header !== null;
  const point = isMessageFault
    ? pointAt(header.byteFrom, header.line)
    : pointAt(reading.byteAt(read.at), read.line + 1);
  const problem = describeFault(fault, isMessageFault ? { ...point, tag: header.tag, number: 1 } : point);
  reading.state.passing = { header, reference, segments, inSegment, problem };
  reading.state.stage = 'passing';
  reading.place = read;
  return true;
}

function passMessage(reading: SliceReading): boolean {
  const { open, passing } = reading.state;
  if (open === null || passing === null) return false;
  const scanner = reading.scannerInside(open);
  if (passing.inSegment) {
    const { to, isOver } = scanner.passSegment(reading.at);
    reading.passTo(to);
    if (!isOver) return false;
    reading.state.passing = { ...passing, inSegment: false, segments: passing.segments + 1 };
    return true;
  }
  const scan = scanner.next(reading.at, reading.line);
  reading.at = scanner.from;
  reading.line = scanner.line;
  if (scan === 'more') return false;
  if (scan === 'end' || scan === 'interchange') return endPassing(reading, open, passing, null);
  if (scan === 'overlong') {
    reading.state.passing = { ...passing, inSegment: true };
    return true;
  }
  const tag = serviceTag(scanner);
  if (tag !== null && tag !== 'UNT') return endPassing(reading, open, passing, null);
  if (tag === 'UNT') reading.endOf(scanner, 'UNT');
  reading.goOn(scanner);
  if (tag === 'UNT') return endPassing(reading, open, passing, dividedSegment(scanner.segment(passing.segments + 1)));
  if (scanner.to > scanner.from) passing.segments++;
  return true;
}

function endPassing(
  reading: SliceReading,
  open: OpenInterchange,
  passing: PassedMessage,
  trailer: Segment | null,
): boolean {
  const { header, problem } = passing;
  const segments = [header, trailer === null ? null : reading.textOf(trailer, open)].filter((one) => one !== null);
  const id = header === null ? '' : elementText(header, 2, 1).trim();
  const isMessage = segments.length > 0;
  reading.envelopes.giveSet({ id, segments, problems: [problem], isMessage });
  reading.state.passing = null;
  reading.state.stage = 'inside';
  return true;
}

/*
 * Inside an interchange: reads its messages and the segments of its envelope.
 *
 * Each step returns false when nothing whole is left in the slice.
 */

function inside(reading: SliceReading): boolean {
  const { open } = reading.state;
  if (open === null) return false;
  if (reading.takeWellFormed(reading.wellFormedMessages(open))) return true;
  const scanner = reading.scannerInside(open);
  const scan = scanner.next(reading.at, reading.line);
  reading.at = scanner.from;
  reading.line = scanner.line;
  if (scan === 'more') return false;
  if (scan === 'end') return closeWithout(reading, '');
  if (scan === 'interchange') {
    return closeWithout(reading, headAt(reading.input.text, reading.at, false).slice(0, 3));
  }
  const tag = scan === 'overlong' ? null : serviceTag(scanner);
  switch (tag) {
    case 'UNG':
    case 'UNE':
    case 'UNZ':
      return readEnvelopeSegment(reading, open, scanner, tag, scan === 'rest');
    default:
      return readMessage(reading, open, scanner);
  }
}

function readEnvelopeSegment(
  reading: SliceReading,
  open: OpenInterchange,
  scanner: SegmentScanner,
  tag: 'UNG' | 'UNE' | 'UNZ',
  isLast: boolean,
): boolean {
  const { envelopes } = reading;
  const { envelopeSegmentBytesMax: bytesMax } = reading.input.limits;
  const at = reading.missingAt(tag);
  const faults = reading.endOf(scanner, tag);
  let segment = dividedSegment(scanner.segment(0));
  if (segment.byteTo - segment.byteFrom > bytesMax) {
    faults.push({ code: 'segment_too_large', bytesMax, text: excerptAt(scanner.units(), 0) });
    segment = { ...segment, elements: [] };
  }
  segment = reading.textOf(segment, open);
  if (isLast) {
    if (tag === 'UNG') faults.push({ code: 'terminator_missing', followed: '' });
    else reading.note({ kind: 'last_terminator', tag });
  }
  const own = faults.map((fault) => ({ fault, at: segment }));
  if (tag === 'UNG') envelopes.openGroup(segment, [...own, ...groupFindings(segment, faults)], at);
  else if (tag === 'UNE') envelopes.closeGroup(segment, own);
  else envelopes.closeInterchange(segment, at, own);
  reading.goOn(scanner);
  return tag === 'UNZ' ? afterInterchange(reading) : true;
}

function groupFindings(at: Segment, faults: readonly Fault[]): Finding<Fault>[] {
  if (faults.length > 0 || elementText(at, 5, 1).trim() !== '') return [];
  return [{ fault: { code: 'element_missing', name: 'group reference number' }, at, element: 5 }];
}

function readMessage(reading: SliceReading, open: OpenInterchange, scanner: SegmentScanner): boolean {
  const { text, limits, policy, source } = reading.input;
  const { at } = reading;
  const read = takeMessage(scanner, limits, { at, line: reading.line });
  if (read.outcome === 'more') return false;
  if (read.outcome === 'too_large') return beginPassing(reading, open, read);
  const units = reading.input.isAscii && !isEscaped(open.syntax) ? '' : text.slice(at, read.at);
  const judged = validateMessage(read, {
    open,
    policy,
    fallback: source.encoding,
    problemsMax: limits.messageProblemsMax,
    units: isPlain(units, open.syntax) ? '' : units,
    hasNul: reading.input.hasNul,
    byteTo: reading.byteAt(read.at),
    line: read.line,
  });
  reading.place = read;
  for (const note of judged.notes) reading.note(note);
  // Terminators alone are not a message.
  if (read.segments.length > 0) reading.envelopes.giveSet(judged);
  return true;
}

/** @param found the tag found instead of UNZ, '' at the end of the file. */
function closeWithout(reading: SliceReading, found: string): true {
  reading.envelopes.closeInterchangeWithout(reading.missingAt(found));
  return afterInterchange(reading);
}

/** Goes on after it; if that was its first pass, it is read again from its start, now with the result of the check. */
function afterInterchange(reading: SliceReading): true {
  const { state } = reading;
  state.stage = 'between';
  if (state.judging === null) return true;
  const { back, fault } = state.judging;
  Object.assign(state, back, { judging: null, judged: { fault } });
  reading.place = { at: back.byte - reading.input.byteBase, line: back.line };
  reading.scanner = null;
  return true;
}

/*
 * Reads an EDIFACT file slice by slice into messages and facts of their envelopes, with exact positions.
 *
 * A slice begins at the checkpoint and may end anywhere; parts, positions and problems do not depend on where. A
 * message is read whole or not at all. A fault in a message costs that message; a fault in an envelope is part of the
 * facts of that envelope. Pure: no clock, no I/O.
 */

interface EdifactInput {
  source: Pick<EdifactSource, 'encoding' | 'bare'>;
  policy: EnvelopePolicy;
  checkpoint: EdifactCheckpoint;
  /** From `checkpoint.byte` on. */
  bytes: Uint8Array;
  /** The bytes reach the end of the file. */
  atEnd: boolean;
  take: TakePart;
}

function readEdifactWithin(limits: EdifactLimits, given: EdifactInput): PartsRead<EdifactCheckpoint> {
  const { source, policy, checkpoint, bytes, atEnd, take } = given;
  if (checkpoint.stage === 'end') {
    return { outcome: 'parts', checkpoint, finished: true, endProblem: checkpoint.endProblem };
  }
  const slice = sliceText(bytes, checkpoint.byte, atEnd);
  const reading = new EdifactSlice({ ...slice, source, policy, limits, take }, checkpoint);
  if (checkpoint.stage === 'start') {
    const start = { text: slice.text, bytes, base: checkpoint.byte, atEnd, sniffBytes: limits.sniffBytes };
    const opening = readOpening(start, source.bare);
    if (opening.outcome === 'more') return opening;
    if (opening.outcome === 'unreadable') {
      return { outcome: 'unreadable', problems: [describeFileFault(opening.fault)] };
    }
    open(reading, opening);
  }
  return reading.read();
}

function open(reading: SliceReading, opening: Opening & { outcome: 'opened' }): void {
  if (opening.hasMark) reading.note({ kind: 'byte_order_mark' });
  if (opening.hasBlanks) reading.note({ kind: 'blanks_before' });
  const { at, garbageFrom } = opening;
  reading.passTo(garbageFrom ?? at);
  if (garbageFrom !== null) {
    const passed = reading.input.text.slice(garbageFrom, at);
    const where = { ...pointAt(reading.byteAt(garbageFrom), reading.line + 1), byteTo: reading.byteAt(at) };
    const fault = { code: 'text_outside_interchange', text: excerptAt(passed, 0), bytes: passed.length } as const;
    reading.addPending(describeFault(fault, where));
    reading.passTo(at);
  }
  reading.state.stage = opening.isFound ? 'between' : 'start';
}

class EdifactSlice extends SliceReading {
  protected step(): boolean {
    switch (this.state.stage) {
      case 'start':
      case 'end':
        return false;
      case 'between':
        return between(this);
      case 'garbage':
        return passGarbage(this);
      case 'inside':
        return inside(this);
      case 'passing':
        return passMessage(this);
    }
  }
}

/** A slice of `EDIFACT_SLICE_BYTES_ENOUGH` bytes never gives `more`. */
export function edifactPartsReader(
  source: Pick<EdifactSource, 'encoding' | 'bare'>,
  policy: EnvelopePolicy,
): PartsReader<EdifactCheckpoint> {
  return edifactPartsReaderWithin(EDIFACT_LIMITS, source, policy);
}

/** The same with other limits, so that tests can reach them with small files. */
export function edifactPartsReaderWithin(
  limits: EdifactLimits,
  source: Pick<EdifactSource, 'encoding' | 'bare'>,
  policy: EnvelopePolicy,
): PartsReader<EdifactCheckpoint> {
  return {
    start: edifactStart,
    read: (checkpoint, bytes, atEnd, take) =>
      readEdifactWithin(limits, { source, policy, checkpoint, bytes, atEnd, take }),
  };
}
