/** The end of a batch's bytes, and of a batch. Every step can be repeated after a crash. */
import type { Clock } from '../kernel/clock.ts';
import { FILES_DELETED_AT_ONCE } from '../kernel/limits.ts';
import { log, messageOf } from '../kernel/log.ts';
import { batchPrefix, contentKey, type PartnerScope, sourceKey } from '../kernel/names.ts';
import type { ActionPort } from './action-port.ts';
import type { BatchProgress } from './batch-store.ts';
import { batchLifeStep } from './lifetime.ts';

export interface EndingPort {
  files: Pick<R2Bucket, 'list' | 'delete'>;
  clock: Clock;
  /** Deletes all the object holds, its alarm too. */
  empty(): Promise<void>;
}

/** @returns ms until it is to be asked again; null: the batch is gone. */
export async function ageStep(
  { born, keep, register }: Pick<ActionPort, 'born' | 'keep' | 'register'>,
  { files, clock, empty }: EndingPort,
): Promise<number | null> {
  const { ticket, progress } = born();
  const step = batchLifeStep(progress, clock);
  switch (step.step) {
    case 'lives':
      return 0; // a retry has opened it
    case 'wait':
      return Math.max(0, step.untilMs - clock.nowMs());
    case 'delete_bytes':
      await files.delete(bytesOf(ticket, progress));
      keep({ bytesDeletedAtMs: clock.nowMs() });
      return 0;
    case 'end': {
      const known = register(); // whose it is stands in what is deleted
      await deleteFiles(files, batchPrefix(ticket, ticket.batchId));
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

/** What the partner sent, and what it was unpacked to. */
function bytesOf(scope: PartnerScope & { batchId: string }, { content }: BatchProgress): string[] {
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
