/**
 * Inside an interchange: reads its messages and the segments of its envelope.
 *
 * Each step returns false when the slice holds nothing whole any more.
 */

import { dividedSegment } from '../segments/segment.ts';
import { isEscaped, isPlain } from './charset.ts';
import type { OpenInterchange } from './checkpoint.ts';
import { readMessage as takeMessage } from './message.ts';
import { beginPassing } from './passing.ts';
import { headAt, type SegmentScanner } from './scan.ts';
import { serviceTag } from './service.ts';
import { judgeMessage } from './set.ts';
import { excerptAt } from './shown.ts';
import type { SliceReading } from './slice-reading.ts';

export function inside(reading: SliceReading): boolean {
  const { open } = reading.state;
  if (open === null) return false;
  const sound = reading.soundMessages(open)?.from(reading.at, reading.line) ?? null;
  if (sound !== null) {
    reading.at = sound.at;
    reading.line = sound.line;
    reading.envelopes.giveSound(open, sound.id, sound.segments);
    return true;
  }
  const scanner = reading.scannerInside(open);
  const scan = scanner.next(reading.at, reading.line);
  reading.at = scanner.from;
  reading.line = scanner.line;
  if (scan === 'more') return false;
  if (scan === 'end') return closeWithout(reading, open, '');
  if (scan === 'interchange') {
    return closeWithout(reading, open, headAt(reading.input.text, reading.at, false).slice(0, 3));
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
  if (tag === 'UNG') envelopes.openGroup(open, segment, faults, at);
  else if (tag === 'UNE') envelopes.closeGroup(open, segment, faults);
  else envelopes.closeInterchange(open, segment, faults, at);
  reading.goOn(scanner);
  if (tag === 'UNZ') endJudging(reading);
  return true;
}

function readMessage(reading: SliceReading, open: OpenInterchange, scanner: SegmentScanner): boolean {
  const { text, limits, policy, source } = reading.input;
  const { at, base } = reading;
  const read = takeMessage(scanner, limits, { at, line: reading.line });
  if (read.outcome === 'more') return false;
  if (read.outcome === 'too_large') return beginPassing(reading, open, read);
  const units = reading.isAscii && !isEscaped(open.syntax) ? '' : text.slice(at, read.at);
  const judged = judgeMessage(read, {
    open,
    policy,
    fallback: source.encoding,
    problemsMax: limits.messageProblemsMax,
    units: isPlain(units, open.syntax) ? '' : units,
    hasNul: reading.hasNul,
    byteTo: base + read.at,
    line: read.line,
  });
  reading.at = read.at;
  reading.line = read.line;
  // Terminators alone are no message.
  if (read.segments.length > 0) reading.envelopes.giveSet(open, judged);
  else for (const note of judged.notes) reading.note(note);
  return true;
}

/** @param found the tag that stands where UNZ should, '' at the end of the file. */
function closeWithout(reading: SliceReading, open: OpenInterchange, found: string): boolean {
  reading.envelopes.closeInterchangeWithout(open, reading.missingAt(found));
  endJudging(reading);
  return true;
}

/** The interchange was gone through: it is read again from its start, under the verdict. */
function endJudging(reading: SliceReading): void {
  const { judging } = reading.state;
  if (judging === null) return;
  const { back, fault } = judging;
  Object.assign(reading.state, back, { judging: null, judged: { fault } });
  reading.at = back.byte - reading.base;
  reading.line = back.line;
  reading.scanner = null;
}
