/** The routes that a checkout's router knows, read from the router itself. */
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Stands in for what only the Workers runtime has; no route is called here. */
const RUNTIME_STUB =
  'data:text/javascript,export class DurableObject {} export class WorkerEntrypoint {} export const env = {};';

interface Router {
  routes: readonly { method: string; path: string }[];
}

/** @returns `METHOD /path/:parameter`, sorted. @param root folder of the checkout. */
export async function routesOf(root: string): Promise<string[]> {
  const hooks = registerHooks({
    resolve: (specifier, context, next) =>
      specifier.startsWith('cloudflare:') ? { url: RUNTIME_STUB, shortCircuit: true } : next(specifier, context),
  });
  try {
    const { transloadApp } = (await import(pathToFileURL(join(root, 'src/http/app.ts')).href)) as {
      transloadApp: (ports: unknown) => Router;
    };
    const anything: unknown = new Proxy({}, { get: () => anything });
    const named = transloadApp(anything)
      .routes.filter(({ method }) => method !== 'ALL')
      .map(({ method, path }) => `${method} ${path}`);
    return [...new Set(named)].sort();
  } finally {
    hooks.deregister();
  }
}

/** Whether a call's method and path are of that route. */
export function isOf(route: string, method: string, path: string): boolean {
  const [wantedMethod = '', wantedPath = ''] = route.split(' ');
  const wanted = wantedPath.split('/');
  const parts = (path.split('?')[0] ?? '').split('/');
  return (
    wantedMethod === method &&
    wanted.length === parts.length &&
    wanted.every((part, at) => part.startsWith(':') || part === parts[at])
  );
}
