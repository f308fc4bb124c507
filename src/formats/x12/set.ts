/**
 * Reads one transaction set from a slice, from its ST to its SE, or to the segment that shows that SE is missing.
 *
 * The whole set is held in memory; one that is too large is not, and costs only itself.
 */

import type { TextCodec } from '../encoding.ts';
import { closes, isDigit } from '../segments/control-numbers.ts';
import { type ForwardSearch, type SegmentTable, TableSpan } from '../segments/list.ts';
import type { EnvelopePolicy } from '../segments/parts.ts';
import { type EnvelopeProblem, elementText, type Segment, type SegmentSet } from '../segments/segment.ts';
import { isTag, tagBefore, tagCode } from '../segments/tags.ts';
import { isBlank, type X12Delimiters } from './delimiters.ts';
import {
  type AroundSet,
  type Finding,
  mergedTag,
  placeholder,
  reportAll,
  validateHeader,
  validateTrailer,
} from './envelopes.ts';
import { LOOKAHEAD_BYTES, type X12Limits } from './limits.ts';
import { describeX12Problem } from './messages.ts';
import type { X12Problem } from './problems.ts';
import {
  ASCII,
  behind,
  divideSegment,
  type FoundSegment,
  hexOf,
  isDividedLater,
  type Place,
  type Reading,
  readingOf,
  type SegmentScanner,
  type SplitSeen,
  shown,
  splitOf,
  startOf,
} from './scan.ts';

/**
 * - `trailer`: its last segment is SE.
 * - `missing`: `found` is the tag found instead of SE, null at the end of the file.
 * - the others: something is too large; the rest of it is skipped.
 */
type SetEnd =
  | { kind: 'trailer' }
  | { kind: 'missing'; found: string | null }
  | { kind: 'set_too_large' }
  | { kind: 'set_segments_too_many' }
  | { kind: 'segment_too_large'; from: number; line: number };

export interface ScannedSet {
  segments: [FoundSegment, ...FoundSegment[]];
  /** There is a line break inside one of them. */
  isWrapped: boolean;
  end: SetEnd;
  next: Place;
  passing: 'segment' | 'set' | null;
}

/** Segments of envelopes: none may be inside a set. */
export const endsSet = (tag: string): boolean =>
  tag === 'ST' || tag === 'GE' || tag === 'GS' || tag === 'IEA' || tag === 'ISA';

/** @returns null when the end of the set is not in sight */
export function scanSet(scanner: SegmentScanner, first: FoundSegment, limits: X12Limits): ScannedSet | null {
  const segments: ScannedSet['segments'] = [first];
  const { from } = first;
  let isWrapped = first.broken;
  const ended = (end: SetEnd, next: Place, passing: ScannedSet['passing'] = null): ScannedSet => ({
    segments,
    isWrapped,
    end,
    next,
    passing,
  });
  const tooLarge = (place: Place): ScannedSet => ended({ kind: 'set_too_large' }, place, 'set');
  const isBeyond = (at: number): boolean => at - from > limits.setBytesMax;
  if (first.tag === 'SE') return ended({ kind: 'trailer' }, behind(first));
  let last = first;
  for (;;) {
    const found = scanner.next(last.end, last.lineAfter, segments.length + 1);
    switch (found.kind) {
      case 'more':
        return scanner.text.length - from > limits.setBytesMax + LOOKAHEAD_BYTES ? tooLarge(behind(last)) : null;
      case 'end':
        if (isBeyond(scanner.text.length - LOOKAHEAD_BYTES)) return tooLarge(behind(last));
        return scanner.atEnd ? ended({ kind: 'missing', found: null }, found.place) : null;
      case 'isa':
        if (isBeyond(found.place.at)) return tooLarge(behind(last));
        return ended({ kind: 'missing', found: 'ISA' }, found.place);
      case 'too_long': {
        const passed = found.from + limits.segmentBytesMax;
        if (isBeyond(passed)) return tooLarge(behind(last));
        const next = { at: passed, line: scanner.lineAt(found.from, passed, found.line - 1) };
        return ended({ kind: 'segment_too_large', from: found.from, line: found.line }, next, 'segment');
      }
      case 'segment':
        break;
    }
    if (isBeyond(found.end)) return tooLarge(behind(last));
    if (endsSet(found.tag)) return ended({ kind: 'missing', found: found.tag }, startOf(found));
    segments.push(found);
    isWrapped ||= found.broken;
    last = found;
    if (found.tag === 'SE') return ended({ kind: 'trailer' }, behind(found));
    if (segments.length > limits.setSegmentsMax) return ended({ kind: 'set_segments_too_many' }, behind(found), 'set');
  }
}

