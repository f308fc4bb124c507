/**
 * Takes one transaction set off a slice, from its ST to its SE, or to the segment that shows that SE is missing.
 *
 * It is kept in memory whole; one that is too large is not, and costs itself alone.
 */
import type { X12Limits } from './limits.ts';
import { LOOKAHEAD_BYTES } from './limits.ts';
import { behind, type FoundSegment, type Place, type SegmentScanner, startOf } from './scan.ts';

/**
 * - `trailer`: its last segment is SE.
 * - `missing`: `found` stands where SE should, null at the end of the file.
 * - the others: something is too large; what is left of it is passed over.
 */
export type SetEnd =
  | { kind: 'trailer' }
  | { kind: 'missing'; found: string | null }
  | { kind: 'set_too_large' }
  | { kind: 'set_segments_too_many' }
  | { kind: 'segment_too_large'; from: number; line: number };

export interface ScannedSet {
  segments: [FoundSegment, ...FoundSegment[]];
  /** A line break stands inside one of them. */
  isWrapped: boolean;
  end: SetEnd;
  next: Place;
  passing: 'segment' | 'set' | null;
}

/** Segments of envelopes: none stands inside a set. */
export const endsSet = (tag: string): boolean =>
  tag === 'ST' || tag === 'GE' || tag === 'GS' || tag === 'IEA' || tag === 'ISA';

/** @returns null when the set does not end in sight */
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
