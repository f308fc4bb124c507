/**
 * A gzip upload → its content as a stored object of its own, so that it can be read by range like any other file.
 *
 * The upload itself is kept as received. What comes out is counted while it inflates: a small file that would grow
 * beyond the cap is refused, and nothing of it is kept. Running it again after a crash writes the same object.
 */
import { UNPACKED_BYTES_MAX, UNPACKED_FLOOR_BYTES, UNPACKED_RATIO_MAX } from '../kernel/limits.ts';
import { contentKey, sourceKey } from '../kernel/names.ts';
import type { Problem } from '../kernel/problem.ts';
import { storedSource } from './pinned.ts';
import { storeParts } from './store-parts.ts';
import type { BatchTicket } from './ticket.ts';

export type Unpacked =
  | { outcome: 'as_received' }
  | { outcome: 'unpacked'; bytes: number }
  | { outcome: 'refused'; problem: Problem };

const GZIP_MAGIC = [0x1f, 0x8b];

/** Throws when storage cannot be reached: the Batch then tries again. */
export async function unpack(files: R2Bucket, ticket: BatchTicket): Promise<Unpacked> {
  const [first, second] = await storedSource(files, ticket, null).read(0, Math.min(2, ticket.bytes));
  if (first !== GZIP_MAGIC[0] || second !== GZIP_MAGIC[1]) return { outcome: 'as_received' };
  const stored = await files.get(sourceKey(ticket, ticket.batchId));
  if (!stored) throw new Error(`the stored bytes of ${ticket.batchId} are missing`);
  const bytesMax = Math.min(UNPACKED_BYTES_MAX, Math.max(UNPACKED_FLOOR_BYTES, ticket.bytes * UNPACKED_RATIO_MAX));
  const inflated = stored.body.pipeThrough(new DecompressionStream('gzip'));
  const kept = await storeParts(files, contentKey(ticket, ticket.batchId), inflated, bytesMax);
  if (kept.ok) return { outcome: 'unpacked', bytes: kept.value.bytes };
  switch (kept.error.code) {
    case 'storage_unavailable':
      throw new Error('the unpacked file could not be stored');
    case 'body_cut':
      return refused(
        'gzip_broken',
        `The gzip file is damaged or cut off after ${kept.error.receivedBytes} unpacked bytes.`,
      );
    case 'too_large':
      return refused('gzip_too_large', `The gzip file unpacks to more than ${bytesMax} bytes.`);
    case 'empty':
      return refused('empty_file', 'The gzip file holds nothing.');
  }
}

const FIXES = {
  gzip_broken: 'Compress the file again and send it again; nothing of it was used.',
  gzip_too_large: 'Split the file and send the parts one after the other.',
  empty_file: 'Check the export and send the file again.',
} as const;

const refused = (code: keyof typeof FIXES, message: string): Unpacked => ({
  outcome: 'refused',
  problem: { code, path: '', value: '', message, fix: FIXES[code] },
});
