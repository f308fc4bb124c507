/**
 * `/v1/ops/mappings` and `/v1/ops/code-lists`: the current version of each name, earlier ones and their differences;
 * publishing and rollback.
 */
import { Hono } from 'hono';
import * as z from 'zod';
import type { Result } from '../../kernel/result.ts';
import { OWNERS_MAX } from '../../ops/publishing/limits.ts';
import type { CurrentCodeList, CurrentMapping } from '../../ops/publishing/names.ts';
import type { Owners } from '../../ops/publishing/publication.ts';
import type { Unavailable } from '../../ops/publishing/publication-store.ts';
import type { HttpBindings, OpsContext } from '../edge/context.ts';
import type { AppPorts } from '../edge/ports.ts';
import { problem } from '../edge/problem.ts';
import { compareAnswer, exampleAnswer, nobodyAnswers, previewAnswer, publishedFor } from '../views/mapping-draft.ts';
import {
  differencesShown,
  mappingLine,
  mappingWhole,
  phaseMessage,
  versionTag,
  yamlAnswer,
} from '../views/mapping-views.ts';
import { SUGGEST_PARAMETERS, suggestAnswer } from '../views/suggestion.ts';
import { addNameRoutes, change, knownOwners, nameIn, refused } from './changes.ts';
import { codeListEditBody, type OpsQuery, opsRoute, readJson, reason } from './request.ts';

/* `/v1/ops/mappings/{name}/owners`: whom a published mapping is for, who set that when, and changing it. */

const ownersBody = z
  .strictObject({
    partners: z.array(z.string().min(1)).min(1).max(OWNERS_MAX).optional(),
    shared: z.literal(true).optional(),
    note: reason,
  })
  .refine(({ partners, shared }) => (partners === undefined) !== (shared === undefined), {
    error: 'must have partners, or shared: true, and not both',
  });

function addOwnerRoutes(routes: Hono<HttpBindings>, ports: AppPorts): void {
  routes.get('/:name/owners', opsRoute(ports, [], showOwners));
  routes.put('/:name/owners', opsRoute(ports, ['dryRun'], set));
}

async function showOwners(context: OpsContext, { environment }: OpsQuery, ports: AppPorts): Promise<Response> {
  const name = nameIn(context);
  const found = await ports.publishing(context.env).owners(environment, name);
  if (!found.ok) return refused(context, found.error);
  const { owners, changes } = found.value;
  return context.json({ name, environment, owners: ownersMessage(owners), changes });
}

async function set(context: OpsContext, { environment, dryRun }: OpsQuery, ports: AppPorts): Promise<Response> {
  const body = await readJson(context, ownersBody);
  if (!body.ok) return problem(context, body.error);
  const { partners, note: remark } = body.value;
  let owners: Owners = 'everybody';
  if (partners !== undefined) {
    const known = await knownOwners(context, ports, { environment, names: partners });
    if (!known.ok) return problem(context, known.error);
    owners = known.value;
  }
  const name = nameIn(context);
  const { keyId, name: author } = context.get('operator');
  const asked = { environment, name, owners, by: { keyId, name: author }, note: remark, dryRun };
  const changed = await ports.publishing(context.env).setOwners(asked);
  if (!changed.ok) return refused(context, changed.error);
  return context.json({ name, environment, dryRun, owners: ownersMessage(owners), changed: changed.value });
}

/** `unassigned`: published before mappings had owners; every partner uses it until its owners are set. */
const ownersMessage = (owners: Owners | null) => owners ?? 'unassigned';

export function opsMappingRoutes(ports: AppPorts): Hono<HttpBindings> {
  const routes = new Hono<HttpBindings>();
  routes.get('/', opsRoute(ports, [], list));
  routes.post('/preview', opsRoute(ports, [], tryDraft));
  routes.post('/example', opsRoute(ports, [], makeExample));
  routes.post('/compare', opsRoute(ports, [], compareDrafted));
  routes.post('/suggest', opsRoute(ports, SUGGEST_PARAMETERS, suggest));
  routes.get('/:name', opsRoute(ports, [], show));
  routes.get('/:name/diff', opsRoute(ports, ['from', 'to'], diff));
  addNameRoutes(routes, ports, 'mapping');
  addOwnerRoutes(routes, ports);
  return routes;
}

const messages = (mapping: CurrentMapping) => ({
  ...mappingLine(mapping),
  uses: mapping.summary.codeLists,
  ...phaseMessage(mapping),
  owners: ownersMessage(mapping.owners),
});

async function list(context: OpsContext, { environment }: OpsQuery, ports: AppPorts): Promise<Response> {
  const mappings = await ports.catalog(context.env).mappings({ environment, partner: null });
  if (!mappings.ok) return refused(context, mappings.error);
  return context.json({ environment, mappings: mappings.value.map(messages) });
}

