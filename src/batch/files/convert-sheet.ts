/**
 * A stored workbook → its sheet as CSV text, stored as an object of its own, so that it can be read by range like any file.
 *
 * The upload itself is kept as received. Running it again after a crash writes the same object.
 */
import { openSheet } from '../../formats/xlsx/convert.ts';
import type { XlsxSource } from '../../formats/xlsx/declaration.ts';
import { SHEET_TEXT_BYTES_MAX } from '../../formats/xlsx/limits.ts';
import type { WorkbookProblem } from '../../formats/xlsx/problems.ts';
import { contentKey } from '../../kernel/names.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import type { Contents } from '../core/progress.ts';
import type { BatchTicket } from '../core/ticket.ts';
import { storedSource } from './pinned.ts';
import { storeParts } from './store-parts.ts';

/**
 * @param ticket of an upload that is a ZIP, by its first bytes.
 * @returns null for a ZIP that is no workbook but an archive of files. Throws when storage cannot be reached: the Batch then tries again.
 */
export async function convertSheet(
  files: R2Bucket,
  ticket: BatchTicket,
  source: XlsxSource,
): Promise<Result<Contents | null, WorkbookProblem>> {
  const opened = await openSheet(storedSource(files, ticket, null), source);
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

/** What was written before a problem must not be kept: the stream is then broken off, not closed. */
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
