/** All sets and envelopes of a stored file, slice by slice, in bounded memory. */
import { readSlice, type StoredBytes } from '../slices.ts';
import type { PartsReader, SegmentCheckpoint } from './parts.ts';
import type { SegmentPart } from './segment.ts';

/** Ends without a word where the file cannot be read: who reads it first says why. */
export async function* storedParts<Own extends SegmentCheckpoint>(
  reader: PartsReader<Own>,
  source: StoredBytes,
): AsyncGenerator<SegmentPart> {
  for (let checkpoint = reader.start; ; ) {
    const from = checkpoint;
    const parts: SegmentPart[] = [];
    const take = (part: SegmentPart): void => void parts.push(part);
    const read = await readSlice(source, from.byte, ({ bytes, atEnd }) => reader.read(from, bytes, atEnd, take));
    if (read.outcome !== 'parts') return;
    yield* parts;
    if (read.finished) return;
    checkpoint = read.checkpoint;
  }
}
