/**
 * `/v1/ops/code-lists`: the current code lists, and changes of them, each of which changes the mappings that use it.
 */
import { Hono } from 'hono';
import type { CurrentCodeList, CurrentMapping } from '../../ops/publishing/names.ts';
import type { HttpBindings, OpsContext } from '../edge/context.ts';
import type { AppPorts } from '../edge/ports.ts';
import { problem } from '../edge/problem.ts';
import { phaseMessage, versionTag, yamlAnswer } from '../views/mapping-views.ts';
import { addNameRoutes, change, nameIn, refused } from './changes.ts';
import { codeListEditBody, type OpsQuery, opsRoute, readJson } from './request.ts';

export function opsCodeListRoutes(ports: AppPorts): Hono<HttpBindings> {
  const routes = new Hono<HttpBindings>();
  routes.get('/', opsRoute(ports, [], list));
  routes.get('/:name', opsRoute(ports, [], show));
  routes.patch('/:name', opsRoute(ports, ['dryRun'], edit));
  addNameRoutes(routes, ports, 'code_list');
  return routes;
}

function messages(codeList: CurrentCodeList, mappings: readonly CurrentMapping[]) {
  const { name, sha256, summary } = codeList;
  const usedBy = mappings.filter((mapping) => mapping.summary.codeLists.includes(name)).map((mapping) => mapping.name);
  return { name, ...summary, sha256, usedBy, ...phaseMessage(codeList) };
}

async function list(context: OpsContext, { environment }: OpsQuery, ports: AppPorts): Promise<Response> {
  const catalog = ports.catalog(context.env);
  const [codeLists, mappings] = await Promise.all([
    catalog.codeLists(environment),
    catalog.mappings({ environment, partner: null }),
  ]);
  if (!codeLists.ok) return refused(context, codeLists.error);
  if (!mappings.ok) return refused(context, mappings.error);
  return context.json({ environment, codeLists: codeLists.value.map((each) => messages(each, mappings.value)) });
}

async function show(context: OpsContext, { environment }: OpsQuery, ports: AppPorts): Promise<Response> {
  const catalog = ports.catalog(context.env);
  const codeList = await catalog.codeList(environment, nameIn(context));
  if (!codeList.ok) return refused(context, codeList.error);
  if (!codeList.value) {
    const all = await catalog.codeLists(environment);
    if (!all.ok) return refused(context, all.error);
    const known = all.value.map(({ name }) => name);
    return refused(context, { code: 'unknown_code_list', name: nameIn(context), known });
  }
  const yaml = yamlAnswer(context, codeList.value);
  if (yaml) return yaml;
  const mappings = await catalog.mappings({ environment, partner: null });
  if (!mappings.ok) return refused(context, mappings.error);
  context.header('ETag', versionTag(codeList.value.sha256));
  return context.json({
    environment,
    ...messages(codeList.value, mappings.value),
    document: codeList.value.document,
  });
}

async function edit(context: OpsContext, query: OpsQuery, ports: AppPorts): Promise<Response> {
  const body = await readJson(context, codeListEditBody);
  if (!body.ok) return problem(context, body.error);
  const { set, remove, note } = body.value;
  return change(context, ports, { aim: { artifact: 'code_list', edit: { set, remove } }, query, note });
}
