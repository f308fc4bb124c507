/** `http.md`: every address of the bridge, as its routers declare them and its contract explains them. */
import * as z from 'zod';
import { transloadApp } from '../../src/http/app.ts';
import { ROUTES } from '../../src/http/contract/contract.ts';
import { type Caller, type Route as ContractRoute, JSON_TYPE } from '../../src/http/contract/route.ts';
import type { AppPorts } from '../../src/http/edge/ports.ts';
import { code, page, section, table } from './markdown.ts';

interface Route {
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

/** As the contract says; a test holds it against what the routers do. */
export const callerOf = (route: Route): Caller => contractOf(route).who;

function contractOf({ method, path }: Route): ContractRoute {
  const name = `${method} ${path.replace(/:(\w+)/g, '{$1}')}`;
  const route = ROUTES[name];
  if (route === undefined) throw new Error(`src/http/contract/ does not say what ${name} does`);
  return route;
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
      "An operator's key (`tlops_…`). `environment=test` or `environment=production` may be left out if the key has only one. A `viewer` reads; an `operator` also changes things, an `admin` also partners and keys, and most changes take `dryRun=true`.",
    has: (path) => path.startsWith('/v1/ops/'),
  },
  {
    title: 'For anybody',
    about: 'No key. Pages for people are below `/console`, with a session: sign in at `/console/sign-in`.',
    has: (path) => !path.startsWith('/v1/'),
  },
];

/** Names of its parameters; those that must be given first. */
function parametersOf({ query = {} }: ContractRoute): string {
  const names = Object.entries(query).filter(([name]) => name !== 'environment');
  const isOptional = (shape: z.ZodType): boolean =>
    shape.safeParse(undefined).success || shape._zod.optin === 'optional';
  const [may, must] = [names.filter(([, shape]) => isOptional(shape)), names.filter(([, shape]) => !isOptional(shape))];
  return [...must.map(([name]) => `**${code(name)}**`), ...may.map(([name]) => code(name))].join(', ');
}

/** Members of the JSON that it takes. */
function bodyOf({ body }: ContractRoute): string {
  const shape = body?.media[JSON_TYPE];
  return shape instanceof z.ZodObject ? ` Body: ${code(`{${Object.keys(shape.shape).join(', ')}}`)}.` : '';
}

export function routesPage(): string {
  const all = routes();
  const parts = PARTS.map(({ title, about, has }) => {
    const rows = all
      .filter(({ path }) => has(path))
      .map((route) => {
        const said = contractOf(route);
        const path = code(route.path.replace(/:(\w+)/g, '{$1}'));
        return [route.method, path, said.who, `${said.does}.${bodyOf(said)}`, parametersOf(said)];
      });
    return section(title, about, table(['Method', 'Path', 'Who', 'Does', 'Parameters'], rows));
  });
  const unknown = Object.keys(ROUTES).filter(
    (name) => !all.some(({ method, path }) => name === `${method} ${path.replace(/:(\w+)/g, '{$1}')}`),
  );
  if (unknown.length > 0) throw new Error(`no such routes: ${unknown.join(', ')}`);
  return page(
    'HTTP addresses',
    'Errors are `application/problem+json` with a stable code: [error codes](error-codes.md). `GET /openapi.json` says all of this for programs, with the shape of each answer; `/docs` shows it. A parameter in bold is required. [What may change](../api.md).',
    parts.filter((part) => part !== ''),
  );
}
