/** The API's view of a batch and its rows: stored shapes → the API's shapes. Pure. */

import type { Anomaly } from '../../delivery/events/anomalies.ts';
import { type AnomalyMessages, anomalyMessage } from '../../delivery/messages.ts';
import type { ShownDifference } from '../../delivery/orders/merge-messages.ts';
import type { RecordState, RequestLocation } from '../../delivery/outcome.ts';
import { type Evidence, isFinal, type RequestState, type StateReason } from '../../delivery/states.ts';
import { type RecordSource, readingNotes } from '../../formats/reader.ts';
import type { EnvelopePolicy } from '../../formats/segments/parts.ts';
import { iso, isoOrNull } from '../../kernel/clock.ts';
import { requestKey } from '../../kernel/names.ts';
import type { Position, Problem } from '../../kernel/problem.ts';
import type { RequestBodies, RequestKind } from '../../mapping/request.ts';
import {
  type ArchiveFile,
  type BatchProgress,
  isWithdrawn,
  type MessageCounts,
  type StoredMessage,
} from '../core/progress.ts';
import type { EarlierRow, RowLocation, StoredBatchRequest, StoredRecord, Tally } from '../core/row.ts';
import { total } from '../core/tally.ts';
import type { BatchState, BatchTicket } from '../core/ticket.ts';
import { policyOf } from '../envelopes/validate.ts';
import { awaitedNote, type ShownAwaited, type ShownLookup, shownAwaited, shownLookups } from './lookup-messages.ts';

/** @property rows known so far; unreadable: `problems` says why, and none of its rows is sent. */
export interface FileSummary {
  name: string;
  bytes: number;
  state: ArchiveFile['state'];
  rows: number;
}

export interface BatchSummary {
  batchId: string;
  state: BatchState;
  environment: string;
  partner: string;
  mapping: string;
  mappingSha256: string;
  /** Format of its file; null: unknown. */
  format: RecordSource['format'] | null;
  scac: string | null;
  fileName: string | null;
  bytes: number;
  /** Of the contents of a compressed upload; null when the upload is the file. */
  contentBytes: number | null;
  /** Of an archive, in order; null when the upload has one file. */
  files: FileSummary[] | null;
  /** Number of messages in a rolling batch; null: it is of one upload. */
  messages: number | null;
  /** null: of several messages. */
  sha256: string | null;
  dryRun: boolean;
  /** New work on request, whether or not the same file had been sent before. */
  forced: boolean;
  /** The batch whose rows these are, corrected or mapped again, in a format that cannot say so; null: none. */
  sentAgainFrom: string | null;
  /** These rows were corrected by their sender. */
  corrected: boolean;
  receivedAt: string;
  /** Id of the key it came with; null: unknown, or of several messages. */
  uploadedBy: string | null;
  settledAt: string | null;
  /** When the retention of its bytes ended: its file and reports are no longer available. */
  bytesDeletedAt: string | null;
  /** When its unsent requests were withdrawn; null: never, or it was retried since. */
  cancelledAt: string | null;
  /** Bytes of the (unpacked) file read so far. */
  bytesRead: number;
  rows: number;
  rowStates: Partial<Record<RecordState, number>>;
  /**
   * Of its rows, those corrected: another was delivered in their place. They need no attention, and keep their states.
   */
  resolved: number;
  /** By the states these rows have. */
  resolvedStates: Partial<Record<RecordState, number>>;
  requests: number;
  requestStates: Partial<Record<RequestState, number>>;
  /** Why the file could not be read, or where it breaks off after its rows. */
  problems: Problem[];
  /** Notes for a person, though nothing is wrong. */
  notes: string[];
  /** The lookup it waits for; null: none. */
  awaits: ShownAwaited | null;
  /** How strictly its envelopes were validated; null: by default, or it has none. */
  envelopes: EnvelopePolicy | null;
}

/** Of a rolling batch. @property faulty the first messages with something unreadable. */
export type SharedSummary = MessageCounts & { faulty: readonly StoredMessage[] };

