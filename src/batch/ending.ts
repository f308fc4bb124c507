/** The end of a batch's bytes, and of a batch. Every step can be repeated after a crash. */
import type { Clock } from '../kernel/clock.ts';
import { FILES_DELETED_AT_ONCE } from '../kernel/limits.ts';
import { log, messageOf } from '../kernel/log.ts';
import { batchPrefix, contentKey, type PartnerScope, sourceKey } from '../kernel/names.ts';
import type { BatchProgress } from './batch-store.ts';
import { batchLifeStep } from './lifetime.ts';
import type { BatchTicket } from './ticket.ts';

export interface EndingPort {
  files: Pick<R2Bucket, 'list' | 'delete'>;
  clock: Clock;
  progress(): BatchProgress;
  keep(change: Partial<BatchProgress>): void;
  /** Deletes all the object holds, its alarm too. */
  empty(): Promise<void>;
  /** The register need not know the batch any more. */
  forgotten(): Promise<void>;
}

/** @returns when it is to be asked again; null: the batch is gone. */
export async function ageStep(port: EndingPort, ticket: BatchTicket): Promise<number | null> {
  const { clock } = port;
  const was = port.progress();
  const step = batchLifeStep(was, clock);
  switch (step.step) {
    case 'lives':
      return clock.nowMs(); // a retry has opened it
    case 'wait':
      return step.untilMs;
    case 'delete_bytes':
      await port.files.delete(bytesOf(ticket, was));
      port.keep({ bytesDeletedAtMs: clock.nowMs() });
      return clock.nowMs();
    case 'end':
      await deleteFiles(port.files, batchPrefix(ticket, ticket.batchId));
      if (batchLifeStep(port.progress(), clock).step !== 'end') return clock.nowMs();
      await port.empty();
      await port.forgotten().catch((thrown: unknown) => {
        // The register asks, and is told that there is no such batch.
        log('warn', 'batch_not_forgotten', { batchId: ticket.batchId, detail: messageOf(thrown) });
      });
      return null;
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
