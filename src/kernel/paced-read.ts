/** Reads of what a caller sends: whoever stops sending, or sends a byte now and then, does not hold a request open for ever. */
import { MINUTE_MS } from './clock.ts';
import { UPLOAD_BYTES_PER_SECOND_MIN } from './limits.ts';

/**
 * So many bytes, or all that are left. @throws when the connection breaks, or is slower than any line that is worth waiting
 * for: a minute, and the time that the bytes take at `UPLOAD_BYTES_PER_SECOND_MIN`.
 */
export async function readPaced(
  reader: ReadableStreamBYOBReader,
  buffer: ArrayBufferLike,
  bytes: number,
): Promise<ReadableStreamReadResult<Uint8Array>> {
  const waitMs = MINUTE_MS + (bytes / UPLOAD_BYTES_PER_SECOND_MIN) * 1_000;
  return soon(reader.readAtLeast(bytes, new Uint8Array(buffer)), reader, waitMs);
}

/** @throws also when it takes longer; nothing more is read then. */
export async function soon<Read>(
  read: Promise<Read>,
  reader: { cancel(): Promise<void> },
  waitMs = MINUTE_MS,
): Promise<Read> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`too little came in ${Math.round(waitMs / 1_000)} s`)), waitMs);
  });
  try {
    return await Promise.race([read, late]);
  } catch (thrown) {
    reader.cancel().catch(() => undefined);
    throw thrown;
  } finally {
    clearTimeout(timer);
  }
}
