/** Parts as plain texts and numbers, so that equal ones are equal, whether their segments were divided already or not. */
import { dividedSegment, type SegmentPart } from '../../../../src/formats/segments/segment.ts';

export function divided(part: SegmentPart): SegmentPart {
  if (!('set' in part)) return part;
  const { ref, id, header, segments, problems } = part.set;
  return { set: { ref, id, header, segments: segments.map(dividedSegment), problems } };
}
