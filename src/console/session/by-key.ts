/** A session by the browser's own prompt for a key. */
import type { MiddlewareHandler } from 'hono';
import { eitherSignIn, type HttpBindings, presentedKey, type Visitor } from '../../http/edge/context.ts';
import type { AppPorts } from '../../http/edge/ports.ts';
import { problem } from '../../http/edge/problem.ts';
import { isFromOwnPage } from '../../http/pages/policy.ts';
import { sha256Hex } from '../../kernel/secret.ts';

export function sessionByKey(ports: Pick<AppPorts, 'directory' | 'opsDirectory'>): MiddlewareHandler<HttpBindings> {
  const signIn = eitherSignIn(ports.directory, ports.opsDirectory);
  return async (context, next) =>
    signIn(context, async () => {
      const csrf = sha256Hex(`csrf:${presentedKey(context.req.header('Authorization'))}`);
      const isSafe = ['GET', 'HEAD'].includes(context.req.method);
      if (!isSafe && !(isFromOwnPage(context) && (await context.req.formData()).get('csrf') === csrf)) {
        context.res = problem(context, {
          status: 403,
          code: 'cross_site_refused',
          title: 'Not from this page',
          detail: 'The request does not come from a page of the console. Nothing was done.',
          fix: 'Use the button on the page, or the API.',
        });
        return;
      }
      const operator = context.get('operator');
      const visitor: Visitor =
        operator === undefined
          ? { kind: 'partner', principal: context.get('principal') }
          : { kind: 'operator', operator };
      context.set('session', { visitor, csrf, endsAtMs: Number.MAX_SAFE_INTEGER });
      await next();
    });
}
