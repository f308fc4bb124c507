/**
 * Erases all that a partner has in one environment, on request: its batches, each of which takes its loads, orders and
 * files along, then files that no batch has, then the register itself. In bounded steps of the register's alarm, so that
 * it goes on after a crash; a batch that was not over when its turn came holds up only itself.
 */
import { type Clock, scaledMs } from '../kernel/clock.ts';
import { inLanes } from '../kernel/lanes.ts';
import { BATCH_PAUSE_MS, FILES_DELETED_AT_ONCE } from '../kernel/limits.ts';
import { log, messageOf } from '../kernel/log.ts';
import { filesPrefix, type PartnerScope } from '../kernel/names.ts';
import { BATCHES_ERASED_AT_ONCE, FILE_PAGES_ERASED_AT_ONCE } from './limits.ts';

const ERASING = 'erasing';

interface Begun {
  scope: PartnerScope;
  atMs: number;
}

/** @property open batches that are not over. last seq: it changes with each new batch. begunAtMs null: nobody has begun. */
export interface ErasableRegister {
  batches: number;
  open: number;
  last: number;
  begunAtMs: number | null;
}

export function erasableRegister({ sql, kv }: DurableObjectStorage): ErasableRegister {
  const counts = sql
    .exec<{ batches: number; open: number; last: number }>(
      `SELECT count(*) AS batches, coalesce(sum(state = 'open'), 0) AS open, coalesce(max(seq), 0) AS last FROM batch`,
    )
    .one();
  return { ...counts, begunAtMs: kv.get<Begun>(ERASING)?.atMs ?? null };
}

/** Idempotent. */
export function beginErasing({ kv }: DurableObjectStorage, scope: PartnerScope, atMs: number): void {
  if (kv.get(ERASING) === undefined) kv.put(ERASING, { scope, atMs } satisfies Begun);
}

export const scopeErased = ({ kv }: DurableObjectStorage): PartnerScope | undefined => kv.get<Begun>(ERASING)?.scope;

interface ErasingPort {
  scope: PartnerScope;
  sql: SqlStorage;
  files: Pick<R2Bucket, 'list' | 'delete'>;
  batch(batchId: string): { eraseWhole(): Promise<'begun' | 'under_way' | 'gone'> };
  forget(batchId: string): void;
  clock: Clock;
}

/** @returns when to call it again; null: nothing is left but the register. */
export async function erasingStep(port: ErasingPort): Promise<number | null> {
  const { sql, clock, scope } = port;
  const page = sql.exec<{ batch_id: string }>(
    'SELECT batch_id FROM batch ORDER BY seq LIMIT ?',
    BATCHES_ERASED_AT_ONCE,
  );
  const batches = page.toArray().map(({ batch_id }) => batch_id);
  await inLanes(batches, async (batchId) => {
    try {
      if ((await port.batch(batchId).eraseWhole()) === 'gone') port.forget(batchId);
    } catch (thrown) {
      log('warn', 'batch_not_erased', { batchId, detail: messageOf(thrown) });
    }
  });
  if (batches.length > 0) return clock.nowMs() + scaledMs(BATCH_PAUSE_MS, clock); // they tell the register when they are gone
  for (const prefix of [filesPrefix(scope), `feeds/${filesPrefix(scope)}`])
    if (!(await deletePages(port.files, prefix))) return clock.nowMs();
  return null;
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
