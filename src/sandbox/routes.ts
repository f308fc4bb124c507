/**
 * Method and path into an environment, an endpoint of the seed's tables and its path parameters.
 *
 * Exact: the create path ends in a slash because the seed writes it so (4.4), and nothing is redirected.
 */
import { ENDPOINTS, type EndpointName } from '../upstream/contracts/endpoints.ts';
import { ENVIRONMENTS, type Environment } from './environments.ts';

export type Route =
  | { kind: 'endpoint'; environment: Environment; endpoint: EndpointName; params: Record<string, string> }
  | { kind: 'wrong_method'; environment: Environment; allowed: string[] }
  | { kind: 'unknown_path'; environment: Environment | null };

const TEMPLATES = Object.entries(ENDPOINTS).map(([name, { method, path }]) => ({
  name: name as EndpointName,
  method: method as string,
  segments: path.split('/'),
}));

/** @param path Starts with a slash, e.g. `/test/rcsc/order-requests/v1/`. */
export function findRoute(method: string, path: string): Route {
  const environment = ENVIRONMENTS.find((name) => path.startsWith(`/${name}/`));
  if (environment === undefined) return { kind: 'unknown_path', environment: null };
  const segments = pathWithin(environment, path).split('/');
  const allowed: string[] = [];
  for (const template of TEMPLATES) {
    const params = paramsOf(template.segments, segments);
    if (params === null) continue;
    if (template.method === method) return { kind: 'endpoint', environment, endpoint: template.name, params };
    allowed.push(template.method);
  }
  return allowed.length > 0 ? { kind: 'wrong_method', environment, allowed } : { kind: 'unknown_path', environment };
}

/** The path as the seed writes it, relative to the environment's base URL. */
export function pathWithin(environment: Environment | null, path: string): string {
  return environment === null ? path : path.slice(environment.length + 1);
}

/** @returns the parameters, or null when the path does not fit the template. */
function paramsOf(template: string[], segments: string[]): Record<string, string> | null {
  if (template.length !== segments.length) return null;
  const params: Record<string, string> = {};
  for (const [index, wanted] of template.entries()) {
    const segment = segments[index] ?? '';
    if (!wanted.startsWith('{')) {
      if (wanted !== segment) return null;
      continue;
    }
    const value = decode(segment);
    if (value === null || value === '') return null;
    params[wanted.slice(1, -1)] = value;
  }
  return params;
}

/** A stray percent sign makes a path nobody serves, not an exception. */
function decode(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}
