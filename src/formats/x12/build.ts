/** Makes a set of the segments that were found: their texts, and everything that is wrong with it. */
import type { TextCodec } from '../encoding.ts';
import type { EnvelopePolicy } from '../segments/parts.ts';
import type { EnvelopeProblem, Segment, SegmentSet, SetRef } from '../segments/segment.ts';
import { elementText } from '../segments/segment.ts';
import type { X12Delimiters } from './delimiters.ts';
import { type Finding, isTag, judgeHeader, judgeTrailer, mergedTag } from './judge.ts';
import type { X12Limits } from './limits.ts';
import type { X12Problem } from './problems.ts';
import type { ScannedSet } from './set.ts';
import { hexOf, type Reading, readingOf, type SplitSeen, shown, splitSegment } from './split.ts';
import type { Teller } from './teller.ts';

export interface SetContext {
  text: string;
  byteBase: number;
  delimiters: X12Delimiters;
  fallback: TextCodec;
  policy: EnvelopePolicy;
  limits: X12Limits;
  /** Segments it is wrapped in; the group's is missing where it stands outside any. */
  header: readonly Segment[];
  inGroup: boolean;
  ref: SetRef;
  teller: Teller;
  /** What the interchange as a whole has against it. */
  verdict: EnvelopeProblem | null;
}

export interface BuiltSet {
  set: SegmentSet;
  reading: Reading;
  seen: SplitSeen;
  /** A wrong count that the partner is allowed. */
  excused: Finding | null;
}

export function buildSet(context: SetContext, scanned: ScannedSet): BuiltSet {
  const { text, byteBase, delimiters, fallback, limits, policy, teller } = context;
  const [firstFound] = scanned.segments;
  const lastFound = scanned.segments[scanned.segments.length - 1];
  const raw = text.slice(firstFound?.from ?? 0, lastFound?.to ?? 0);
  const reading = readingOf(raw, fallback);
  const seen: SplitSeen = { breaks: false, repeated: false };
  const isWhole = scanned.end.kind === 'trailer' || scanned.end.kind === 'missing';
  // Of a set that is too large only the segment that opens it is kept.
  const kept = isWhole ? scanned.segments : scanned.segments.slice(0, 1);
  const split = { delimiters, reading, byteBase, seen };
  const segments = kept.map((found, index) => splitSegment(text, found, index + 1, split));
  const first = segments[0];
  const opened = first?.tag === 'ST' ? first : null;
  const findings: Finding[] = [];
  if (opened === null)
    findings.push({
      problem: { code: 'header_missing', level: 'set', found: first?.tag ?? '' },
      segment: first ?? null,
    });
  else findings.push(...judgeHeader('set', opened));
  if (!context.inGroup) {
    findings.push({
      problem: { code: 'header_missing', level: 'group', found: first?.tag ?? '' },
      segment: first ?? null,
    });
  }
  const { excused, ended } = judgeEnd(context, scanned, segments, opened);
  findings.push(...ended);
  for (const segment of segments) {
    if (!isTag(segment.tag))
      findings.push({ problem: { code: 'segment_tag_invalid', tag: shown(segment.tag, fallback) }, segment });
  }
  if (raw.includes('\0') || (reading.codec === fallback && fallback.badAt(raw) !== -1)) {
    findings.push(...badCharacters(context, scanned, segments, reading));
  }
  const set = opened === null ? null : elementText(opened, 2, 1);
  const problems = teller.tellAll(findings, set, limits.problemsMax);
  if (context.verdict !== null && first !== undefined) {
    problems.push(teller.tell({ code: 'interchange_broken', fault: context.verdict }, first, set));
  }
  const built = {
    ref: context.ref,
    id: opened === null ? '' : elementText(opened, 1, 1).trim(),
    header: context.header,
    segments,
    problems,
  };
  return { set: built, reading, seen, excused: policy.counts === 'lenient' ? excused : null };
}

interface JudgedEnd {
  ended: Finding[];
  excused: Finding | null;
}

function judgeEnd(
  { text, byteBase, delimiters, limits, policy }: SetContext,
  { segments: found, end, next }: ScannedSet,
  segments: readonly Segment[],
  opened: Segment | null,
): JudgedEnd {
  const [first] = segments;
  const last = segments[segments.length - 1] ?? null;
  const none = (problem: X12Problem, segment: Segment | null): JudgedEnd => ({
    ended: [{ problem, segment }],
    excused: null,
  });
  switch (end.kind) {
    case 'missing': {
      const place = placeholder(byteBase + next.at, next.line + 1);
      return none({ code: 'trailer_missing', level: 'set', found: end.found }, place);
    }
    case 'set_too_large':
      return none({ code: 'set_too_large', bytesMax: limits.setBytesMax }, first ?? null);
    case 'set_segments_too_many':
      return none({ code: 'set_segments_too_many', segmentsMax: limits.setSegmentsMax }, first ?? null);
    case 'segment_too_large': {
      const tag = text.slice(end.from, end.from + 3).split(delimiters.element)[0] ?? '';
      const segment = { ...placeholder(byteBase + end.from, end.line), tag, number: found.length + 1 };
      return none({ code: 'segment_too_large', tag, bytesMax: limits.segmentBytesMax }, segment);
    }
    case 'trailer': {
      if (last === null) return { ended: [], excused: null };
      const findings = judgeTrailer('set', opened, last, segments.length);
      const wrong = findings.find(({ problem }) => problem.code === 'count_wrong');
      if (wrong === undefined) return { ended: findings, excused: null };
      const merged = mergedSegment(text, found, segments, delimiters.element);
      if (merged !== null) return { ended: [merged, ...findings], excused: null };
      if (policy.counts === 'strict') return { ended: findings, excused: null };
      return { ended: findings.filter((finding) => finding !== wrong), excused: wrong };
    }
  }
}

function mergedSegment(
  text: string,
  found: ScannedSet['segments'],
  segments: readonly Segment[],
  separator: string,
): Finding | null {
  for (const [index, { from, to }] of found.entries()) {
    const merged = mergedTag(text.slice(from, to), separator);
    const segment = segments[index];
    if (merged !== null && segment !== undefined) {
      return { problem: { code: 'terminator_lost', tag: segment.tag, merged }, segment };
    }
  }
  return null;
}

/** Where a segment should stand and none does: no tag, no bytes. */
export const placeholder = (byte: number, line: number): Segment => ({
  tag: '',
  elements: [],
  number: 0,
  line,
  byteFrom: byte,
  byteTo: byte,
});

function badCharacters(
  { text, delimiters, fallback }: SetContext,
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
    const hex = hexOf(raw.slice(at, at + 1));
    findings.push({
      problem: { code: 'bad_character', element: before.length - 1, encoding, hex, text: shown(raw, fallback) },
      segment,
    });
  });
  return findings;
}
