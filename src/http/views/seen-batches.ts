/** Batches of the index that the reader's key may see: the index does not know keys, the partner's register does. */
import type { Context } from 'hono';
import { BATCH_ID_FORM } from '../../kernel/ids.ts';
import { registerName } from '../../kernel/names.ts';
import { ok, type Result } from '../../kernel/result.ts';
import type { DirectoryUnavailable } from '../../ops/directory/directory.ts';
import type { BatchListCursor, BatchListQuery, ListedBatch } from '../../ops/index/batch-list.ts';
import { type HttpBindings, scopeOf } from '../edge/context.ts';
import type { AppPorts } from '../edge/ports.ts';

/** Most pages of the index that are looked at for a key that sees few of them. Ours: two calls each, and somebody waits. */
const PAGES_MAX = 10;
/** Batches on such a page. Ours: one call of the register takes them all. */
const PAGE_BATCHES = 200;

/** @property next where to go on: older ones were not looked at, or are more than the limit. null: these are all. */
export interface SeenBatches {
  batches: ListedBatch[];
  next: BatchListCursor | null;
}

/** Newest first, `limit` of them at most. */
export async function seenBatches(
  context: Context<HttpBindings>,
  ports: AppPorts,
  query: BatchListQuery,
): Promise<Result<SeenBatches, DirectoryUnavailable>> {
  const { limit } = query;
  const index = ports.batches(context.env);
  const pageLimit = Math.max(PAGE_BATCHES, limit + 1);
  const seen: ListedBatch[] = [];
  let { after } = query;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const listed: Awaited<ReturnType<typeof index.list>> = await index.list({ ...query, after, limit: pageLimit });
    if (!listed.ok) return listed;
    seen.push(...(await ofReader(context, listed.value)));
    if (seen.length > limit) return ok({ batches: seen.slice(0, limit), next: cursorAt(seen[limit - 1]) });
    after = listed.value.length < pageLimit ? null : cursorAt(listed.value.at(-1));
    if (after === null) break;
  }
  return ok({ batches: seen, next: after });
}

const cursorAt = (row: ListedBatch | undefined): BatchListCursor | null =>
  row === undefined ? null : { receivedAtMs: row.received_at_ms, batchId: row.batch_id };

/** `1772460000000~b_…` */
export const writeBatchCursor = ({ receivedAtMs, batchId }: BatchListCursor): string => `${receivedAtMs}~${batchId}`;

/** @returns undefined where no page says so. */
export function readBatchCursor(text: string): BatchListCursor | undefined {
  const [, atMs = '', batchId = ''] = /^(\d{1,16})~(.+)$/.exec(text) ?? [];
  return atMs !== '' && BATCH_ID_FORM.test(batchId) ? { receivedAtMs: Number(atMs), batchId } : undefined;
}

async function ofReader(context: Context<HttpBindings>, listed: readonly ListedBatch[]): Promise<ListedBatch[]> {
  const scope = scopeOf(context);
  if (scope === null || listed.length === 0) return [...listed];
  const register = context.env.INTAKE_REGISTER.getByName(registerName(context.get('principal')));
  const ids = listed.map(({ batch_id }) => batch_id);
  const known = new Set(await register.known(ids, scope));
  return listed.filter(({ batch_id }) => known.has(batch_id));
}
