/**
 * Takes the segments of one message off a slice, from its UNH to its UNT or to what ends it without one. Segments that
 * stand in no message are taken in the same way, as a message without header.
 */
import { dividedSegment, type Segment } from '../segments/segment.ts';
import { isTag } from '../segments/tags.ts';
import { type FoundFault, FoundFaults } from './faults.ts';
import type { EdifactLimits } from './limits.ts';
import { EXCERPT_BYTES } from './limits.ts';
import type { Note } from './notes.ts';
import type { SegmentFault } from './problems.ts';
import { headAt, type SegmentScanner } from './scan.ts';
import { serviceTag, swallowed } from './service.ts';
import { shownUnits } from './shown.ts';

/** @property endedBy the tag that stands where UNT should, '' at the end of the file; null: it has its UNT. */
export interface ReadMessage {
  outcome: 'message';
  segments: Segment[];
  endedBy: string | null;
  faults: FoundFaults;
  /** A segment that looks like two, at a line break. */
  suspect: FoundFault | null;
  notes: Note[];
  /** Where reading goes on: offset, and line feeds before it. */
  at: number;
  line: number;
}

/** @property at of the segment that does not fit; inSegment: it is itself too long. */
export interface TooLarge {
  outcome: 'too_large';
  fault: SegmentFault;
  header: Segment | null;
  segments: number;
  inSegment: boolean;
  at: number;
  line: number;
}

/** ISO 9735: tags have three characters. */
const isEdifactTag = (tag: string): boolean => tag.length === 3 && isTag(tag);
/** Units of a wrong tag that are kept. */
const WRONG_TAG_UNITS = 12;

/**
 * @param at offset of its first segment
 * @returns `more` when the slice ends before it can be told where the message does
 */
export function readMessage(
  scanner: SegmentScanner,
  limits: EdifactLimits,
  start: { at: number; line: number },
): ReadMessage | TooLarge | { outcome: 'more' } {
  const { dividers } = scanner;
  const segments: Segment[] = [];
  const faults = new FoundFaults(limits.messageProblemsMax);
  const notes: Note[] = [];
  let suspect: FoundFault | null = null;
  let { at, line } = start;
  const ended = (endedBy: string | null): ReadMessage => {
    return { outcome: 'message', segments, endedBy, faults, suspect, notes, at, line };
  };
  const tooLarge = (fault: SegmentFault, inSegment: boolean): TooLarge => {
    const [first] = segments;
    const header = first?.tag === 'UNH' ? dividedSegment(first) : null;
    const count = segments.length;
    return { outcome: 'too_large', fault, header, segments: count, inSegment, at: scanner.from, line: scanner.line };
  };
  for (;;) {
    const scan = scanner.next(at, line);
    // Blanks alone can make it too long.
    if (scanner.from - start.at > limits.messageBytesMax) {
      return tooLarge({ code: 'set_too_large', bytesMax: limits.messageBytesMax }, false);
    }
    if (scan === 'more') return { outcome: 'more' };
    if (scan === 'end') return ended('');
    if (scan === 'interchange') return ended(headAt(scanner.text, scanner.from, false).slice(0, 3));
    if (scan === 'overlong') {
      const shown = Math.min(EXCERPT_BYTES, limits.segmentBytesMax);
      const text = shownUnits(scanner.text.slice(scanner.from, scanner.from + shown));
      return tooLarge({ code: 'segment_too_large', bytesMax: limits.segmentBytesMax, text }, true);
    }
    const service = serviceTag(scanner);
    if (service !== null && service !== 'UNT' && (service !== 'UNH' || segments.length > 0)) return ended(service);
    if (segments.length >= limits.messageSegmentsMax) {
      return tooLarge({ code: 'set_segments_too_many', segmentsMax: limits.messageSegmentsMax }, false);
    }
    const inside = service === 'UNT' ? swallowed(scanner, 'UNT') : null;
    if (inside !== null) scanner.cut(inside.at);
    if (scanner.end - start.at > limits.messageBytesMax) {
      return tooLarge({ code: 'set_too_large', bytesMax: limits.messageBytesMax }, false);
    }
    at = scanner.end;
    line = scanner.lineAfter;
    if (scanner.to === scanner.from) {
      addOnce(notes, { kind: 'empty_segment', line: scanner.line + 1 });
      continue;
    }
    let segment = scanner.segment(segments.length + 1);
    if (!isEdifactTag(segment.tag)) {
      segment = { ...dividedSegment(segment), tag: shownUnits(segment.tag.slice(0, WRONG_TAG_UNITS)) };
      faults.add({ code: 'segment_tag_invalid', text: excerptOf(scanner) }, segment, null);
    }
    segments.push(segment);
    if (scanner.hasBreak) {
      addOnce(notes, { kind: 'line_breaks_inside', line: scanner.line + 1 });
      const followed: string | null = suspect === null ? tagAfterBreak(scanner.units(), dividers.element) : null;
      if (followed !== null) {
        suspect = { fault: { code: 'terminator_missing', followed }, segment, element: null };
      }
    }
    if (inside !== null) {
      faults.add({ code: 'terminator_missing', followed: inside.tag }, segment, null);
    } else if (scan === 'rest') {
      if (service === 'UNT') notes.push({ kind: 'last_terminator', tag: 'UNT' });
      else faults.add({ code: 'terminator_missing', followed: '' }, segment, null);
    }
    if (service === 'UNT') return ended(null);
  }
}

function addOnce(notes: Note[], note: Note): void {
  if (!notes.some(({ kind }) => kind === note.kind)) notes.push(note);
}

export const excerptOf = ({ text, from, to }: SegmentScanner): string =>
  shownUnits(text.slice(from, Math.min(to, from + EXCERPT_BYTES)));

/** @returns what looks like the tag of another segment behind a line break. */
function tagAfterBreak(units: string, element: string): string | null {
  for (let at = 0; at < units.length; at++) {
    const unit = units[at];
    if (unit !== '\n' && unit !== '\r') continue;
    let from = at + 1;
    while (units[from] === ' ' || units[from] === '\t') from++;
    const tag = units.slice(from, from + 3);
    if (isEdifactTag(tag) && units[from + 3] === element) return tag;
    at = from - 1;
  }
  return null;
}
