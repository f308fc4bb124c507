/** Every route that operators need is reachable from a page of the console; what is not says why. */
import { expect, it } from 'vitest';
import { routes } from '../../../scripts/reference/routes.ts';
import { ALL_PAGES } from '../../../src/console/all-pages.ts';

/** For programs alone, with the reason. */
const NO_PAGE: Readonly<Record<string, string>> = {
  'POST /v1/ops/batches/reindex': 'rebuilds an index: `npm run index` calls it, again and again until it is done',
  'GET /v1/ops/metrics/prometheus': 'for a monitor; the page of today shows the same figures',
  'GET /v1/ops/health/layers': 'for a monitor, also where pages cannot be shown',
  'GET /v1/ops/batches/:id/look-ups': 'a file for the map command, which runs on a developer’s machine',
};

/** Parameters by their position: `{id}` and `:id` are the same. */
const shapeOf = (route: string): string => route.replaceAll(/\{[^}]*\}|:[^/]+/g, ':');

const opsRoutes = routes()
  .filter(({ path }) => path.startsWith('/v1/ops/'))
  .map(({ method, path }) => `${method} ${path}`);
const reached = ALL_PAGES.flatMap(({ reads, actions = [] }) => [...reads, ...actions.map(({ route }) => route)]);
const shapes = new Set(reached.map(shapeOf));
const isReached = (route: string): boolean => shapes.has(shapeOf(route));

it('every ops route has a page, or a reason why it has none', () => {
  const lost = opsRoutes.filter((route) => !isReached(route) && NO_PAGE[route] === undefined);
  expect(lost).toEqual([]);
});

it('no page claims a route that the app does not have', () => {
  const known = new Set(routes().map(({ method, path }) => shapeOf(`${method} ${path}`)));
  expect(reached.filter((route) => !known.has(shapeOf(route)))).toEqual([]);
});

it('an exception is a route of the app', () => {
  const excepted = Object.keys(NO_PAGE);
  expect(excepted.filter((route) => !opsRoutes.includes(route))).toEqual([]);
});

it('no reason outlives its page', () => {
  expect(Object.keys(NO_PAGE).filter(isReached)).toEqual([]);
});

it('each action has a name of its own', () => {
  const names = ALL_PAGES.flatMap(({ actions = [] }) => actions.map(({ name }) => name));
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
});
