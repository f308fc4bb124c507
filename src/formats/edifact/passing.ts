/** Goes through a message that is too large to its end, keeping nothing of it but its first and last segment. */
import { dividedSegment, elementText, type Segment } from '../segments/segment.ts';
import type { OpenInterchange, PassedMessage } from './checkpoint.ts';
import type { TooLarge } from './message.ts';
import { describeFault } from './problems.ts';
import { serviceTag } from './service.ts';
import type { SliceReading } from './slice-reading.ts';

export function beginPassing(reading: SliceReading, open: OpenInterchange, read: TooLarge): boolean {
  const { header: found, fault, segments, inSegment } = read;
  const isSmall = found !== null && found.byteTo - found.byteFrom <= reading.input.limits.envelopeSegmentBytesMax;
  const header = isSmall ? reading.textOf(found, open) : null;
  const reference = found === null || !isSmall ? '' : elementText(found, 1, null).trim();
  const isMessageFault = fault.code !== 'segment_too_large' && header !== null;
  const segment = isMessageFault ? { tag: header.tag, number: 1 } : null;
  const byteFrom = isMessageFault ? header.byteFrom : reading.base + read.at;
  const line = isMessageFault ? header.line : read.line + 1;
  const problem = describeFault(fault, { segment, element: null, line, byteFrom, byteTo: byteFrom });
  reading.state.passing = { header, reference, segments, inSegment, problem };
  reading.state.stage = 'passing';
  reading.at = read.at;
  reading.line = read.line;
  return true;
}

/** Goes on to the end of a message that is too large, keeping nothing of it. */
export function passMessage(reading: SliceReading): boolean {
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
  reading.envelopes.giveSet(open, { id, segments, problems: [problem], notes: [], isMessage });
  reading.state.passing = null;
  reading.state.stage = 'inside';
  return true;
}
