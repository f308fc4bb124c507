/** A load's page → the API's shape, also used by the console. Pure. */

import { csvLine } from '../../batch/report/report-csv.ts';
import { anomalyMessage, REASON_MESSAGES } from '../../delivery/messages.ts';
import { isoOrNull as iso } from '../../kernel/clock.ts';
import { LOAD_PAGE_DEFAULT, LOAD_PAGE_MAX } from '../../kernel/limits.ts';
import { requestKey } from '../../kernel/names.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import {
  LOAD_ORDERS,
  type LoadAttempt,
  type LoadCounts,
  type LoadCursor,
  type LoadEvent,
  type LoadOrder,
  type LoadPage,
  type LoadPageQuery,
} from '../../tracking/load-page.ts';
import type { Answered } from '../contract/contract.ts';
import type { ProblemMessages } from '../edge/problem.ts';
import { onlyKnown, type Parameters, pageSize, unreadable } from '../edge/query.ts';
import { loadAddress, loadPagePath, type Reader, rowLinks } from '../edge/reader.ts';

/* Parameters of an address → which load, in which order and form. Nothing is guessed. */

const LOAD_PARAMETERS = ['scac', 'order', 'limit', 'cursor'] as const;

export function readLoadQuery(
  parameters: Parameters,
): Result<LoadPageQuery & { scac: string | null }, ProblemMessages> {
  const known = onlyKnown(parameters, LOAD_PARAMETERS);
  if (!known.ok) return known;
  const { scac = null, order = 'event', cursor } = parameters;
  if (!isOrder(order)) return err(unreadable('order', order, `one of ${LOAD_ORDERS.join(', ')}`));
  const after = cursor === undefined ? null : readCheckpoint(cursor, order);
  if (after === undefined) {
    return err(unreadable('cursor', cursor ?? '', 'what "next" of the page before says, in the same order'));
  }
  return ok({ scac, order, after, limit: pageSize(parameters.limit, LOAD_PAGE_DEFAULT, LOAD_PAGE_MAX) });
}

const isOrder = (text: string): text is LoadOrder => LOAD_ORDERS.some((order) => order === text);

/** `event~1772460000000~17`: a checkpoint is valid in its own order only. */
export const writeCheckpoint = (order: LoadOrder, { atMs, seq }: LoadCursor): string => `${order}~${atMs}~${seq}`;

function readCheckpoint(text: string, order: LoadOrder): LoadCursor | undefined {
  const [, of, atMs, seq] = /^(event|sent)~(-?\d{1,16})~(\d{1,16})$/.exec(text) ?? [];
  const mark = { atMs: Number(atMs), seq: Number(seq) };
  return of === order && Number.isSafeInteger(mark.atMs) && Number.isSafeInteger(mark.seq) ? mark : undefined;
}

export type LoadEventView = Answered<'GET /v1/loads/{loadNumber}'>['events'][number];
export type LoadView = Answered<'GET /v1/loads/{loadNumber}'>;

export type LoadCountsView = NonNullable<Answered<'GET /v1/loads/{loadNumber}'>['counts']>;

export function loadView(
  reader: Reader,
  { identity, counts, events, next }: LoadPage,
  { order, limit }: { order: LoadOrder; limit: number },
) {
  const { loadNumber, scac, environment } = identity;
  const at = (more: Record<string, string>, ending = ''): string => loadAddress(reader, identity, more, ending);
  return {
    loadNumber,
    scac,
    environment,
    order,
    /** Of the whole load; null on any page but the first. */
    counts: counts && countsView(counts),
    notes: counts === null ? [] : notesOf(counts),
    events: events.map((event) => eventView(reader, event)),
    next: next === null ? null : at({ order, limit: String(limit), cursor: writeCheckpoint(order, next) }),
    links: {
      self: at({ order }),
      csv: at({ order }, '.csv'),
      console: loadPagePath(reader, identity),
      otherOrder: at({ order: order === 'event' ? 'sent' : 'event' }),
    },
  };
}

const countsView = ({ firstEventMs, lastEventMs, ...counts }: LoadCounts) => ({
  ...counts,
  firstEventAt: iso(firstEventMs),
  lastEventAt: iso(lastEventMs),
});

