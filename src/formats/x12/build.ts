/** Makes a set of the segments that were found: their texts, and everything that is wrong with it. */
import type { TextCodec } from '../encoding.ts';
import type { EnvelopePolicy } from '../segments/parts.ts';
import type { EnvelopeProblem, Segment, SegmentSet } from '../segments/segment.ts';
import { elementText } from '../segments/segment.ts';
import { isTag } from '../segments/tags.ts';
import type { X12Delimiters } from './delimiters.ts';
import type { AroundSet } from './envelopes.ts';
import { type Finding, judgeHeader, judgeTrailer, mergedTag } from './judge.ts';
import type { X12Limits } from './limits.ts';
import type { X12Problem } from './problems.ts';
import type { ScannedSet } from './set.ts';
import {
  ASCII,
  divideSegment,
  hexOf,
  isDividedLater,
  type Reading,
  readingOf,
  type SplitSeen,
  shown,
  splitOf,
} from './split.ts';
import { placeholder, tellAll } from './tell.ts';
import { describeX12Problem } from './words.ts';

/** The slice a set stands in. */
export interface SetSlice {
  text: string;
  /** It is ASCII without NUL. */
  isPlain: boolean;
  byteBase: number;
  fallback: TextCodec;
  policy: EnvelopePolicy;
  limits: X12Limits;
}

export interface SetContext {
  slice: SetSlice;
  around: AroundSet;
  delimiters: X12Delimiters;
}

export interface BuiltSet {
  set: SegmentSet;
  reading: Reading;
  seen: SplitSeen;
  /** A wrong count that the partner is allowed. */
  excused: Finding | null;
}

export function buildSet(context: SetContext, scanned: ScannedSet): BuiltSet {
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
  const end = judgeEnd(context, scanned, segments);
  const findings = judgeOpening(first, around.inGroup);
  if (end.findings.length > 0) findings.push(...end.findings);
  for (const segment of segments) {
    if (isTag(segment.tag)) continue;
    findings.push({ problem: { code: 'segment_tag_invalid', tag: shown(segment.tag, fallback) }, segment });
  }
  if (!isPlain && (raw.includes('\0') || (reading.codec === fallback && fallback.badAt(raw) !== -1))) {
    findings.push(...badCharacters(context, scanned, segments, reading));
  }
  const problems = tellAll(findings, limits.problemsMax);
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

function judgeOpening(first: Segment, inGroup: boolean): Finding[] {
  const findings = first.tag === 'ST' ? judgeHeader('set', first) : [missing('set', first)];
  if (!inGroup) findings.push(missing('group', first));
  return findings;
}

const missing = (level: 'group' | 'set', segment: Segment): Finding => ({
  problem: { code: 'header_missing', level, found: segment.tag },
  segment,
});

interface JudgedEnd {
  findings: Finding[];
  excused: Finding | null;
}

const only = (problem: X12Problem, segment: Segment): JudgedEnd => ({
  findings: [{ problem, segment }],
  excused: null,
});

function judgeEnd(
  { slice: { text, byteBase, limits, policy }, delimiters }: SetContext,
  { segments: found, end, next }: ScannedSet,
  segments: readonly Segment[],
): JudgedEnd {
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
      const findings = judgeTrailer('set', opened, last, segments.length);
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
