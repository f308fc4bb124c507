/** `/v1/ops/batches/{id}`: a batch made again without sending, and what it looked up. */
import { Hono } from 'hono';
import { underPolicy } from '../batch/envelopes/rules.ts';
import type { RecordedLookUp } from '../batch/look-up-store.ts';
import { pinnedMapping } from '../batch/pinned.ts';
import { type RerunFile, type RerunPort, rerun } from '../batch/rerun.ts';
import type { MadeUnder } from '../batch/shared-batch.ts';
import { BATCH_ID_FORM } from '../kernel/ids.ts';
import { batchName, type Environment, type PartnerScope } from '../kernel/names.ts';
import { err, ok, type Result } from '../kernel/result.ts';
import type { CompiledMapping } from '../mapping/compile.ts';
import { type LookUpAnswer, lookUpKey } from '../mapping/look-up.ts';
import { readVersion } from '../mapping/versions.ts';
import { ownerOf } from '../ops/letters.ts';
import type { FoundBatch } from './batch-lookup.ts';
import type { HttpBindings } from './bindings.ts';
import { letterPorts } from './ops-actions.ts';
import { type OpsContext, refused } from './ops-changes.ts';
import { readOpsQuery } from './ops-query.ts';
import { refusedByOps } from './ops-refusals.ts';
import type { AppPorts } from './ports.ts';
import { problem } from './problem.ts';
import { readAhead } from './read-ahead.ts';
import { streamOf } from './reports.ts';
import { rerunLines } from './rerun-lines.ts';
import { filesOf, type NamedFile } from './stored-files.ts';

/** Look-ups of a batch fetched at once. Ours. */
const LOOK_UPS_AT_ONCE = 500;

export function opsBatchRoutes(ports: AppPorts): Hono<HttpBindings> {
  const routes = new Hono<HttpBindings>();
  routes.get('/:batch/rerun', (context) => show(context, ports));
  routes.get('/:batch/look-ups', (context) => lookUps(context, ports));
  return routes;
}

type Found = FoundBatch & { scope: PartnerScope; under: MadeUnder };

/** Of whatever partner of the environment, where none is named. */
async function found(context: OpsContext, ports: AppPorts, environment: Environment): Promise<Result<Found, Response>> {
  const batchId = context.req.param('batch') ?? '';
  const unknown = () => err(refusedByOps(context, { code: 'batch_unknown', batchId }));
  if (!BATCH_ID_FORM.test(batchId)) return unknown();
  const partner = context.req.query('partner') ?? null;
  const owner = await ownerOf(letterPorts(context, ports), { environment, partner, batchId });
  if (!owner.ok) return owner.error.code === 'letter_unknown' ? unknown() : err(refusedByOps(context, owner.error));
  const scope = { environment, partner: owner.value };
  const stub = context.env.BATCH.getByName(batchName(scope, batchId));
  const [summary, under] = [await stub.summary(), await stub.madeUnder()];
  return summary && under ? ok({ stub, summary, scope, under }) : unknown();
}

async function show(context: OpsContext, ports: AppPorts): Promise<Response> {
  const query = readOpsQuery(context, ['partner', 'to']);
  if (!query.ok) return problem(context, query.error);
  const { environment, get } = query.value;
  const batch = await found(context, ports, environment);
  if (!batch.ok) return batch.error;
  const { summary, stub, under, scope } = batch.value;
  const why = notComparable(summary);
  if (why !== null) return refusedByOps(context, { code: 'not_comparable', why });
  const to = get('to') ?? summary.mappingSha256;
  const version = await versionOf(context, ports, batch.value, to);
  if (!version.ok) return version.error;
  const { mapping, sha256 } = version.value;
  const files = await filesOf({ files: context.env.FILES, scope }, { stub, summary });
  const port: RerunPort = {
    ...under,
    mapping: underPolicy(mapping, summary.envelopes),
    files: await withAnswers(batch.value, summary.messages === null ? files : readAhead(files)),
    rows: (after, limit) => stub.rows(after, Math.max(0, Math.min(limit, summary.rows - after)), null),
  };
  const head = { batchId: summary.batchId, partner: scope.partner, environment, mapping: summary.mapping };
  const versions = { from: summary.mappingSha256, to: sha256 };
  return context.body(streamOf(rerunLines({ ...head, ...versions }, rerun(port))), 200, {
    'Content-Type': 'application/json; charset=utf-8',
  });
}

function notComparable({ state, dryRun, bytesDeletedAt }: FoundBatch['summary']): string | null {
  if (state === 'reading') return 'It is still being read.';
  if (state === 'unreadable') return 'It could not be read, so it has no rows.';
  if (dryRun) return 'It is a dry run, of which no requests are kept.';
  return bytesDeletedAt === null ? null : 'The life of its bytes has ended.';
}

/** The version that the batch is pinned to, or another one of its mapping's name. */
async function versionOf(
  context: OpsContext,
  ports: AppPorts,
  { summary, scope }: Found,
  to: string,
): Promise<Result<{ mapping: CompiledMapping; sha256: string }, Response>> {
  if (to === summary.mappingSha256) return ok({ mapping: await pinnedMapping(context.env.FILES, to), sha256: to });
  const version = await ports.publishing(context.env).version(scope.environment, summary.mapping, to);
  if (!version.ok) return err(refused(context, version.error));
  const { sha256, text } = version.value;
  const mapping = readVersion(text);
  if (!mapping.ok) throw new Error(`version ${sha256} does not compile`);
  return ok({ mapping: mapping.value, sha256 });
}

/** Each file with what was looked up for it: a message has look-ups of its own. */
async function withAnswers({ stub }: Found, files: readonly NamedFile[]): Promise<RerunFile[]> {
  const known = new Map<number, ReadonlyMap<string, LookUpAnswer>>();
  const all: RerunFile[] = [];
  for (const { source, problems, message } of files) {
    const answers =
      known.get(message) ?? new Map((await recorded(stub, message)).map(({ key, answer }) => [key, answer]));
    known.set(message, answers);
    all.push({ source, problems, answers: (asked) => answers.get(lookUpKey(asked)) });
  }
  return all;
}

async function recorded(stub: FoundBatch['stub'], message: number) {
  const all: (RecordedLookUp & { key: string })[] = [];
  for (let after = ''; ; ) {
    const page = await stub.lookUps(message, after, LOOK_UPS_AT_ONCE);
    all.push(...page);
    const last = page.at(-1);
    if (last === undefined || page.length < LOOK_UPS_AT_ONCE) return all;
    after = last.key;
  }
}

/** As `--lookups` of the map command takes them. */
async function lookUps(context: OpsContext, ports: AppPorts): Promise<Response> {
  const query = readOpsQuery(context, ['partner', 'message']);
  if (!query.ok) return problem(context, query.error);
  const batch = await found(context, ports, query.value.environment);
  if (!batch.ok) return batch.error;
  const message = query.value.get('message') ?? '0';
  const asked = /^(?:0|[1-9]\d{0,8})$/.test(message) ? Number(message) : 0;
  const all = await recorded(batch.value.stub, asked);
  return context.json({ answers: all.map(({ asked: lookUp, answer }) => ({ asked: lookUp, answer })) });
}