const notesOf = ({ waitingForLoad }: LoadCounts): string[] =>
  waitingForLoad === 0
    ? []
    : [
        `The receiving system does not know this load yet: ${waitingForLoad === 1 ? 'one event waits' : `${waitingForLoad} events wait`} for it, and what stands behind on the load waits, too. Each is tried again by itself until the time that its mapping sets.`,
      ];

export const rowLocation = (reader: Reader, batchId: string, record: number, request: number) => ({
  ...{ batchId, record, request },
  links: rowLinks(reader, batchId, record),
});

export function eventView(reader: Reader, event: LoadEvent) {
  const { outcome: told, batchId } = event;
  const { into } = told;
  return {
    kind: event.kind,
    what: event.what,
    time: event.time,
    stop: event.stop,
    place: event.place,
    position: event.position,
    state: told.state,
    reason: told.reason,
    outcome: told.outcome,
    evidence: told.evidence,
    status: told.status,
    answer: told.answer,
    attempts: told.attempts,
    /** The newest of them, oldest first. */
    tries: event.tries.map(tryView),
    late: told.late,
    possibleDuplicate: told.possibleDuplicate,
    warnings: event.surprises.map(anomalyMessage),
    from: { ...rowLocation(reader, batchId, told.record, told.request), generation: told.generation },
    /** The request it travels in (coalesced) or repeats (duplicate), and the state of that one. */
    into: into && { ...rowLocation(reader, into.batchId, into.record, into.request), state: told.intoState },
    receivedAt: iso(event.acceptedAtMs),
    sentAt: iso(event.sentAtMs),
    nextAt: iso(told.nextAtMs),
    /** It is retried until then because the receiving system does not know its load. */
    waitsForLoadUntil: iso(event.waitsForLoadUntilMs),
    decidedAt: iso(told.decidedAtMs || null),
    deadline: iso(event.deadlineMs),
    /** As mapped. */
    body: JSON.parse(event.body) as unknown,
  };
}

const tryView = (attempt: LoadAttempt) => ({
  attempt: attempt.attempt,
  startedAt: iso(attempt.started_at_ms),
  effect: attempt.effect,
  status: attempt.status,
  /** Its head, or why there is none. */
  answer: attempt.answer ?? attempt.detail ?? '',
  latencyMs: attempt.latency_ms,
});

/*
 * A load's events as CSV, one line each; cells that a spreadsheet would run as formulas are neutralised as in reports.
 */

const CELLS: Record<string, (event: LoadEventView) => string | number | null> = {
  event_time: ({ time }) => time,
  kind: ({ kind }) => kind,
  code: ({ what }) => what,
  stop: ({ stop }) => stop,
  place: ({ place }) => place,
  latitude: ({ position }) => position?.latitude ?? null,
  longitude: ({ position }) => position?.longitude ?? null,
  state: ({ state }) => state,
  reason: ({ reason }) => reason,
  problem: ({ reason }) => (reason === null ? '' : REASON_MESSAGES[reason]),
  status: ({ status }) => status,
  attempts: ({ attempts }) => attempts,
  answer: ({ answer }) => answer,
  late: ({ late }) => (late ? 'yes' : ''),
  possible_duplicate: ({ possibleDuplicate }) => (possibleDuplicate ? 'yes' : ''),
  warning: ({ warnings }) => [...new Set(warnings.map(({ code }) => code))].join(' | '),
  warning_words: ({ warnings }) => warnings.map(({ message, fix }) => `${message} ${fix}`).join(' | '),
  batch: ({ from }) => from.batchId,
  record: ({ from }) => from.record,
  request: ({ from }) => from.request,
  generation: ({ from }) => from.generation,
  into: ({ into }) => (into === null ? '' : requestKey(into.batchId, into.record, into.request)),
  into_state: ({ into }) => into?.state ?? null,
  received_at: ({ receivedAt }) => receivedAt,
  sent_at: ({ sentAt }) => sentAt,
  decided_at: ({ decidedAt }) => decidedAt,
  next_at: ({ nextAt }) => nextAt,
  waits_for_load_until: ({ waitsForLoadUntil }) => waitsForLoadUntil,
};

export const LOAD_COLUMNS: readonly string[] = Object.keys(CELLS);

export const loadHeader = (): string => csvLine(LOAD_COLUMNS);

export const loadLine = (event: LoadEventView): string =>
  csvLine(Object.values(CELLS).map((cell) => String(cell(event) ?? '')));
