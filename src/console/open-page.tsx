/** Opens a page for the person who is signed in. */
import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { ownOf } from '../http/contract/client.ts';
import type { ConsoleSession, HttpBindings } from '../http/edge/context.ts';
import { withParameters } from '../http/edge/reader.ts';
import { PAGE_POLICY, policyWithStyles } from '../http/pages/policy.ts';
import { ENVIRONMENTS } from '../kernel/names.ts';
import { mayActAs } from '../ops/directory/directory.ts';
import { type AppFetch, apiOf, textsOf } from './api.ts';
import { withoutRoutes } from './messages.ts';
import type { Page } from './page.ts';
import { ProblemBody } from './parts/basics.tsx';
import { document } from './parts/frame.tsx';
import { type Groups, isFor, navAt, OPS_NAV, PARTNER_NAV } from './parts/navigation.ts';

const EVERYWHERE = ENVIRONMENTS;

export function pageOf(context: Context<HttpBindings>, fetchApp: AppFetch, session: ConsoleSession): Page {
  const { visitor } = session;
  const isOps = visitor.kind === 'operator';
  const isLink = visitor.kind === 'partner' && visitor.principal.isLink === true;
  const environments = visitor.kind === 'operator' ? visitor.operator.environments : [visitor.principal.environment];
  const asked = context.req.query('environment');
  const environment = environments.find((name) => name === asked) ?? environments[0] ?? EVERYWHERE[0];
  const at: Page['at'] = (path, parameters = {}) =>
    withParameters(
      `/console${path === '/' ? '' : path}`,
      textsOf(environments.length > 1 ? { environment, ...parameters } : parameters),
    );
  const page: Page = {
    ...{ context, session, environment, environments, isOps, isLink, at },
    api: apiOf(context, fetchApp, session, environment),
    own: ownOf(isOps),
    query: (name) => context.req.query(name)?.trim() ?? '',
    mayActAs: (role) => visitor.kind === 'operator' && mayActAs(visitor.operator.role, role),
    show: ({ status = 200, styleNonce, ...shown }) => html(context, document(page, shown), status, styleNonce),
    refuse: (problem) =>
      page.show({
        title: problem.title,
        nav: navAt(page.isOps, whereListed(context.req.path)),
        status: problem.status,
        body: (
          <ProblemBody
            problem={{
              ...problem,
              fix: problem.fix && withoutRoutes(problem.fix),
              requestId: context.get('requestId'),
            }}
            links={waysOn(context, page)}
          />
        ),
      }),
    goTo: (address) => context.redirect(address, 303),
  };
  return page;
}

/** Loads are looked for where orders are. */
const whereListed = (path: string): string => path.replace(/^\/console\/loads\//, '/console/orders/');

/** The list that the address belongs to, and the first page. */
function waysOn({ req }: Context, page: Page): { href: string; label: string }[] {
  const { isOps, isLink, at } = page;
  const groups: Groups = isOps ? OPS_NAV : PARTNER_NAV;
  const list = Object.values(groups)
    .flat()
    .filter((entry) => isFor(entry, page))
    .find(([, path]) => path !== '/' && `${whereListed(req.path)}/`.startsWith(`/console${path}/`));
  const [, path = '/', label = ''] = list ?? [];
  if (isLink) return [{ href: at('/upload'), label: 'Send a file' }];
  return [
    ...(list === undefined ? [] : [{ href: at(path), label: label.startsWith('Send') ? label : `Go to ${label}` }]),
    { href: at('/'), label: 'Go to the start page' },
  ];
}

/** @param styleNonce of style elements that a script of the page makes. */
export function html(context: Context, text: string, status: number, styleNonce?: string): Response {
  context.header('Content-Security-Policy', styleNonce === undefined ? PAGE_POLICY : policyWithStyles(styleNonce));
  return context.html(text, status as ContentfulStatusCode) as Response;
}
