/**
 * The HTTP edge: which address does what, for whom. Thin: every route reads its parameters, calls one function and
 * answers.
 */
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { UNAVAILABLE_RETRY_SECONDS } from '../kernel/limits.ts';
import { log, messageOf, stackOf } from '../kernel/log.ts';
import { isStoredNewer, STORED_DATA_NEWER } from '../kernel/migrate.ts';
import { inJurisdiction } from '../kernel/namespaces.ts';
import { isOfOtherRelease, isTransient } from '../kernel/result.ts';
import { ConfigurationError } from '../upstream/settings.ts';
import { openApi } from './contract/openapi.ts';
import { nearestProblem, plainProblemType, problemType, problemTypes } from './contract/problem-types.ts';
import { type HttpBindings, isMadeHere, opsSignIn } from './edge/context.ts';
import { cors } from './edge/cors.ts';
import { manners, methodsAt, nothingThere, showMethods } from './edge/manners.ts';
import type { AppPorts } from './edge/ports.ts';
import { type ProblemPage, problem } from './edge/problem.ts';
import { opsActionRoutes } from './ops/actions.ts';
import { opsAuditRoutes, recorded } from './ops/audit.ts';
import { opsBatchRoutes } from './ops/batches.ts';
import { opsChannelRoutes } from './ops/channels.ts';
import { opsDeadLetterRoutes } from './ops/dead-letters.ts';
import { opsFeedRoutes } from './ops/feeds.ts';
import { opsAlertRoutes, opsHealthRoutes } from './ops/health.ts';
import { opsInterchangeRoutes } from './ops/interchanges.ts';
import { opsIssueRoutes } from './ops/issues.ts';
import { opsLoadRoutes } from './ops/loads.ts';
import { opsMappingProposalRoutes } from './ops/mapping-proposals.ts';
import { opsCodeListRoutes, opsMappingRoutes } from './ops/mappings.ts';
import { opsMetricsRoutes } from './ops/metrics.ts';
import { opsOperatorKeyRoutes } from './ops/operator-keys.ts';
import { opsOrderRoutes } from './ops/orders.ts';
import { opsAdministeredRoutes } from './ops/partners.ts';
import { opsPeopleRoutes } from './ops/people.ts';
import { opsErasureRoutes } from './ops/records/erase.ts';
import { opsRecordRoutes } from './ops/records/export.ts';
import { opsReplayRoutes } from './ops/replays.ts';
import { opsRowRoutes } from './ops/rows.ts';
import { opsAnswerMappingRoutes, opsPartnerRoutes } from './ops/settings.ts';
import { opsUploadLinkRoutes } from './ops/upload-links.ts';
import { opsAlertWebhookRoutes, opsAllWebhooksRoutes, opsWebhookRoutes } from './ops/webhooks.ts';
import { PAGE_POLICY, page } from './pages/policy.ts';
import { batchRoutes } from './partner/batches.ts';
import { fleetRoutes } from './partner/fleet.ts';
import { interchangeRoutes } from './partner/interchanges.ts';
import { keyRoutes } from './partner/keys.ts';
import { loadRoutes } from './partner/loads.ts';
import { mappingProposalRoutes } from './partner/mapping-proposals.ts';
import { mappingRoutes } from './partner/mappings.ts';
import { messageRoutes } from './partner/messages.ts';
import { orderEventFiles, orderEventRoutes } from './partner/order-events.ts';
import { orderRoutes } from './partner/orders.ts';
import { rowRoutes } from './partner/rows.ts';
import { webhookRoutes } from './partner/webhooks.ts';

/** On every answer that sets nothing else. Pages set a policy of their own. */
const SAFE_HEADERS = {
  'Strict-Transport-Security': 'max-age=31536000; includeSubDomains',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-store',
} as const;