async function show(context: OpsContext, { environment }: OpsQuery, ports: AppPorts): Promise<Response> {
  const catalog = ports.catalog(context.env);
  const operator = { environment, partner: null };
  const mapping = await catalog.mapping(operator, nameIn(context));
  if (!mapping.ok) return refused(context, mapping.error);
  if (!mapping.value) return unknownName(context, 'unknown_mapping', await catalog.mappings(operator));
  const tag = versionTag(mapping.value.sha256);
  const yaml = yamlAnswer(context, mapping.value.written, tag);
  if (yaml) return yaml;
  context.header('ETag', tag);
  return context.json({ environment, ...messages(mapping.value), ...mappingWhole(mapping.value) });
}

async function tryDraft(context: OpsContext, { environment }: OpsQuery, ports: AppPorts): Promise<Response> {
  const facts = await ports.catalog(context.env).authorsFacts({ environment, partner: null });
  return facts.ok ? previewAnswer(context, facts.value, nobodyAnswers) : refused(context, facts.error);
}

async function compareDrafted(context: OpsContext, { environment }: OpsQuery, ports: AppPorts): Promise<Response> {
  const catalog = ports.catalog(context.env);
  const reader = { environment, partner: null };
  const facts = await catalog.authorsFacts(reader);
  return facts.ok
    ? compareAnswer(context, facts.value, publishedFor(catalog, reader), nobodyAnswers)
    : refused(context, facts.error);
}

async function suggest(context: OpsContext, { environment }: OpsQuery, ports: AppPorts): Promise<Response> {
  const facts = await ports.catalog(context.env).authorsFacts({ environment, partner: null });
  return facts.ok ? suggestAnswer(context, facts.value) : refused(context, facts.error);
}

async function makeExample(context: OpsContext, { environment }: OpsQuery, ports: AppPorts): Promise<Response> {
  const facts = await ports.catalog(context.env).authorsFacts({ environment, partner: null });
  return facts.ok ? exampleAnswer(context, facts.value) : refused(context, facts.error);
}

async function diff(context: OpsContext, { environment, get }: OpsQuery, ports: AppPorts): Promise<Response> {
  const versions = { from: get('from') ?? 'previous', to: get('to') ?? 'current' };
  const compared = await ports.publishing(context.env).compare(environment, nameIn(context), versions);
  if (!compared.ok) return refused(context, compared.error);
  const { from, to, differences } = compared.value;
  return context.json({ name: nameIn(context), environment, from, to, ...differencesShown(differences) });
}

function unknownName(
  context: OpsContext,
  code: 'unknown_mapping' | 'unknown_code_list',
  all: Result<{ name: string }[], Unavailable>,
): Response {
  if (!all.ok) return refused(context, all.error);
  return refused(context, { code, name: nameIn(context), known: all.value.map(({ name }) => name) });
}

/* `/v1/ops/code-lists`: the current code lists, and changes of them, each of which changes the mappings that use it. */

export function opsCodeListRoutes(ports: AppPorts): Hono<HttpBindings> {
  const routes = new Hono<HttpBindings>();
  routes.get('/', opsRoute(ports, [], listCodeLists));
  routes.get('/:name', opsRoute(ports, [], showCodeList));
  routes.patch('/:name', opsRoute(ports, ['dryRun'], edit));
  addNameRoutes(routes, ports, 'code_list');
  return routes;
}

function codeListMessages(codeList: CurrentCodeList, mappings: readonly CurrentMapping[]) {
  const { name, sha256, summary } = codeList;
  const usedBy = mappings.filter((mapping) => mapping.summary.codeLists.includes(name)).map((mapping) => mapping.name);
  return { name, ...summary, sha256, usedBy, ...phaseMessage(codeList) };
}

async function listCodeLists(context: OpsContext, { environment }: OpsQuery, ports: AppPorts): Promise<Response> {
  const catalog = ports.catalog(context.env);
  const [codeLists, mappings] = await Promise.all([
    catalog.codeLists(environment),
    catalog.mappings({ environment, partner: null }),
  ]);
  if (!codeLists.ok) return refused(context, codeLists.error);
  if (!mappings.ok) return refused(context, mappings.error);
  return context.json({
    environment,
    codeLists: codeLists.value.map((each) => codeListMessages(each, mappings.value)),
  });
}

async function showCodeList(context: OpsContext, { environment }: OpsQuery, ports: AppPorts): Promise<Response> {
  const catalog = ports.catalog(context.env);
  const codeList = await catalog.codeList(environment, nameIn(context));
  if (!codeList.ok) return refused(context, codeList.error);
  if (!codeList.value) return unknownName(context, 'unknown_code_list', await catalog.codeLists(environment));
  const tag = versionTag(codeList.value.sha256);
  const yaml = yamlAnswer(context, codeList.value.written, tag);
  if (yaml) return yaml;
  const mappings = await catalog.mappings({ environment, partner: null });
  if (!mappings.ok) return refused(context, mappings.error);
  context.header('ETag', tag);
  return context.json({
    environment,
    ...codeListMessages(codeList.value, mappings.value),
    document: codeList.value.document,
  });
}

async function edit(context: OpsContext, query: OpsQuery, ports: AppPorts): Promise<Response> {
  const body = await readJson(context, codeListEditBody);
  if (!body.ok) return problem(context, body.error);
  const { set, remove, note } = body.value;
  return change(context, ports, { aim: { artifact: 'code_list', edit: { set, remove } }, query, note });
}