/*
 * Fast path for well-formed sets, as nearly all are: segments are plain and whole, their tags valid, and ST and SE
 * agree. For any other set it returns nothing: the slow path finds what is wrong, or only unusual.
 */

/** @property at where reading continues, and `line` how many lines ended before that. */
interface FoundSet {
  id: string;
  segments: TableSpan;
  at: number;
  line: number;
}

const ST = tagCode('ST');
const SE = tagCode('SE');
const GS = tagCode('GS');
const GE = tagCode('GE');
const ISA = tagCode('ISA');
const IEA = tagCode('IEA');
const ID_CHARACTERS = 3;
/** After a tag of two letters and its separator. */
const ELEMENT_FROM = 3;

/** One for all sets with the same delimiters. */
export class WellFormedSets {
  private readonly scanner: SegmentScanner;
  private readonly limits: X12Limits;
  private readonly table: SegmentTable;
  private readonly delimiters: X12Delimiters;
  private readonly lineBreakCode: number;
  private readonly repetition: ForwardSearch;
  /** Of the last set: most are of one kind. */
  private id = '';

  constructor(scanner: SegmentScanner, table: SegmentTable, delimiters: X12Delimiters, limits: X12Limits) {
    this.scanner = scanner;
    this.limits = limits;
    this.table = table;
    this.delimiters = delimiters;
    this.lineBreakCode = delimiters.lineBreak.charCodeAt(0);
    this.repetition = scanner.searches.of(delimiters.repetition ?? '');
  }

  /**
   * @param line how many ended before `start`; @returns null if no whole set begins there, or one for the slow path.
   */
  from(start: number, line: number): FoundSet | null {
    const { table } = this;
    const first = table.count;
    const found = this.read(start, line, first);
    if (found === null) table.count = first;
    return found;
  }

  private read(start: number, lines: number, first: number): FoundSet | null {
    const { table, limits, lineBreakCode } = this;
    const { text, within, lineFeed, carriageReturn } = this.scanner;
    const { terminator, lineBreak } = this.delimiters;
    let line = lines;
    let opening = -1;
    for (let at = start; ; ) {
      while (at < text.length) {
        const unit = text.charCodeAt(at);
        if (!isBlank(unit)) break;
        if (unit === lineBreakCode) line++;
        at++;
      }
      const tag = tagBefore(text, at, within.element);
      if (opening === -1 ? tag !== ST : tag === 0 || isEnvelope(tag)) return null;
      const to = text.indexOf(terminator, at);
      if (to === -1 || to - at > limits.segmentBytesMax || isBlank(text.charCodeAt(to - 1))) return null;
      if (lineFeed.from(at) < to || carriageReturn.from(at) < to) return null;
      if (opening === -1) opening = at;
      if (to + 1 - opening > limits.setBytesMax || table.count - first >= limits.setSegmentsMax) return null;
      table.add(at, to, line + 1, tag);
      if (terminator === lineBreak) line++;
      if (tag === SE) return this.closed(first, opening, at, to) ? this.found(first, opening, to + 1, line) : null;
      at = to + 1;
    }
  }

  private found(first: number, opening: number, at: number, line: number): FoundSet {
    const { text, within } = this.scanner;
    const idFrom = opening + ELEMENT_FROM;
    if (this.id === '' || !text.startsWith(this.id, idFrom)) this.id = text.slice(idFrom, idFrom + ID_CHARACTERS);
    return { id: this.id, segments: new TableSpan(this.table, first, within), at, line };
  }