/** @param more `trouble`: why the last wake-up failed; `shared`: set for a rolling batch. */
export function summaryOf(
  ticket: BatchTicket,
  progress: BatchProgress,
  tally: Tally,
  { trouble = null, shared = null }: { trouble?: string | null; shared?: SharedSummary | null } = {},
): BatchSummary {
  const own = uploadSummary(ticket, progress, tally, trouble);
  if (shared === null) return own;
  return {
    ...own,
    fileName: null,
    bytes: shared.bytes,
    contentBytes: null,
    files: null,
    messages: shared.messages,
    uploadedBy: null,
    sha256: null,
    bytesRead: shared.bytesRead,
    problems: shared.faulty.flatMap(({ problems }) => problems),
    notes: [...sharedNotes(own, shared), ...stateNotes(progress, trouble)],
  };
}

function sharedNotes({ receivedAt, dryRun }: BatchSummary, { unreadable, faulty }: SharedSummary): string[] {
  const first = faulty.filter(({ state }) => state === 'unreadable').map(({ message }) => message);
  const shown = first.length < unreadable ? `${first.join(', ')} …` : first.join(', ');
  return [
    ...(dryRun
      ? []
      : [`Messages of ${receivedAt.slice(0, 10)} (UTC) share this batch; each has an address of its own.`]),
    ...(unreadable === 0
      ? []
      : [`${unreadable} of its messages could not be read (${shown}); the others are not affected.`]),
  ];
}

const stateNotes = (progress: BatchProgress, trouble: string | null): string[] => [
  ...(isWithdrawn(progress) ? [CANCELLED_NOTE] : []),
  ...(progress.awaited === undefined ? [] : [awaitedNote(progress.awaited)]),
  ...(trouble === null
    ? []
    : [`The batch cannot go on for now (${trouble}). It is tried again by itself; nothing is lost.`]),
];

function uploadSummary(
  ticket: BatchTicket,
  progress: BatchProgress,
  tally: Tally,
  trouble: string | null,
): BatchSummary {
  return {
    batchId: ticket.batchId,
    state: progress.state,
    environment: ticket.environment,
    partner: ticket.partner,
    mapping: ticket.mapping,
    mappingSha256: ticket.mappingSha256,
    format: ticket.format ?? null,
    scac: ticket.scac,
    fileName: ticket.fileName,
    bytes: ticket.bytes,
    contentBytes: progress.content?.bytes ?? null,
    files: filesOf(progress, total(tally.records)),
    messages: null,
    sha256: ticket.sha256,
    dryRun: ticket.dryRun,
    forced: ticket.forced ?? false,
    sentAgainFrom: ticket.again?.batchId ?? null,
    corrected: ticket.again?.corrected ?? false,
    receivedAt: iso(ticket.receivedAtMs),
    uploadedBy: ticket.uploadedBy ?? null,
    settledAt: isoOrNull(progress.settledAtMs),
    bytesDeletedAt: isoOrNull(progress.bytesDeletedAtMs ?? null),
    cancelledAt: isWithdrawn(progress) ? isoOrNull(progress.cancelledAtMs ?? null) : null,
    bytesRead: progress.readingFinished ? (progress.content?.bytes ?? ticket.bytes) : bytesReadOf(progress),
    rows: total(tally.records),
    rowStates: tally.records,
    resolved: total(tally.resolved ?? {}),
    resolvedStates: tally.resolved ?? {},
    requests: total(tally.requests),
    requestStates: tally.requests,
    problems: progress.problems,
    awaits: shownAwaited(progress.awaited),
    envelopes: ticket.envelopes === undefined ? null : policyOf(ticket.envelopes),
    notes: [
      ...contentNotes(progress),
      ...(progress.checkpoint === null ? [] : readingNotes(progress.checkpoint)),
      ...stateNotes(progress, trouble),
    ],
  };
}

const CANCELLED_NOTE =
  'Cancelled on request: what had not been sent was withdrawn. What was being sent, or had no clear answer, took its course. A retry sends what was withdrawn after all.';

