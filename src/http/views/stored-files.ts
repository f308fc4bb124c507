/** The stored files of a batch or a message, in the order in which they were read. */
import type { Context } from 'hono';
import type { StoredContent } from '../../batch/core/contents.ts';
import { storedSource } from '../../batch/files/pinned.ts';
import type { MessageSummary } from '../../batch/report/message-summary.ts';
import type { ReportFile } from '../../batch/report/report.ts';
import type { FileSummary } from '../../batch/report/summary.ts';
import { nameWithin } from '../../batch/steps/messages.ts';
import type { StoredBytes } from '../../formats/slices.ts';
import { FILES_READ_AHEAD, MESSAGES_AT_ONCE, READ_AHEAD_FILE_BYTES_MAX } from '../../kernel/limits.ts';
import type { PartnerScope } from '../../kernel/names.ts';
import type { Problem } from '../../kernel/problem.ts';
import type { HttpBindings } from '../edge/context.ts';
import type { FoundBatch } from './batch-lookup.ts';

/** @property name as the rows call it; undefined: there is only one. */
export interface NamedFile extends ReportFile {
  name: string | undefined;
  /** In a rolling batch, the message it came in; 0: the batch is of one upload. */
  message: number;
}

/** Whose stored files they are. */
interface OwnedFiles {
  files: R2Bucket;
  scope: PartnerScope;
}

export const ownFiles = (context: Context<HttpBindings>): OwnedFiles => ({
  files: context.env.FILES,
  scope: context.get('reader'),
});

/** What was sent at once. @property files of an archive; null: there is one, of `contentBytes` if it was unpacked. */
interface StoredUpload {
  uploadId: string;
  message: number;
  bytes: number;
  contentBytes: number | null;
  files: readonly Pick<FileSummary, 'name' | 'bytes' | 'state'>[] | null;
  isUnreadable: boolean;
  problems: readonly Problem[];
  nameOf: (file: string | undefined) => string | undefined;
}

/** One file, those of an archive in its order, or those of messages in reading order. */
export async function filesOf(owned: OwnedFiles, { stub, summary }: FoundBatch): Promise<NamedFile[]> {
  if (summary.messages === null) {
    const nameOf = (file: string | undefined) => file;
    return uploadFiles(owned, { ...summary, message: 0, uploadId: summary.batchId, isUnreadable: false, nameOf });
  }
  const files: NamedFile[] = [];
  for (let after = { recordsBefore: 0, message: 0 }; ; ) {
    const page = await stub.messagesInOrder(after, MESSAGES_AT_ONCE);
    for (const part of page) files.push(...messageFiles(owned, part));
    const last = page.at(-1);
    if (last === undefined || page.length < MESSAGES_AT_ONCE) return files;
    after = { recordsBefore: last.recordsBefore ?? 0, message: last.message };
  }
}

type MessageFacts = Pick<MessageSummary, 'uploadId' | 'bytes' | 'message' | 'content' | 'problems'> & { state: string };

export const messageFiles = (owned: OwnedFiles, { content, message, state, ...part }: MessageFacts): NamedFile[] =>
  uploadFiles(owned, {
    ...part,
    message,
    contentBytes: content?.bytes ?? null,
    files: content?.files ?? null,
    isUnreadable: state === 'unreadable',
    nameOf: (file) => nameWithin(message, file),
  });

function uploadFiles({ files: bucket, scope }: OwnedFiles, upload: StoredUpload): NamedFile[] {
  const { uploadId, bytes, contentBytes, files, problems, isUnreadable, nameOf, message } = upload;
  const batch = { ...scope, batchId: uploadId, bytes };
  const stored = (content: StoredContent | null) => storedSource(bucket, batch, content);
  if (files === null) {
    const source = stored(contentBytes === null ? null : { bytes: contentBytes });
    return [{ name: nameOf(undefined), message, source, problems: isUnreadable ? problems : [] }];
  }
  return files.map((file, index) => {
    const name = nameOf(file.name);
    const own = file.state === 'unreadable' ? problems.filter((problem) => problem.file === name) : [];
    return { name, message, source: stored({ bytes: file.bytes, file: index + 1 }), problems: own };
  });
}

/*
 * Reads small files one after the other, fetching a few ahead: each fetch waits for storage, and thousands would add
 * up.
 */

/** @returns the same files; of the small ones, a few after the current one are in memory or being fetched. */
export function readAhead<File extends { source: StoredBytes }>(files: readonly File[]): File[] {
  const held = new Map<number, Promise<Uint8Array>>();
  const hold = (at: number): void => {
    const source = files[at]?.source;
    if (source === undefined || source.bytes > READ_AHEAD_FILE_BYTES_MAX || held.has(at)) return;
    const bytes = source.read(0, source.bytes);
    bytes.catch(() => held.delete(at)); // whoever reads it next fetches again, and gets the error
    held.set(at, bytes);
  };
  return files.map((file, at) => {
    const { source } = file;
    const read: StoredBytes['read'] = async (offset, length) => {
      for (const known of held.keys()) if (known < at || known > at + FILES_READ_AHEAD) held.delete(known);
      for (let next = at; next <= at + FILES_READ_AHEAD; next += 1) hold(next);
      const bytes = held.get(at);
      return bytes === undefined ? source.read(offset, length) : (await bytes).subarray(offset, offset + length);
    };
    return { ...file, source: { bytes: source.bytes, read } };
  });
}
