/** What is alike for mappings and code lists under `/v1/ops`: changes with their answers, history, rollback. */

import type { Hono } from 'hono';
import type { Difference } from '../../ops/publishing/diff.ts';
import { DIFFERENCES_MAX } from '../../ops/publishing/limits.ts';
import type { Aim } from '../../ops/publishing/plan-change.ts';
import type { Artifact, Owners } from '../../ops/publishing/publication.ts';
import { describeRefusal, type Refusal } from '../../ops/publishing/refusal.ts';
import type { HttpBindings, OpsContext } from '../edge/bindings.ts';
import type { AppPorts } from '../edge/ports.ts';
import { problem } from '../edge/problem.ts';
import { publicationWords, versionTag } from '../views/mapping-views.ts';
import { readJson, readText, rollbackBody } from './body.ts';
import { OWNERS_PARAMETERS, ownersAsked } from './owners-asked.ts';
import { type OpsQuery, readOpsQuery } from './query.ts';

export const nameIn = (context: OpsContext): string => context.req.param('name') ?? '';

export function refused(context: OpsContext, refusal: Refusal): Response {
  const words = describeRefusal(refusal);
  if (words.status === 503) context.header('Retry-After', '60');
  const found = {
    ...('problems' in refusal ? { problems: refusal.problems } : {}),
    ...('examples' in refusal ? { examples: refusal.examples } : {}),
  };
  return problem(context, { ...words, code: refusal.code }, found);
}

export interface ChangeAsked {
  aim: Aim;
  /** With the remark that goes into the history; in a body it stands beside the rest. */
  query: OpsQuery;
  note?: string;
  owners?: Owners | null;
}

export async function change(
  context: OpsContext,
  ports: AppPorts,
  { aim, query, note = query.note, owners = null }: ChangeAsked,
): Promise<Response> {
  const { keyId, name: author } = context.get('operator');
  const name = nameIn(context);
  const { environment, dryRun, ifMatch } = query;
  const asked = { environment, name, aim, by: { keyId, name: author }, note, dryRun, owners, ifMatch };
  const changed = await ports.publishing(context.env).change(asked);
  if (!changed.ok) return refused(context, changed.error);
  const { differences, ...outcome } = changed.value;
  if (!dryRun) context.header('ETag', versionTag(outcome.sha256));
  return context.json({ name, environment, dryRun, ...outcome, ...differencesShown(differences) });
}

export const differencesShown = (differences: readonly Difference[]) => ({
  differences: differences.slice(0, DIFFERENCES_MAX),
  differencesOmitted: Math.max(0, differences.length - DIFFERENCES_MAX),
});

/** The routes that a name has whatever it names. */
export function addNameRoutes(routes: Hono<HttpBindings>, ports: AppPorts, artifact: Artifact): void {
  routes.put('/:name', async (context) => {
    const query = readOpsQuery(context, ['dryRun', 'note', ...(artifact === 'mapping' ? OWNERS_PARAMETERS : [])]);
    if (!query.ok) return problem(context, query.error);
    const written = await readText(context);
    if (!written.ok) return problem(context, written.error);
    const owners = await ownersAsked(context, ports, query.value);
    if (!owners.ok) return problem(context, owners.error);
    const aim = { artifact, written: written.value };
    return change(context, ports, { aim, query: query.value, owners: owners.value });
  });
  routes.post('/:name/rollback', async (context) => {
    const query = readOpsQuery(context, ['dryRun']);
    if (!query.ok) return problem(context, query.error);
    const body = await readJson(context, rollbackBody);
    if (!body.ok) return problem(context, body.error);
    const { to, note } = body.value;
    return change(context, ports, { aim: { artifact, to }, query: query.value, note });
  });
  routes.get('/:name/history', (context) => history(context, ports, artifact));
}

async function history(context: OpsContext, ports: AppPorts, artifact: Artifact): Promise<Response> {
  const query = readOpsQuery(context, ['before']);
  if (!query.ok) return problem(context, query.error);
  const { environment, get } = query.value;
  const name = nameIn(context);
  const before = Number(get('before') || 'NaN');
  const page = await ports
    .publishing(context.env)
    .publications(environment, artifact, name, Number.isSafeInteger(before) ? before : null);
  if (!page.ok) return refused(context, page.error);
  const { publications, next } = page.value;
  return context.json({
    name,
    environment,
    publications: publications.map((each) => ({
      sha256: each.sha256,
      origin: each.isBundled ? 'bundled' : 'published',
      ...publicationWords(each),
    })),
    next: next === null ? null : `${context.req.path}?environment=${environment}&before=${next}`,
  });
}
