/**
 * A stored ZIP archive → its files as stored objects of their own, so that each can be read by range.
 *
 * What comes out is counted, hashed and held against what the archive says while it inflates; nothing is kept of an
 * archive that is refused. Running it again after a crash writes the same objects.
 */
import { crc32 } from 'node:zlib';
import { type FileLook, isArchive, looksLike } from '../../formats/magic.ts';
import type { ZipFile } from '../../formats/zip/entry.ts';
import { UNPACKED_BYTES_MAX, UNPACKED_FLOOR_BYTES, UNPACKED_RATIO_MAX } from '../../kernel/limits.ts';
import { contentKey, sourceKey } from '../../kernel/names.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import type { ArchiveFile, Contents } from '../core/progress.ts';
import type { BatchTicket } from '../core/ticket.ts';
import type { ZipProblem } from '../core/zip-problems.ts';
import { storedSource } from './pinned.ts';
import { storeParts } from './store-parts.ts';
import { readZipDirectory } from './zip-directory.ts';

/** @param bytesMax of all files together. Throws when storage cannot be reached: the Batch then tries again. */
export async function unzip(
  files: R2Bucket,
  ticket: BatchTicket,
  bytesMax = UNPACKED_BYTES_MAX,
): Promise<Result<Contents, ZipProblem>> {
  const directory = await readZipDirectory(storedSource(files, ticket, null));
  if (!directory.ok) return directory;
  const kept: ArchiveFile[] = [];
  const empty: string[] = [];
  let bytes = 0;
  for (const entry of directory.value) {
    const target = { key: contentKey(ticket, ticket.batchId, kept.length + 1), leftBytes: bytesMax - bytes };
    const inflated = await inflate(files, ticket, entry, target);
    if (!inflated.ok) {
      await forgetFiles(files, ticket, kept.length + 1);
      return inflated;
    }
    if (inflated.value === 0) empty.push(entry.name);
    else kept.push({ name: entry.name, bytes: inflated.value, recordsBefore: null, state: 'unread' });
    bytes += inflated.value;
  }
  const [first, ...others] = kept;
  if (first === undefined) return err({ code: 'zip_empty' });
  const begun: ArchiveFile = { ...first, recordsBefore: 0, state: 'reading' };
  return ok({ bytes, files: [begun, ...others], ...(empty.length > 0 ? { notes: [emptyNote(empty)] } : {}) });
}

const emptyNote = (names: readonly string[]): string =>
  `${names.length === 1 ? 'One file' : `${names.length} files`} of the archive held nothing and ${names.length === 1 ? 'was' : 'were'} passed over: ${names.join(', ')}.`;

type Inflated = Result<number, ZipProblem>;

/** @returns how many bytes came out; nothing is stored of an empty file. */
async function inflate(
  files: R2Bucket,
  ticket: BatchTicket,
  entry: ZipFile,
  { key, leftBytes }: { key: string; leftBytes: number },
): Promise<Inflated> {
  const bytesMax = Math.min(leftBytes, Math.max(UNPACKED_FLOOR_BYTES, entry.packedBytes * UNPACKED_RATIO_MAX));
  const out = new Unpacked();
  if (entry.packedBytes > 0) {
    const body = await packedBody(files, ticket, entry);
    const target = { key, bytesMax, inspect: (part: Uint8Array) => out.add(part) };
    const stored = await storeParts(files, target, body);
    if (isArchive(out.look)) return err({ code: 'zip_nested', entry: entry.name, looksLike: out.look });
    const code = stored.ok ? 'empty' : stored.error.code;
    if (code === 'storage_unavailable') throw new Error('an unpacked file could not be stored');
    if (code !== 'empty') return err(notUnpacked(code, entry, bytesMax));
  }
  return asDeclared(out, entry);
}

const notUnpacked = (code: 'body_cut' | 'too_large', { name }: ZipFile, bytesMax: number): ZipProblem =>
  code === 'too_large'
    ? { code: 'zip_too_large', entry: name, bytesMax }
    : { code: 'zip_broken', fault: 'content', entry: name };

function asDeclared({ bytes, crc32: crc }: Unpacked, entry: ZipFile): Inflated {
  const { declaredBytes, name } = entry;
  if (bytes !== declaredBytes) return err({ code: 'zip_broken', fault: 'length', entry: name, declaredBytes, bytes });
  return crc === entry.crc32 ? ok(bytes) : err({ code: 'zip_broken', fault: 'checksum', entry: name });
}

async function packedBody(files: R2Bucket, ticket: BatchTicket, entry: ZipFile): Promise<ReadableStream<Uint8Array>> {
  const range = { offset: entry.offset, length: entry.packedBytes };
  const stored = await files.get(sourceKey(ticket, ticket.batchId), { range });
  if (!stored) throw new Error(`the stored bytes of ${ticket.batchId} are missing`);
  return entry.isDeflated ? stored.body.pipeThrough(new DecompressionStream('deflate-raw')) : stored.body;
}

/** What came out of a file, part by part. */
class Unpacked {
  bytes = 0;
  crc32 = 0;
  look: FileLook | null = null;

  add(part: Uint8Array): void {
    if (this.bytes === 0) this.look = looksLike(part);
    this.bytes += part.byteLength;
    this.crc32 = crc32(part, this.crc32);
  }
}

/** Files that were stored before the archive turned out to be refused. */
const forgetFiles = (files: R2Bucket, ticket: BatchTicket, count: number): Promise<void> =>
  files.delete(Array.from({ length: count }, (_, at) => contentKey(ticket, ticket.batchId, at + 1)));
