/** Tickets, rows and requests for the tests of this folder; each function takes what differs. */

import { type BatchProgress, START } from '../../../src/batch/core/progress.ts';
import type { StoredBatchRequest } from '../../../src/batch/core/row.ts';
import type { MappedRow } from '../../../src/batch/core/run.ts';
import type { BatchTicket } from '../../../src/batch/core/ticket.ts';
import type { BatchRow, BatchSummary, RowRequest } from '../../../src/batch/report/summary.ts';
import { NOTHING_TRIED, type RequestOutcome } from '../../../src/delivery/outcome.ts';
import type { Problem } from '../../../src/kernel/problem.ts';
import { checkMapping } from '../../../src/mapping/check/check.ts';
import { type CompiledMapping, compileMapping } from '../../../src/mapping/compile/compile.ts';
import type { MilestoneFields } from '../../../src/mapping/request.ts';
import { NOW_MS } from '../upstream/samples.ts';

export const RECEIVED_MS = Date.UTC(2026, 2, 2, 8);
export const BATCH_ID = 'b_01kjp0000000000000000000aa';

export const aTicket = (more: Partial<BatchTicket> = {}): BatchTicket => ({
  batchId: BATCH_ID,
  environment: 'test',
  partner: 'acme',
  mapping: 'stops',
  mappingSha256: 'ab'.repeat(32),
  scac: 'ABCD',
  allowedScacs: ['ABCD', 'WXYZ'],
  channel: 'main',
  fileName: 'events.csv',
  bytes: 1_000,
  sha256: 'cd'.repeat(32),
  receivedAtMs: RECEIVED_MS,
  uploadedBy: 'k1',
  dryRun: false,
  ...more,
});

/** All is read and ended, as its register knows. */
export const SETTLED: BatchProgress = {
  ...{ state: 'settled', checkpoint: null, readingFinished: true, handedOver: START },
  ...{ settledAtMs: NOW_MS, problems: [], reported: true },
};

export const aBody = (loadNumber = 'L1'): MilestoneFields => ({
  eventCode: 'X3',
  loadNumber,
  time: { dateTime: '2026-03-02T08:15:00.0000000-06:00', timeZoneCode: 'CST', timeZoneOffset: 'UTC-6' },
});

export const aProblem = (more: Partial<Problem> = {}): Problem => ({
  code: 'value_missing',
  path: 'Load #',
  value: '',
  message: 'There is no value.',
  fix: 'Fill the cell.',
  ...more,
});

export const aMappedRow = (record: number, requests: number, more: Partial<MappedRow> = {}): MappedRow => ({
  position: { record, line: record + 1, byteFrom: record * 10, byteTo: record * 10 + 9 },
  state: null,
  problems: [],
  requests: Array.from({ length: requests }, () => ({
    kind: 'milestone',
    subject: 'load:L1',
    scac: 'ABCD',
    body: aBody(),
  })),
  group: null,
  ...more,
});

export const aStoredRequest = (
  record: number,
  request: number,
  more: Partial<StoredBatchRequest> = {},
): StoredBatchRequest => ({
  record,
  request,
  kind: 'milestone',
  subject: 'load:L1',
  scac: 'ABCD',
  body: JSON.stringify(aBody()),
  generation: 1,
  retried_at_ms: null,
  state: 'queued',
  reason: null,
  outcome: null,
  evidence: null,
  revision: 0,
  attempts: 0,
  status: null,
  answer: null,
  possible_duplicate: 0,
  late: 0,
  into_batch_id: null,
  into_record: null,
  into_request: null,
  into_state: null,
  next_at_ms: null,
  decided_at_ms: null,
  diff: null,
  action: null,
  surprises: null,
  ...more,
});

export const aRowRequest = (more: Partial<Extract<RowRequest, { kind: 'milestone' }>> = {}): RowRequest => ({
  request: 1,
  generation: 1,
  earlier: [],
  kind: 'milestone',
  subject: 'load:L1',
  scac: 'ABCD',
  state: 'delivered',
  reason: null,
  outcome: null,
  evidence: 'answer',
  attempts: 1,
  status: 200,
  answer: '{"id":"c-1"}',
  possibleDuplicate: false,
  late: false,
  into: null,
  intoState: null,
  nextAt: null,
  decidedAt: '2026-03-02T08:00:01.000Z',
  diff: null,
  action: null,
  warnings: [],
  body: aBody(),
  ...more,
});

export const aRow = (record: number, more: Partial<BatchRow> = {}): BatchRow => ({
  record,
  position: { record, line: record + 1, byteFrom: 0, byteTo: 0 },
  state: 'delivered',
  errors: [],
  group: null,
  replaces: null,
  replacedBy: null,
  lookedUp: [],
  requests: [aRowRequest()],
  ...more,
});

export const aSummary = (more: Partial<BatchSummary> = {}): BatchSummary => ({
  batchId: BATCH_ID,
  state: 'settled',
  environment: 'test',
  partner: 'acme',
  mapping: 'stops',
  mappingSha256: 'ab'.repeat(32),
  scac: 'ABCD',
  fileName: 'events.csv',
  contentBytes: null,
  files: null,
  messages: null,
  bytes: 1_000,
  sha256: 'cd'.repeat(32),
  dryRun: false,
  forced: false,
  sentAgainFrom: null,
  corrected: false,
  uploadedBy: 'k1',
  receivedAt: '2026-03-02T08:00:00.000Z',
  settledAt: '2026-03-02T08:00:09.000Z',
  bytesDeletedAt: null,
  cancelledAt: null,
  bytesRead: 1_000,
  rows: 1,
  rowStates: { delivered: 1 },
  resolved: 0,
  resolvedStates: {},
  requests: 1,
  requestStates: { delivered: 1 },
  problems: [],
  notes: [],
  awaits: null,
  envelopes: null,
  format: 'csv',
  ...more,
});

/** Maps columns Load, Code, At. */
const smallMapping = (more: string): string => `
mapping: stops
description: A small mapping for tests.
source: { format: csv }
target: milestone
zone: { const: America/Chicago }
skip: { when: { field: Code, in: ["-"] } }
fields:
  loadNumber: Load
  eventCode: Code
  time: { from: At, parse: "yyyy-MM-dd HH:mm" }
${more}
examples:
  - { input: "Load,Code,At\\n", records: [] }
`;

export const SMALL_MAPPING = smallMapping('');

/** @param more YAML lines added to the small document. */
export function aMapping(more = ''): CompiledMapping {
  const checked = checkMapping(smallMapping(more), new Map());
  if (!checked.ok) throw new Error(JSON.stringify(checked.error));
  return compileMapping(checked.value, new Map());
}

export const anOutcome = (record: number, more: Partial<RequestOutcome> = {}): RequestOutcome => ({
  ...{ record, request: 1, generation: 1, revision: 1, state: 'queued', ...NOTHING_TRIED, decidedAtMs: RECEIVED_MS },
  ...more,
});