  /**
   * Whether ST and SE, which begin at `opening` and `closing`, are as they should be, and nothing between them is to be
   * left out.
   */
  private closed(first: number, opening: number, closing: number, to: number): boolean {
    const { scanner, table } = this;
    const { text, within } = scanner;
    if (this.repetition.from(opening) < to || !scanner.hasNoIsa(opening, to + 1)) return false;
    const idFrom = opening + ELEMENT_FROM;
    const idTo = idFrom + ID_CHARACTERS;
    for (let at = idFrom; at < idTo; at++) if (!isDigit(text.charCodeAt(at))) return false;
    if (text.charCodeAt(idTo) !== within.element) return false;
    return closes(within, closing + ELEMENT_FROM, to, table.count - first, idTo + 1);
  }
}

const isEnvelope = (tag: number): boolean => tag === ST || tag === GS || tag === GE || tag === ISA || tag === IEA;

/* Creates a set from the segments that were found: their texts, and everything that is wrong with it. */

/** The slice that contains a set. */
interface SetSlice {
  text: string;
  /** It is ASCII without NUL. */
  isPlain: boolean;
  byteBase: number;
  fallback: TextCodec;
  policy: EnvelopePolicy;
  limits: X12Limits;
}

interface SetContext {
  slice: SetSlice;
  around: AroundSet;
  delimiters: X12Delimiters;
}

interface AssembledSet {
  set: SegmentSet;
  reading: Reading;
  seen: SplitSeen;
  /** A wrong count that the partner's policy allows. */
  excused: Finding | null;
}

export function buildSet(context: SetContext, scanned: ScannedSet): AssembledSet {
  const { slice, around, delimiters } = context;
  const { text, isPlain, byteBase, fallback, limits } = slice;
  const [firstFound] = scanned.segments;
  const raw = text.slice(firstFound.from, scanned.segments.at(-1)?.to ?? firstFound.to);
  const reading = isPlain ? ASCII : readingOf(raw, fallback);
  const split = splitOf(text, raw, delimiters, reading, byteBase);
  // Of a set that is too large only the segment that opens it is kept.
  const found = isWhole(scanned) ? scanned.segments : [firstFound];
  const segments: readonly Segment[] = isDividedLater(split, scanned.isWrapped)
    ? found
    : found.map((each, index) => divideSegment(each, index + 1, split));
  const [first = placeholder(byteBase, 0)] = segments;
  const opened = first.tag === 'ST' ? first : null;
  const end = validateEnd(context, scanned, segments);
  const findings = validateOpening(first, around.inGroup);
  if (end.findings.length > 0) findings.push(...end.findings);
  for (const segment of segments) {
    if (isTag(segment.tag)) continue;
    findings.push({ problem: { code: 'segment_tag_invalid', tag: shown(segment.tag, fallback) }, segment });
  }
  if (!isPlain && (raw.includes('\0') || (reading.codec === fallback && fallback.badAt(raw) !== -1))) {
    findings.push(...badCharacters(context, scanned, segments, reading));
  }
  const problems = reportAll(findings, limits.problemsMax);
  const { verdict, ref, header } = around;
  if (verdict !== null && !problems.some((own) => isSame(own, verdict))) {
    problems.push(describeX12Problem({ code: 'interchange_broken', fault: verdict }, first));
  }
  const id = opened === null ? '' : elementText(opened, 1, 1).trim();
  const set = { ref, id, header, segments, problems };
  return { set, reading, seen: split.seen, excused: end.excused };
}

const isWhole = ({ end }: ScannedSet): boolean => end.kind === 'trailer' || end.kind === 'missing';

const isSame = (one: EnvelopeProblem, other: EnvelopeProblem): boolean =>
  one.code === other.code && one.at.byteFrom === other.at.byteFrom;

