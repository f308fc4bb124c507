/** `/v1/orders`: one order of the caller's, and what an end consumer may see of it. */
import { type Context, Hono } from 'hono';
import { STATUS_TEXT_CHARACTERS_MAX } from '../feed/limits.ts';
import { orderName } from '../kernel/names.ts';
import type { OrderShown } from '../tracking/order-shown.ts';
import type { StatusRow } from '../tracking/order-statuses.ts';
import type { TimelineEntry } from '../tracking/subject-tables.ts';
import { orderPairIn } from '../upstream/contracts/order-pair.ts';
import type { HttpBindings } from './bindings.ts';
import { attemptView } from './letter-views.ts';
import type { AppPorts } from './ports.ts';
import { problem } from './problem.ts';
import { signIn } from './sign-in.ts';

export function orderRoutes(ports: AppPorts): Hono<HttpBindings> {
  const routes = new Hono<HttpBindings>();
  routes.use(signIn(ports.directory));
  routes.get('/:ref', async (context) => {
    const found = await orderOf(context)?.shown();
    return found ? context.json(orderView(refIn(context), found)) : unknownOrder(context);
  });
  routes.get('/:ref/tracks', async (context) => {
    const found = await orderOf(context)?.statuses('milestone');
    if (!found) return unknownOrder(context);
    return context.json({ orderRef: refIn(context), tracks: found.map(trackView) });
  });
  return routes;
}

const refIn = (context: Context<HttpBindings>): string => context.req.param('ref') ?? '';

/** The caller's own by name: another partner's has another. @returns null where no order can be called that. */
function orderOf(context: Context<HttpBindings>) {
  const orderRef = refIn(context);
  if (orderRef === '' || orderRef.length > STATUS_TEXT_CHARACTERS_MAX || !orderRef.isWellFormed()) return null;
  return context.env.ORDER.getByName(orderName(context.get('principal'), orderRef));
}

const unknownOrder = (context: Context<HttpBindings>): Response =>
  problem(context, {
    status: 404,
    code: 'order_unknown',
    title: 'Unknown order',
    detail: 'There is no such order among yours in the environment of this key, or it is kept no more.',
    fix: 'Check the reference; the rows of a batch name the orders they became.',
  });

const iso = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

function orderView(orderRef: string, { accepted, versions, operations, statuses }: OrderShown) {
  return {
    orderRef,
    /** The upstream's, of the order as it stands; null while there is none, and where nobody has named it. */
    orderId: accepted?.order_id || null,
    incarnation: accepted?.incarnation ?? versions.at(-1)?.incarnation ?? null,
    document: accepted === null ? null : (JSON.parse(accepted.document) as unknown),
    pair: accepted === null ? null : orderPairIn(JSON.parse(accepted.document)),
    latestStatus: statuses.at(-1)?.code ?? null,
    versions: versions.map(
      ({ seq, incarnation, order_id, scac, accepted_at_ms, kind, batch_id, record, diff }, index) => ({
        version: index + 1,
        kind,
        batchId: batch_id,
        record,
        changes: diff === null ? null : (JSON.parse(diff) as unknown),
        operation: seq,
        incarnation,
        orderId: order_id || null,
        scac,
        acceptedAt: iso(accepted_at_ms),
      }),
    ),
    operations: operations.map(operationView),
    statuses: statuses.map(statusView),
  };
}

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
  place: JSON.parse(place) as unknown,
  orderId: order_id,
  learnedAt: iso(learned_at_ms),
  corrects,
});

/** For display to an end consumer: nothing of who told it, when, and under which number. */
const trackView = ({ code, at_ms, place }: StatusRow) => ({
  code,
  at: iso(at_ms),
  place: JSON.parse(place) as unknown,
});
