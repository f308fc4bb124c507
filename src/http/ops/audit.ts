/**
 * The audit of what operators did: each request under `/v1/ops` that changed something becomes an entry, in one place
 * for all routes; and `GET /v1/ops/audit`, which lists them.
 */
import { Hono, type MiddlewareHandler } from 'hono';
import { log } from '../../kernel/log.ts';
import { ok, type Result } from '../../kernel/result.ts';
import type { Audit, AuditCursor, AuditQuery } from '../../ops/directory/audit.ts';
import { AUDIT_PAGE } from '../../ops/directory/limits.ts';
import type { HttpBindings, OpsContext } from '../edge/context.ts';
import type { AppPorts } from '../edge/ports.ts';
import { type ProblemMessages, problem } from '../edge/problem.ts';
import { pageSize, readTime, unreadable } from '../edge/query.ts';
import { withParameters } from '../edge/reader.ts';
import { refusedByOps } from './refusals.ts';
import { type OpsQuery, opsRoute } from './request.ts';

/**
 * Every route that changes something: the name of the action, and what it is about, with parameters of the address.
 * null: it changes nothing, whatever its method. A test holds it against the routers; a route that is missing here is
 * recorded under its address.
 */
export const AUDITED: Readonly<Record<string, readonly [action: string, about: string] | null>> = {
  'POST /v1/ops/channels/:name/release': ['channel.release', 'channel/:name'],
  'POST /v1/ops/channels/:name/test': ['channel.test', 'channel/:name'],
  'POST /v1/ops/mappings/preview': null,
  'POST /v1/ops/mappings/compare': null,
  'POST /v1/ops/batches/:id/rerun': null,
  'POST /v1/ops/mappings/example': null,
  'POST /v1/ops/mappings/suggest': null,
  'POST /v1/ops/mapping-proposals/:id/publish': ['mapping.publish_proposal', 'mapping-proposal/:id'],
  'POST /v1/ops/mapping-proposals/:id/decline': ['mapping.decline_proposal', 'mapping-proposal/:id'],
  'PUT /v1/ops/mappings/:name': ['mapping.publish', 'mapping/:name'],
  'POST /v1/ops/mappings/:name/rollback': ['mapping.rollback', 'mapping/:name'],
  'PUT /v1/ops/mappings/:name/owners': ['mapping.owners', 'mapping/:name'],
  'PUT /v1/ops/code-lists/:name': ['code_list.publish', 'code-list/:name'],
  'PATCH /v1/ops/code-lists/:name': ['code_list.edit', 'code-list/:name'],
  'POST /v1/ops/code-lists/:name/rollback': ['code_list.rollback', 'code-list/:name'],
  'POST /v1/ops/letters/:batch/:record/:request/decisions': ['request.decide', 'batch/:batch'],
  'POST /v1/ops/letters/decisions': ['request.decide_many', 'holds'],
  'POST /v1/ops/batches/reindex': ['batches.reindex', 'batches'],
  'POST /v1/ops/batches/:id/retry': ['batch.retry', 'batch/:id'],
  'POST /v1/ops/batches/:id/cancel': ['batch.cancel', 'batch/:id'],
  'POST /v1/ops/issues/:id/acknowledge': ['issue.acknowledge', 'issue/:id'],
  'POST /v1/ops/issues/:id/mute': ['issue.mute', 'issue/:id'],
  'POST /v1/ops/issues/:id/reopen': ['issue.reopen', 'issue/:id'],
  'POST /v1/ops/issues/:id/resubmit': ['issue.resubmit', 'issue/:id'],
  'POST /v1/ops/people': ['person.invite', 'people'],
  'PATCH /v1/ops/people/:id': ['person.change', 'person/:id'],
  'DELETE /v1/ops/people/:id': ['person.remove', 'person/:id'],
  'POST /v1/ops/people/:id/link': ['person.link', 'person/:id'],
  'POST /v1/ops/partners': ['partner.create', 'partners'],
  'PATCH /v1/ops/partners/:name': ['partner.change', 'partner/:name'],
  'POST /v1/ops/partners/:name/keys': ['key.make', 'partner/:name'],
  'POST /v1/ops/partners/:name/keys/:keyId/rotate': ['key.rotate', 'partner/:name'],
  'POST /v1/ops/partners/:name/keys/:keyId/revoke': ['key.revoke', 'partner/:name'],
  'POST /v1/ops/partners/:name/upload-links': ['upload_link.make', 'partner/:name'],
  'POST /v1/ops/partners/:name/upload-links/:link/revoke': ['upload_link.revoke', 'partner/:name'],
  'POST /v1/ops/operator-keys': ['operator_key.make', 'operator-keys'],
  'POST /v1/ops/operator-keys/:keyId/rotate': ['operator_key.rotate', 'operator-keys'],
  'POST /v1/ops/operator-keys/:keyId/revoke': ['operator_key.revoke', 'operator-keys'],
  'PUT /v1/ops/partners/:name/envelopes': ['envelopes.set', 'partner/:name'],
  'PUT /v1/ops/partners/:name/feed': ['feed.set', 'partner/:name'],
  'PUT /v1/ops/partners/:name/webhooks/:target': ['webhook.set', 'partner/:name'],
  'PUT /v1/ops/alert-webhook': ['alert_webhook.set', 'alert-webhook'],
  'DELETE /v1/ops/alert-webhook': ['alert_webhook.delete', 'alert-webhook'],
  'POST /v1/ops/alert-webhook/rotate': ['alert_webhook.rotate', 'alert-webhook'],
  'POST /v1/ops/alert-webhook/test': ['alert_webhook.test', 'alert-webhook'],
  'DELETE /v1/ops/partners/:name/webhooks/:target': ['webhook.delete', 'partner/:name'],
  'POST /v1/ops/partners/:name/webhooks/:target/rotate': ['webhook.rotate', 'partner/:name'],
  'POST /v1/ops/partners/:name/webhooks/:target/deliveries/:event/send-again': ['webhook.send_again', 'partner/:name'],
  'POST /v1/ops/feeds/:name/poll': ['feed.poll', 'partner/:name'],
  'POST /v1/ops/feeds/:name/repair': ['feed.repair', 'partner/:name'],
  'POST /v1/ops/feeds/:name/skip': ['feed.skip', 'partner/:name'],
  'POST /v1/ops/feeds/:name/polls/:poll/reread': ['feed.reread', 'partner/:name'],
  'PUT /v1/ops/orders/:name/:ref/base': ['order.base', 'partner/:name'],
  'POST /v1/ops/loads/:loadNumber/erase': ['load.erase', 'load/:loadNumber'],
  'POST /v1/ops/orders/:name/:ref/erase': ['order.erase', 'order/:ref'],
  'POST /v1/ops/partners/:name/erase': ['partner.erase', 'partner/:name'],
  'PUT /v1/ops/answer-mappings/order-status': ['answer_mapping.set', 'answer-mapping/order-status'],
  'POST /v1/ops/replays': ['replay.begin', 'replays'],
  'POST /v1/ops/actions/:id/cancel': ['replay.cancel', 'action/:id'],
};

