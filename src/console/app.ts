/**
 * `/console`: pages for people. A page reads and changes everything through the API, called in the same process for the
 * person who signed in.
 */
import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { ConsoleSession, HttpBindings } from '../http/edge/context.ts';
import { FORM_BYTES_MAX } from '../kernel/limits.ts';
import { PREVIEW_BYTES_MAX } from '../ops/publishing/limits.ts';
import type { Action, Values } from './actions.ts';
import { ALL_PAGES } from './all-pages.ts';
import type { ApiProblem, AppFetch } from './api.ts';
import { CONSOLE_JS } from './client/console-script.ts';
import { fixJs } from './client/fix-script.ts';
import { OPEN_JS } from './client/open-script.ts';
import { PASSKEY_JS } from './client/passkey-script.ts';
import { uploadJs } from './client/upload-script.ts';
import { WORKBENCH_JS, WORKBENCH_JS_PATH } from './client/workbench-bundle.ts';
import { FIX_PAUSE_MS } from './limits.ts';
import { pageOf } from './open-page.tsx';
import type { Page } from './page.ts';
import { actionAgain, actionForm, ownPath, takeAction } from './pages/action.tsx';
import { CONSOLE_CSS } from './parts/stylesheet.ts';
import { addMe } from './session/me.tsx';
import { addOpenLink } from './session/open-link.tsx';
import { type SignInPorts, sessionNeeded, visitorNeeded } from './session/session.ts';
import { addSignIn } from './session/sign-in.tsx';

interface ConsolePorts extends SignInPorts {
  fetchApp: AppFetch;
}

const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#1b5aa6"/><path d="M3 5h10M8 5v7" stroke="#fff" stroke-width="2"/></svg>';

const ALL_ACTIONS: readonly Action[] = ALL_PAGES.flatMap(({ actions = [] }) => actions);
const ACTIONS = new Map(ALL_ACTIONS.map((action) => [action.name, action]));

export function consoleApp(ports: ConsolePorts): Hono<HttpBindings> {
  const app = new Hono<HttpBindings>();
  addAssets(app);
  addSignIn(app, ports);
  addOpenLink(app, ports);
  addMe(app, ports, ports.fetchApp);
  const needed = sessionNeeded(ports);
  const limit = bodyLimit({ maxSize: FORM_BYTES_MAX });
  const of = (handler: (page: Page) => Promise<Response> | Response) => (context: Context<HttpBindings>) => {
    const page = pageOf(context, ports.fetchApp, context.get('session') as ConsoleSession);
    const asked = page.query('environment');
    return asked === '' || page.environments.some((name) => name === asked)
      ? handler(page)
      : page.refuse(elsewhere(page));
  };
  for (const { get, post = {}, streamed = {} } of ALL_PAGES) {
    for (const [path, handler] of Object.entries(streamed)) app.post(path, visitorNeeded(ports), of(handler));
    for (const [path, handler] of Object.entries(get)) app.get(path, needed, of(handler));
    for (const [path, handler] of Object.entries(post)) {
      app.post(
        path,
        limit,
        needed,
        of(async (page) => handler(page, await formOf(page.context))),
      );
    }
  }
  const withAction = (page: Page, then: (action: Action) => Promise<Response>): Promise<Response> | Response => {
    const action = ACTIONS.get(page.context.req.param('action') ?? '');
    return action === undefined ? (page.context.notFound() as Response) : then(action);
  };
  app.get(
    '/do/:action',
    needed,
    of((page) => withAction(page, (action) => actionForm(page, action))),
  );
  app.post(
    '/do/:action',
    limit,
    sessionNeeded(
      ports,
      of((page) => withAction(page, async (action) => actionAgain(page, action, await formOf(page.context)))),
    ),
    of((page) => withAction(page, async (action) => takeAction(page, action, await formOf(page.context)))),
  );
  return app;
}

/** What is done by a link of somebody else must not be done in another environment than the link says. */
const elsewhere = ({ isOps }: Page): ApiProblem => ({
  status: 403,
  code: 'environment_not_allowed',
  title: 'Environment not allowed',
  detail: 'You cannot see or change anything in the environment that this address names. Nothing was done.',
  fix: isOps ? 'Ask an administrator to let you into that environment.' : 'Sign in with a key of that environment.',
});

function addAssets(app: Hono<HttpBindings>): void {
  const asset = (path: string, text: string, type: string): void => {
    app.get(path, (context) =>
      context.body(text, 200, { 'Content-Type': type, 'Cache-Control': 'public, max-age=300' }),
    );
  };
  asset('/pages.css', CONSOLE_CSS, 'text/css; charset=utf-8');
  asset('/pages.js', CONSOLE_JS, 'text/javascript; charset=utf-8');
  asset('/fix.js', fixJs(FIX_PAUSE_MS), 'text/javascript; charset=utf-8');
  asset('/upload.js', uploadJs(PREVIEW_BYTES_MAX), 'text/javascript; charset=utf-8');
  asset('/open.js', OPEN_JS, 'text/javascript; charset=utf-8');
  asset('/passkey.js', PASSKEY_JS, 'text/javascript; charset=utf-8');
  // Its address changes with its content.
  app.get(WORKBENCH_JS_PATH.slice('/console'.length), (context) =>
    context.body(WORKBENCH_JS, 200, {
      'Content-Type': 'text/javascript; charset=utf-8',
      'Cache-Control': 'public, max-age=31536000, immutable',
    }),
  );
  asset('/icon.svg', ICON, 'image/svg+xml');
  app.get('/theme', (context) => {
    const set = context.req.query('set') === 'dark' ? 'dark' : 'light';
    context.header('Set-Cookie', `theme=${set}; Path=/console; Max-Age=31536000; SameSite=Lax`);
    return context.redirect(ownPath(context.req.query('to') ?? '') ?? '/console', 303);
  });
}

/** Of several fields of one name, all, separated by commas. */
async function formOf(context: Context): Promise<Values> {
  const data = await context.req.formData();
  const values: Record<string, string> = {};
  for (const name of new Set(data.keys())) {
    values[name] = data
      .getAll(name)
      .map((value) => (typeof value === 'string' ? value : ''))
      .join(',')
      .replaceAll('\r\n', '\n');
  }
  return values;
}
