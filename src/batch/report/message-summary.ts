/** The API's view of a message of a rolling batch: as if it were a batch of its own. */

import type { RecordSource } from '../../formats/reader.ts';
import type { EnvelopePolicy } from '../../formats/segments/parts.ts';
import { iso, isoOrNull } from '../../kernel/clock.ts';
import type { Problem } from '../../kernel/problem.ts';
import { fileOfRecord } from '../core/contents.ts';
import type { BatchProgress, Contents, StoredMessage } from '../core/progress.ts';
import type { Tally } from '../core/row.ts';
import { hasOpen, total } from '../core/tally.ts';
import type { BatchState } from '../core/ticket.ts';
import { policyOf } from '../envelopes/validate.ts';
import type { ActionPort } from '../object/ports.ts';
import { contentsOf, messageName, nameWithin } from '../steps/messages.ts';

/** @property after and `last`: its rows are those of the batch after the one and up to the other. */
export interface MessageSummary {
  batchId: string;
  message: number;
  /** Its bytes are stored under this id. */
  uploadId: string;
  state: BatchState;
  mapping: string;
  mappingSha256: string;
  format: RecordSource['format'] | null;
  fileName: string | null;
  bytes: number;
  sha256: string;
  dryRun: boolean;
  receivedAt: string;
  /** Id of the key it came with; null: unknown. */
  uploadedBy: string | null;
  /** When the retention of its bytes ended, with those of its batch. */
  bytesDeletedAt: string | null;
  after: number;
  last: number;
  rows: number;
  rowStates: Tally['records'];
  /** Of its rows, those corrected: another was delivered in their place. */
  resolved: number;
  requests: number;
  requestStates: Tally['requests'];
  problems: Problem[];
  notes: string[];
  envelopes: EnvelopePolicy | null;
  content: Contents | null;
}

export function messageSummaryOf(
  { created: born, store, messages }: Pick<ActionPort, 'created' | 'store' | 'messages'>,
  message: number,
): MessageSummary | undefined {
  const part = messages.message(message);
  if (part === undefined) return undefined;
  const { ticket, progress } = born();
  const after = part.recordsBefore ?? 0;
  const last = part.recordsBefore === null ? 0 : after + (part.records ?? store.lastRecord() - after);
  const tally = store.tallyWithin(after, last);
  return {
    batchId: ticket.batchId,
    message,
    uploadId: part.uploadId,
    state: stateOf(part, tally),
    mapping: ticket.mapping,
    mappingSha256: ticket.mappingSha256,
    format: ticket.format ?? null,
    fileName: part.fileName,
    bytes: part.bytes,
    sha256: part.sha256,
    dryRun: ticket.dryRun,
    receivedAt: iso(part.receivedAtMs),
    uploadedBy: part.uploadedBy ?? null,
    bytesDeletedAt: isoOrNull(progress.bytesDeletedAtMs ?? null),
    after,
    last,
    rows: total(tally.records),
    rowStates: tally.records,
    resolved: total(tally.resolved ?? {}),
    requests: total(tally.requests),
    requestStates: tally.requests,
    problems: part.problems,
    notes: part.notes,
    envelopes: ticket.envelopes === undefined ? null : policyOf(ticket.envelopes),
    content: contentsOf(part, progress),
  };
}

function stateOf({ state }: StoredMessage, tally: Tally): BatchState {
  if (state === 'unreadable') return 'unreadable';
  if (state !== 'read') return 'reading';
  return hasOpen(tally) ? 'delivering' : 'settled';
}

/** @returns for each record the name of its file or message; undefined when there is only one. */
export function fileNames(
  { store, messages }: Pick<ActionPort, 'store' | 'messages'>,
  records: readonly { record: number }[],
): (record: number) => string | undefined {
  const progress = store.progress();
  const [first, last] = [records.at(0)?.record, records.at(-1)?.record];
  if (progress?.message === undefined || first === undefined || last === undefined)
    return (record) => fileOfRecord(progress?.content, record);
  const holding = messages.holding(first, last);
  let at = 0; // records come in order
  return (record) => {
    while ((holding[at + 1]?.recordsBefore ?? Number.POSITIVE_INFINITY) < record) at += 1;
    const part = holding[at];
    return part && nameOf(part, progress, record);
  };
}

function nameOf(part: StoredMessage, progress: BatchProgress, record: number): string {
  const contents = contentsOf(part, progress);
  if (contents?.files === undefined) return messageName(part.message);
  return nameWithin(part.message, fileOfRecord(contents, record - (part.recordsBefore ?? 0)));
}