/** Stands before all routes of operators, after sign-in. */
export function recorded(audit: (env: Env) => Audit): MiddlewareHandler<HttpBindings> {
  return async (context, next) => {
    context.set('noted', {});
    await next();
    const { req, res } = context;
    const notes = context.get('noted') ?? {};
    const isOnlyShown = req.query('dryRun') === 'true' || res.headers.get('Idempotency-Replayed') === 'true';
    if (!res.ok || isOnlyShown || notes.isWritten) return;
    const named = actionOf(req.method, req.path);
    if (named === null) return;
    const { keyId, name: actor } = context.get('operator');
    const { environment = null, why = '', about = named.about, detail = {} } = notes;
    const entry = { environment, actor, why, about, action: named.action, atMs: Date.now() };
    const written = await audit(context.env).write({ ...entry, detail: { by: keyId, ...named.rest, ...detail } });
    // It is done and has its own history: that the list lacks it is for the log, not for the caller.
    if (!written.ok) log('error', 'audit_not_written', { detail: `${entry.action} ${about} by ${keyId}` });
  };
}

interface NamedAction {
  action: string;
  about: string;
  /** Parameters of the address that `about` does not have. */
  rest: Record<string, string>;
}

/** @returns null: it changes nothing. */
export function actionOf(method: string, path: string): NamedAction | null {
  if (method === 'GET' || method === 'HEAD') return null;
  for (const [route, named] of Object.entries(AUDITED)) {
    const [of, pattern = ''] = route.split(' ');
    const found = of === method ? parametersOf(pattern, path) : null;
    if (found === null) continue;
    if (named === null) return null;
    const [action, template] = named;
    const about = template.replace(/:(\w+)/g, (_, name: string) => found[name] ?? '');
    const rest = Object.entries(found).filter(([name]) => !template.includes(`:${name}`));
    return { action, about, rest: Object.fromEntries(rest) };
  }
  return { action: `${method} ${path}`, about: path, rest: {} };
}

