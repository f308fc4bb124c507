/**
 * A stored ZIP archive → its files as stored objects of their own, which can each be read by range.
 * Output is counted, hashed and compared with the archive's own headers while it inflates; nothing is stored of a
 * refused archive. A repeat after a crash writes the same objects.
 */

import { crc32 } from 'node:zlib';
import {
  ERR_ENCRYPTED_CENTRAL_DIRECTORY,
  ERR_SPLIT_ZIP_FILE,
  type FileEntry,
  ZipReader,
} from '@zip.js/zip.js/lib/zip-core-reader.js';
import { type FileLook, isArchive, looksLike } from '../../formats/magic.ts';
import type { StoredBytes } from '../../formats/slices.ts';
import { ArchiveSource, locateEntry, type ZipFile } from '../../formats/zip.ts';
import {
  ARCHIVE_FILES_MAX,
  FILE_NAME_CHARACTERS_MAX,
  UNPACKED_BYTES_MAX,
  UNPACKED_FLOOR_BYTES,
  UNPACKED_RATIO_MAX,
} from '../../kernel/limits.ts';
import { messageOf } from '../../kernel/log.ts';
import { contentKey, sourceKey } from '../../kernel/names.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import { displayName } from '../../kernel/text.ts';
import type { ArchiveFile, Contents } from '../core/progress.ts';
import type { BatchTicket } from '../core/ticket.ts';
import type { ZipProblem } from '../core/zip-problems.ts';
import { PackedBytes } from './packed.ts';
import { storedSource } from './pinned.ts';
import { storeParts } from './store-parts.ts';

/* Names of an archive's files as shown: unique, and never used as a path. */

/** The file's own name; with its folders if two would look alike; with a number if even those do. */
export function shownNames(paths: readonly string[]): string[] {
  const short = paths.map((path) => displayName(path) ?? 'unnamed');
  const seen = new Set<string>();
  return paths.map((path, index) => {
    const own = short[index] ?? '';
    const name = short.filter((other) => other === own).length > 1 ? withFolders(path) || own : own;
    let shown = name;
    for (let copy = 2; seen.has(shown); copy += 1) shown = `${name} (${copy})`;
    seen.add(shown);
    return shown;
  });
}

function withFolders(path: string): string {
  const folders = path.split(/[\\/]/).flatMap((folder) => displayName(folder) ?? []);
  const shown = folders.filter((folder) => folder !== '.' && folder !== '..').join('/');
  return [...shown].slice(-FILE_NAME_CHARACTERS_MAX).join('');
}

/** Files that operating systems add. */
const CLUTTER = /(?:^|[\\/])(?:__MACOSX[\\/]|\.DS_Store$)/;
export const isClutter = (path: string): boolean => CLUTTER.test(path);

/** Files that every office document has and an archive of files does not. */
const OFFICE_FILES = new Set(['[Content_Types].xml', 'META-INF/manifest.xml']);
const isOfficeFile = (path: string): boolean => OFFICE_FILES.has(path);

/*
 * The stored bytes of a ZIP archive → its files in order, each checked against its own header: where its bytes are, how
 * they are compressed, and the expected output. Unpacks nothing. Lengths and checksums are the archive's own claims;
 * whoever unpacks compares them with the output.
 */

/** Throws when storage cannot be reached. */
export async function readZipDirectory(stored: StoredBytes): Promise<Result<ZipFile[], ZipProblem>> {
  const source = new ArchiveSource(stored);
  const entries = await listEntries(source);
  if (!entries.ok) return entries;
  const names = shownNames(entries.value.map(({ filename }) => filename));
  const files: ZipFile[] = [];
  for (const [index, entry] of entries.value.entries()) {
    const file = await locateEntry(source, entry, names[index] ?? '');
    if (!file.ok) return file;
    files.push(file.value);
  }
  return ok(files);
}

/** Names are for display only, so none is refused; folders and files added by systems are skipped. */
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
    if (!source.tooMuchRequested) return err(directoryProblem(messageOf(thrown)));
    count = Number.POSITIVE_INFINITY; // a directory of this size lists more files than are accepted
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

/** @returns the number of bytes inflated; an empty file is not stored. */
async function inflate(
  files: R2Bucket,
  ticket: BatchTicket,
  entry: ZipFile,
  { key, leftBytes }: { key: string; leftBytes: number },
): Promise<Inflated> {
  const bytesMax = Math.min(leftBytes, Math.max(UNPACKED_FLOOR_BYTES, entry.packedBytes * UNPACKED_RATIO_MAX));
  const out = new Unpacked();
  if (entry.packedBytes > 0) {
    const packed = await packedBytes(files, ticket, entry);
    const body = packed.body.pipeThrough(
      entry.isDeflated ? new DecompressionStream('deflate-raw') : new IdentityTransformStream(),
    );
    const target = { key, bytesMax, inspect: (part: Uint8Array) => out.add(part) };
    const stored = await storeParts(files, target, body);
    if (!stored.ok && stored.error.code === 'body_cut') packed.throwFailure();
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

async function packedBytes(files: R2Bucket, ticket: BatchTicket, entry: ZipFile): Promise<PackedBytes> {
  const range = { offset: entry.offset, length: entry.packedBytes };
  const stored = await files.get(sourceKey(ticket, ticket.batchId), { range });
  if (!stored) throw new Error(`the stored bytes of ${ticket.batchId} are missing`);
  return new PackedBytes(stored.body);
}

/** The output of a file, part by part. */
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

/** Deletes files stored before the archive turned out to be refused. */
const forgetFiles = (files: R2Bucket, ticket: BatchTicket, count: number): Promise<void> =>
  files.delete(Array.from({ length: count }, (_, at) => contentKey(ticket, ticket.batchId, at + 1)));
