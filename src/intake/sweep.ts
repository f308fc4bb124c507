/**
 * Deletes stored files of a partner that no batch of his register claims: their upload broke off, or their batch has ended.
 *
 * Bounded per run and resumable; ids sort by time, so that a run ends at the first one that is too young.
 */
import { deleteFiles } from '../batch/steps/ending.ts';
import { type Clock, scaledMs } from '../kernel/clock.ts';
import { BATCH_ID_FORM, batchIdTimeMs } from '../kernel/ids.ts';
import { SWEEP_BATCHES_MAX, SWEEP_CALLS_MAX, UNCLAIMED_LIFE_MS } from '../kernel/limits.ts';
import { batchPrefix, filesPrefix, type PartnerScope } from '../kernel/names.ts';

export interface SweepPort {
  files: Pick<R2Bucket, 'list' | 'delete'>;
  /** Which of these the register has. */
  known(batchIds: readonly string[]): ReadonlySet<string>;
  clock: Clock;
}

export interface SweepPlan {
  unclaimed: string[];
  /** As far as the run came; null: to the end, or to what is too young. */
  last: string | null;
}

/** Pure. @param found ids of stored batches, oldest first; isAll: there are none behind them. */
export function sweepPlan(
  found: readonly string[],
  isAll: boolean,
  known: SweepPort['known'],
  clock: Clock,
): SweepPlan {
  const bornBeforeMs = clock.nowMs() - scaledMs(UNCLAIMED_LIFE_MS, clock);
  const old = found.filter((batchId) => batchIdTimeMs(batchId) < bornBeforeMs);
  const claimed = known(old);
  const unclaimed = old.filter((batchId) => !claimed.has(batchId));
  const now = unclaimed.slice(0, SWEEP_CALLS_MAX);
  if (now.length < unclaimed.length) return { unclaimed: now, last: now.at(-1) ?? null };
  return { unclaimed, last: isAll || old.length < found.length ? null : (old.at(-1) ?? null) };
}

/** @param after id behind which the run begins; empty: at the start. @returns where the next one begins; null: it is done. */
export async function sweepUnclaimed(port: SweepPort, scope: PartnerScope, after: string): Promise<string | null> {
  const prefix = filesPrefix(scope);
  const page = await port.files.list({
    prefix,
    delimiter: '/',
    limit: SWEEP_BATCHES_MAX,
    ...(after === '' ? {} : { startAfter: behind(batchPrefix(scope, after)) }),
  });
  const found = page.delimitedPrefixes
    .map((path) => path.slice(prefix.length, -1))
    .filter((batchId) => BATCH_ID_FORM.test(batchId) && batchId > after)
    .sort();
  const plan = sweepPlan(found, !page.truncated, port.known, port.clock);
  for (const batchId of plan.unclaimed) await deleteFiles(port.files, batchPrefix(scope, batchId));
  return plan.last;
}

/** Behind every key with this prefix: `0` follows `/`. */
const behind = (prefix: string): string => `${prefix.slice(0, -1)}0`;
