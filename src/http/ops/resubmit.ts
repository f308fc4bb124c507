/**
 * `POST /v1/ops/issues/{id}/resubmit`: the rows of an issue, mapped again as they were sent, under the version that their
 * mapping has by now. What has become a request goes out as a new batch of the same partner, one for each batch that has
 * such rows, by the road that every upload takes; once a row is delivered, its original is resolved. The plan does all
 * but the sending. Of X12 and EDIFACT the sets are cut out of their interchanges: records of a set that are not of the
 * issue only come along, and nothing is acknowledged a second time.
 */
import { Buffer } from 'node:buffer';
import * as z from 'zod';
import { type AlikeRows, type MappedAgain, mappedAgain, type RowsSender } from '../../batch/core/mapped-again.ts';
import { scacRule } from '../../batch/core/run.ts';
import { cutOut } from '../../batch/envelopes/cut-out.ts';
import { DEFAULT_RULES, underPolicy } from '../../batch/envelopes/validate.ts';
import { offeredMapping, pinnedMapping } from '../../batch/files/pinned.ts';
import { type CorrectionPort, correctionFile, namesReplaced } from '../../batch/report/correction-file.ts';
import type { BatchRow } from '../../batch/report/summary.ts';
import { lookupResolver } from '../../fleet/lookup.ts';
import { fileTypeOf, isSegmented } from '../../formats/reader.ts';
import { DEFAULT_POLICY, type EnvelopePolicy } from '../../formats/segments/parts.ts';
import type { Principal } from '../../intake/ports.ts';
import { takeUpload } from '../../intake/take-upload.ts';
import { describeUploadError } from '../../intake/upload-error.ts';
import { scaledMs } from '../../kernel/clock.ts';
import { firstBatchId } from '../../kernel/ids.ts';
import {
  BYTES_RETENTION_MS,
  RESUBMIT_BATCHES_MAX,
  RESUBMIT_BYTES_MAX,
  RESUBMIT_ROWS_MAX,
} from '../../kernel/limits.ts';
import { batchName, type Environment, type PartnerScope } from '../../kernel/names.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import { sha256Hex } from '../../kernel/secret.ts';
import type { CompiledMapping } from '../../mapping/compile/compile.ts';
import type { DirectoryUnavailable } from '../../ops/directory/directory.ts';
import type { IssueBatch, ListedIssue } from '../../ops/index/issues.ts';
import { lookedUpFor } from '../../ops/publishing/preview.ts';
import { noteForAudit } from '../edge/audit-notes.ts';
import type { OpsContext } from '../edge/context.ts';
import type { AppPorts } from '../edge/ports.ts';
import { problem } from '../edge/problem.ts';
import { intakePorts } from '../partner/upload.ts';
import { filesOf } from '../views/stored-files.ts';
import { foundIssue } from './lookup.ts';
import { refusedByOps } from './refusals.ts';
import { type OpsQuery, readJson, why } from './request.ts';
import {
  type LeftWhy,
  type PlannedBatch,
  planView,
  type ResubmitPlan,
  resultView,
  type SentAgain,
  WRONG_SHOWN,
} from './views/resubmit.ts';

/** Batches looked at in one request for rows that can be sent. Ours: the operator waits. */
const BATCHES_LOOKED_MAX = 200;
/** Rows of them, also of those that cannot be sent. Ours: what is wrong with each is in memory until the plan is shown. */
const ROWS_LOOKED_MAX = 2 * RESUBMIT_ROWS_MAX;

const resubmitBody = z.strictObject({ why, partner: z.string().min(1).optional(), confirm: z.string().optional() });

export async function resubmit(context: OpsContext, query: OpsQuery, ports: AppPorts): Promise<Response> {
  const body = await readJson(context, resubmitBody);
  if (!body.ok) return problem(context, body.error);
  const { environment, dryRun } = query;
  const issue = await foundIssue(context, ports, environment);
  if (!issue.ok) return issue.error;
  const planned = await planOf(context, ports, environment, {
    issue: issue.value,
    partner: body.value.partner ?? null,
  });
  if (!planned.ok) return planned.error;
  const plan = planned.value;
  const shown = planView(environment, issue.value.issue, plan);
  if (dryRun) return context.json({ dryRun, ...shown });
  const { confirm } = body.value;
  if (confirm === undefined) return refusedByOps(context, { code: 'resubmit_unseen' }, { plan: shown });
  if (confirm !== plan.confirm) return refusedByOps(context, { code: 'plan_changed' }, { plan: shown });
  if (shown.rows === 0) return refusedByOps(context, { code: 'nothing_to_resubmit' }, { plan: shown });
  const sent = await sendAll(context, ports, plan.batches);
  const batches = sent.flatMap(({ from, batchId, rows }) => (batchId === null ? [] : [{ from, batchId, rows }]));
  noteForAudit(context, { detail: { rows: shown.rows, batches } });
  return context.json(resultView(environment, issue.value.issue, { plan: shown, sent }), 202);
}

