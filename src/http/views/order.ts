/** One order → the API's shape, also used by the console. Pure. */

import { csvLine } from '../../batch/report/report-csv.ts';
import type { ShownDifference } from '../../delivery/orders/merge-messages.ts';
import type { RecentOrder } from '../../feed/order-book.ts';
import type { TracksRead, TracksTrouble } from '../../feed/tracks.ts';
import { isoOrNull } from '../../kernel/clock.ts';
import { ORDER_PAGE_DEFAULT, ORDER_PAGE_MAX } from '../../kernel/limits.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import type {
  OrderCursor,
  OrderOperation,
  OrderPage,
  OrderPageQuery,
  OrderVersion,
} from '../../tracking/order-page.ts';
import type { StatusRow } from '../../tracking/store/order-statuses.ts';
import { orderFeedKeyIn } from '../../upstream/contracts/order-pair.ts';
import type { StatusPlace } from '../../upstream/statuses/read-answer.ts';
import type { Answered } from '../contract/contract.ts';
import type { ProblemMessages } from '../edge/problem.ts';
import { type Parameters, pageSize, unreadable } from '../edge/query.ts';
import { below, orderAddress, type Reader, rowLinks } from '../edge/reader.ts';
import { attemptView } from '../ops/views/dead-letter.ts';
import type { ListedMadeOrder } from './made-orders.ts';

const parsed = (json: string): unknown => JSON.parse(json);
const changesIn = (diff: string | null): ShownDifference[] | null =>
  diff === null ? null : (JSON.parse(diff) as ShownDifference[]);
const placeIn = (place: string): StatusPlace => JSON.parse(place) as StatusPlace;

export type OrderView = Answered<'GET /v1/orders/{ref}'>;

/** @param isOps for operators: only they see who stated an order, and why. @param next address of the next page. */
export function orderView(
  orderRef: string,
  { accepted, counts, versions, operations, statuses, latestStatus }: OrderPage,
  { isOps, next }: { isOps: boolean; next: string | null },
) {
  const document = accepted === null ? null : parsed(accepted.document);
  return {
    orderRef,
    /** The upstream's id of the current order; null while there is none, and where nobody has named it. */
    orderId: accepted?.order_id || null,
    incarnation: accepted?.incarnation ?? versions.at(-1)?.incarnation ?? null,
    document,
    pair: accepted === null ? null : orderFeedKeyIn(document),
    /** Code of the latest valid status of the current order; null: none. */
    latestStatus: latestStatus?.code ?? null,
    latestStatusAt: isoOrNull(latestStatus?.at_ms ?? null),
    counts,
    versions: versions.map((version) => versionView(version, isOps)),
    operations: operations.map(operationView),
    statuses: statuses.map(statusView),
    /** Address of earlier operations and versions; null: there are none. */
    next,
  };
}

const versionView = (version: OrderVersion, isOps: boolean) => ({
  version: version.version,
  /** `base`: an operator stated it; otherwise the operation that was accepted. */
  kind: version.kind,
  batchId: version.batch_id,
  record: version.record,
  changes: changesIn(version.diff),
  operation: version.base === 0 ? version.seq : null,
  incarnation: version.incarnation,
  orderId: version.order_id || null,
  scac: version.scac || null,
  acceptedAt: isoOrNull(version.accepted_at_ms),
  uploadedBy: version.uploaded_by,
  stated:
    version.author === null ? null : isOps ? { by: version.author, why: version.why } : { by: 'operator', why: null },
});

const operationView = ({ request, attempts }: OrderOperation) => ({
  operation: request.seq,
  kind: request.kind,
  batchId: request.batch_id,
  record: request.record,
  request: request.request,
  generation: request.generation,
  scac: request.scac,
  state: request.state,
  reason: request.reason,
  outcome: request.outcome,
  evidence: request.evidence,
  status: request.status,
  acceptedAt: isoOrNull(request.accepted_at_ms),
  uploadedBy: request.uploaded_by,
  nextAt: isoOrNull(request.at_ms),
  decidedAt: isoOrNull(request.decided_at_ms || null),
  /** What it changes of the order; null where that is not known, or nothing. */
  changes: changesIn(request.diff),
  /** What the upstream reports of it, in its own text. */
  action: request.action,
  attempts: attempts.map(attemptView),
});

const statusView = (status: StatusRow) => ({
  seq: status.seq,
  code: status.code,
  at: isoOrNull(status.at_ms),
  level: status.level,
  place: placeIn(status.place),
  orderId: status.order_id,
  learnedAt: isoOrNull(status.learned_at_ms),
  corrects: status.corrects,
  /** Seq of the status that replaces it: this one was misread. */
  correctedBy: status.corrected_by,
});

/** For an end consumer: without the source of a status, its time of arrival or its number. */
interface TrackView {
  code: string;
  at: string | null;
  place: StatusPlace;
  orderId: string | null;
}

