/** Requests of a batch → calls of their loads: one call per load, in record order, a few at a time. */
import { HAND_OVER_PARALLEL, HAND_OVER_SUBJECTS_MAX } from '../kernel/limits.ts';
import { loadName, requestKey } from '../kernel/names.ts';
import { loadNumberOf } from '../mapping/request.ts';
import type { HandedRequest, LoadIdentity } from '../tracking/subject-tables.ts';
import type { StoredBatchRequest, TracedLoad } from './batch-store.ts';
import type { BatchTicket } from './ticket.ts';

export interface LoadPart {
  identity: LoadIdentity;
  requests: HandedRequest[];
}

interface LoadStub {
  enqueue(identity: LoadIdentity, requests: HandedRequest[]): Promise<void>;
  release(batchId: string): Promise<void>;
}

/** Pure. Cuts off at HAND_OVER_SUBJECTS_MAX loads; `last` is the last request included, so that the mark never skips one. */
export function partsByLoad(
  requests: readonly StoredBatchRequest[],
  ticket: BatchTicket,
): { parts: Map<string, LoadPart>; last: { record: number; request: number } | undefined } {
  const parts = new Map<string, LoadPart>();
  let last: { record: number; request: number } | undefined;
  for (const row of requests) {
    const loadNumber = loadNumberOf(row.subject);
    const name = loadName(ticket, row.scac, loadNumber);
    let part = parts.get(name);
    if (!part) {
      if (parts.size >= HAND_OVER_SUBJECTS_MAX) break;
      const { environment, partner } = ticket;
      part = { identity: { environment, partner, scac: row.scac, loadNumber }, requests: [] };
      parts.set(name, part);
    }
    part.requests.push(handed(row, ticket));
    last = { record: row.record, request: row.request };
  }
  return { parts, last };
}

const handed = (row: StoredBatchRequest, ticket: BatchTicket): HandedRequest => ({
  key: requestKey(ticket.batchId, row.record, row.request),
  batchId: ticket.batchId,
  record: row.record,
  request: row.request,
  kind: row.kind,
  scac: row.scac,
  channel: ticket.channel,
  body: row.body,
  acceptedAtMs: ticket.receivedAtMs,
  live: false,
});

/** @returns the last request taken over, undefined when there was none. Throws when a load could not be reached; a repeat is harmless. */
export async function handOver(
  requests: readonly StoredBatchRequest[],
  ticket: BatchTicket,
  load: (name: string) => Pick<LoadStub, 'enqueue'>,
): Promise<{ record: number; request: number } | undefined> {
  const { parts, last } = partsByLoad(requests, ticket);
  await callEach([...parts], ([name, part]) => load(name).enqueue(part.identity, part.requests));
  return last;
}

/** @returns the last load told, undefined when there was none. Throws when one could not be reached; a repeat is harmless. */
export async function releaseTraces(
  loads: readonly TracedLoad[],
  ticket: BatchTicket,
  load: (name: string) => Pick<LoadStub, 'release'>,
): Promise<TracedLoad | undefined> {
  await callEach([...loads], ({ scac, subject }) =>
    load(loadName(ticket, scac, loadNumberOf(subject))).release(ticket.batchId),
  );
  return loads.at(-1);
}

/** A few calls at a time. */
async function callEach<T>(waiting: T[], call: (next: T) => Promise<void>): Promise<void> {
  const lanes = Array.from({ length: Math.min(HAND_OVER_PARALLEL, waiting.length) }, async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) await call(next);
  });
  await Promise.all(lanes);
}
