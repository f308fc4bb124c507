/** EDIFACT behind the face that the formats of segments share. */
import type { EnvelopePolicy, PartsReader } from '../segments/parts.ts';
import { type EdifactCheckpoint, edifactStart } from './checkpoint.ts';
import type { EdifactSource } from './declaration.ts';
import { EDIFACT_LIMITS, type EdifactLimits } from './limits.ts';
import { readEdifactWithin } from './read.ts';

/** A slice of `EDIFACT_SLICE_BYTES_ENOUGH` bytes is never answered with `more`. */
export function edifactPartsReader(
  source: Pick<EdifactSource, 'encoding' | 'bare'>,
  policy: EnvelopePolicy,
): PartsReader<EdifactCheckpoint> {
  return edifactPartsReaderWithin(EDIFACT_LIMITS, source, policy);
}

/** The same under other limits, so that tests can reach them with small files. */
export function edifactPartsReaderWithin(
  limits: EdifactLimits,
  source: Pick<EdifactSource, 'encoding' | 'bare'>,
  policy: EnvelopePolicy,
): PartsReader<EdifactCheckpoint> {
  return {
    start: edifactStart,
    read: (checkpoint, bytes, atEnd, take) =>
      readEdifactWithin(limits, { source, policy, checkpoint, bytes, atEnd, take }),
  };
}
