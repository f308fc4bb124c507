/**
 * The files of an upload and which one is being read: usually one, several for an archive. Pure.
 * Records of an archive are numbered across all its files, in order. A file that cannot be read costs only itself; the
 * batch is unreadable when none can be read.
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

/** @returns where the bytes being read are stored; null: they are the upload itself. */
export function contentInReading(contents: Contents | null): StoredContent | null {
  if (contents?.files === undefined) return contents;
  const index = inReading(contents.files);
  return { bytes: contents.files[index]?.bytes ?? 0, file: index + 1 };
}

/** @returns the number of the file being read, from 1; 0: there is only one. */
export const fileInReading = (contents: Contents | null): number =>
  contents?.files === undefined ? 0 : inReading(contents.files) + 1;

/** A file's position in its batch. */
type Within = Pick<ArchiveFile, 'name' | 'recordsBefore'>;

/**
 * The mapping with a reader that locates records on their sheet, in the whole archive, or in the batch of their
 * message.
 * @param message set when `contents` are those of one message.
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

/** @returns the number from 0 of the file being read: the last one begun. */
const inReading = (files: readonly ArchiveFile[]): number =>
  Math.max(
    0,
    files.findLastIndex(({ recordsBefore }) => recordsBefore !== null),
  );

type EndedRun = Exclude<SliceRun, { outcome: 'more' }>;

/** Progress after a slice was read. */
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

/** Ends the current file and begins the next. A checkpoint counts the records of its own file. */
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

/** @returns the name of the file that has the record; undefined when there is only one. */
export function fileOfRecord(contents: Contents | null | undefined, record: number): string | undefined {
  const holding = (file: ArchiveFile): boolean => file.recordsBefore !== null && file.recordsBefore < record;
  return contents?.files?.findLast((file) => file.state !== 'unreadable' && holding(file))?.name;
}
