/** A file as it was sent → the text that its reader reads: a workbook becomes its sheet as CSV, in memory; all else is as it is. */
import { looksLike } from '../../formats/magic.ts';
import type { Checkpoint } from '../../formats/reader.ts';
import type { RecordReader } from '../../formats/record-reader.ts';
import { bytesInMemory, type StoredBytes } from '../../formats/slices.ts';
import { openSheet } from '../../formats/xlsx/convert.ts';
import { WORKBOOK_BYTES_MAX } from '../../formats/xlsx/limits.ts';
import { describeWorkbookProblem } from '../../formats/xlsx/problems.ts';
import { readerOnSheet } from '../../formats/xlsx/reader.ts';
import type { Problem } from '../../kernel/problem.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import type { CompiledMapping } from './compile.ts';

export interface FileContent {
  source: StoredBytes;
  reader: RecordReader<Checkpoint>;
}

/** How many bytes tell a ZIP. */
const MAGIC_BYTES = 8;

/** @param file whose length may be known only once it was read to its end. */
export async function fileContent(
  { source, reader }: CompiledMapping,
  file: StoredBytes,
): Promise<Result<FileContent, Problem>> {
  const asItIs = { source: file, reader };
  if (source.format !== 'xlsx') return ok(asItIs);
  if (looksLike(await file.read(0, Math.min(MAGIC_BYTES, file.bytes))) !== 'zip') return ok(asItIs);
  const bytes = await file.read(0, Math.min(WORKBOOK_BYTES_MAX + 1, file.bytes));
  if (bytes.byteLength > WORKBOOK_BYTES_MAX) {
    const facts = { of: 'file', bytes: bytes.byteLength, bytesMax: WORKBOOK_BYTES_MAX } as const;
    return err(describeWorkbookProblem({ code: 'workbook_too_large', ...facts }));
  }
  const opened = await openSheet(bytesInMemory(bytes), source);
  if (!opened.ok) return err(describeWorkbookProblem(opened.error));
  if (opened.value === null) return ok(asItIs); // an archive of files: the reader says what it is
  const pieces: Uint8Array[] = [];
  const csv = opened.value.csv();
  for (;;) {
    const { done, value } = await csv.next();
    if (!done) pieces.push(value);
    else if (value !== null) return err(describeWorkbookProblem(value));
    else break;
  }
  const text = bytesInMemory(new Uint8Array(await new Blob(pieces as Uint8Array<ArrayBuffer>[]).arrayBuffer()));
  return ok({ source: text, reader: readerOnSheet(reader, opened.value.name) });
}
