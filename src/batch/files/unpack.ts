/**
 * A compressed upload or a workbook → its contents as stored objects, which can be read by range like any file. The
 * upload stays as received. Output is counted while it inflates: nothing is stored of a file beyond the cap. A repeat
 * after a crash writes the same object.
 */

import { looksLike } from '../../formats/magic.ts';
import { openSheet } from '../../formats/xlsx/convert.ts';
import type { SheetReading } from '../../formats/xlsx/declaration.ts';
import { SHEET_TEXT_BYTES_MAX } from '../../formats/xlsx/limits.ts';
import { describeWorkbookProblem, type WorkbookProblem } from '../../formats/xlsx/problems.ts';
import { UNPACKED_BYTES_MAX, UNPACKED_FLOOR_BYTES, UNPACKED_RATIO_MAX } from '../../kernel/limits.ts';
import { contentKey, sourceKey } from '../../kernel/names.ts';
import type { Problem } from '../../kernel/problem.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import type { Contents } from '../core/progress.ts';
import type { BatchTicket } from '../core/ticket.ts';
import { describeZipProblem } from '../core/zip-problems.ts';
import { PackedBytes } from './packed.ts';
import { type ReadMemory, storedSource } from './pinned.ts';
import { storeParts } from './store-parts.ts';
import { unzip } from './unzip.ts';

/*
 * A stored workbook → its sheet as CSV text, stored as an object of its own. A repeat after a crash writes the same
 * object.
 */

/**
 * @param ticket of an upload that is a ZIP, by its first bytes.
 * @returns null for a ZIP that is not a workbook but an archive of files. Throws when storage cannot be reached: the
 * Batch then tries again.
 */
export async function convertSheet(
  files: R2Bucket,
  ticket: BatchTicket,
  sheet: SheetReading,
): Promise<Result<Contents | null, WorkbookProblem>> {
  const opened = await openSheet(storedSource(files, ticket, null), sheet);
  if (!opened.ok) return opened;
  if (opened.value === null) return ok(null);
  const { name, notes, csv } = opened.value;
  const { readable, writable } = new IdentityTransformStream();
  const target = { key: contentKey(ticket, ticket.batchId), bytesMax: SHEET_TEXT_BYTES_MAX };
  const [end, kept] = await Promise.all([pour(csv(), writable), storeParts(files, target, readable)]);
  if (end.outcome === 'failed') throw end.thrown;
  if (end.problem !== null) return err(end.problem);
  if (!kept.ok) throw new Error(`the sheet could not be stored (${kept.error.code})`);
  return ok({ bytes: kept.value.bytes, sheet: name, ...(notes.length > 0 ? { notes } : {}) });
}

type Poured = { outcome: 'ended'; problem: WorkbookProblem | null } | { outcome: 'failed'; thrown: unknown };

/** Text written before a problem must not be stored: the stream is then aborted, not closed. */
async function pour(
  csv: AsyncGenerator<Uint8Array, WorkbookProblem | null>,
  writable: WritableStream<Uint8Array>,
): Promise<Poured> {
  const writer = writable.getWriter();
  try {
    for (;;) {
      const { done, value } = await csv.next();
      if (!done) await writer.write(value);
      else {
        if (value === null) await writer.close();
        else await writer.abort(new Error(value.code));
        return { outcome: 'ended', problem: value };
      }
    }
  } catch (thrown) {
    await writer.abort(thrown).catch(() => undefined);
    return { outcome: 'failed', thrown };
  }
}

/** `contents` null: the upload is read as received. */
export type Unpacked = { outcome: 'ready'; contents: Contents | null } | { outcome: 'refused'; problem: Problem };

/** Bytes needed to recognise a compressed file. */
const MAGIC_BYTES = 8;

/**
 * @param sheet how the mapping reads a workbook; null: it takes none.
 * @param memory for what is read next, too. Throws when storage cannot be reached: the
 * Batch then tries again.
 */
export async function unpack(
  files: R2Bucket,
  ticket: BatchTicket,
  sheet: SheetReading | null,
  memory: ReadMemory,
): Promise<Unpacked> {
  const first = storedSource(files, ticket, null, memory);
  const look = looksLike(await first.read(0, Math.min(MAGIC_BYTES, ticket.bytes)));
  if (look === 'gzip') return gunzip(files, ticket);
  if (look !== 'zip') return { outcome: 'ready', contents: null };
  if (sheet !== null) {
    const converted = await convertSheet(files, ticket, sheet);
    if (!converted.ok) return { outcome: 'refused', problem: describeWorkbookProblem(converted.error) };
    if (converted.value !== null) return { outcome: 'ready', contents: converted.value };
  }
  const unzipped = await unzip(files, ticket);
  if (unzipped.ok) return { outcome: 'ready', contents: unzipped.value };
  return { outcome: 'refused', problem: describeZipProblem(unzipped.error) };
}

async function gunzip(files: R2Bucket, ticket: BatchTicket): Promise<Unpacked> {
  const stored = await files.get(sourceKey(ticket, ticket.batchId));
  if (!stored) throw new Error(`the stored bytes of ${ticket.batchId} are missing`);
  const bytesMax = Math.min(UNPACKED_BYTES_MAX, Math.max(UNPACKED_FLOOR_BYTES, ticket.bytes * UNPACKED_RATIO_MAX));
  const packed = new PackedBytes(stored.body);
  const inflated = packed.body.pipeThrough(new DecompressionStream('gzip'));
  const kept = await storeParts(files, { key: contentKey(ticket, ticket.batchId), bytesMax }, inflated);
  if (kept.ok) return { outcome: 'ready', contents: { bytes: kept.value.bytes } };
  switch (kept.error.code) {
    case 'storage_unavailable':
      throw new Error('the unpacked file could not be stored');
    case 'body_cut':
      packed.throwFailure();
      // What is joined has bytes after the end of its first part, at which the decompressor fails.
      return refused(
        'gzip_broken',
        'The gzip file is damaged or cut off, or it is several compressed files joined into one.',
      );
    case 'too_large':
      return refused('gzip_too_large', `The gzip file unpacks to more than ${bytesMax} bytes.`);
    case 'empty':
      return refused('empty_file', 'The gzip file holds nothing.');
  }
}

const FIXES = {
  gzip_broken: 'Compress the whole content again as a single file, and send it again; nothing of it was used.',
  gzip_too_large: 'Split the file and send the parts one after the other.',
  empty_file: 'Check the export and send the file again.',
} as const;

const refused = (code: keyof typeof FIXES, message: string): Unpacked => ({
  outcome: 'refused',
  problem: { code, path: '', value: '', message, fix: FIXES[code] },
});
