/** `POST /v1/ops/batches/reindex`: the list of batches made anew from what batches say, a page with each call. */
import { BATCH_ID_FORM } from '../../kernel/ids.ts';
import { batchName } from '../../kernel/names.ts';
import { type RebuildMark, rebuildIndex } from '../../ops/index/rebuild.ts';
import type { OpsContext } from '../edge/bindings.ts';
import type { AppPorts } from '../edge/ports.ts';
import { problem } from '../edge/problem.ts';
import { withParameters } from '../edge/reader.ts';
import { letterPorts } from './actions.ts';
import { unreadable } from './batch-list.ts';
import { readOpsQuery } from './query.ts';
import { refusedByOps } from './refusals.ts';

export async function reindexBatches(context: OpsContext, ports: AppPorts): Promise<Response> {
  const query = readOpsQuery(context, ['cursor']);
  if (!query.ok) return problem(context, query.error);
  const { environment, get } = query.value;
  const cursor = get('cursor');
  const mark = cursor === undefined ? null : readMark(cursor);
  if (mark === undefined) return problem(context, unreadable('cursor', cursor ?? '', NEXT));
  const { env } = context;
  const { partners, register } = letterPorts(context, ports);
  const rebuilt = await rebuildIndex(
    {
      partners,
      register,
      batch: (scope, batchId) => env.BATCH.getByName(batchName(scope, batchId)),
      batches: ports.batches(env),
    },
    { environment, mark },
    Date.now(),
  );
  if (!rebuilt.ok) return refusedByOps(context, rebuilt.error);
  const { next, ...counts } = rebuilt.value;
  const nextPage = next && withParameters('/v1/ops/batches/reindex', { environment, cursor: writeMark(next) });
  return context.json({ environment, ...counts, next: nextPage });
}

const NEXT = 'what "next" of the page before says';

/** `1772460000000~17~acme` behind a batch of a register, `1772460000000~b_…` behind a row. */
function writeMark({ beganMs, after }: RebuildMark): string {
  return 'batchId' in after ? `${beganMs}~${after.batchId}` : `${beganMs}~${after.seq}~${after.partner}`;
}

function readMark(text: string): RebuildMark | undefined {
  const [, atMs, rest = ''] = /^(\d{1,16})~(.*)$/.exec(text) ?? [];
  if (atMs === undefined) return undefined;
  const beganMs = Number(atMs);
  if (rest === '' || BATCH_ID_FORM.test(rest)) return { beganMs, after: { batchId: rest } };
  const [, seq, partner] = /^(\d{1,15})~(.+)$/.exec(rest) ?? [];
  return seq === undefined || partner === undefined ? undefined : { beganMs, after: { partner, seq: Number(seq) } };
}
