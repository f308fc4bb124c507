/**
 * Requests of a batch → calls of their loads and orders: one call per subject, in record order, a few at a time. What a
 * file brings goes by visits (`visits.ts`); here is what is sent again, withdrawn and released.
 */
import { pause } from '../../kernel/clock.ts';
import { DISPATCH_PARALLEL, DISPATCH_SUBJECTS_MAX } from '../../kernel/limits.ts';
import { loadName, orderName, requestKey } from '../../kernel/names.ts';
import type { DeliveryRules } from '../../mapping/document/delivery-spec.ts';
import { isOrderKind } from '../../mapping/document/targets.ts';
import { loadNumberOf, orderRefOf, orderSubject } from '../../mapping/request.ts';
import type { DispatchedRequest, LoadIdentity, OrderIdentity, Parcel, VisitReport } from '../../tracking/request.ts';
import { isOnLoopback, type UpstreamVariables, upstreamOf } from '../../upstream/settings.ts';
import type { LookAhead, SubjectPart } from '../core/look-ahead.ts';
import type { BatchCheckpoint, BatchProgress } from '../core/progress.ts';
import type { StoredBatchRequest, TracedLoad } from '../core/row.ts';
import type { BatchTicket } from '../core/ticket.ts';
import { NEW_SUBJECTS_PER_SECOND, NEW_SUBJECTS_PER_SECOND_LOCAL } from '../limits.ts';

interface SubjectStub<Identity> {
  ensureAlarm(): Promise<number | null>;
  enqueue(identity: Identity, requests: DispatchedRequest[]): Promise<void>;
  visit(parcel: Parcel<Identity>): Promise<VisitReport>;
  settled(receipt: string): Promise<void>;
  cancel(
    batchId: string,
    doubtful: { identity: Identity; requests: DispatchedRequest[] } | undefined,
    cancelledAtMs: number | undefined,
  ): Promise<void>;
}
interface LoadStub extends SubjectStub<LoadIdentity> {
  release(batchId: string): Promise<void>;
}

/** Where subjects are found by name. */
export interface Subjects<Call extends keyof SubjectStub<unknown> = keyof SubjectStub<unknown>> {
  load(name: string): Pick<LoadStub, Call>;
  order(name: string): Pick<SubjectStub<OrderIdentity>, Call>;
}

/**
 * Many more where one machine runs it all: no platform counts them. Never throws: a batch can be read, and wakes up again,
 * also where the settings are wrong and nothing is sent.
 */
export function newSubjectsPerSecond(variables: UpstreamVariables): number {
  try {
    return isOnLoopback(upstreamOf(variables)) ? NEW_SUBJECTS_PER_SECOND_LOCAL : NEW_SUBJECTS_PER_SECOND;
  } catch {
    return NEW_SUBJECTS_PER_SECOND;
  }
}

/** Pure. Stops after DISPATCH_SUBJECTS_MAX; `last` is the last request included, so that the checkpoint never skips one. */
export function partsBySubject(
  requests: readonly StoredBatchRequest[],
  ticket: BatchTicket,
  rules?: DeliveryRules,
): { parts: Map<string, SubjectPart>; last: BatchCheckpoint | undefined } {
  const parts = new Map<string, SubjectPart>();
  let last: BatchCheckpoint | undefined;
  for (const row of requests) {
    const [name, empty] = emptyPart(row, ticket);
    let part = parts.get(name);
    if (!part) {
      if (parts.size >= DISPATCH_SUBJECTS_MAX) break;
      part = empty;
      parts.set(name, part);
    }
    part.requests.push(dispatched(row, ticket, rules));
    last = { record: row.record, request: row.request };
  }
  return { parts, last };
}

/** Whose a request is, by name, with nothing for it yet. Loads and orders never share a name. */
const emptyPart = (row: StoredBatchRequest, ticket: BatchTicket): [string, SubjectPart] =>
  isOrderSubject(row.subject) ? orderPart(row, ticket) : loadPart(row, ticket);

/** What a request of a batch is to the look-ahead. */
export function addAhead(
  ahead: LookAhead,
  row: StoredBatchRequest,
  ticket: BatchTicket,
  rules: DeliveryRules | undefined,
): void {
  const [name, empty] = emptyPart(row, ticket);
  ahead.add(name, empty, dispatched(row, ticket, rules));
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
 * What a person has sent again: enqueued at their subjects, which report by themselves.
 * @param rules the mapping's delivery rules.
 * @returns the last request accepted, undefined when there was none. Throws when a subject could not be reached; a
 * repeat is harmless.
 */
export async function dispatch(
  requests: readonly StoredBatchRequest[],
  ticket: BatchTicket,
  subjects: Subjects<'enqueue'>,
  rules: DeliveryRules | undefined,
): Promise<BatchCheckpoint | undefined> {
  const { parts, last } = partsBySubject(requests, ticket, rules);
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
  { cancelledAtMs }: Pick<BatchProgress, 'cancelledAtMs'>,
): Promise<BatchCheckpoint | undefined> {
  const { parts, last } = partsBySubject(requests, ticket);
  await callEach([...parts], ([name, { subject }]) =>
    subjects[subject](name).cancel(ticket.batchId, undefined, cancelledAtMs),
  );
  return last;
}

/** The same for requests that their subject may or may not have: it reports what became of them. */
export async function withdrawDoubtful(
  requests: readonly StoredBatchRequest[],
  ticket: BatchTicket,
  subjects: Subjects<'cancel'>,
  { rules, cancelledAtMs }: Pick<BatchProgress, 'rules' | 'cancelledAtMs'>,
): Promise<BatchCheckpoint | undefined> {
  const { parts, last } = partsBySubject(requests, ticket, rules);
  await callEach([...parts], ([name, part]) =>
    part.subject === 'load'
      ? subjects.load(name).cancel(ticket.batchId, part, cancelledAtMs)
      : subjects.order(name).cancel(ticket.batchId, part, cancelledAtMs),
  );
  return last;
}

/**
 * Notifies loads that no more positions of the batch come, unless their visit did. @returns the last of them, undefined when there was none. Throws when one could not be reached; a repeat is
 * harmless.
 */
export async function releaseTraces(
  loads: readonly TracedLoad[],
  ticket: BatchTicket,
  { isReleased, load }: { isReleased(name: string): boolean; load(name: string): Pick<LoadStub, 'release'> },
): Promise<TracedLoad | undefined> {
  const names = loads.map(({ scac, subject }) => loadName(ticket, scac, loadNumberOf(subject)));
  await callEach(
    names.filter((name) => !isReleased(name)),
    (name) => load(name).release(ticket.batchId),
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