async function planOf(
  context: OpsContext,
  ports: AppPorts,
  environment: Environment,
  { issue, partner }: { issue: ListedIssue; partner: string | null },
): Promise<Result<ResubmitPlan, Response>> {
  const having = await batchesLookedAt(context, ports, environment, { issue: issue.issue, partner });
  if (!having.ok) return err(refusedByOps(context, having.error));
  const plan: ResubmitPlan = { batches: [], left: [], isCut: having.value.isCut, confirm: '' };
  let batchesLeft = RESUBMIT_BATCHES_MAX;
  let rowsLeft = RESUBMIT_ROWS_MAX;
  let bytesLeft = RESUBMIT_BYTES_MAX;
  let looksLeft = ROWS_LOOKED_MAX;
  // What can send nothing takes no place from those behind it: it would stand before them for as long as it is kept.
  for (const { batch_id: batchId, partner: owner, file_name: fileName } of having.value.batches) {
    if (batchesLeft <= 0 || rowsLeft <= 0 || bytesLeft <= 0 || looksLeft <= 0) {
      plan.isCut = true;
      break;
    }
    const scope = { environment, partner: owner };
    const found = await planBatch(context, ports, {
      ...{ scope, batchId, key: issue.key },
      ...{ limit: Math.min(rowsLeft, looksLeft), bytesMax: bytesLeft },
    });
    if (!found.ok) {
      // With more room it may fit: it is for the next time.
      if (found.error.why === 'too_large' && bytesLeft < RESUBMIT_BYTES_MAX) plan.isCut = true;
      else plan.left.push({ scope, batchId, fileName, left: found.error });
      continue;
    }
    const { batch, isCut, looked } = found.value;
    if (isCut) plan.isCut = true;
    looksLeft -= looked;
    if (batch.file !== null) {
      batchesLeft -= 1;
      rowsLeft -= looked;
      bytesLeft -= batch.file.bytes.byteLength;
    }
    plan.batches.push(batch);
  }
  const named = plan.batches.map(({ batchId, versions, mapped: { sendable }, file }) => [
    batchId,
    versions.to,
    sendable,
    file && sha256Hex(file.bytes),
  ]);
  return ok({ ...plan, confirm: sha256Hex(JSON.stringify([environment, issue.issue, named])) });
}

/**
 * Oldest first. Those whose files may be kept no longer only where there is room for them: they stay in the issue long
 * after that, and would stand before what can be sent.
 */
async function batchesLookedAt(
  { env }: OpsContext,
  ports: AppPorts,
  environment: Environment,
  { issue, partner }: { issue: string; partner: string | null },
): Promise<Result<{ batches: IssueBatch[]; isCut: boolean }, DirectoryUnavailable>> {
  const { clock } = ports.settings(env);
  const since = firstBatchId(clock.nowMs() - scaledMs(BYTES_RETENTION_MS, clock));
  const limit = BATCHES_LOOKED_MAX + 1;
  const recent = await ports.issues(env).batches(environment, issue, { partner, after: since, limit });
  if (!recent.ok) return recent;
  const room = limit - recent.value.length;
  const older = await ports.issues(env).batches(environment, issue, { partner, upTo: since, limit: room });
  if (!older.ok) return older;
  const isCut = recent.value.length + older.value.length > BATCHES_LOOKED_MAX;
  const batches = [
    ...older.value.slice(0, Math.max(0, room - 1)).reverse(),
    ...recent.value.slice(0, BATCHES_LOOKED_MAX),
  ];
  return ok({ batches, isCut });
}

interface WantedBatch {
  scope: PartnerScope;
  batchId: string;
  key: string;
  /** Rows looked at. */
  limit: number;
  bytesMax: number;
}

