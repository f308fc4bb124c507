/** Reads one slice of a stored file and lengthens it while no whole record fits. Knows nothing of the format. */
import { SLICE_BYTES, SLICE_BYTES_MAX } from '../kernel/limits.ts';
import type { AnyCheckpoint, SliceRead } from './record-reader.ts';

/** Stored bytes that can be read by range. `read` may return fewer bytes than requested only at the end. */
export interface StoredBytes {
  bytes: number;
  read(offset: number, length: number): Promise<Uint8Array>;
}

/** A whole file that is in memory already. */
export const bytesInMemory = (bytes: Uint8Array): StoredBytes => ({
  bytes: bytes.byteLength,
  read: async (offset, length) => bytes.subarray(offset, offset + length),
});

export interface Slice {
  bytes: Uint8Array;
  /** The slice reaches the end of the file. */
  atEnd: boolean;
}

/**
 * @param byte where the slice begins; @param run reads the slice, or returns `more` when no whole record fits.
 * @returns the first outcome that is not `more`. Throws if a reader still wants more at SLICE_BYTES_MAX, which is a
 * bug.
 */
export async function readSlice<Outcome extends { outcome: string }>(
  source: StoredBytes,
  byte: number,
  run: (slice: Slice) => Outcome | { outcome: 'more' },
): Promise<Outcome> {
  for (let length = SLICE_BYTES; ; length = Math.min(SLICE_BYTES_MAX, length * 2)) {
    const bytes = await source.read(byte, Math.min(length, source.bytes - byte));
    const ran = run({ bytes, atEnd: byte + bytes.byteLength >= source.bytes });
    if (ran.outcome !== 'more') return ran as Outcome;
    if (length >= SLICE_BYTES_MAX) throw new Error('a reader asked for more than the longest slice');
  }
}

/** What reads slices, in messages or in a format's own facts. */
interface SliceReader<Own extends AnyCheckpoint, Read> {
  start: Own;
  read(checkpoint: Own, bytes: Uint8Array, atEnd: boolean): Read;
}

/** @yields each slice of a file, down to the last one, or to one that says that the file cannot be read. */
export async function* slicesOf<Own extends AnyCheckpoint, Read extends SliceRead<Own, unknown, unknown, unknown>>(
  source: StoredBytes,
  reader: SliceReader<Own, Read>,
): AsyncGenerator<Exclude<Read, { outcome: 'more' }>, undefined> {
  for (let checkpoint = reader.start; ; ) {
    const from = checkpoint;
    const slice = await readSlice(
      source,
      from.byte,
      ({ bytes, atEnd }) => reader.read(from, bytes, atEnd) as Exclude<Read, { outcome: 'more' }>,
    );
    yield slice;
    const read: SliceRead<Own, unknown, unknown, unknown> = slice;
    if (read.outcome !== 'records' || read.finished) return;
    ({ checkpoint } = read);
  }
}