function validateOpening(first: Segment, inGroup: boolean): Finding[] {
  const findings = first.tag === 'ST' ? validateHeader('set', first) : [missing('set', first)];
  if (!inGroup) findings.push(missing('group', first));
  return findings;
}

const missing = (level: 'group' | 'set', segment: Segment): Finding => ({
  problem: { code: 'header_missing', level, found: segment.tag },
  segment,
});

interface ValidatedEnd {
  findings: Finding[];
  excused: Finding | null;
}

const only = (problem: X12Problem, segment: Segment): ValidatedEnd => ({
  findings: [{ problem, segment }],
  excused: null,
});

function validateEnd(
  { slice: { text, byteBase, limits, policy }, delimiters }: SetContext,
  { segments: found, end, next }: ScannedSet,
  segments: readonly Segment[],
): ValidatedEnd {
  const [first] = segments;
  const last = segments.at(-1);
  if (first === undefined || last === undefined) throw new Error('a set has the segment that opens it');
  switch (end.kind) {
    case 'missing': {
      const place = placeholder(byteBase + next.at, next.line + 1);
      return only({ code: 'trailer_missing', level: 'set', found: end.found }, place);
    }
    case 'set_too_large':
      return only({ code: 'set_too_large', bytesMax: limits.setBytesMax }, first);
    case 'set_segments_too_many':
      return only({ code: 'set_segments_too_many', segmentsMax: limits.setSegmentsMax }, first);
    case 'segment_too_large': {
      const tag = text.slice(end.from, end.from + 3).split(delimiters.element)[0] ?? '';
      const segment = { ...placeholder(byteBase + end.from, end.line), tag, number: found.length + 1 };
      return only({ code: 'segment_too_large', tag, bytesMax: limits.segmentBytesMax }, segment);
    }
    case 'trailer': {
      const opened = first.tag === 'ST' ? first : null;
      const findings = validateTrailer('set', opened, last, segments.length);
      if (findings.length === 0) return { findings, excused: null };
      const wrong = findings.find(({ problem }) => problem.code === 'count_differs');
      if (wrong === undefined) return { findings, excused: null };
      const merged = mergedSegment(text, found, segments, delimiters.element);
      if (merged !== null) return { findings: [merged, ...findings], excused: null };
      if (policy.counts === 'strict') return { findings, excused: null };
      return { findings: findings.filter((finding) => finding !== wrong), excused: wrong };
    }
  }
}

function mergedSegment(
  text: string,
  found: ScannedSet['segments'],
  segments: readonly Segment[],
  separator: string,
): Finding | null {
  for (const [index, { from, to, broken }] of found.entries()) {
    if (!broken) continue;
    const merged = mergedTag(text.slice(from, to), separator);
    const segment = segments[index];
    if (merged !== null && segment !== undefined) {
      return { problem: { code: 'terminator_missing', tag: segment.tag, merged }, segment };
    }
  }
  return null;
}

function badCharacters(
  { slice: { text, fallback }, delimiters }: SetContext,
  { segments: found }: ScannedSet,
  segments: readonly Segment[],
  reading: Reading,
): Finding[] {
  const findings: Finding[] = [];
  const encoding = reading.codec?.encoding ?? 'any encoding';
  segments.forEach((segment, index) => {
    const { from, to } = found[index] ?? { from: 0, to: 0 };
    const raw = text.slice(from, to);
    const nul = raw.indexOf('\0');
    const at = nul !== -1 ? nul : reading.codec === fallback ? fallback.badAt(raw) : -1;
    if (at === -1) return;
    const before = raw.slice(0, at).split(delimiters.element);
    const facts = { tag: segment.tag, element: before.length - 1, text: shown(raw, fallback) };
    const hex = hexOf(raw.slice(at, at + 1));
    const problem: X12Problem =
      nul === -1 ? { code: 'bad_encoding', encoding, hex, ...facts } : { code: 'nul_character', ...facts };
    findings.push({ problem, segment });
  });
  return findings;
}