async function planBatch(
  context: OpsContext,
  ports: AppPorts,
  { scope, batchId, key, limit, bytesMax }: WantedBatch,
): Promise<Result<{ batch: PlannedBatch; isCut: boolean; looked: number }, LeftWhy>> {
  const stub = context.env.BATCH.getByName(batchName(scope, batchId));
  const summary = await stub.summary();
  const alike = summary === undefined ? undefined : await stub.alikeRows(key, limit);
  if (summary === undefined || alike === undefined) return err({ why: 'batch_gone' });
  if (summary.state === 'reading') return err({ why: 'still_read' });
  if (summary.bytesDeletedAt !== null) return err({ why: 'bytes_expired' });
  const offer = await ports.catalog(context.env).offer(scope, summary.mapping);
  if (!offer.ok || offer.value.mapping === undefined) return err({ why: 'mapping_gone' });
  const { mapping: offered } = offer.value;
  const version = underPolicy(await offeredMapping(context.env.FILES, offered), summary.envelopes);
  if (!namesReplaced(version.source) && !isSegmented(version.source)) return err({ why: 'format' });
  const { records, underWay } = await withoutUnderWay(context, scope, batchId, alike);
  const portOf = await correctionPort(context, scope, { stub, summary });
  const sourceOf = { portOf, batchId, version, policy: summary.envelopes ?? DEFAULT_POLICY, bytesMax };
  const all = await fileOf(sourceOf, records);
  if (!all.ok) return all;
  const again = await mapped(context, ports, { version, sender: alike.sender, ...all.value });
  if (again === null) return err({ why: 'reads_otherwise' });
  const { sendable } = again;
  const isAsItIs = sendable.length === 0 || sendable.length === records.length;
  const good = isAsItIs ? all : await fileOf(sourceOf, sendable);
  if (!good.ok) return good;
  const present = new Set(all.value.records);
  again.wrong.push(...records.filter((record) => !present.has(record)).map((record) => ({ record, problem: null })));
  const shown = await stub.rowsAt(
    [...again.examples, ...again.wrong.slice(0, WRONG_SHOWN)].map(({ record }) => record),
  );
  const batch: PlannedBatch = {
    ...{ scope, batchId, fileName: summary.fileName, mapping: summary.mapping, mapped: again },
    versions: { from: summary.mappingSha256, to: offered.sha256 },
    places: new Map(shown.map(({ record, position }) => [record, position])),
    leftOut: alike.leftOut + underWay,
    file: sendable.length === 0 ? null : fileSent(alike.sender, batchId, version, good.value),
  };
  return ok({ batch, isCut: alike.isCut, looked: records.length });
}

/** A row in whose place another is on its way must not be overtaken. */
async function withoutUnderWay(
  context: OpsContext,
  scope: PartnerScope,
  here: string,
  { rows }: AlikeRows,
): Promise<{ records: number[]; underWay: number }> {
  const open = new Set<number>();
  const replaced = rows.flatMap(({ record, replacedBy }) => (replacedBy === null ? [] : [{ record, by: replacedBy }]));
  for (const [batchId, own] of Map.groupBy(replaced, ({ by }) => by.batchId)) {
    const stub = context.env.BATCH.getByName(batchName(scope, batchId));
    const asked = own.map(({ record, by }) => ({ record: by.record, by: { batchId: here, record } }));
    const classified = await stub.classifyRows(asked, false);
    for (const [index, { record }] of own.entries()) if (classified[index]?.outcome !== 'free') open.add(record);
  }
  const records = rows.map(({ record }) => record).filter((record) => !open.has(record));
  return { records, underWay: open.size };
}

type FoundBatch = Parameters<typeof filesOf>[1];

async function correctionPort(
  context: OpsContext,
  scope: PartnerScope,
  { stub, summary }: FoundBatch,
): Promise<(records: readonly number[]) => CorrectionPort> {
  const files = await filesOf({ files: context.env.FILES, scope }, { stub, summary });
  const mapping = await pinnedMapping(context.env.FILES, summary.mappingSha256);
  return (records) => ({ files, mapping, rows: rowsAmong(stub, records) });
}

/** Of these numbers, after one of them. */
const rowsAmong =
  (stub: FoundBatch['stub'], records: readonly number[]) =>
  async (after: number, limit: number): Promise<BatchRow[]> => {
    const wanted = records.filter((record) => record > after).slice(0, limit);
    return wanted.length === 0 ? [] : await stub.rowsAt(wanted);
  };

interface RowsSource {
  portOf: (records: readonly number[]) => CorrectionPort;
  batchId: string;
  version: CompiledMapping;
  policy: EnvelopePolicy;
  bytesMax: number;
}

/** @property records of the file, by their numbers in the batch; null: it only comes along. */
interface RowsFile {
  bytes: Uint8Array<ArrayBuffer>;
  ending: string;
  records: readonly (number | null)[];
}

