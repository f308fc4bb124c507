/** X12 behind the face that both formats of segments share. */
import type { EnvelopePolicy, PartsReader } from '../segments/parts.ts';
import { type X12Checkpoint, x12Start } from './checkpoint.ts';
import type { X12Source } from './declaration.ts';
import { readX12Slice } from './read.ts';

/** @param policy of the partner: how strictly envelopes are judged, and what a broken one costs. */
export function x12PartsReader(
  source: Pick<X12Source, 'encoding'>,
  policy: EnvelopePolicy,
): PartsReader<X12Checkpoint> {
  return {
    start: x12Start,
    read: (checkpoint, bytes, atEnd, take) =>
      readX12Slice({ encoding: source.encoding, policy, checkpoint, bytes, atEnd, take }),
  };
}
