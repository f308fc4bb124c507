/**
 * The HTTP edge: which address does what, for whom. Thin: every route reads its parameters, calls one function and answers.
 */
import { Hono } from 'hono';
import { requestId } from 'hono/request-id';
import type { MappingCatalog, PartnerDirectory } from '../intake/ports.ts';
import { log, messageOf } from '../kernel/log.ts';
import { ConfigurationError, type UpstreamSettings } from '../upstream/settings.ts';
import { batchRoutes } from './batches.ts';
import type { HttpBindings } from './bindings.ts';
import { consoleRoutes, type Pages } from './console.ts';
import { problem } from './problem.ts';

/** Ports joined in `index.ts`. */
export interface AppPorts {
  directory: (env: Env) => PartnerDirectory;
  catalog: MappingCatalog;
  settings: (env: Env) => UpstreamSettings;
  pages: Pages;
}

export function transloadApp(ports: AppPorts): Hono<HttpBindings> {
  const app = new Hono<HttpBindings>();
  app.use(requestId());
  app.use(async (context, next) => {
    await next();
    context.header('X-Content-Type-Options', 'nosniff');
    context.header('Referrer-Policy', 'no-referrer');
    if (!context.res.headers.has('Cache-Control')) context.header('Cache-Control', 'no-store');
  });
  app.get('/healthz', (context) => {
    ports.settings(context.env); // throws when the configuration is refused
    return context.json({ state: 'ok' });
  });
  app.route('/v1/batches', batchRoutes(ports));
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
        : 'Something failed here. Without a receipt nothing was accepted: sending again is safe.',
      fix: 'Try again; if it happens again, give the operator the requestId.',
    });
  });
  return app;
}
