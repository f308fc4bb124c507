/** The end of a batch's bytes, and of a batch. Every step can be repeated after a crash. */
import { type Clock, scaledMs } from '../../kernel/clock.ts';
import { FILES_DELETED_AT_ONCE, INDEX_RETRY_MS, MESSAGES_AT_ONCE } from '../../kernel/limits.ts';
import { log, messageOf } from '../../kernel/log.ts';
import { batchPrefix, contentKey, type PartnerScope, sourceKey } from '../../kernel/names.ts';
import { batchLifeStep } from '../core/lifetime.ts';
import type { Contents } from '../core/progress.ts';
import type { ActionPort } from '../object/action-port.ts';
import type { MessageStore } from '../store/message-store.ts';

export interface EndingPort {
  files: Pick<R2Bucket, 'list' | 'delete'>;
  clock: Clock;
  /** Takes it out of the index of batches. @returns whether that is done. */
  unlist(): Promise<boolean>;
  /** Deletes all the object holds, its alarm too. */
  empty(): Promise<void>;
}

/** @returns ms until it is to be asked again; null: the batch is gone. */
export async function ageStep(
  { born, keep, register, messages }: Pick<ActionPort, 'born' | 'keep' | 'register' | 'messages'>,
  { files, clock, unlist, empty }: EndingPort,
): Promise<number | null> {
  const { ticket, progress } = born();
  const step = batchLifeStep(progress, clock);
  switch (step.step) {
    case 'lives':
      return 0; // a retry has opened it
    case 'wait':
      return Math.max(0, step.untilMs - clock.nowMs());
    case 'delete_bytes':
      keep({ isClosed: true }); // a message that came now would lose its bytes
      await files.delete(bytesOf(ticket, progress.content ?? null));
      await deleteMessages(files, ticket, messages);
      keep({ bytesDeletedAtMs: clock.nowMs() });
      return 0;
    case 'end': {
      const known = register(); // whose it is stands in what is deleted
      keep({ isClosed: true });
      await deleteMessages(files, ticket, messages);
      await deleteFiles(files, batchPrefix(ticket, ticket.batchId));
      if (!(await unlist())) return scaledMs(INDEX_RETRY_MS, clock);
      if (batchLifeStep(born().progress, clock).step !== 'end') return 0; // a retry came in between
      await empty();
      await known.forgetBatch(ticket.batchId).catch((thrown: unknown) => {
        // The register asks, and is told that there is no such batch.
        log('warn', 'batch_not_forgotten', { batchId: ticket.batchId, detail: messageOf(thrown) });
      });
      return null;
    }
  }
}

/** Those behind the first one, which is stored as its batch is. */
async function deleteMessages(files: EndingPort['files'], scope: PartnerScope, messages: MessageStore): Promise<void> {
  for (let after = 0; ; ) {
    const page = messages.after(after, MESSAGES_AT_ONCE);
    const keys = page.flatMap(({ uploadId, content }) => bytesOf({ ...scope, batchId: uploadId }, content));
    for (let from = 0; from < keys.length; from += FILES_DELETED_AT_ONCE) {
      await files.delete(keys.slice(from, from + FILES_DELETED_AT_ONCE));
    }
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.message;
  }
}

/** What the partner sent, and what it was unpacked to. */
function bytesOf(scope: PartnerScope & { batchId: string }, content: Contents | null): string[] {
  const { batchId } = scope;
  const files = content?.files ?? [];
  return [
    sourceKey(scope, batchId),
    contentKey(scope, batchId),
    ...files.map((_, index) => contentKey(scope, batchId, index + 1)),
  ];
}

/** Deletes every stored file under a prefix. */
export async function deleteFiles(files: Pick<R2Bucket, 'list' | 'delete'>, prefix: string): Promise<void> {
  for (;;) {
    const { objects } = await files.list({ prefix, limit: FILES_DELETED_AT_ONCE });
    if (objects.length === 0) return;
    await files.delete(objects.map(({ key }) => key));
  }
}
