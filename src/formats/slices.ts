/** Reads one slice of a stored file and lengthens it while no whole record fits. Knows nothing of the format. */
import { SLICE_BYTES, SLICE_BYTES_MAX } from '../kernel/limits.ts';

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
