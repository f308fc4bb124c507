/** Rows of an issue that are sent again: the plan and the result → the API's shapes. Pure. */
import type { MappedAgain, RowsSender } from '../../../batch/core/mapped-again.ts';
import type { RowsReplaced } from '../../../batch/core/ticket.ts';
import type { Environment, PartnerScope } from '../../../kernel/names.ts';
import type { Position } from '../../../kernel/problem.ts';
import type { Planned } from '../../contract/contract.ts';
import { batchLinks, rowLinks, withParameters } from '../../edge/reader.ts';
import { issuePath } from './issue.ts';

/** Why nothing of a batch is sent. */
export interface LeftWhy {
  why:
    | 'batch_gone'
    | 'still_read'
    | 'bytes_expired'
    | 'mapping_gone'
    | 'reads_otherwise'
    | 'too_large'
    | 'format'
    | 'several_files'
    | 'envelopes';
}

/** A batch whose rows are mapped again. @property file those that have become requests; null: none has. */
export interface PlannedBatch {
  scope: PartnerScope;
  batchId: string;
  fileName: string | null;
  mapping: string;
  /** The version it was read under, and the one of now. */
  versions: { from: string; to: string };
  mapped: MappedAgain;
  /** Where the rows are that are named, by their numbers. */
  places: ReadonlyMap<number, Pick<Position, 'line' | 'place'>>;
  leftOut: number;
  file: { sender: RowsSender; bytes: Uint8Array<ArrayBuffer>; ending: string; again: RowsReplaced | null } | null;
}

interface LeftBatch {
  scope: PartnerScope;
  batchId: string;
  fileName: string | null;
  left: LeftWhy;
}

export interface ResubmitPlan {
  batches: PlannedBatch[];
  left: LeftBatch[];
  /** There are more rows or batches than one request takes. */
  isCut: boolean;
  /** Identifies exactly these rows under these versions. */
  confirm: string;
}

/** @property batchId null: it was refused, and `problem` says why. replayed: the same rows were sent before, as that batch. */
export interface SentAgain {
  from: string;
  partner: string;
  rows: number;
  batchId: string | null;
  replayed: boolean;
  problem: { title: string; detail: string; fix: string } | null;
}

function leftMessage(left: LeftWhy): string {
  switch (left.why) {
    case 'batch_gone':
      return 'It has reached the end of its retention.';
    case 'still_read':
      return 'It is still being read. Plan again in a minute.';
    case 'bytes_expired':
      return 'Its file is kept no longer, so its rows cannot be mapped again. Have the partner send them.';
    case 'mapping_gone':
      return 'Its mapping cannot be read at the moment, or is none of its partner any more.';
    case 'reads_otherwise':
      return 'The mapping of now reads these rows in another way, so that they cannot be told apart. Have the partner send them.';
    case 'too_large':
      return 'Its rows are too large to be sent from here. Have the partner send them.';
    case 'format':
      return 'Rows of this mapping have no room to say which rows they replace. Have the partner send them.';
    case 'several_files':
      return 'Its sets came in several files or messages. Have the partner send them in a new interchange.';
    case 'envelopes':
      return 'What is wrong is the envelope, or the set as a whole: no mapping can mend that. Have the partner send them in a new interchange.';
  }
}

/** Wrong rows listed; all are counted. Ours: enough to see what is left to do. */
export const WRONG_SHOWN = 10;
const EXAMPLES_SHOWN = 3;

export type ResubmitPlanView = Planned<'POST /v1/ops/issues/{id}/resubmit'>;

export function planView(environment: Environment, issue: string, { batches, left, isCut, confirm }: ResubmitPlan) {
  const requests: Record<string, number> = {};
  for (const { mapped } of batches)
    for (const [kind, count] of Object.entries(mapped.requests)) requests[kind] = (requests[kind] ?? 0) + count;
  const sum = (of: (batch: PlannedBatch) => number): number => batches.reduce((all, batch) => all + of(batch), 0);
  return {
    environment,
    issue,
    /** That would be sent, of the rows that were looked at. */
    rows: sum(({ mapped }) => mapped.sendable.length),
    requests,
    /** Rows that are wrong still under the version of now. */
    stillWrong: sum(({ mapped }) => mapped.wrong.length),
    /** Rows that may have arrived, or are on their way again. */
    leftOut: sum(({ leftOut }) => leftOut),
    isCut,
    batches: batches.map((batch) => plannedBatch(environment, batch)),
    left: left.map((each) => leftBatch(environment, each)),
    examples: batches.flatMap((batch) => examplesOf(environment, batch)).slice(0, EXAMPLES_SHOWN),
    wrong: batches.flatMap((batch) => wrongOf(environment, batch)).slice(0, WRONG_SHOWN),
    confirm,
  };
}

const readerOf = (environment: Environment, partner: string) => ({ environment, partner, isOps: true });

const plannedBatch = (
  environment: Environment,
  { scope, batchId, fileName, mapping, versions, ...batch }: PlannedBatch,
) => ({
  batchId,
  partner: scope.partner,
  fileName,
  mapping,
  fromVersion: versions.from,
  toVersion: versions.to,
  isChanged: versions.from !== versions.to,
  rows: batch.mapped.sendable.length,
  stillWrong: batch.mapped.wrong.length,
  leftOut: batch.leftOut,
  links: batchLinks(readerOf(environment, scope.partner), batchId),
});

const leftBatch = (environment: Environment, { scope, batchId, fileName, left }: LeftBatch) => ({
  batchId,
  partner: scope.partner,
  fileName,
  problem: { why: left.why, detail: leftMessage(left) },
  links: batchLinks(readerOf(environment, scope.partner), batchId),
});

const rowOfBatch = (environment: Environment, { scope, batchId, places }: PlannedBatch, record: number) => ({
  batchId,
  record,
  line: places.get(record)?.line ?? record,
  place: places.get(record)?.place ?? null,
  links: rowLinks(readerOf(environment, scope.partner), batchId, record),
});

const examplesOf = (environment: Environment, batch: PlannedBatch) =>
  batch.mapped.examples.map(({ record, requests }) => ({
    ...rowOfBatch(environment, batch, record),
    requests: requests.map(({ kind, subject, body }) => ({ kind, subject, body })),
  }));

const wrongOf = (environment: Environment, batch: PlannedBatch) =>
  batch.mapped.wrong.map(({ record, problem }) => ({ ...rowOfBatch(environment, batch, record), problem }));

export function resultView(
  environment: Environment,
  issue: string,
  { plan, sent }: { plan: Omit<ResubmitPlanView, 'dryRun'>; sent: readonly SentAgain[] },
) {
  const { rows, stillWrong, leftOut, isCut, left } = plan;
  return {
    environment,
    issue,
    ...{ rows, stillWrong, leftOut, isCut, left },
    batches: sent.map(({ from, partner, batchId, ...each }) => ({
      from,
      partner,
      batchId,
      ...each,
      links: batchId === null ? null : batchLinks(readerOf(environment, partner), batchId),
    })),
    links: {
      issue: issuePath(environment, issue),
      console: withParameters(`/console/issues/${issue}/sent`, { environment }),
    },
  };
}