export function transloadApp(ports: AppPorts): Hono<HttpBindings> {
  const app = new Hono<HttpBindings>({ strict: false }); // a trailing slash makes no other address
  app.use(async (context, next) => {
    context.env = inJurisdiction(context.env);
    await next();
  });
  app.use(numbered);
  app.use(async (context, next) => {
    await next();
    for (const [name, value] of Object.entries(SAFE_HEADERS)) {
      if (!context.res.headers.has(name)) context.header(name, value);
    }
    const isForLater = context.res.status === 503 || context.res.status === 429;
    if (isForLater && !context.res.headers.has('Retry-After'))
      context.header('Retry-After', String(UNAVAILABLE_RETRY_SECONDS));
  });
  app.use(async (context, next) => {
    if (isForPerson(context)) context.set('problemPage', pageOf(ports.pages));
    await next();
  });
  app.use('/v1/*', cors(ports.administered, methodsAt), manners);
  app.use(showMethods);
  app.get('/openapi.json', (context) => context.json(openApi()));
  app.get('/docs', (context) => docs(context, ports.pages, null));
  app.get('/docs/:subject', (context) => docs(context, ports.pages, context.req.param('subject')));
  app.get('/problems', (context) => problemTypesPage(context, ports.pages));
  app.get('/problems/:code', (context) => problemTypePage(context, ports.pages, context.req.param('code')));
  app.get('/', async (context, next) => (isForPerson(context) ? context.redirect('/console', 302) : next()));
  app.get('/healthz', (context) => {
    ports.settings(context.env); // throws when the configuration is refused
    return context.json({ state: 'ok' });
  });
  app.route('/v1/batches', batchRoutes(ports));
  app.route('/v1/rows', rowRoutes(ports));
  app.route('/v1/messages', messageRoutes(ports));
  app.route('/v1/loads', loadRoutes(ports));
  app.route('/v1/mappings', mappingRoutes(ports));
  app.route('/v1/mapping-proposals', mappingProposalRoutes(ports));
  app.route('/v1/interchanges', interchangeRoutes(ports));
  app.route('/v1/keys', keyRoutes(ports));
  app.route('/v1/webhooks', webhookRoutes(ports));
  app.route('/v1/orders', orderRoutes(ports));
  app.route('/v1/order-events', orderEventRoutes(ports));
  app.route('/v1', orderEventFiles(ports));
  app.route('/v1', fleetRoutes(ports));
  app.use('/v1/ops/*', opsSignIn(ports.opsDirectory), recorded(ports.audit));
  app.route('/v1/ops/health', opsHealthRoutes(ports));
  app.route('/v1/ops/alerts', opsAlertRoutes(ports));
  app.route('/v1/ops/audit', opsAuditRoutes(ports));
  app.route('/v1/ops/channels', opsChannelRoutes(ports));
  app.route('/v1/ops/mappings', opsMappingRoutes(ports));
  app.route('/v1/ops/mapping-proposals', opsMappingProposalRoutes(ports));
  app.route('/v1/ops/code-lists', opsCodeListRoutes(ports));
  app.route('/v1/ops/letters', opsDeadLetterRoutes(ports));
  app.route('/v1/ops/batches', opsBatchRoutes(ports));
  app.route('/v1/ops/partners', opsAdministeredRoutes(ports));
  app.route('/v1/ops/issues', opsIssueRoutes(ports));
  app.route('/v1/ops/metrics', opsMetricsRoutes(ports));
  app.route('/v1/ops/partners', opsPartnerRoutes(ports));
  app.route('/v1/ops/partners', opsWebhookRoutes(ports));
  app.route('/v1/ops/partners', opsUploadLinkRoutes(ports));
  app.route('/v1/ops/webhooks', opsAllWebhooksRoutes(ports));
  app.route('/v1/ops/alert-webhook', opsAlertWebhookRoutes(ports));
  app.route('/v1/ops/operator-keys', opsOperatorKeyRoutes(ports));
  app.route('/v1/ops/feeds', opsFeedRoutes(ports));
  app.route('/v1/ops/interchanges', opsInterchangeRoutes(ports));
  app.route('/v1/ops/rows', opsRowRoutes(ports));
  app.route('/v1/ops/loads', opsLoadRoutes(ports));
  app.route('/v1/ops/orders', opsOrderRoutes(ports));
  app.route('/v1/ops/answer-mappings', opsAnswerMappingRoutes(ports));
  app.route('/v1/ops/people', opsPeopleRoutes(ports));
  app.route('/v1/ops/replays', opsReplayRoutes(ports));
  app.route('/v1/ops/actions', opsActionRoutes(ports));
  app.route('/v1/ops', opsRecordRoutes(ports));
  app.route('/v1/ops', opsErasureRoutes(ports));
  app.notFound(nothingThere);
  app.onError((thrown, context) => {
    if (isTransient(thrown)) return platformUnavailable(thrown, context);
    if (isStoredNewer(thrown)) return storedNewer(thrown, context);
    if (isOfOtherRelease(thrown)) return deployUnderWay(thrown, context);
    const refused = thrown instanceof ConfigurationError;
    log('error', refused ? 'configuration_refused' : 'request_failed', {
      requestId: context.get('requestId'),
      detail: messageOf(thrown),
      ...(refused ? {} : stackOf(thrown)),
    });
    return problem(context, {
      status: refused ? 503 : 500,
      code: refused ? 'configuration_refused' : 'internal',
      title: refused ? 'Configuration refused' : 'Internal error',
      detail: refused
        ? 'The bridge is not configured rightly; its log says what is wrong.'
        : 'Something failed here. You have no receipt, so send it again: a repeat is safe.',
      fix: 'Try again; if it happens again, give the operator the requestId.',
    });
  });
  return app;
}

