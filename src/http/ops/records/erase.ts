/** `POST …/erase`: erases what is stored of a load, of an order or of a partner; the plan says what, and what not. For administrators. */
import { Hono } from 'hono';
import { reachable } from '../../../kernel/let-go.ts';
import { batchName, loadName, orderName, type PartnerScope } from '../../../kernel/names.ts';
import { loadSubject, orderSubject } from '../../../mapping/request.ts';
import { type ErasureOf, type ErasurePlan, erase, isUnderWay, planErasure } from '../../../ops/erasure.ts';
import { ARCHIVE_PAGES_MAX } from '../../../ops/limits.ts';
import { adminOnly, type HttpBindings, type OpsContext } from '../../edge/context.ts';
import type { AppPorts } from '../../edge/ports.ts';
import { problem } from '../../edge/problem.ts';
import { orderCalled } from '../../partner/orders.ts';
import { findLoad, refusedLoad } from '../../views/load-lookup.ts';
import { forPartner } from '../feeds.ts';
import { auditFacts } from '../keys.ts';
import { opsSeats } from '../loads.ts';
import { refusedByOps } from '../refusals.ts';
import { type OpsQuery, opsRoute, readJson } from '../request.ts';
import { erasePartnerRoute } from './erase-partner.ts';
import { eraseBody, refusedErasure } from './erasure-refusals.ts';

export function opsErasureRoutes(ports: AppPorts): Hono<HttpBindings> {
  const routes = new Hono<HttpBindings>();
  routes.post('/loads/:loadNumber/erase', adminOnly, opsRoute(ports, ['partner', 'scac', 'dryRun'], eraseLoad));
  routes.post('/orders/:name/:ref/erase', adminOnly, (context) =>
    forPartner(context, ports, (scope, query) => eraseOrder(context, ports, scope, query), ['dryRun']),
  );
  routes.post('/partners/:name/erase', adminOnly, opsRoute(ports, ['dryRun'], erasePartnerRoute));
  return routes;
}

type Subject = Parameters<typeof planErasure>[0]['subject'];

async function eraseLoad(context: OpsContext, query: OpsQuery, ports: AppPorts): Promise<Response> {
  const { environment, get } = query;
  const loadNumber = context.req.param('loadNumber') ?? '';
  const seats = await opsSeats(context, ports, { environment, partner: get('partner') ?? null });
  if (!seats.ok) return seats.error;
  const scac = get('scac') ?? null;
  const found = await findLoad(context, seats.value, { loadNumber, scac });
  const [seat, ...others] = seats.value.seats;
  const named = found.ok
    ? { partner: found.value.reader.partner, scac: found.value.scac }
    : found.error.code === 'load_unknown_here' && scac !== null && seat !== undefined && others.length === 0
      ? { partner: seat.reader.partner, scac } // its own retention is over, and batches still have something of it
      : null;
  if (named === null)
    return found.ok ? refusedErasure(context, 'nothing_to_erase') : refusedLoad(context, loadNumber, found.error);
  const scope = { environment, partner: named.partner };
  const name = loadName(scope, named.scac, loadNumber);
  const of = { scope, name, subject: loadSubject(loadNumber), scac: named.scac };
  const subject = reachable(() => context.env.LOAD.getByName(name));
  return answer(context, query, ports, { of, subject, shown: loadNumber, stays: STAYS });
}

async function eraseOrder(
  context: OpsContext,
  ports: AppPorts,
  scope: PartnerScope,
  query: OpsQuery,
): Promise<Response> {
  const orderRef = context.req.param('ref') ?? '';
  const subject = orderCalled(context, scope, orderRef);
  if (subject === null) return refusedByOps(context, { code: 'order_unknown' });
  const of = { scope, name: orderName(scope, orderRef), subject: orderSubject(orderRef), scac: null };
  return answer(context, query, ports, { of, subject, shown: orderRef, stays: [...STAYS, ...STAYS_OF_ORDERS] });
}

const STAYS = [
  'The receiving system keeps what it was sent: ask its operator.',
  'Its name, and of each of its rows what became of it and when, so that counts stay right. The audit keeps who did what to it, and why.',
  'Rows that never became requests, and were not corrected since, are not found by its name. Their text goes with the file; what was wrong with them, with up to 120 characters of the value, stays until their batch ends.',
  'Dry runs are of no load and no order, and end by themselves. So do names of files, examples in mappings, and copies of the directory that somebody has made.',
] as const;

const CUT = `More than ${(ARCHIVE_PAGES_MAX * 1_000).toLocaleString('en')} files are stored of the partner, which is more than are looked through. Attempts of earlier lives of it may be archived beyond those, and go with their batches.`;

const STAYS_OF_ORDERS = [
  'What the order feed heard of it: reference, status, time and place. Answers of the receiving system to polls end by themselves.',
] as const;

interface Erased {
  of: ErasureOf;
  subject: Subject;
  shown: string;
  stays: readonly string[];
}

async function answer(
  context: OpsContext,
  { dryRun }: OpsQuery,
  { audit }: AppPorts,
  { of, subject, shown, stays }: Erased,
): Promise<Response> {
  const body = await readJson(context, eraseBody);
  if (!body.ok) return problem(context, body.error);
  const { env } = context;
  const erasurePorts = {
    subject,
    batch: (batchId: string) => reachable(() => env.BATCH.getByName(batchName(of.scope, batchId))),
    files: env.FILES,
  };
  const plan = await planErasure(erasurePorts, of);
  if (plan === null) return refusedErasure(context, 'nothing_to_erase');
  const view = { ...of.scope, name: shown, dryRun, ...planView(plan), stays: plan.isCut ? [...stays, CUT] : stays };
  if (dryRun) return context.json(view);
  const { confirm, why: cause } = body.value;
  if (isUnderWay(plan)) return refusedErasure(context, 'erasure_under_way', { plan: view });
  if (confirm === undefined) return refusedErasure(context, 'erasure_unseen', { plan: view });
  if (confirm !== plan.confirm) return refusedErasure(context, 'erasure_changed', { plan: view });
  const { keyId: who, name } = context.get('operator');
  const { requests, batches, files } = view;
  const detail = { partner: of.scope.partner, requests, batches: batches.length, files };
  const begun = auditFacts(context, { why: cause, environment: of.scope.environment, detail });
  const written = await audit(env).write(begun); // before: what breaks off has erased something already
  if (!written.ok) return refusedByOps(context, written.error);
  const erased = await erase(erasurePorts, of, plan, { who, name, why: cause });
  return erased.ok ? context.json(view) : refusedErasure(context, 'erasure_under_way', { plan: view });
}

const planView = ({ requests, batches, files, underWay, confirm }: ErasurePlan) => ({
  requests,
  batches: batches.map((batch) => ({
    batchId: batch.batchId,
    rows: batch.rows,
    requests: batch.requests,
    hasFile: batch.hasBytes,
  })),
  files: files.length,
  underWay,
  confirm,
});
