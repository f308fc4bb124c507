/** Small files that are read one after the other, fetched a few ahead: each fetch waits for storage, and thousands would add up. */
import type { StoredBytes } from '../../formats/slices.ts';
import { FILES_READ_AHEAD, READ_AHEAD_FILE_BYTES_MAX } from '../../kernel/limits.ts';

/** @returns the same files; of the small ones a few behind the one that is read are in memory, or on their way. */
export function readAhead<File extends { source: StoredBytes }>(files: readonly File[]): File[] {
  const held = new Map<number, Promise<Uint8Array>>();
  const hold = (at: number): void => {
    const source = files[at]?.source;
    if (source === undefined || source.bytes > READ_AHEAD_FILE_BYTES_MAX || held.has(at)) return;
    const bytes = source.read(0, source.bytes);
    bytes.catch(() => held.delete(at)); // whoever reads it next asks again, and hears why
    held.set(at, bytes);
  };
  return files.map((file, at) => {
    const { source } = file;
    const read: StoredBytes['read'] = async (offset, length) => {
      for (const known of held.keys()) if (known < at || known > at + FILES_READ_AHEAD) held.delete(known);
      for (let next = at; next <= at + FILES_READ_AHEAD; next += 1) hold(next);
      const bytes = held.get(at);
      return bytes === undefined ? source.read(offset, length) : (await bytes).subarray(offset, offset + length);
    };
    return { ...file, source: { bytes: source.bytes, read } };
  });
}
