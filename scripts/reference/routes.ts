/** `http.md`: every address of the bridge, as its routers declare them. */
import { transloadApp } from '../../src/http/app.ts';
import type { AppPorts } from '../../src/http/edge/ports.ts';
import { code, page, section, table } from './markdown.ts';
import { ROUTE_WORDS } from './route-words.ts';

export interface Route {
  method: string;
  path: string;
}

/** Nothing is asked of the ports while routes are declared. */
const NO_PORTS = new Proxy({}, { get: () => () => undefined }) as AppPorts;

export function routes(): Route[] {
  const found = transloadApp(NO_PORTS)
    .routes.filter(({ method }) => method !== 'ALL') // what stands before routes, such as signing in
    .map(({ method, path }) => [`${method} ${path}`, { method, path }] as const);
  return [...new Map(found).values()];
}

/** Who may call an address; a test holds it against what the routers do. */
export function callerOf({ method, path }: Route): string {
  if (['/', '/healthz', '/console/console.css', '/console/live.js'].includes(path)) return 'anybody';
  const isReading = method === 'GET';
  if (path.startsWith('/v1/ops/') || path.startsWith('/console/ops/')) return isReading ? 'viewer' : 'operator';
  if (/^\/console\/orders\b/.test(path)) return 'partner';
  return path.startsWith('/console') ? 'partner or viewer' : 'partner';
}

const PARTS: readonly { title: string; about: string; has: (path: string) => boolean }[] = [
  {
    title: 'For partners',
    about: 'The key as `Authorization: Bearer KEY`, or as the password of Basic authentication (`curl -u any:KEY`).',
    has: (path) => path.startsWith('/v1/') && !path.startsWith('/v1/ops/'),
  },
  {
    title: 'For operators',
    about:
      "An operator's key (`tlops_…`). `environment=test` or `environment=production` may be left out if the key has only one. A `viewer` reads; an `operator` or `admin` also changes things, and most changes take `dryRun=true`.",
    has: (path) => path.startsWith('/v1/ops/'),
  },
  {
    title: 'Pages for people',
    about: 'The browser asks for the key: any user name, the key as the password.',
    has: (path) => path.startsWith('/console'),
  },
  { title: 'For anybody', about: 'No key.', has: (path) => !path.startsWith('/v1/') && !path.startsWith('/console') },
];

export function routesPage(): string {
  const all = routes();
  const parts = PARTS.map(({ title, about, has }) => {
    const rows = all
      .filter(({ path }) => has(path))
      .map((route) => {
        const key = `${route.method} ${route.path}`;
        const words = ROUTE_WORDS[key];
        if (words === undefined) throw new Error(`scripts/reference/route-words.ts has no words for ${key}`);
        return [route.method, code(route.path.replace(/:(\w+)/g, '{$1}')), callerOf(route), words];
      });
    return section(title, about, table(['Method', 'Path', 'Who', 'Does'], rows));
  });
  const unknown = Object.keys(ROUTE_WORDS).filter(
    (key) => !all.some(({ method, path }) => key === `${method} ${path}`),
  );
  if (unknown.length > 0) throw new Error(`no such routes: ${unknown.join(', ')}`);
  return page(
    'HTTP addresses',
    'Errors are `application/problem+json` with a stable code: [error codes](error-codes.md).',
    parts,
  );
}