/** The rows of a file end where those of the next begin; the last one begun has those known so far. */
function filesOf({ content }: BatchProgress, rows: number): FileSummary[] | null {
  if (content?.files === undefined) return null;
  const { files } = content;
  return files.map(({ name, bytes, state, recordsBefore }, index) => {
    const end = files[index + 1]?.recordsBefore ?? rows;
    return { name, bytes, state, rows: recordsBefore === null || state === 'unreadable' ? 0 : end - recordsBefore };
  });
}

function bytesReadOf({ content, checkpoint }: BatchProgress): number {
  const done = content?.files?.filter(({ state }) => state === 'read' || state === 'unreadable') ?? [];
  return done.reduce((sum, { bytes }) => sum + bytes, checkpoint?.byte ?? 0);
}

function contentNotes({ content, state }: BatchProgress): string[] {
  const files = content?.files ?? [];
  const unreadable = files.filter((file) => file.state === 'unreadable').map(({ name }) => name);
  const told = files.flatMap(({ name, notes = [] }) => notes.map((note) => `${name}: ${note}`));
  if (unreadable.length === 0 || state === 'unreadable') return [...(content?.notes ?? []), ...told];
  return [
    ...(content?.notes ?? []),
    `${unreadable.length} of the ${files.length} files of the archive could not be read (${unreadable.join(', ')}); the others are not affected. Correct what could not be read and send it without the others, so that nothing is sent twice.`,
    ...told,
  ];
}

/** The outcome of an earlier generation of a request. */
interface EarlierOutcome extends Omit<EarlierRow, 'record' | 'request' | 'decided_at_ms'> {
  decidedAt: string | null;
}

interface RowRequestFacts {
  request: number;
  /** From 1; each retry adds one. The fields next to it are of this generation. */
  generation: number;
  /** Oldest first. */
  earlier: EarlierOutcome[];
  /** `load:<loadNumber>` or `order:<orderRef>` */
  subject: string;
  scac: string;
  state: RequestState;
  reason: StateReason | null;
  outcome: 'not_applied' | 'unknown' | null;
  /** What shows that it was delivered; null otherwise. */
  evidence: Evidence | null;
  attempts: number;
  status: number | null;
  answer: string | null;
  possibleDuplicate: boolean;
  late: boolean;
  /** The request it travels in (coalesced) or repeats (duplicate), and the state of that one. */
  into: RequestLocation | null;
  intoState: RequestState | null;
  nextAt: string | null;
  decidedAt: string | null;
  /** Of an order's update: its changes to the order; null before they are known. */
  diff: ShownDifference[] | null;
  /** The receiving system's word for an order's operation; null if it said nothing. */
  action: string | null;
  /** Its anomalies against the other events of its load, with what to do. */
  warnings: AnomalyMessages[];
}

/** `body` as it was mapped; of an update, the change. */
export type RowRequest = {
  [Kind in RequestKind]: RowRequestFacts & { kind: Kind; body: RequestBodies[Kind] };
}[RequestKind];

export interface BatchRow {
  record: number;
  position: Position;
  state: RecordState;
  errors: Problem[];
  /** Number of the row that carries the requests of its group; null: its requests are its own. */
  group: number | null;
  /** `batch/record` of the row of an earlier batch that it replaces, as its file says. */
  replaces: string | null;
  /** The row of a later batch delivered in its place; null: none. */
  replacedBy: (RowLocation & { link: string }) | null;
  /** Its lookups of vehicles and locations, and when they were answered. */
  lookedUp: ShownLookup[];
  requests: RowRequest[];
}

/** @param more `file`: the file of an archive that has the record; `earlier`: generations of its requests. */
export const rowOf = (
  record: StoredRecord,
  requests: readonly StoredBatchRequest[],
  { file, earlier = [] }: { file?: string | undefined; earlier?: readonly EarlierRow[] } = {},
): BatchRow => ({
  record: record.record,
  position: {
    record: record.record,
    line: record.line,
    byteFrom: record.byte_from,
    byteTo: record.byte_to,
    ...(record.place === null ? {} : { place: record.place }),
    ...(file === undefined ? {} : { file }),
  },
  state: record.state,
  errors: record.problems === null ? [] : (JSON.parse(record.problems) as Problem[]),
  group: record.group_record,
  replaces: record.replaces,
  replacedBy: replacedBy(record.resolved_by),
  lookedUp: shownLookups(record.looked_up),
  requests: requests.map((row) =>
    rowRequest(
      row,
      earlier.filter(({ request }) => request === row.request),
    ),
  ),
});

