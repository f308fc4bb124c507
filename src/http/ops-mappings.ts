/** `/v1/ops/mappings`: what every mapping's name stands for, its versions and their differences; publishing and going back. */
import { Hono } from 'hono';
import type { StandingMapping } from '../ops/standing.ts';
import type { HttpBindings } from './bindings.ts';
import { mappingLine, mappingWhole, standingWords, versionTag, yamlAnswer } from './mapping-views.ts';
import { addNameRoutes, differencesShown, nameIn, type OpsContext, refused } from './ops-changes.ts';
import { readOpsQuery } from './ops-query.ts';
import type { AppPorts } from './ports.ts';
import { problem } from './problem.ts';

export function opsMappingRoutes(ports: AppPorts): Hono<HttpBindings> {
  const routes = new Hono<HttpBindings>();
  routes.get('/', (context) => list(context, ports));
  routes.get('/:name', (context) => show(context, ports));
  routes.get('/:name/diff', (context) => diff(context, ports));
  addNameRoutes(routes, ports, 'mapping');
  return routes;
}

const words = (mapping: StandingMapping) => ({
  ...mappingLine(mapping),
  uses: mapping.summary.codeLists,
  ...standingWords(mapping),
});

async function list(context: OpsContext, ports: AppPorts): Promise<Response> {
  const query = readOpsQuery(context);
  if (!query.ok) return problem(context, query.error);
  const { environment } = query.value;
  const mappings = await ports.catalog(context.env).mappings(environment);
  if (!mappings.ok) return refused(context, mappings.error);
  return context.json({ environment, mappings: mappings.value.map(words) });
}

async function show(context: OpsContext, ports: AppPorts): Promise<Response> {
  const query = readOpsQuery(context);
  if (!query.ok) return problem(context, query.error);
  const { environment } = query.value;
  const catalog = ports.catalog(context.env);
  const mapping = await catalog.mapping(environment, nameIn(context));
  if (!mapping.ok) return refused(context, mapping.error);
  if (!mapping.value) {
    const offer = await catalog.offer(environment, null);
    if (!offer.ok) return refused(context, offer.error);
    return refused(context, { code: 'unknown_mapping', name: nameIn(context), known: offer.value.names });
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
