/** A page of the console, drawn for somebody from answers of the API that a test makes up. */
import { Hono } from 'hono';
import { pageOf } from '../../../src/console/open-page.tsx';
import type { ConsolePages } from '../../../src/console/routes.ts';
import type { HttpBindings, Visitor } from '../../../src/http/edge/context.ts';
import type { Environment } from '../../../src/kernel/names.ts';
import type { OpsRole } from '../../../src/ops/directory/directory.ts';

/** @property who a role of operators; left out: a partner. answers by path of the API: what it answers, or its status. */
export interface Wanted {
  path: string;
  who?: OpsRole;
  /** Those that an operator may act on. */
  environments?: Environment[];
  answers: Readonly<Record<string, unknown>>;
}

/** What the API refuses with. */
export const refusal = (status: number, code: string, more: object = {}): Response =>
  Response.json({ status, code, title: code, detail: `It says ${code}.`, ...more }, { status });

export async function drawn(pages: ConsolePages, { path, who, environments, answers }: Wanted): Promise<string> {
  const visitor = visitorOf(who, environments);
  const app = new Hono<HttpBindings>();
  const fetchApi = (request: Request): Response => {
    const asked = decodeURIComponent(new URL(request.url).pathname);
    const answer = answers[asked];
    if (answer === undefined) return refusal(404, 'not_found');
    return answer instanceof Response ? answer.clone() : Response.json(answer);
  };
  for (const [at, handler] of Object.entries(pages.get)) {
    app.get(`/console${at}`, (context) =>
      handler(pageOf(context, fetchApi, { visitor, csrf: 'c', sessionId: 's', signedInBy: 'key', endsAtMs: 0 })),
    );
  }
  const context = { waitUntil: () => undefined, passThroughOnException: () => undefined, props: {} };
  const answer = await app.request(`/console${path}`, {}, {}, context as unknown as ExecutionContext);
  return answer.status === 303 ? `to ${answer.headers.get('Location')}` : answer.text();
}

function visitorOf(role: OpsRole | undefined, environments: Environment[] = ['test', 'production']): Visitor {
  if (role !== undefined) return { kind: 'operator', operator: { keyId: 'o', name: 'Analyst', role, environments } };
  return {
    kind: 'partner',
    principal: { partner: 'acme', environment: 'test' } as Extract<Visitor, { kind: 'partner' }>['principal'],
  };
}

export const textOf = (html: string): string =>
  html
    .replace(/<[^>]*>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .replace(/\s+/g, ' ');