/** The rows as a file of their kind, cell by cell as they were sent. */
async function fileOf(asked: RowsSource, records: readonly number[]): Promise<Result<RowsFile, LeftWhy>> {
  const { portOf, batchId, version, bytesMax } = asked;
  if (isSegmented(version.source)) return setsOf(asked, records);
  const made = correctionFile(portOf(records), batchId, version.source, false);
  if (!made.ok) return err({ why: 'format' });
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of made.value.text ?? made.value.bytes) {
    const bytes = typeof part === 'string' ? Buffer.from(part) : part;
    size += bytes.byteLength;
    if (size > bytesMax) return err({ why: 'too_large' });
    parts.push(bytes);
  }
  return ok({ bytes: new Uint8Array(Buffer.concat(parts)), ending: made.value.ending, records });
}

/** Their sets, cut out of the interchanges. */
async function setsOf(
  { portOf, policy, bytesMax }: RowsSource,
  records: readonly number[],
): Promise<Result<RowsFile, LeftWhy>> {
  const { files, mapping } = portOf(records);
  const [file, ...others] = files;
  if (file === undefined || others.length > 0) return err({ why: 'several_files' });
  if (!isSegmented(mapping.source)) return err({ why: 'reads_otherwise' });
  const cut = await cutOut({ source: file.source, declared: mapping.source, policy }, new Set(records), bytesMax);
  if (cut === null) return err({ why: 'too_large' });
  if (cut.records.length === 0) return err({ why: 'envelopes' });
  return ok({ ...cut, ending: fileTypeOf(mapping.source).ending });
}

/** Sets have no room to say which rows they replace: the ticket of their batch does. */
const fileSent = (
  sender: RowsSender,
  batchId: string,
  { source }: CompiledMapping,
  { bytes, ending, records }: RowsFile,
): PlannedBatch['file'] => ({ sender, bytes, ending, again: isSegmented(source) ? { batchId, records } : null });

async function mapped(
  context: OpsContext,
  ports: AppPorts,
  { version, sender, ...file }: { version: CompiledMapping; sender: RowsSender } & RowsFile,
): Promise<MappedAgain | null> {
  const { partner, channel } = sender;
  const request = lookupResolver(context.env, ports.settings(context.env), { partner, channel, subject: 'preview' });
  const rule = scacRule(sender);
  const answered = await lookedUpFor(version, (collecting) => mappedAgain(collecting, rule, file), request);
  return mappedAgain(answered, rule, file);
}

/** One after the other: each is a batch of its own, whatever becomes of the next. */
async function sendAll(context: OpsContext, ports: AppPorts, batches: readonly PlannedBatch[]): Promise<SentAgain[]> {
  const sent: SentAgain[] = [];
  for (const { batchId, scope, file, fileName, mapping, mapped: again } of batches) {
    if (file === null) continue;
    const { sender, bytes, ending, again: replaces } = file;
    const asked = {
      ...{ mapping, scac: sender.scac, dryRun: null, force: null, parameters: [], contentType: null },
      ...{ contentLength: String(bytes.byteLength), idempotencyKey: null, fileName: againName(fileName, ending) },
      ...(replaces === null ? {} : { again: replaces }),
    };
    const taken = await takeUpload(intakePorts(context, ports), principalOf(sender), asked, new Blob([bytes]).stream());
    const told = { from: batchId, partner: scope.partner, rows: again.sendable.length };
    sent.push(
      taken.ok
        ? { ...told, batchId: taken.value.batchId, replayed: taken.value.replayed, problem: null }
        : { ...told, batchId: null, replayed: false, problem: describeUploadError(taken.error) },
    );
  }
  return sent;
}

/** Whoever uploaded the rows, with what that key could do then; the channel's own limits are those of now. */
const principalOf = ({ uploadedBy = '', allowedScacs, envelopes, orderPair, ...sender }: RowsSender): Principal => ({
  keyId: uploadedBy,
  environment: sender.environment,
  partner: sender.partner,
  channel: sender.channel,
  scacs: allowedScacs,
  mappings: null,
  // Interchanges that were taken before come again on purpose.
  envelopes: { ...(envelopes ?? DEFAULT_RULES), controlNumbers: 'any' },
  orderPair: orderPair ?? null,
});

/** `events.csv` → `events (again).csv` */
function againName(fileName: string | null, ending: string): string | null {
  if (fileName === null) return null;
  const stem = fileName.replace(/\.[^.]*$/, '').replace(/ \(again\)$/, '');
  return `${stem} (again).${ending}`;
}
