/** The stored files behind a batch or a message, in the order in which they were read. */
import type { Context } from 'hono';
import type { StoredContent } from '../../batch/core/contents.ts';
import { storedSource } from '../../batch/files/pinned.ts';
import type { MessageSummary } from '../../batch/report/message-summary.ts';
import type { ReportFile } from '../../batch/report/report.ts';
import type { FileSummary } from '../../batch/report/summary.ts';
import { nameWithin } from '../../batch/steps/messages.ts';
import { MESSAGES_AT_ONCE } from '../../kernel/limits.ts';
import type { PartnerScope } from '../../kernel/names.ts';
import type { Problem } from '../../kernel/problem.ts';
import type { HttpBindings } from '../edge/bindings.ts';
import type { FoundBatch } from './batch-lookup.ts';

/** @property name as the rows call it; undefined: there is only one. */
export interface NamedFile extends ReportFile {
  name: string | undefined;
  /** Of a batch that messages share, the one it came in; 0: the batch is of one upload. */
  message: number;
}

/** Whose stored files they are. */
export interface OwnedFiles {
  files: R2Bucket;
  scope: PartnerScope;
}

export const ownFiles = (context: Context<HttpBindings>): OwnedFiles => ({
  files: context.env.FILES,
  scope: context.get('reader'),
});

/** What was sent at once. @property files of an archive; null: there is one, of `contentBytes` where it was unpacked. */
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

/** One, those of an archive in its order, or those of messages in the order of their reading. */
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
