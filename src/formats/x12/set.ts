/**
 * Reads one transaction set from a slice, from its ST to its SE, or to the segment that shows that SE is missing.
 *
 * The whole set is held in memory; one that is too large is not, and costs only itself.
 */

import type { TextCodec } from '../encoding.ts';
import { isDigit } from '../segments/control-numbers.ts';
import { describeAll, isWrongCount, type ReadSet, trailerFindings } from '../segments/envelopes.ts';
import { type Finding, pointAt } from '../segments/faults.ts';
import type { SegmentTable } from '../segments/list.ts';
import type { Place } from '../segments/scan.ts';
import { elementText, type Segment } from '../segments/segment.ts';
import type { SliceInput } from '../segments/slice-reader.ts';
import { isTag, tagCode } from '../segments/tags.ts';
import { closes, type SetEnds, WellFormedReader } from '../segments/well-formed.ts';
import { isBlank, type X12Delimiters } from './delimiters.ts';
import { controlNumber, mergedTag, validateHeader, X12_ENVELOPES } from './envelopes.ts';
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
 * - `missing`: `found` is the tag found instead of SE, '' at the end of the file.
 * - the others: something is too large; the rest of it is skipped.
 */
type SetEnd =
  | { kind: 'trailer' }
  | { kind: 'missing'; found: string }
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
        return scanner.atEnd ? ended({ kind: 'missing', found: '' }, found.place) : null;
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

/* The fast path for well-formed sets. */

const ST = tagCode('ST');
const SE = tagCode('SE');
const GS = tagCode('GS');
const GE = tagCode('GE');
const ISA = tagCode('ISA');
const IEA = tagCode('IEA');
const ID_CHARACTERS = 3;
/** After a tag of two letters and its separator. */
const ELEMENT_FROM = 3;

export class WellFormedSets extends WellFormedReader {
  private readonly scanner: SegmentScanner;
  /** Of the last set: most are of one kind. */
  private id = '';

  constructor(scanner: SegmentScanner, table: SegmentTable, delimiters: X12Delimiters, limits: X12Limits) {
    const forbidden = scanner.searches.of(delimiters.repetition ?? '');
    super(scanner, table, { opening: ST, closing: SE, forbidden, isBlank, isTrimmed: true, ...delimiters, ...limits });
    this.scanner = scanner;
  }

  protected isInside(tag: number): boolean {
    return tag !== 0 && tag !== ST && tag !== GS && tag !== GE && tag !== ISA && tag !== IEA;
  }

  protected idOf({ opening, closing, closingTo, segments }: SetEnds): string | null {
    const { scanner } = this;
    const { text, within } = scanner;
    if (!scanner.hasNoIsa(opening, closingTo + 1)) return null;
    const idFrom = opening + ELEMENT_FROM;
    const idTo = idFrom + ID_CHARACTERS;
    for (let at = idFrom; at < idTo; at++) if (!isDigit(text.charCodeAt(at))) return null;
    if (text.charCodeAt(idTo) !== within.element) return null;
    if (!closes(within, closing + ELEMENT_FROM, closingTo, segments, idTo + 1)) return null;
    if (this.id === '' || !text.startsWith(this.id, idFrom)) this.id = text.slice(idFrom, idTo);
    return this.id;
  }
}

/* Creates a set from the segments that were found: their texts, and everything that is wrong with it. */

interface SetContext {
  slice: Pick<SliceInput<X12Limits>, 'text' | 'byteBase' | 'policy' | 'limits'> & { fallback: TextCodec };
  /** The slice is ASCII without NUL. */
  isPlain: boolean;
  inGroup: boolean;
  delimiters: X12Delimiters;
}

interface AssembledSet {
  set: ReadSet;
  reading: Reading;
  seen: SplitSeen;
  /** A wrong count that the partner's policy allows. */
  excused: Found | null;
}

type Found = Finding<X12Problem>;