function parametersOf(pattern: string, path: string): Record<string, string> | null {
  const [wanted, given] = [pattern.split('/'), path.replace(/\/$/, '').split('/')];
  if (wanted.length !== given.length) return null;
  const found: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const text = decoded(given[index] ?? '');
    if (part.startsWith(':')) found[part.slice(1)] = text;
    else if (part !== text) return null;
  }
  return found;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/* `GET /v1/ops/audit` */

const AUDIT_PARAMETERS = ['actor', 'action', 'about', 'from', 'to', 'limit', 'cursor'];

export function opsAuditRoutes(ports: AppPorts): Hono<HttpBindings> {
  const routes = new Hono<HttpBindings>();
  routes.get('/', opsRoute(ports, AUDIT_PARAMETERS, list));
  return routes;
}

async function list(context: OpsContext, query: OpsQuery, ports: AppPorts): Promise<Response> {
  const asked = readAuditQuery(query);
  if (!asked.ok) return problem(context, asked.error);
  const found = await ports.audit(context.env).list(asked.value);
  if (!found.ok) return refusedByOps(context, found.error);
  const { environment } = query;
  const last = found.value.length === asked.value.limit ? found.value.at(-1) : undefined;
  const { cursor: _, ...filters } = context.req.query();
  const cursor = last && `${Date.parse(last.at)}~${last.id}`;
  return context.json({
    environment,
    entries: found.value,
    next: cursor === undefined ? null : withParameters('/v1/ops/audit', { ...filters, environment, cursor }),
  });
}

function readAuditQuery({ environment, get }: OpsQuery): Result<AuditQuery, ProblemMessages> {
  const times = { from: get('from'), to: get('to') };
  const from = readTime(times, 'from');
  if (!from.ok) return from;
  const to = readTime(times, 'to');
  if (!to.ok) return to;
  const cursor = get('cursor');
  const before = cursor === undefined ? null : cursorIn(cursor);
  if (before === undefined) {
    return { ok: false, error: unreadable('cursor', cursor ?? '', 'what "next" of the page before says') };
  }
  return ok({
    environment,
    ...{ actor: get('actor') || null, action: get('action') || null, about: get('about') || null },
    ...{ fromMs: from.value, toMs: to.value, before },
    limit: pageSize(get('limit'), AUDIT_PAGE.usual, AUDIT_PAGE.most),
  });
}

/** `1772460000000~17` */
function cursorIn(text: string): AuditCursor | undefined {
  const [, atMs, id] = /^(\d{1,16})~(\d{1,15})$/.exec(text) ?? [];
  return atMs === undefined || id === undefined ? undefined : { atMs: Number(atMs), id: Number(id) };
}
