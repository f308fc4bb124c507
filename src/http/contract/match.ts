/** From a method and a path to the route of the contract. Pure. */
import { ROUTES } from './contract.ts';
import type { Route } from './route.ts';

export interface NamedRoute {
  /** As the contract names it. */
  name: string;
  method: string;
  path: string;
  route: Route;
}

interface Compiled extends NamedRoute {
  form: RegExp;
  /** Names in braces: the fewer, the closer the path is told. */
  open: number;
}

const compiled = (name: string, route: Route): Compiled => {
  const [method = '', path = ''] = name.split(' ');
  const form = new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '[^/]+')}/?$`);
  return { name, method, path, route, form, open: path.split('{').length };
};

let all: readonly Compiled[] | undefined;

function routes(): readonly Compiled[] {
  all ??= Object.entries(ROUTES)
    .map(([name, route]) => compiled(name, route))
    .sort((one, other) => one.open - other.open);
  return all;
}

/** All routes at a path, whatever their method. */
export const routesAt = (path: string): readonly NamedRoute[] => routes().filter(({ form }) => form.test(path));

/** HEAD is GET without its body. */
export function routeOf(method: string, path: string): NamedRoute | undefined {
  const asked = method === 'HEAD' ? 'GET' : method;
  return routes().find((each) => each.method === asked && each.form.test(path));
}