function docs(context: Context<HttpBindings>, pages: AppPorts['pages'], subject: string | null): Response {
  const text = pages.docs(subject);
  if (text !== undefined) return page(context, text);
  return problem(context, {
    status: 404,
    code: 'not_found',
    title: 'Not found',
    detail: `The API has no subject "${subject?.slice(0, 40)}".`,
    fix: 'Choose one at /docs.',
  });
}

/** A page for people, JSON for programs. */
function problemTypesPage(context: Context<HttpBindings>, pages: AppPorts['pages']): Response {
  context.header('Vary', 'Accept');
  const problems = problemTypes();
  return isForPerson(context)
    ? page(context, pages.problemTypes(problems))
    : context.json({ problems: problems.map(plainProblemType) });
}

function problemTypePage(context: Context<HttpBindings>, pages: AppPorts['pages'], code: string): Response {
  const found = problemType(code);
  context.header('Vary', 'Accept');
  if (found !== undefined)
    return isForPerson(context) ? page(context, pages.problemType(found)) : context.json(plainProblemType(found));
  return problem(context, {
    status: 404,
    code: 'not_found',
    title: 'Not found',
    detail: `There is no problem "${code.slice(0, 40)}".`,
    fix: `/problems lists all of them. ${nearestProblem(code)}`.trim(),
  });
}

/** Ids are ours: by one that a caller chose, two requests could pass for one. */
const numbered: MiddlewareHandler<HttpBindings> = async (context, next) => {
  const page = isMadeHere(context.req.raw) ? context.req.header('X-Request-Id') : undefined;
  context.set('requestId', page ?? crypto.randomUUID());
  context.header('X-Request-Id', context.get('requestId'));
  await next();
};

/** A browser asks for a page; the API's own addresses always answer programs. */
const isForPerson = ({ req }: Context<HttpBindings>): boolean =>
  !req.path.startsWith('/v1/') && /\btext\/html\b/i.test(req.header('Accept') ?? '');

const pageOf =
  (pages: AppPorts['pages']): ProblemPage =>
  (context, words) => {
    context.header('Content-Security-Policy', PAGE_POLICY);
    const text = pages.problem({ ...words, requestId: context.get('requestId') as string });
    return context.html(text, words.status as ContentfulStatusCode) as Response;
  };

/** An older release is running on data that a newer one stored. */
function storedNewer(thrown: unknown, context: Context<HttpBindings>): Response {
  log('error', STORED_DATA_NEWER, { requestId: context.get('requestId'), detail: messageOf(thrown) });
  return problem(context, {
    status: 503,
    code: STORED_DATA_NEWER,
    title: 'Stored by a newer release',
    detail:
      'What is stored was written by a newer release of the bridge than the one that runs. Nothing was changed, and nothing was lost.',
    fix: 'The operator deploys the release that wrote it, or a later one; its log says which objects. Then send the same request again: a repeat is safe.',
  });
}

/** The object that was to answer runs a release that does not know what it was asked. */
function deployUnderWay(thrown: unknown, context: Context<HttpBindings>): Response {
  log('warn', 'deploy_under_way', { requestId: context.get('requestId'), detail: messageOf(thrown) });
  return problem(context, {
    status: 503,
    code: 'deploy_under_way',
    title: 'A deploy is under way',
    detail:
      'The part of the bridge that has the answer runs another release than the one that was asked, and cannot do this yet. Nothing was changed, and nothing was lost.',
    fix: 'Send the same request again: a repeat is safe. Where it stays so, the operator finishes the deploy, or takes it back.',
  });
}

/** Neither the request nor this program is at fault: a repeat will soon be served. */
function platformUnavailable(thrown: unknown, context: Context): Response {
  log('warn', 'platform_unavailable', { requestId: context.get('requestId'), detail: messageOf(thrown) });
  return problem(context, {
    status: 503,
    code: 'platform_unavailable',
    title: 'Unavailable for a moment',
    detail: 'A part of the bridge did not answer just now. Nothing was lost: whatever was taken before is kept.',
    fix: 'Send the same request again, with the same Idempotency-Key if it has one: a repeat is safe, and the same file is recognised.',
  });
}