function replacedBy(json: string | null): BatchRow['replacedBy'] {
  if (json === null) return null;
  const { batchId, record } = JSON.parse(json) as RowLocation;
  return { batchId, record, link: `/v1/batches/${batchId}/rows?after=${record - 1}&limit=1` };
}

const locationOf = (row: StoredBatchRequest): RequestLocation | null =>
  row.into_batch_id === null || row.into_record === null || row.into_request === null
    ? null
    : { batchId: row.into_batch_id, record: row.into_record, request: row.into_request };

const earlierOutcome = ({ decided_at_ms, record, request, ...met }: EarlierRow): EarlierOutcome => ({
  ...met,
  decidedAt: isoOrNull(decided_at_ms),
});

/** Written by the load that found them. */
const warningsIn = (json: string | null): AnomalyMessages[] =>
  json === null ? [] : (JSON.parse(json) as Anomaly[]).map(anomalyMessage);

function rowRequest(row: StoredBatchRequest, earlier: readonly EarlierRow[]): RowRequest {
  const facts: RowRequestFacts & { kind: RequestKind } = {
    request: row.request,
    generation: row.generation,
    earlier: earlier.map(earlierOutcome),
    kind: row.kind,
    subject: row.subject,
    scac: row.scac,
    state: row.state,
    reason: row.reason,
    outcome: row.outcome,
    evidence: row.evidence,
    attempts: row.attempts,
    status: row.status,
    answer: row.answer,
    possibleDuplicate: row.possible_duplicate === 1,
    late: row.late === 1,
    into: locationOf(row),
    intoState: row.into_state,
    nextAt: isoOrNull(row.next_at_ms),
    decidedAt: isoOrNull(row.decided_at_ms),
    diff: row.diff === null ? null : (JSON.parse(row.diff) as ShownDifference[]),
    action: row.action,
    warnings: warningsIn(row.surprises),
  };
  // The mapping wrote kind and body together, so they match.
  return { ...facts, body: JSON.parse(row.body) as unknown } as RowRequest;
}

/* One request in a short text, for reports and pages: its contents and time. Exhaustive over the kinds. */

/** @property what the code or number to look for; time of the event as it is sent, null if the request has none. */
interface RequestMessages {
  what: string;
  time: string | null;
}

type Body = { [Kind in RequestKind]: { kind: Kind; body: RequestBodies[Kind] } }[RequestKind];

export function requestMessage(request: Body): RequestMessages {
  switch (request.kind) {
    case 'milestone':
      return { what: request.body.eventCode, time: request.body.time.dateTime };
    case 'trace': {
      const [point] = request.body.traces;
      return { what: 'position', time: point?.time.dateTime ?? null };
    }
    case 'loadMilestoneEvent':
      return { what: request.body.milestone_type, time: request.body.event_time };
    case 'order.create':
    case 'order.update':
    case 'order.cancel':
    case 'order.upsert':
      return { what: request.body.orderRef, time: null };
  }
}

/** Name of the request it travels in or repeats; empty if it travels by itself. */
export const intoKey = ({ into }: Pick<RowRequest, 'into'>): string =>
  into === null ? '' : requestKey(into.batchId, into.record, into.request);

/**
 * @returns e.g. `Travelled with row 17 of batch b_…`; the batch is named if it is another. null if it travels by
 * itself.
 */
export function asSentence(
  { state, into, intoState }: Pick<RowRequest, 'state' | 'into' | 'intoState'>,
  batchId: string,
): string | null {
  if (into === null) return null;
  const row = `row ${into.record}${into.batchId === batchId ? '' : ` of batch ${into.batchId}`}`;
  if (state === 'duplicate') return `Same as ${row}`;
  return `${intoState !== null && isFinal(intoState) ? 'Travelled' : 'Travels'} with ${row}`;
}
