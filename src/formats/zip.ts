/**
 * One file of a ZIP archive, checked against its own header: where its bytes are and what they must unpack to. Unpacks
 * nothing.
 */
import { ERR_OVERLAPPING_ENTRY, type FileEntry, type Reader } from '@zip.js/zip.js/lib/zip-core-reader.js';
import { ARCHIVE_DIRECTORY_BYTES_MAX } from '../kernel/limits.ts';
import { messageOf } from '../kernel/log.ts';
import { err, ok, type Result } from '../kernel/result.ts';
import type { StoredBytes } from './slices.ts';

/*
 * Stored bytes as the archive reader requests them: small pieces only; a failing store is not mistaken for a broken
 * archive.
 */

export class ArchiveSource {
  readonly reader: Reader<StoredBytes>;
  tooMuchRequested = false;
  #failure: { thrown: unknown } | undefined;

  constructor(stored: StoredBytes) {
    const readUint8Array = async (offset: number, length: number): Promise<Uint8Array> => {
      if (offset < 0 || offset >= stored.bytes) return new Uint8Array();
      const bytes = Math.min(length, stored.bytes - offset);
      if (bytes > ARCHIVE_DIRECTORY_BYTES_MAX) {
        this.tooMuchRequested = true;
        throw new Error('more bytes asked for than a directory may have');
      }
      try {
        return await stored.read(offset, bytes);
      } catch (thrown) {
        this.#failure = { thrown };
        throw thrown;
      }
    };
    const createReadable = (): never => {
      throw new Error('the archive is read by range alone');
    };
    this.reader = { size: stored.bytes, readable: new ReadableStream(), readUint8Array, createReadable };
  }

  /** Throws what the store threw, if it did. */
  throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.thrown;
  }
}

export interface ZipFile {
  /** The name that is shown. */
  name: string;
  isDeflated: boolean;
  /** Where its bytes are in the archive. */
  offset: number;
  packedBytes: number;
  declaredBytes: number;
  crc32: number;
}

/** `header`: the entry's own header and the directory differ, or point outside the archive. */
export type ZipEntryProblem =
  | { code: 'zip_broken'; fault: 'header'; entry: string }
  | { code: 'zip_encrypted'; entry: string }
  | { code: 'zip_overlapping'; entry: string }
  | { code: 'zip_link'; entry: string }
  | { code: 'zip_method'; entry: string; method: number };

/** Compression methods that are read (APPNOTE 4.4.5). */
const STORED = 0;
const DEFLATED = 8;

/** @param name that is shown. Throws when storage cannot be reached. */
export async function locateEntry(
  source: ArchiveSource,
  entry: FileEntry,
  name: string,
): Promise<Result<ZipFile, ZipEntryProblem>> {
  const { compressionMethod: method } = entry;
  if (entry.encrypted) return err({ code: 'zip_encrypted', entry: name });
  if (entry.symlink) return err({ code: 'zip_link', entry: name });
  if (method !== STORED && method !== DEFLATED) return err({ code: 'zip_method', entry: name, method });
  try {
    // Compares the entry's own header with the directory, the archive's bounds and the other entries.
    await entry.getData(new WritableStream(), { checkOverlappingEntryOnly: true });
  } catch (thrown) {
    source.throwFailure();
    const overlaps = messageOf(thrown) === ERR_OVERLAPPING_ENTRY;
    return err(
      overlaps ? { code: 'zip_overlapping', entry: name } : { code: 'zip_broken', fault: 'header', entry: name },
    );
  }
  const offset = entry.localDirectory?.dataOffset;
  if (offset === undefined) return err({ code: 'zip_broken', fault: 'header', entry: name });
  return ok({
    name,
    isDeflated: method === DEFLATED,
    offset,
    packedBytes: entry.compressedSize,
    declaredBytes: entry.uncompressedSize,
    crc32: entry.crc32 ?? 0,
  });
}
