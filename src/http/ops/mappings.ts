/** `/v1/ops/mappings`: what every mapping's name stands for, its versions and their differences; publishing and going back. */
import { Hono } from 'hono';
import type { StandingMapping } from '../../ops/publishing/standing.ts';
import type { HttpBindings, OpsContext } from '../edge/bindings.ts';
import type { AppPorts } from '../edge/ports.ts';
import { problem } from '../edge/problem.ts';
import { mappingLine, mappingWhole, standingWords, versionTag, yamlAnswer } from '../views/mapping-views.ts';
import { addNameRoutes, differencesShown, nameIn, refused } from './changes.ts';
import { addOwnerRoutes, ownersWords } from './owners.ts';
import { readOpsQuery } from './query.ts';

export function opsMappingRoutes(ports: AppPorts): Hono<HttpBindings> {
  const routes = new Hono<HttpBindings>();
  routes.get('/', (context) => list(context, ports));
  routes.get('/:name', (context) => show(context, ports));
  routes.get('/:name/diff', (context) => diff(context, ports));
  addNameRoutes(routes, ports, 'mapping');
  addOwnerRoutes(routes, ports);
  return routes;
}

const words = (mapping: StandingMapping) => ({
  ...mappingLine(mapping),
  uses: mapping.summary.codeLists,
  ...standingWords(mapping),
  owners: ownersWords(mapping.owners),
});

async function list(context: OpsContext, ports: AppPorts): Promise<Response> {
  const query = readOpsQuery(context);
  if (!query.ok) return problem(context, query.error);
  const { environment } = query.value;
  const mappings = await ports.catalog(context.env).mappings({ environment, partner: null });
  if (!mappings.ok) return refused(context, mappings.error);
  return context.json({ environment, mappings: mappings.value.map(words) });
}

async function show(context: OpsContext, ports: AppPorts): Promise<Response> {
  const query = readOpsQuery(context);
  if (!query.ok) return problem(context, query.error);
  const { environment } = query.value;
  const catalog = ports.catalog(context.env);
  const operator = { environment, partner: null };
  const mapping = await catalog.mapping(operator, nameIn(context));
  if (!mapping.ok) return refused(context, mapping.error);
  if (!mapping.value) {
    const all = await catalog.mappings(operator);
    if (!all.ok) return refused(context, all.error);
    const known = all.value.map(({ name }) => name);
    return refused(context, { code: 'unknown_mapping', name: nameIn(context), known });
  }
  const yaml = yamlAnswer(context, mapping.value);
  if (yaml) return yaml;
  context.header('ETag', versionTag(mapping.value.sha256));
  return context.json({ environment, ...words(mapping.value), ...mappingWhole(mapping.value) });
}

async function diff(context: OpsContext, ports: AppPorts): Promise<Response> {
  const query = readOpsQuery(context, ['from', 'to']);
  if (!query.ok) return problem(context, query.error);
  const { environment, get } = query.value;
  const versions = { from: get('from') ?? 'previous', to: get('to') ?? 'current' };
  const compared = await ports.publishing(context.env).compare(environment, nameIn(context), versions);
  if (!compared.ok) return refused(context, compared.error);
  const { from, to, differences } = compared.value;
  return context.json({ name: nameIn(context), environment, from, to, ...differencesShown(differences) });
}
