/**
 * The stored bytes of a ZIP archive → its files in their order, each checked against its own header: where its bytes
 * stand, how they are written, and what must come out of them. Unpacks nothing.
 *
 * Lengths and checksums are what the archive says of itself; whoever unpacks holds them against what comes out.
 */
import {
  ERR_ENCRYPTED_CENTRAL_DIRECTORY,
  ERR_OVERLAPPING_ENTRY,
  ERR_SPLIT_ZIP_FILE,
  type FileEntry,
  type Reader,
  ZipReader,
} from '@zip.js/zip.js/lib/zip-core-reader.js';
import type { StoredBytes } from '../formats/slices.ts';
import { ARCHIVE_DIRECTORY_BYTES_MAX, ARCHIVE_FILES_MAX } from '../kernel/limits.ts';
import { messageOf } from '../kernel/log.ts';
import { err, ok, type Result } from '../kernel/result.ts';
import { isClutter, isOfficeFile, shownNames } from './zip-names.ts';
import type { ZipProblem } from './zip-problems.ts';

export interface ZipFile {
  /** As it is shown. */
  name: string;
  isDeflated: boolean;
  /** Where its bytes stand in the archive. */
  offset: number;
  packedBytes: number;
  declaredBytes: number;
  crc32: number;
}

/** Compression methods that are read (APPNOTE 4.4.5). */
const STORED = 0;
const DEFLATED = 8;

/** Throws when storage cannot be reached. */
export async function readZipDirectory(stored: StoredBytes): Promise<Result<ZipFile[], ZipProblem>> {
  const source = new ArchiveSource(stored);
  const entries = await listEntries(source);
  if (!entries.ok) return entries;
  const names = shownNames(entries.value.map(({ filename }) => filename));
  const files: ZipFile[] = [];
  for (const [index, entry] of entries.value.entries()) {
    const file = await locate(source, entry, names[index] ?? '');
    if (!file.ok) return file;
    files.push(file.value);
  }
  return ok(files);
}

/** Names are for display only, so none is refused; folders and what systems add by themselves are passed over. */
async function listEntries(source: ArchiveSource): Promise<Result<FileEntry[], ZipProblem>> {
  const zip = new ZipReader(source.reader, { filenameValidation: 'tolerant' });
  const found: FileEntry[] = [];
  let count = 0;
  try {
    for await (const entry of zip.getEntriesGenerator()) {
      if (isOfficeFile(entry.filename)) return err({ code: 'zip_office_file', entry: entry.filename });
      if (entry.directory || isClutter(entry.filename)) continue;
      count += 1;
      if (count <= ARCHIVE_FILES_MAX) found.push(entry);
    }
  } catch (thrown) {
    source.throwFailure();
    if (!source.askedTooMuch) return err(directoryProblem(messageOf(thrown)));
    count = Number.POSITIVE_INFINITY; // a directory of so many bytes lists more files than are taken
  }
  if (count > ARCHIVE_FILES_MAX) return err({ code: 'zip_too_many_files', filesMax: ARCHIVE_FILES_MAX });
  return count === 0 ? err({ code: 'zip_empty' }) : ok(found);
}

function directoryProblem(message: string): ZipProblem {
  switch (message) {
    case ERR_SPLIT_ZIP_FILE:
      return { code: 'zip_split' };
    case ERR_ENCRYPTED_CENTRAL_DIRECTORY:
      return { code: 'zip_encrypted', entry: null };
    default:
      return { code: 'zip_broken', fault: 'directory' };
  }
}

async function locate(source: ArchiveSource, entry: FileEntry, name: string): Promise<Result<ZipFile, ZipProblem>> {
  const { compressionMethod: method } = entry;
  if (entry.encrypted) return err({ code: 'zip_encrypted', entry: name });
  if (entry.symlink) return err({ code: 'zip_link', entry: name });
  if (method !== STORED && method !== DEFLATED) return err({ code: 'zip_method', entry: name, method });
  try {
    // Reads the entry's own header and holds it against the directory, the archive's bounds and the other entries.
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

/** The stored bytes as the archive reader asks for them: small pieces only, and a failing store is told from a broken archive. */
class ArchiveSource {
  readonly reader: Reader<StoredBytes>;
  askedTooMuch = false;
  #failure: { thrown: unknown } | undefined;

  constructor(stored: StoredBytes) {
    const readUint8Array = async (offset: number, length: number): Promise<Uint8Array> => {
      if (offset < 0 || offset >= stored.bytes) return new Uint8Array();
      const bytes = Math.min(length, stored.bytes - offset);
      if (bytes > ARCHIVE_DIRECTORY_BYTES_MAX) {
        this.askedTooMuch = true;
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
