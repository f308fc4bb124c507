/**
 * The invariants, checked from outside: what the receiving system logged, what the loads stored, what the batches report.
 * Pure: three lists in, sentences out.
 */
import { createHash } from 'node:crypto';
import type { BatchRow, BatchSummary } from '../../src/batch/summary.ts';
import type { StoredRequest } from './stored.ts';

export interface SeenRequest {
  seq: number;
  receivedAtMs: number;
  body: string;
  applied: boolean;
}

export interface UploadedBatch {
  summary: BatchSummary;
  rows: BatchRow[];
  rowsUploaded: number;
}

const FINAL = new Set(['delivered', 'rejected', 'dead', 'duplicate', 'cancelled', 'invalid', 'skipped']);

/** @returns one sentence per violation; none means that everything held. */
export function violations(
  journal: readonly SeenRequest[],
  loads: StoredRequest[][],
  batches: UploadedBatch[],
): string[] {
  const stored = loads.flat();
  return [
    ...batches.flatMap(everyRowEnds),
    ...noOrphans(journal, stored),
    ...batches.flatMap((batch) => deliveredWasSeen(batch, journal)),
    ...loads.flatMap((load) => orderKept(load, journal)),
    ...repeatsAreFlagged(journal, stored),
    ...sameBytes(stored),
  ];
}

/** I3: record numbers are exactly 1…n, and each has a final state. */
function everyRowEnds({ summary, rows, rowsUploaded }: UploadedBatch): string[] {
  const found: string[] = [];
  const id = summary.batchId;
  if (summary.state !== 'settled') found.push(`batch ${id} is ${summary.state}, not settled`);
  if (rows.length !== rowsUploaded) found.push(`batch ${id} has ${rows.length} rows, ${rowsUploaded} were uploaded`);
  rows.forEach((row, index) => {
    if (row.record !== index + 1) found.push(`batch ${id}: record ${row.record} stands where ${index + 1} belongs`);
    if (!FINAL.has(row.state)) found.push(`batch ${id}: record ${row.record} ended as ${row.state}`);
    if (row.state !== 'delivered') found.push(`batch ${id}: record ${row.record} is ${row.state}, nothing refused it`);
  });
  return found;
}

/** I5: every request the upstream saw has an attempt committed before it. */
function noOrphans(journal: readonly SeenRequest[], stored: readonly StoredRequest[]): string[] {
  const seen = Map.groupBy(journal, ({ body }) => body);
  const known = new Map(stored.map((request) => [request.body, request]));
  return [...seen].flatMap(([body, entries]) => {
    const attempts = known.get(body)?.attempts ?? [];
    if (attempts.length < entries.length) return [`${entries.length} requests, ${attempts.length} intents: ${body}`];
    const late = entries.filter((entry, at) => (attempts[at]?.startedAtMs ?? Infinity) > entry.receivedAtMs);
    return late.map(({ seq }) => `journal ${seq} was received before its intent was stored: ${body}`);
  });
}

/** I8 from outside: delivered means that the receiving system applied exactly that body. */
function deliveredWasSeen({ summary, rows }: UploadedBatch, journal: readonly SeenRequest[]): string[] {
  const applied = new Set(journal.filter((entry) => entry.applied).map(({ body }) => body));
  return rows.flatMap((row) =>
    row.requests
      .filter(({ state, body }) => state === 'delivered' && !applied.has(JSON.stringify(body)))
      .map(({ request }) => `batch ${summary.batchId}: ${row.record}/${request} is delivered but was never applied`),
  );
}

/** I10: first applications of a load follow its hand-over order. */
function orderKept(load: readonly StoredRequest[], journal: readonly SeenRequest[]): string[] {
  const firstApplied = new Map<string, number>();
  for (const { body, seq, applied } of journal) if (applied && !firstApplied.has(body)) firstApplied.set(body, seq);
  const found: string[] = [];
  let before = 0;
  for (const { body, batchId, record } of load) {
    const at = firstApplied.get(body);
    if (at === undefined) continue;
    if (at < before) found.push(`batch ${batchId}: record ${record} was applied before an earlier one of its load`);
    before = Math.max(before, at);
  }
  return found;
}

/** At least once, and never silently: what was sent twice says so. */
function repeatsAreFlagged(journal: readonly SeenRequest[], stored: readonly StoredRequest[]): string[] {
  const times = new Map<string, number>();
  for (const { body } of journal) times.set(body, (times.get(body) ?? 0) + 1);
  return stored
    .filter(({ body, possibleDuplicate }) => (times.get(body) ?? 0) > 1 && !possibleDuplicate)
    .map(({ batchId, record }) => `batch ${batchId}: record ${record} was sent twice and is not flagged`);
}

/** Every attempt of a request carried the same bytes. */
function sameBytes(stored: readonly StoredRequest[]): string[] {
  return stored.flatMap(({ body, attempts, batchId, record }) => {
    const expected = createHash('sha256').update(body).digest('hex');
    const other = attempts.some(({ requestSha256 }) => requestSha256 !== expected);
    return other ? [`batch ${batchId}: record ${record} was attempted with other bytes`] : [];
  });
}