/**
 * @property source `upstream`: its own answer (seed 4.4, tracks), as of `asOf`; `feed`: that could not be had, and this
 * is what the order's feed has learned.
 */
export type TracksView = Answered<'GET /v1/orders/{ref}/tracks'>;

export const upstreamTracksView = (
  orderRef: string,
  { tracks, askedAtMs }: Extract<TracksRead, { outcome: 'read' }>,
): TracksView => ({
  orderRef,
  source: 'upstream',
  asOf: isoOrNull(askedAtMs),
  tracks: tracks.map(({ code, atMs, place, orderId }) => ({ code, at: isoOrNull(atMs), place, orderId })),
  trouble: null,
});

export const feedTracksView = (
  orderRef: string,
  learned: readonly StatusRow[],
  trouble: TracksTrouble,
): TracksView => ({
  orderRef,
  source: 'feed',
  asOf: isoOrNull(learned.length === 0 ? null : Math.max(...learned.map(({ learned_at_ms }) => learned_at_ms))),
  tracks: learned.map(({ code, at_ms, place, order_id }) => ({
    code,
    at: isoOrNull(at_ms),
    place: placeIn(place),
    orderId: order_id,
  })),
  trouble,
});

/** For a partner whose orders no feed follows. @property sent the state of the row that was to make it. */
export const madeOrderView = (
  reader: Reader,
  { orderRef, state, batchId, record, receivedAtMs }: ListedMadeOrder,
): ListedOrderView => ({
  orderRef,
  state: null,
  latestStatus: null,
  heardAt: null,
  sent: { state, receivedAt: isoOrNull(receivedAtMs), batchId, record },
  links: { ...orderLinks(reader, orderRef), ...rowLinks(reader, batchId, record) },
});

const orderLinks = (reader: Reader, orderRef: string) => {
  const self = orderAddress(reader, orderRef);
  return { self, tracks: below(self, 'tracks') };
};

/** @property sent for a partner whose orders no feed follows: the row that was to make it. */
export type ListedOrderView = Answered<'GET /v1/orders'>['orders'][number];

/** @property state `none`: no operation made it. @property latestStatus null: none was learned. */
export const listedOrderView = (
  reader: Reader,
  { order_ref, state, heard_at_ms, code }: RecentOrder,
): ListedOrderView => ({
  orderRef: order_ref,
  state,
  latestStatus: code,
  heardAt: isoOrNull(heard_at_ms),
  sent: null,
  links: orderLinks(reader, order_ref),
});

/* The statuses of one order as CSV: a line each, in the order in which they happened. */

const PLACE = ['city', 'state', 'postalCode', 'country'] as const;

const placeCells = (place: OrderView['statuses'][number]['place']): string[] => PLACE.map((name) => place[name] ?? '');

const STATUS_COLUMNS = [
  'orderRef',
  'orderId',
  'seq',
  'code',
  'at',
  'level',
  ...PLACE,
  'learnedAt',
  'corrects',
  'correctedBy',
];

export const orderCsv = ({ orderRef, statuses }: Pick<OrderView, 'orderRef' | 'statuses'>): string =>
  [
    csvLine(STATUS_COLUMNS),
    ...statuses.map(({ seq, orderId, code, at, level, place, learnedAt, corrects, correctedBy }) =>
      csvLine([
        ...[orderRef, orderId ?? '', String(seq), code, at ?? '', level, ...placeCells(place)],
        ...[learnedAt ?? '', ...[corrects, correctedBy].map((other) => (other === null ? '' : String(other)))],
      ]),
    ),
  ].join('');

export const tracksCsv = (orderRef: string, tracks: readonly TrackView[]): string =>
  [
    csvLine(['orderRef', 'code', 'at', ...PLACE, 'orderId']),
    ...tracks.map(({ code, at, place, orderId }) =>
      csvLine([orderRef, code, at ?? '', ...placeCells(place), orderId ?? '']),
    ),
  ].join('');

/* Parameters of an address → which page of an order. */

export const ORDER_PARAMETERS = ['limit', 'cursor'] as const;

export function readOrderQuery({ limit, cursor }: Parameters): Result<OrderPageQuery, ProblemMessages> {
  const before = cursor === undefined ? null : readCheckpoint(cursor);
  if (before !== undefined) return ok({ before, limit: pageSize(limit, ORDER_PAGE_DEFAULT, ORDER_PAGE_MAX) });
  return err(unreadable('cursor', cursor ?? '', 'what "next" of the page before says'));
}

/** The parameters of the next page. @returns null where there is none. */
export const nextPage = (next: OrderCursor | null, { limit }: OrderPageQuery): Record<string, string> | null =>
  next === null ? null : { cursor: `${next.seq}~${next.base}`, limit: String(limit) };

function readCheckpoint(text: string): OrderCursor | undefined {
  const [, seq, base] = /^(\d{1,15})~(\d{1,15})$/.exec(text) ?? [];
  return seq === undefined || base === undefined ? undefined : { seq: Number(seq), base: Number(base) };
}
