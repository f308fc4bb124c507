/**
 * The files of an upload and which of them is read: one for most uploads, several for an archive. Pure.
 *
 * Records of an archive are numbered through all its files, in their order. A file that cannot be read costs only
 * itself; the batch is unreadable when none of its files can be read.
 */

import { readingNotes } from '../../formats/reader.ts';
import { type AnyCheckpoint, locatedReader, type RecordReader } from '../../formats/record-reader.ts';
import { readerOnSheet } from '../../formats/xlsx/reader.ts';
import type { Problem } from '../../kernel/problem.ts';
import type { CompiledMapping } from '../../mapping/compile/compile.ts';
import type { ArchiveFile, BatchProgress, Contents } from './progress.ts';
import type { SliceRun } from './run.ts';

/** An unpacked file as it is stored. `file` is its number in an archive, from 1. */
export interface StoredContent {
  bytes: number;
  file?: number;
}

/** @returns where the bytes stand that are read now; null: they are the upload itself. */
export function contentInReading(contents: Contents | null): StoredContent | null {
  if (contents?.files === undefined) return contents;
  const index = inReading(contents.files);
  return { bytes: contents.files[index]?.bytes ?? 0, file: index + 1 };
}

/** @returns the number of the file that is read now, from 1; 0: there is only one. */
export const fileInReading = (contents: Contents | null): number =>
  contents?.files === undefined ? 0 : inReading(contents.files) + 1;

/** Where a file stands in its batch. */
type Within = Pick<ArchiveFile, 'name' | 'recordsBefore'>;

/**
 * The mapping with a reader that places records on their sheet, in the whole of the archive, or in the batch of their message.
 * @param message set for one, whose `contents` these are.
 */
export function mappingInReading(
  mapping: CompiledMapping,
  contents: Contents | null,
  message?: Within,
): CompiledMapping {
  const file = contents?.files?.[inReading(contents.files)];
  const { reader } = mapping;
  if (contents?.sheet !== undefined) {
    const onSheet = readerOnSheet(reader, contents.sheet);
    return { ...mapping, reader: message === undefined ? onSheet : readerWithin(onSheet, message) };
  }
  const within = message === undefined || file === undefined ? (file ?? message) : joined(message, file);
  return within === undefined ? mapping : { ...mapping, reader: readerWithin(reader, within) };
}

const joined = (message: Within, file: Within): Within => ({
  name: `${message.name}, ${file.name}`,
  recordsBefore: (message.recordsBefore ?? 0) + (file.recordsBefore ?? 0),
});

const readerWithin = <Own extends AnyCheckpoint>(
  reader: RecordReader<Own>,
  { name, recordsBefore }: Within,
): RecordReader<Own> =>
  locatedReader(reader, (position) => ({ ...position, record: position.record + (recordsBefore ?? 0), file: name }));

/** @returns the number from 0 of the file whose turn it is: the last one that was begun. */
const inReading = (files: readonly ArchiveFile[]): number =>
  Math.max(
    0,
    files.findLastIndex(({ recordsBefore }) => recordsBefore !== null),
  );

type EndedRun = Exclude<SliceRun, { outcome: 'more' }>;

/** Where the batch stands once a slice was read. */
export function afterSlice(progress: BatchProgress, run: EndedRun, nowMs: number): BatchProgress {
  const files = progress.content?.files;
  if (files === undefined) return afterOnlyFile(progress, run, nowMs);
  const index = inReading(files);
  const name = files[index]?.name ?? '';
  const problems = [...progress.problems, ...problemsOf(run).map((problem) => ({ ...problem, file: name }))];
  if (run.outcome === 'rows' && !run.finished) return { ...progress, checkpoint: run.checkpoint, problems };
  const done = withEnded(files, index, run);
  const content = { ...progress.content, bytes: progress.content?.bytes ?? 0, files: done };
  if (index + 1 < files.length) return { ...progress, checkpoint: null, content, problems };
  if (done.every(({ state }) => state === 'unreadable')) {
    return { ...progress, state: 'unreadable', content, problems, settledAtMs: nowMs };
  }
  return { ...progress, checkpoint: null, content, readingFinished: true, problems };
}

function afterOnlyFile(progress: BatchProgress, run: EndedRun, nowMs: number): BatchProgress {
  const problems = problemsOf(run);
  if (run.outcome === 'unreadable') return { ...progress, state: 'unreadable', problems, settledAtMs: nowMs };
  return { ...progress, checkpoint: run.checkpoint, readingFinished: run.finished, problems };
}

function problemsOf(run: EndedRun): Problem[] {
  if (run.outcome === 'unreadable') return run.problems;
  return run.endProblem === null ? [] : [run.endProblem];
}

/** The file read to its end, and the next one begun. A checkpoint counts the records of its own file. */
function withEnded(files: readonly ArchiveFile[], index: number, run: EndedRun): ArchiveFile[] {
  const isRead = run.outcome === 'rows';
  const notes = isRead ? readingNotes(run.checkpoint) : [];
  const recordsBefore = (files[index]?.recordsBefore ?? 0) + (isRead ? run.checkpoint.record : 0);
  return files.map((file, at) => {
    if (at === index + 1) return { ...file, state: 'reading', recordsBefore };
    if (at !== index) return file;
    return { ...file, state: isRead ? 'read' : 'unreadable', ...(notes.length > 0 ? { notes } : {}) };
  });
}

/** @returns the name of the file in which a record stands; undefined when there is only one. */
export function fileOfRecord(contents: Contents | null | undefined, record: number): string | undefined {
  const holding = (file: ArchiveFile): boolean => file.recordsBefore !== null && file.recordsBefore < record;
  return contents?.files?.findLast((file) => file.state !== 'unreadable' && holding(file))?.name;
}
