/** One order → the API's shape, which the console shows, too. Pure. */
import type { OrderShown } from '../tracking/order-shown.ts';
import type { StatusRow } from '../tracking/order-statuses.ts';
import type { OrderVersion } from '../tracking/order-store.ts';
import type { TimelineEntry } from '../tracking/subject-tables.ts';
import { orderPairIn } from '../upstream/contracts/order-pair.ts';
import { attemptView } from './letter-views.ts';

const iso = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());
const parsed = (json: string): unknown => JSON.parse(json);

export type OrderView = ReturnType<typeof orderView>;

export function orderView(orderRef: string, { accepted, versions, operations, statuses }: OrderShown) {
  const document = accepted === null ? null : parsed(accepted.document);
  return {
    orderRef,
    /** The upstream's, of the order as it stands; null while there is none, and where nobody has named it. */
    orderId: accepted?.order_id || null,
    incarnation: accepted?.incarnation ?? versions.at(-1)?.incarnation ?? null,
    document,
    pair: accepted === null ? null : orderPairIn(document),
    latestStatus: statuses.at(-1)?.code ?? null,
    versions: versions.map(versionView),
    operations: operations.map(operationView),
    statuses: statuses.map(statusView),
  };
}

const versionView = (version: OrderVersion, index: number) => ({
  version: index + 1,
  /** `base`: an operator stated it; else the operation that was accepted. */
  kind: version.kind,
  batchId: version.batch_id,
  record: version.record,
  changes: version.diff === null ? null : parsed(version.diff),
  operation: version.base === 0 ? version.seq : null,
  incarnation: version.incarnation,
  orderId: version.order_id || null,
  scac: version.scac || null,
  acceptedAt: iso(version.accepted_at_ms),
  stated: version.author === null ? null : { by: version.author, why: version.why },
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
  nextAt: iso(request.at_ms),
  decidedAt: iso(request.decided_at_ms || null),
  attempts: attempts.map(attemptView),
});

const statusView = ({ seq, code, at_ms, level, place, order_id, learned_at_ms, corrects }: StatusRow) => ({
  seq,
  code,
  at: iso(at_ms),
  level,
  place: parsed(place),
  orderId: order_id,
  learnedAt: iso(learned_at_ms),
  corrects,
});

/** For display to an end consumer: nothing of who told it, when, and under which number. */
export const trackView = ({ code, at_ms, place }: StatusRow) => ({
  code,
  at: iso(at_ms),
  place: parsed(place),
});
