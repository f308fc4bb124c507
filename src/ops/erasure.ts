/**
 * Erasing a load or an order: what would be erased, and the steps that do it. The object of the load or order goes last,
 * because it knows which batches have something of it; so whatever breaks off can be repeated from the beginning.
 */
import type { ErasablePart, EraseRequest } from '../batch/actions/erase.ts';
import type { ErasedSubject } from '../batch/store/erased.ts';
import { inLanes } from '../kernel/lanes.ts';
import { FILES_DELETED_AT_ONCE } from '../kernel/limits.ts';
import { batchPrefix, filesPrefix, type PartnerScope } from '../kernel/names.ts';
import { err, ok, type Result } from '../kernel/result.ts';
import { sha256Hex } from '../kernel/secret.ts';
import type { ErasableSubject } from '../tracking/retention.ts';
import { ARCHIVE_PAGES_MAX } from './limits.ts';

/** @property name of its object. */
export interface ErasureOf extends Omit<ErasedSubject, 'records'> {
  scope: PartnerScope;
  name: string;
}

interface ErasureBatch {
  erasable(of: ErasedSubject): Promise<ErasablePart | undefined>;
  erase(asked: EraseRequest): Promise<boolean>;
}

interface ErasurePorts {
  subject: { erasable(): Promise<ErasableSubject | null>; erase(batches: readonly string[]): Promise<boolean> };
  batch(batchId: string): ErasureBatch;
  files: Pick<R2Bucket, 'list' | 'delete'>;
}

/** @property records of rows in whose place others were sent, as `ErasedSubject` has them. */
type ErasedBatch = ErasablePart & { batchId: string; records: number[] };

/**
 * @property underWay what must end first. files: archives of earlier lives. isCut: there are too many files to look through
 * for more of them. confirm stands for exactly this plan.
 */
export interface ErasurePlan {
  requests: number;
  batches: ErasedBatch[];
  files: string[];
  isCut: boolean;
  underWay: { requests: number; reports: number; batches: string[] };
  confirm: string;
}

/** @returns null: nothing is stored of it. */
export async function planErasure(ports: ErasurePorts, of: ErasureOf): Promise<ErasurePlan | null> {
  const [known, { files, isCut }] = await Promise.all([ports.subject.erasable(), archivesOf(ports.files, of)]);
  if (isCut)
    files.push(...(await archivesIn(ports.files, of, known?.batches ?? [])).filter((key) => !files.includes(key)));
  if (known === null && files.length === 0) return null;
  const ids = [...(known?.batches ?? []), ...files.map((key) => batchIn(key, of.scope))];
  const batches = await batchesWith(ports, of, ids);
  const requests = sumOf(batches) || (known?.requests ?? 0);
  const underWay = {
    requests: known?.open ?? 0,
    reports: known?.untold ?? 0,
    batches: batches.filter(({ isUnderWay }) => isUnderWay).map(({ batchId }) => batchId),
  };
  const counted = batches.map((each) => [each.batchId, each.requests, each.hasBytes, each.records]);
  return {
    requests,
    batches,
    files,
    isCut,
    underWay,
    confirm: sha256Hex(JSON.stringify([known?.requests, counted, files])).slice(0, 16),
  };
}

const sumOf = (batches: readonly ErasedBatch[]): number => batches.reduce((sum, { requests }) => sum + requests, 0);

export const isUnderWay = ({ underWay: { requests, reports, batches } }: ErasurePlan): boolean =>
  requests > 0 || reports > 0 || batches.length > 0;

/** Those, and those with the rows that their rows were sent in place of. */
async function batchesWith(ports: ErasurePorts, of: ErasureOf, ids: readonly string[]): Promise<ErasedBatch[]> {
  const rows = new Map(ids.map((batchId) => [batchId, new Set<number>()]));
  const found = new Map<string, ErasedBatch>();
  for (const waiting = new Set(rows.keys()); ; ) {
    const [batchId] = waiting;
    if (batchId === undefined) break;
    waiting.delete(batchId);
    const records = [...(rows.get(batchId) ?? [])].sort((one, other) => one - other);
    const part = await ports.batch(batchId).erasable({ ...of, records });
    if (part === undefined) continue;
    found.set(batchId, { batchId, records, ...part });
    for (const place of part.replaced) {
      const [other = '', record = ''] = place.split('/');
      const named = rows.get(other) ?? new Set();
      rows.set(other, named);
      if (named.has(Number(record))) continue;
      named.add(Number(record));
      waiting.add(other);
    }
  }
  return [...found.values()].sort((one, other) => (one.batchId < other.batchId ? -1 : 1));
}

/** Does what the plan says; what of it is done already is passed over. */
export async function erase(
  ports: ErasurePorts,
  of: ErasureOf,
  plan: ErasurePlan,
  by: Pick<EraseRequest, 'who' | 'name' | 'why'>,
): Promise<Result<null, 'under_way'>> {
  const { subject, scac } = of;
  for (const { batchId, records } of plan.batches)
    if (!(await ports.batch(batchId).erase({ subject, scac, records, ...by }))) return err('under_way');
  for (let from = 0; from < plan.files.length; from += FILES_DELETED_AT_ONCE)
    await ports.files.delete(plan.files.slice(from, from + FILES_DELETED_AT_ONCE));
  const isGone = await ports.subject.erase(plan.batches.map(({ batchId }) => batchId));
  return isGone ? ok(null) : err('under_way');
}

type Listing = Pick<ErasurePorts['files'], 'list'>;

/** The attempts of earlier lives of the object, in files of the batches that had requests for it: nobody else knows which. */
async function archivesOf(files: Listing, { scope, name }: ErasureOf): Promise<Pick<ErasurePlan, 'files' | 'isCut'>> {
  const part = `/attempts/${sha256Hex(name)}/`;
  const found: string[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < ARCHIVE_PAGES_MAX; pages += 1) {
    const page = await files.list({ prefix: filesPrefix(scope), ...(cursor === undefined ? {} : { cursor }) });
    found.push(...page.objects.map(({ key }) => key).filter((key) => key.includes(part)));
    if (!page.truncated) return { files: found.sort(), isCut: false };
    cursor = page.cursor;
  }
  return { files: found.sort(), isCut: true };
}

/** Those of batches that the object knows; a batch has few of one load or order. */
async function archivesIn(files: Listing, { scope, name }: ErasureOf, batches: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  await inLanes(batches, async (batchId) => {
    const page = await files.list({ prefix: `${batchPrefix(scope, batchId)}attempts/${sha256Hex(name)}/` });
    found.push(...page.objects.map(({ key }) => key));
  });
  return found.sort();
}

const batchIn = (key: string, scope: PartnerScope): string =>
  key.slice(batchPrefix(scope, '').length - 1).split('/')[0] ?? '';
