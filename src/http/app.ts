/**
 * The HTTP edge: which address does what, for whom. Thin: every route reads its parameters, calls one function and answers.
 */
import { type Context, Hono } from 'hono';
import { requestId } from 'hono/request-id';
import { PLATFORM_RETRY_SECONDS } from '../kernel/limits.ts';
import { log, messageOf } from '../kernel/log.ts';
import { isTransient } from '../kernel/transient.ts';
import { ConfigurationError } from '../upstream/settings.ts';
import { batchRoutes } from './batches.ts';
import type { HttpBindings } from './bindings.ts';
import { consoleRoutes } from './console.ts';
import { fleetRoutes } from './fleet.ts';
import { loadRoutes } from './loads.ts';
import { mappingRoutes } from './mappings.ts';
import { messageRoutes } from './messages.ts';
import { opsAlertRoutes } from './ops-alerts.ts';
import { opsAnswerMappingRoutes } from './ops-answer-mappings.ts';
import { opsBatchRoutes } from './ops-batches.ts';
import { opsChannelRoutes, opsHealthRoutes } from './ops-channels.ts';
import { opsCodeListRoutes } from './ops-code-lists.ts';
import { opsFeedRoutes } from './ops-feeds.ts';
import { opsLetterRoutes } from './ops-letters.ts';
import { opsMappingRoutes } from './ops-mappings.ts';
import { opsOrderRoutes } from './ops-orders.ts';
import { opsPartnerRoutes } from './ops-partners.ts';
import { opsActionRoutes, opsReplayRoutes } from './ops-replays.ts';
import { opsWebhookRoutes } from './ops-webhooks.ts';
import { orderEventFiles, orderEventRoutes } from './order-events.ts';
import { orderRoutes } from './orders.ts';
import type { AppPorts } from './ports.ts';
import { problem } from './problem.ts';
import { opsSignIn } from './sign-in.ts';

/** On every answer that does not say otherwise. Pages set a policy of their own. */
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
  const app = new Hono<HttpBindings>({ strict: false }); // an address with a slash at the end is the same address
  app.use(requestId());
  app.use(async (context, next) => {
    await next();
    for (const [name, value] of Object.entries(SAFE_HEADERS)) {
      if (!context.res.headers.has(name)) context.header(name, value);
    }
  });
  app.get('/healthz', (context) => {
    ports.settings(context.env); // throws when the configuration is refused
    return context.json({ state: 'ok' });
  });
  app.route('/v1/batches', batchRoutes(ports));
  app.route('/v1/messages', messageRoutes(ports));
  app.route('/v1/loads', loadRoutes(ports));
  app.route('/v1/mappings', mappingRoutes(ports));
  app.route('/v1/orders', orderRoutes(ports));
  app.route('/v1/order-events', orderEventRoutes(ports));
  app.route('/v1', orderEventFiles(ports));
  app.route('/v1', fleetRoutes(ports));
  app.use('/v1/ops/*', opsSignIn(ports.opsDirectory));
  app.route('/v1/ops/health', opsHealthRoutes(ports));
  app.route('/v1/ops/alerts', opsAlertRoutes(ports));
  app.route('/v1/ops/channels', opsChannelRoutes(ports));
  app.route('/v1/ops/mappings', opsMappingRoutes(ports));
  app.route('/v1/ops/code-lists', opsCodeListRoutes(ports));
  app.route('/v1/ops/letters', opsLetterRoutes(ports));
  app.route('/v1/ops/batches', opsBatchRoutes(ports));
  app.route('/v1/ops/partners', opsPartnerRoutes(ports));
  app.route('/v1/ops/partners', opsWebhookRoutes(ports));
  app.route('/v1/ops/feeds', opsFeedRoutes(ports));
  app.route('/v1/ops/orders', opsOrderRoutes(ports));
  app.route('/v1/ops/answer-mappings', opsAnswerMappingRoutes(ports));
  app.route('/v1/ops/replays', opsReplayRoutes(ports));
  app.route('/v1/ops/actions', opsActionRoutes());
  app.route('/console', consoleRoutes(ports));
  app.notFound((context) =>
    problem(context, {
      status: 404,
      code: 'not_found',
      title: 'Not found',
      detail: `There is nothing at ${context.req.method} ${context.req.path}.`,
    }),
  );
  app.onError((thrown, context) => {
    if (isTransient(thrown)) return platformUnavailable(thrown, context);
    const refused = thrown instanceof ConfigurationError;
    log('error', refused ? 'configuration_refused' : 'request_failed', {
      requestId: context.get('requestId'),
      detail: messageOf(thrown),
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

/** Nothing is wrong with the request, and nothing with this program: whoever sends it again soon is served. */
function platformUnavailable(thrown: unknown, context: Context): Response {
  log('warn', 'platform_unavailable', { requestId: context.get('requestId'), detail: messageOf(thrown) });
  context.header('Retry-After', String(PLATFORM_RETRY_SECONDS));
  return problem(context, {
    status: 503,
    code: 'platform_unavailable',
    title: 'Unavailable for a moment',
    detail: 'A part of the bridge did not answer just now. Nothing was lost: whatever was taken before is kept.',
    fix: `Send the same request again in ${PLATFORM_RETRY_SECONDS} s, with the same Idempotency-Key if it has one: a repeat is safe, and the same file is recognised.`,
  });
}
