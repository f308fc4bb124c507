/**
 * `…/record`: all that is stored of a load, of an order or of a partner, as lines of JSON that are made while they are
 * sent. Whoever takes so much out stands in the audit first. The last line counts the others: without it the file was cut.
 */
import { Hono } from 'hono';
import { iso } from '../../../kernel/clock.ts';
import type { PartnerScope } from '../../../kernel/names.ts';
import type { RecordPage } from '../../../tracking/record-page.ts';
import { type HttpBindings, type OpsContext, operatorOnly } from '../../edge/context.ts';
import type { AppPorts } from '../../edge/ports.ts';
import { orderCalled } from '../../partner/orders.ts';
import { fileHeaders, streamOf } from '../../views/downloads.ts';
import { findLoad, refusedLoad } from '../../views/load-lookup.ts';
import { nameIn } from '../changes.ts';
import { forPartner } from '../feeds.ts';
import { auditFacts } from '../keys.ts';
import { opsSeats } from '../loads.ts';
import { refusedByOps } from '../refusals.ts';
import { type OpsQuery, opsRoute } from '../request.ts';
import { partnerLines } from './partner-lines.ts';

const NDJSON = 'application/x-ndjson';

export function opsRecordRoutes(ports: AppPorts): Hono<HttpBindings> {
  const routes = new Hono<HttpBindings>();
  routes.get('/loads/:loadNumber/record', operatorOnly, opsRoute(ports, ['partner', 'scac', 'note'], loadRecord));
  routes.get('/orders/:name/:ref/record', operatorOnly, (context) =>
    forPartner(context, ports, (scope, query) => orderRecord(context, ports, scope, query), ['note']),
  );
  routes.get('/partners/:name/record', operatorOnly, opsRoute(ports, ['note'], partnerRecord));
  return routes;
}

async function loadRecord(
  context: OpsContext,
  { environment, get, note }: OpsQuery,
  ports: AppPorts,
): Promise<Response> {
  const loadNumber = context.req.param('loadNumber') ?? '';
  const seats = await opsSeats(context, ports, { environment, partner: get('partner') ?? null });
  if (!seats.ok) return seats.error;
  const found = await findLoad(context, seats.value, { loadNumber, scac: get('scac') ?? null });
  if (!found.ok) return refusedLoad(context, loadNumber, found.error);
  const { reader, scac, stub } = found.value;
  const of = { environment, partner: reader.partner, scac, loadNumber };
  return send(context, ports, { of, what: 'load', about: `load/${loadNumber}`, note }, subjectLines(stub));
}

async function orderRecord(
  context: OpsContext,
  ports: AppPorts,
  scope: PartnerScope,
  { note }: OpsQuery,
): Promise<Response> {
  const orderRef = context.req.param('ref') ?? '';
  const stub = orderCalled(context, scope, orderRef);
  if (stub === null || !(await stub.isKnown())) return refusedByOps(context, { code: 'order_unknown' });
  const of = { ...scope, orderRef };
  return send(context, ports, { of, what: 'order', about: `order/${orderRef}`, note }, subjectLines(stub));
}

async function partnerRecord(context: OpsContext, { environment, note }: OpsQuery, ports: AppPorts): Promise<Response> {
  const found = await ports.administered(context.env).read(environment, nameIn(context));
  if (!found.ok) return refusedByOps(context, found.error);
  const of = { environment, partner: found.value.partner };
  const lines = partnerLines(ports, context.env, found.value, environment);
  return send(context, ports, { of, what: 'partner', about: `partner/${of.partner}`, note }, lines);
}

interface Exported {
  of: PartnerScope & Record<string, string>;
  what: 'load' | 'order' | 'partner';
  about: string;
  note: string;
}

async function send(
  context: OpsContext,
  ports: AppPorts,
  { of, what, about, note }: Exported,
  lines: AsyncGenerator<string>,
): Promise<Response> {
  const { environment, ...rest } = of;
  const begun = await lines.next(); // before the headers: an object that cannot tell is answered by a refusal
  const facts = auditFacts(context, { why: note, environment, about, detail: rest });
  const written = await ports.audit(context.env).write({ ...facts, action: `${what}.export` });
  if (!written.ok) return refusedByOps(context, written.error);
  const first = JSON.stringify({ record: what, ...of, at: iso(facts.atMs) });
  return context.body(streamOf(counted(first, begun, lines)), 200, fileHeaders(NDJSON, `${what}.ndjson`));
}

async function* counted(
  first: string,
  begun: IteratorResult<string>,
  lines: AsyncGenerator<string>,
): AsyncGenerator<string> {
  yield `${first}\n`;
  let count = 1;
  for (let { done, value } = begun; done !== true; { done, value } = await lines.next()) {
    yield `${value}\n`;
    count += 1;
  }
  yield `${JSON.stringify({ end: { lines: count } })}\n`;
}

async function* subjectLines(stub: { record(from: number): Promise<RecordPage | null> }): AsyncGenerator<string> {
  for (let from: number | null = 0; from !== null; ) {
    const page: RecordPage | null = await stub.record(from);
    yield* page?.lines ?? [];
    const next: number | null = page?.next ?? null;
    from = next;
  }
}
