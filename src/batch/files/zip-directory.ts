/**
 * The stored bytes of a ZIP archive → its files in their order, each checked against its own header: where its bytes
 * stand, how they are written, and what must come out of them. Unpacks nothing.
 *
 * Lengths and checksums are what the archive says of itself; whoever unpacks holds them against what comes out.
 */
import {
  ERR_ENCRYPTED_CENTRAL_DIRECTORY,
  ERR_SPLIT_ZIP_FILE,
  type FileEntry,
  ZipReader,
} from '@zip.js/zip.js/lib/zip-core-reader.js';
import type { StoredBytes } from '../../formats/slices.ts';
import { ArchiveSource } from '../../formats/zip/archive-source.ts';
import { locateEntry, type ZipFile } from '../../formats/zip/entry.ts';
import { ARCHIVE_FILES_MAX } from '../../kernel/limits.ts';
import { messageOf } from '../../kernel/log.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import { isClutter, isOfficeFile, shownNames } from '../core/zip-names.ts';
import type { ZipProblem } from '../core/zip-problems.ts';

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
