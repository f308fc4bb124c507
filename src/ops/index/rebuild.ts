/**
 * Rebuilds the index of batches, page by page: every batch in a register writes its row; then each row that was not
 * written is checked with its batch, and removed if that is gone.
 * It may stop anywhere: rows are only ever written by their batch, and a page may be repeated.
 */
import { inLanes } from '../../kernel/lanes.ts';
import { INDEX_PAGE_BATCHES, INDEX_PAGE_REGISTERS } from '../../kernel/limits.ts';
import { log, messageOf } from '../../kernel/log.ts';
import type { Environment, PartnerScope } from '../../kernel/names.ts';
import { ok, type Result } from '../../kernel/result.ts';
import type { DeadLetterRegister } from '../dead-letters/dead-letters.ts';
import type { DirectoryUnavailable, PartnerList } from '../directory/directory.ts';
import type { BatchList } from './batch-list.ts';

export interface RebuildPorts {
  partners: Pick<PartnerList, 'names'>;
  register(scope: PartnerScope): Pick<DeadLetterRegister, 'list'>;
  /** Writes its row again. @returns false where there is no such batch. */
  batch(scope: PartnerScope, batchId: string): { reindex(): Promise<boolean> };
  batches: Pick<BatchList, 'writtenBefore' | 'remove'>;
}

/** How far a rebuild is. */
export interface RebuildCheckpoint {
  beganMs: number;
  /** The last batch written, by its seq in its partner's register; or the last row checked, by its batch. */
  after: { partner: string; seq: number } | { batchId: string };
}

interface PartnersBatch {
  partner: string;
  batchId: string;
}

interface RebuiltPage {
  written: number;
  /** Rows of batches that are gone. */
  removed: number;
  /** Those that did not answer, or could not write. */
  failed: PartnersBatch[];
  /** null: this was the last page. */
  next: RebuildCheckpoint | null;
}

type Answer = Promise<Result<RebuiltPage, DirectoryUnavailable>>;

/** @param mark null: from the beginning. */
export async function rebuildIndex(
  ports: RebuildPorts,
  { environment, mark }: { environment: Environment; mark: RebuildCheckpoint | null },
  nowMs: number,
): Answer {
  const { beganMs, after } = mark ?? { beganMs: nowMs, after: { partner: '', seq: 0 } };
  return 'batchId' in after
    ? clearRows(ports, environment, { beganMs, after: after.batchId })
    : writeRows(ports, environment, { beganMs, after });
}

async function writeRows(
  ports: RebuildPorts,
  environment: Environment,
  { beganMs, after }: { beganMs: number; after: { partner: string; seq: number } },
): Answer {
  const names = await ports.partners.names(environment);
  if (!names.ok) return names;
  const found: PartnersBatch[] = [];
  let next: RebuildCheckpoint = { beganMs, after: { batchId: '' } };
  let registersLeft = INDEX_PAGE_REGISTERS;
  for (const partner of names.value) {
    if (partner < after.partner) continue;
    const room = INDEX_PAGE_BATCHES - found.length;
    const before = partner === after.partner ? after.seq : null;
    const page = await ports.register({ environment, partner }).list(before, room);
    found.push(...page.map(({ batch_id: batchId }) => ({ partner, batchId })));
    registersLeft -= 1;
    if (page.length === room || registersLeft === 0) {
      next = { beganMs, after: { partner, seq: page.at(-1)?.seq ?? 0 } };
      break;
    }
  }
  const { written, failed } = await rewrite(ports, environment, found);
  return ok({ written, removed: 0, failed, next });
}

async function clearRows(
  ports: RebuildPorts,
  environment: Environment,
  { beganMs, after }: { beganMs: number; after: string },
): Answer {
  const rows = await ports.batches.writtenBefore(environment, beganMs, after, INDEX_PAGE_BATCHES);
  if (!rows.ok) return rows;
  const found = rows.value.map(({ partner, batch_id: batchId }) => ({ partner, batchId }));
  const { written, failed, gone } = await rewrite(ports, environment, found);
  for (const { batchId } of gone) {
    const removed = await ports.batches.remove(environment, batchId);
    if (!removed.ok) return removed;
  }
  const last = found.length < INDEX_PAGE_BATCHES ? undefined : found.at(-1);
  const next = last === undefined ? null : { beganMs, after: { batchId: last.batchId } };
  return ok({ written, removed: gone.length, failed, next });
}

async function rewrite(ports: RebuildPorts, environment: Environment, batches: readonly PartnersBatch[]) {
  let written = 0;
  const failed: PartnersBatch[] = [];
  const gone: PartnersBatch[] = [];
  await inLanes(batches, async (each) => {
    const { partner, batchId } = each;
    try {
      if (await ports.batch({ environment, partner }, batchId).reindex()) written += 1;
      else gone.push(each);
    } catch (thrown) {
      log('warn', 'batch_not_reached', { environment, partner, batchId, detail: messageOf(thrown) });
      failed.push(each);
    }
  });
  return { written, failed, gone };
}
