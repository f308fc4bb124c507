/** Requests of a batch → calls of their loads and orders: one call per subject, in record order, a few at a time. */
import { pause } from '../../kernel/clock.ts';
import { DISPATCH_PARALLEL, DISPATCH_SUBJECTS_MAX } from '../../kernel/limits.ts';
import { loadName, orderName, requestKey } from '../../kernel/names.ts';
import type { DeliveryRules } from '../../mapping/document/delivery-spec.ts';
import { isOrderKind } from '../../mapping/document/targets.ts';
import { loadNumberOf, orderRefOf, orderSubject } from '../../mapping/request.ts';
import type { DispatchedRequest, LoadIdentity, OrderIdentity } from '../../tracking/request.ts';
import type { Room, SubjectPart } from '../core/pacing.ts';
import type { BatchCheckpoint } from '../core/progress.ts';
import type { StoredBatchRequest, TracedLoad } from '../core/row.ts';
import type { BatchTicket } from '../core/ticket.ts';

interface SubjectStub<Identity> {
  ensureAlarm(): Promise<number | null>;
  enqueue(identity: Identity, requests: DispatchedRequest[]): Promise<void>;
  cancel(batchId: string, doubtful?: { identity: Identity; requests: DispatchedRequest[] }): Promise<void>;
}
interface LoadStub extends SubjectStub<LoadIdentity> {
  release(batchId: string): Promise<void>;
}

/** Where subjects are found by name. */
export interface Subjects<Call extends 'enqueue' | 'cancel' | 'ensureAlarm' = 'enqueue' | 'cancel' | 'ensureAlarm'> {
  load(name: string): Pick<LoadStub, Call>;
  order(name: string): Pick<SubjectStub<OrderIdentity>, Call>;
}

/**
 * Pure. Stops when there is no room for more; `last` is the last request included, so that the checkpoint never skips
 * one.
 */
export function partsBySubject(
  requests: readonly StoredBatchRequest[],
  ticket: BatchTicket,
  rules?: DeliveryRules,
  room: Room = { subjects: DISPATCH_SUBJECTS_MAX, characters: Number.POSITIVE_INFINITY },
): { parts: Map<string, SubjectPart>; last: BatchCheckpoint | undefined } {
  const parts = new Map<string, SubjectPart>();
  let last: BatchCheckpoint | undefined;
  let characters = 0;
  for (const row of requests) {
    characters += row.body.length;
    if (last !== undefined && characters > room.characters) break;
    const [name, empty] = isOrderSubject(row.subject) ? orderPart(row, ticket) : loadPart(row, ticket);
    let part = parts.get(name);
    if (!part) {
      if (parts.size >= room.subjects) break;
      part = empty;
      parts.set(name, part);
    }
    part.requests.push(dispatched(row, ticket, rules));
    last = { record: row.record, request: row.request };
  }
  return { parts, last };
}

export const isOrderSubject = (subject: string): boolean => subject.startsWith(orderSubject(''));

function loadPart({ subject, scac }: StoredBatchRequest, ticket: BatchTicket): [string, SubjectPart] {
  const { environment, partner } = ticket;
  const loadNumber = loadNumberOf(subject);
  const identity = { environment, partner, scac, loadNumber };
  return [loadName(ticket, scac, loadNumber), { subject: 'load', identity, requests: [] }];
}

function orderPart({ subject }: StoredBatchRequest, ticket: BatchTicket): [string, SubjectPart] {
  const { environment, partner } = ticket;
  const orderRef = orderRefOf(subject);
  return [
    orderName(ticket, orderRef),
    { subject: 'order', identity: { environment, partner, orderRef }, requests: [] },
  ];
}

const dispatched = (row: StoredBatchRequest, ticket: BatchTicket, rules?: DeliveryRules): DispatchedRequest => ({
  key: requestKey(ticket.batchId, row.record, row.request, row.generation),
  batchId: ticket.batchId,
  record: row.record,
  request: row.request,
  generation: row.generation,
  mayHaveArrived: row.generation > 1 && row.possible_duplicate === 1,
  kind: row.kind,
  scac: row.scac,
  channel: ticket.channel,
  body: row.body,
  acceptedAtMs: row.retried_at_ms ?? row.accepted_at_ms ?? ticket.receivedAtMs,
  uploadedBy: row.uploaded_by ?? ticket.uploadedBy ?? null,
  live: false,
  forced: ticket.forced === true,
  rules: isOrderKind(row.kind) ? null : (rules ?? null),
});

/**
 * @param rules the mapping's delivery rules. @param wave accepts as many subjects as it has room for.
 * @returns the last request accepted, undefined when there was none. Throws when a subject could not be reached; a
 * repeat is harmless.
 */
export async function dispatch(
  requests: readonly StoredBatchRequest[],
  ticket: BatchTicket,
  subjects: Subjects<'enqueue'>,
  rules: DeliveryRules | undefined,
  wave?: { room: Room; wake(parts: ReadonlyMap<string, SubjectPart>): void },
): Promise<BatchCheckpoint | undefined> {
  const { parts, last } = partsBySubject(requests, ticket, rules, wave?.room);
  wave?.wake(parts); // first: a subject may report on it before its call returns
  await callEach([...parts], ([name, part]) =>
    part.subject === 'load'
      ? subjects.load(name).enqueue(part.identity, part.requests)
      : subjects.order(name).enqueue(part.identity, part.requests),
  );
  return last;
}

/**
 * Calls the subjects of these requests, which withdraw whatever they have of the batch.
 * @returns the last request whose subject was called, undefined when there was none. Throws like `dispatch`.
 */
export async function withdraw(
  requests: readonly StoredBatchRequest[],
  ticket: BatchTicket,
  subjects: Subjects<'cancel'>,
): Promise<BatchCheckpoint | undefined> {
  const { parts, last } = partsBySubject(requests, ticket);
  await callEach([...parts], ([name, { subject }]) => subjects[subject](name).cancel(ticket.batchId));
  return last;
}

/** The same for requests that their subject may or may not have: it reports what became of them. */
export async function withdrawDoubtful(
  requests: readonly StoredBatchRequest[],
  ticket: BatchTicket,
  subjects: Subjects<'cancel'>,
  rules: DeliveryRules | undefined,
): Promise<BatchCheckpoint | undefined> {
  const { parts, last } = partsBySubject(requests, ticket, rules);
  await callEach([...parts], ([name, part]) =>
    part.subject === 'load'
      ? subjects.load(name).cancel(ticket.batchId, part)
      : subjects.order(name).cancel(ticket.batchId, part),
  );
  return last;
}

/**
 * @returns the last load notified, undefined when there was none. Throws when one could not be reached; a repeat is
 * harmless.
 */
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

/**
 * A few calls at a time, with a timer in between: objects that share a thread serve the network only when it is idle.
 */
export async function callEach<T>(waiting: T[], call: (next: T) => Promise<void>): Promise<void> {
  const lanes = Array.from({ length: Math.min(DISPATCH_PARALLEL, waiting.length) }, async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      await call(next);
      await pause(0);
    }
  });
  await Promise.all(lanes);
}
