/**
 * Erases all that a partner has in one environment, on request: its batches, each of which takes its loads, orders and
 * files along, then files that no batch has, then the register itself. In bounded steps of the register's alarm, so that
 * it goes on after a crash; a batch that was not over when its turn came holds up only itself.
 */
import type { BatchTicket } from '../batch/core/ticket.ts';
import { type Clock, scaledMs } from '../kernel/clock.ts';
import { inLanes } from '../kernel/lanes.ts';
import { BATCH_PAUSE_MS, FILES_DELETED_AT_ONCE } from '../kernel/limits.ts';
import { log, messageOf } from '../kernel/log.ts';
import { filesPrefix, type PartnerScope } from '../kernel/names.ts';
import { BATCHES_ERASED_AT_ONCE, FILE_PAGES_ERASED_AT_ONCE } from './limits.ts';
import { createUnfinished, waitedFor } from './unfinished.ts';

const ERASING = 'erasing';
const ERASED_AT = 'erasedAtMs';

/** @property after seq of the batch that was asked last; absent: the next step begins with the first one. */
interface Begun {
  scope: PartnerScope;
  atMs: number;
  after?: number;
}

/**
 * @property open batches that are not over. notCreated those that cannot be created: they are waited for no longer. last
 * seq: it changes with each new batch. begunAtMs null: nobody has begun.
 */
export interface ErasableRegister {
  batches: number;
  open: number;
  notCreated: number;
  last: number;
  begunAtMs: number | null;
}

export function erasableRegister({ sql, kv }: DurableObjectStorage, clock: Clock): ErasableRegister {
  const counts = sql
    .exec<{ batches: number; open: number; notCreated: number; last: number }>(
      `SELECT count(*) AS batches, coalesce(sum(state = 'open' AND NOT ${IS_GIVEN_UP}), 0) AS open,
         coalesce(sum(${IS_GIVEN_UP}), 0) AS notCreated, coalesce(max(seq), 0) AS last FROM batch`,
      waitedFor(clock),
    )
    .one();
  return { ...counts, begunAtMs: kv.get<Begun>(ERASING)?.atMs ?? null };
}

/** It could not be created for so long that no earlier try is under way: once it was forgotten, none brings it back. */
const IS_GIVEN_UP = '(created = 0 AND batch_id < ?1)';

/** Idempotent. */
export function beginErasing({ kv }: DurableObjectStorage, scope: PartnerScope, atMs: number): void {
  if (kv.get(ERASING) === undefined) kv.put(ERASING, { scope, atMs } satisfies Begun);
}

export const scopeErased = ({ kv }: DurableObjectStorage): PartnerScope | undefined => kv.get<Begun>(ERASING)?.scope;

/** All that is left of it: a time. What was on its way here by then is not taken. */
export const noteErased = ({ kv }: DurableObjectStorage, atMs: number): void => kv.put(ERASED_AT, atMs);

/** Whether what was received then came too late for this partner. */
export const isErased = ({ kv }: DurableObjectStorage, receivedAtMs: number): boolean =>
  kv.get(ERASING) !== undefined || receivedAtMs <= (kv.get<number>(ERASED_AT) ?? 0);

interface ErasingPort {
  scope: PartnerScope;
  storage: Pick<DurableObjectStorage, 'sql' | 'kv'>;
  files: Pick<R2Bucket, 'list' | 'delete'>;
  create(ticket: BatchTicket): Promise<void>;
  batch(batchId: string): { eraseWhole(): Promise<'begun' | 'under_way' | 'gone'> };
  forget(batchId: string): void;
  clock: Clock;
}

/** @returns when to call it again; null: nothing is left but the register. */
export async function erasingStep(port: ErasingPort): Promise<number | null> {
  const { clock, scope, create } = port;
  // A file that is given up is not created any more, for it would be sent; those that cannot be created hold up only themselves.
  await createUnfinished({ sql: port.storage.sql, create }, null, waitedFor(clock));
  const batches = nextBatches(port.storage, clock);
  await inLanes(batches, async (batchId) => {
    try {
      if ((await port.batch(batchId).eraseWhole()) === 'gone') port.forget(batchId);
    } catch (thrown) {
      log('warn', 'batch_not_erased', { batchId, detail: messageOf(thrown) });
    }
  });
  // They tell the register when they are gone; others are still to be created.
  const isLeft = batches.length > 0 || port.storage.sql.exec('SELECT 1 FROM batch LIMIT 1').toArray().length > 0;
  if (isLeft) return clock.nowMs() + scaledMs(BATCH_PAUSE_MS, clock);
  for (const prefix of [filesPrefix(scope), `feeds/${filesPrefix(scope)}`])
    if (!(await deletePages(port.files, prefix))) return clock.nowMs();
  return null;
}

/** Those after the ones that were asked last, so that one that cannot go yet holds up only itself; none: there are none. */
function nextBatches({ sql, kv }: ErasingPort['storage'], clock: Clock): string[] {
  const begun = kv.get<Begun>(ERASING);
  const after = begun?.after ?? 0;
  const query = `SELECT batch_id, seq FROM batch WHERE (created = 1 OR ${IS_GIVEN_UP}) AND seq > ?2 ORDER BY seq LIMIT ?3`;
  const page = (seq: number) =>
    sql.exec<{ batch_id: string; seq: number }>(query, waitedFor(clock), seq, BATCHES_ERASED_AT_ONCE).toArray();
  const found = page(after);
  const batches = found.length > 0 || after === 0 ? found : page(0);
  const last = batches.at(-1);
  if (begun !== undefined && last !== undefined) kv.put(ERASING, { ...begun, after: last.seq } satisfies Begun);
  return batches.map(({ batch_id }) => batch_id);
}

/** @returns whether none are left. */
async function deletePages(files: ErasingPort['files'], prefix: string): Promise<boolean> {
  for (let pages = 0; pages < FILE_PAGES_ERASED_AT_ONCE; pages += 1) {
    const { objects } = await files.list({ prefix, limit: FILES_DELETED_AT_ONCE });
    if (objects.length === 0) return true;
    await files.delete(objects.map(({ key }) => key));
  }
  return false;
}