export function buildSet(context: SetContext, scanned: ScannedSet): AssembledSet {
  const { slice, isPlain, delimiters } = context;
  const { text, byteBase, fallback, limits } = slice;
  const [firstFound] = scanned.segments;
  const raw = text.slice(firstFound.from, scanned.segments.at(-1)?.to ?? firstFound.to);
  const reading = isPlain ? ASCII : readingOf(raw, fallback);
  const split = splitOf(text, raw, delimiters, reading, byteBase);
  // Of a set that is too large only the segment that opens it is kept.
  const found = isWhole(scanned) ? scanned.segments : [firstFound];
  const segments: readonly Segment[] = isDividedLater(split, scanned.isWrapped)
    ? found
    : found.map((each, index) => divideSegment(each, index + 1, split));
  const [first = pointAt(byteBase, 0)] = segments;
  const end = validateEnd(context, scanned, segments);
  const findings: Found[] = first.tag === 'ST' ? validateHeader('set', first) : [missing('set', first)];
  if (!context.inGroup) findings.push(missing('group', first));
  findings.push(...end.findings);
  for (const at of segments) {
    if (!isTag(at.tag)) findings.push({ fault: { code: 'segment_tag_invalid', tag: shown(at.tag, fallback) }, at });
  }
  if (!isPlain && (raw.includes('\0') || (reading.codec === fallback && fallback.badAt(raw) !== -1))) {
    findings.push(...badCharacters(context, scanned, segments, reading));
  }
  const problems = describeAll(findings, describeX12Problem, limits);
  const id = first.tag === 'ST' ? elementText(first, 1, 1).trim() : '';
  return { set: { id, segments, problems, isMessage: true }, reading, seen: split.seen, excused: end.excused };
}

const isWhole = ({ end }: ScannedSet): boolean => end.kind === 'trailer' || end.kind === 'missing';

const missing = (level: 'group' | 'set', at: Segment): Found => ({
  fault: { code: 'header_missing', level, found: at.tag },
  at,
});

interface ValidatedEnd {
  findings: Found[];
  excused: Found | null;
}

const only = (fault: X12Problem, at: Segment): ValidatedEnd => ({ findings: [{ fault, at }], excused: null });

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
      const place = pointAt(byteBase + next.at, next.line + 1);
      return only({ code: 'trailer_missing', level: 'set', reference: '', found: end.found }, place);
    }
    case 'set_too_large':
      return only({ code: 'set_too_large', bytesMax: limits.setBytesMax }, first);
    case 'set_segments_too_many':
      return only({ code: 'set_segments_too_many', segmentsMax: limits.setSegmentsMax }, first);
    case 'segment_too_large': {
      const tag = text.slice(end.from, end.from + 3).split(delimiters.element)[0] ?? '';
      const segment = { ...pointAt(byteBase + end.from, end.line), tag, number: found.length + 1 };
      return only({ code: 'segment_too_large', tag, bytesMax: limits.segmentBytesMax }, segment);
    }
    case 'trailer': {
      const reference = first.tag === 'ST' ? controlNumber('set', first) : null;
      const counted = { level: 'set', counted: 'segments', found: segments.length, trailer: last, reference } as const;
      const findings = trailerFindings(X12_ENVELOPES, counted);
      const excused = findings.find(isWrongCount);
      if (excused === undefined) return { findings, excused: null };
      const merged = mergedSegment(text, found, segments, delimiters.element);
      if (merged !== null) return { findings: [merged, ...findings], excused: null };
      if (policy.counts === 'strict') return { findings, excused: null };
      return { findings: findings.filter((finding) => finding !== excused), excused };
    }
  }
}

function mergedSegment(
  text: string,
  found: ScannedSet['segments'],
  segments: readonly Segment[],
  separator: string,
): Found | null {
  for (const [index, { from, to, broken }] of found.entries()) {
    if (!broken) continue;
    const merged = mergedTag(text.slice(from, to), separator);
    const at = segments[index];
    if (merged !== null && at !== undefined) return { fault: { code: 'terminator_missing', tag: at.tag, merged }, at };
  }
  return null;
}

function badCharacters(
  { slice: { text, fallback }, delimiters }: SetContext,
  { segments: found }: ScannedSet,
  segments: readonly Segment[],
  reading: Reading,
): Found[] {
  const findings: Found[] = [];
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
    const fault: X12Problem =
      nul === -1 ? { code: 'bad_encoding', encoding, hex, ...facts } : { code: 'nul_character', ...facts };
    findings.push({ fault, at: segment });
  });
  return findings;
}
