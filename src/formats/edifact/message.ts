/**
 * Reads the segments of one message from a slice, from its UNH to its UNT or to whatever ends it without one. Segments
 * outside any message are read in the same way, as a message without a header.
 */

import type { Finding } from '../segments/faults.ts';
import type { SegmentTable } from '../segments/list.ts';
import { dividedSegment, type Segment } from '../segments/segment.ts';
import { isTag, tagCode } from '../segments/tags.ts';
import { closes, type SetEnds, WellFormedReader } from '../segments/well-formed.ts';
import { type EdifactLimits, EXCERPT_BYTES } from './limits.ts';
import { FoundFaults, type SegmentFault } from './problems.ts';
import { headAt, isBlank, type SegmentScanner, serviceTag, swallowed } from './scan.ts';
import { type Note, shownUnits } from './text.ts';

/** @property endedBy the tag found instead of UNT, '' at the end of the file; null: it has its UNT. */
export interface ReadMessage {
  outcome: 'message';
  segments: Segment[];
  endedBy: string | null;
  faults: FoundFaults;
  /** A segment that looks like two, at a line break. */
  suspect: Finding<SegmentFault> | null;
  notes: Note[];
  /** Where reading continues: offset, and line feeds before it. */
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
 * @returns `more` when the slice ends before the end of the message is certain
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
  let suspect: Finding<SegmentFault> | null = null;
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
        suspect = { fault: { code: 'terminator_missing', followed }, at: segment };
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

const excerptOf = ({ text, from, to }: SegmentScanner): string =>
  shownUnits(text.slice(from, Math.min(to, from + EXCERPT_BYTES)));

/** @returns what looks like the tag of another segment after a line break. */
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

/* The fast path for well-formed messages. */

const UNH = tagCode('UNH');
const UNT = tagCode('UNT');
const UNS = tagCode('UNS');
/** After a tag of three letters and its separator. */
const ELEMENT_FROM = 4;
const SHORTEST_TAG = 1 << 14;
const BLANK = 0x20;

/** UNA, UNB and the others; `UNS` divides the sections of a message and belongs to the message. */
const isService = (tag: number): boolean => tag >> 7 === UNH >> 7 && tag !== UNS;

export class WellFormedMessages extends WellFormedReader {
  readonly scanner: SegmentScanner;
  /** Of the last message: most are of one kind. */
  private id = '';

  constructor(scanner: SegmentScanner, table: SegmentTable, limits: EdifactLimits) {
    const { segmentBytesMax, messageBytesMax: setBytesMax, messageSegmentsMax: setSegmentsMax } = limits;
    const divided = { terminator: scanner.dividers.terminator, lineBreak: '\n', forbidden: scanner.release };
    const bounds = { segmentBytesMax, setBytesMax, setSegmentsMax };
    super(scanner, table, { opening: UNH, closing: UNT, isBlank, isTrimmed: false, ...divided, ...bounds });
    this.scanner = scanner;
  }

  protected isInside(tag: number): boolean {
    return tag >= SHORTEST_TAG && (!isService(tag) || tag === UNT);
  }

  protected idOf({ opening, openingTo, closing, closingTo, segments }: SetEnds): string | null {
    const { text, within } = this.scanner;
    const reference = opening + ELEMENT_FROM;
    if (!closes(within, closing + ELEMENT_FROM, closingTo, segments, reference)) return null;
    let idFrom = reference;
    while (idFrom < openingTo && text.charCodeAt(idFrom) !== within.element) idFrom++;
    return this.readId(idFrom + 1, openingTo);
  }

  /** The message type; null if there is none. */
  private readId(from: number, end: number): string | null {
    const { text, within } = this.scanner;
    const { element, component, repetition } = within;
    const { id } = this;
    if (id !== '' && text.startsWith(id, from) && text.charCodeAt(from + id.length) === component) return id;
    let to = from;
    for (; to < end; to++) {
      const unit = text.charCodeAt(to);
      if (unit === element || unit === component || unit === repetition) break;
      if (unit <= BLANK) return null;
    }
    if (to <= from) return null;
    this.id = text.slice(from, to);
    return this.id;
  }
}
