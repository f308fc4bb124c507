/** One order → the API's shape, which the console shows, too. Pure. */
import type { ShownDifference } from '../delivery/merge/shown.ts';
import type { OrderShown } from '../tracking/order-shown.ts';
import type { StatusRow } from '../tracking/order-statuses.ts';
import type { OrderVersion } from '../tracking/order-store.ts';
import type { TimelineEntry } from '../tracking/subject-tables.ts';
import { orderPairIn } from '../upstream/contracts/order-pair.ts';
import type { StatusPlace } from '../upstream/statuses/read-answer.ts';
import { attemptView } from './letter-views.ts';

const iso = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());
const parsed = (json: string): unknown => JSON.parse(json);
const changesIn = (diff: string | null): ShownDifference[] | null =>
  diff === null ? null : (JSON.parse(diff) as ShownDifference[]);
const placeIn = (place: string): StatusPlace => JSON.parse(place) as StatusPlace;

export type OrderView = ReturnType<typeof orderView>;

/** @param isOps for those who operate the bridge: who stated an order, and why, is theirs. */
export function orderView(
  orderRef: string,
  { accepted, versions, operations, statuses, latestStatus }: OrderShown,
  { isOps }: { isOps: boolean },
) {
  const document = accepted === null ? null : parsed(accepted.document);
  return {
    orderRef,
    /** The upstream's, of the order as it stands; null while there is none, and where nobody has named it. */
    orderId: accepted?.order_id || null,
    incarnation: accepted?.incarnation ?? versions.at(-1)?.incarnation ?? null,
    document,
    pair: accepted === null ? null : orderPairIn(document),
    /** Code of the latest one that stands, of the order that does; null: there is none. */
    latestStatus: latestStatus?.code ?? null,
    latestStatusAt: iso(latestStatus?.at_ms ?? null),
    versions: versions.map((version, index) => versionView(version, index, isOps)),
    operations: operations.map(operationView),
    statuses: statuses.map(statusView),
  };
}

const versionView = (version: OrderVersion, index: number, isOps: boolean) => ({
  version: index + 1,
  /** `base`: an operator stated it; else the operation that was accepted. */
  kind: version.kind,
  batchId: version.batch_id,
  record: version.record,
  changes: changesIn(version.diff),
  operation: version.base === 0 ? version.seq : null,
  incarnation: version.incarnation,
  orderId: version.order_id || null,
  scac: version.scac || null,
  acceptedAt: iso(version.accepted_at_ms),
  uploadedBy: version.uploaded_by,
  stated:
    version.author === null ? null : isOps ? { by: version.author, why: version.why } : { by: 'operator', why: null },
});

const operationView = ({ request, attempts }: TimelineEntry) => ({
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
  acceptedAt: iso(request.accepted_at_ms),
  uploadedBy: request.uploaded_by,
  nextAt: iso(request.at_ms),
  decidedAt: iso(request.decided_at_ms || null),
  /** What it changes of the order; null where that is not known, or nothing is. */
  changes: changesIn(request.diff),
  /** What the upstream says of it, in its words. */
  action: request.action,
  attempts: attempts.map(attemptView),
});

const statusView = ({
  seq,
  code,
  at_ms,
  level,
  place,
  order_id,
  learned_at_ms,
  corrects,
  corrected_by,
}: StatusRow) => ({
  seq,
  code,
  at: iso(at_ms),
  level,
  place: placeIn(place),
  orderId: order_id,
  learnedAt: iso(learned_at_ms),
  corrects,
  /** The seq of one that stands in its place: this one was read wrongly. */
  correctedBy: corrected_by,
});

export type TrackView = ReturnType<typeof trackView>;

/** For display to an end consumer: nothing of who told it, when, and under which number. */
export const trackView = ({ code, at_ms, place, order_id }: StatusRow) => ({
  code,
  at: iso(at_ms),
  place: placeIn(place),
  orderId: order_id,
});
