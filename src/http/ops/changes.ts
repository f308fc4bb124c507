/** What mappings and code lists under `/v1/ops` share: changes with their answers, history, rollback. */
import type { Context, Hono } from 'hono';
import type { Environment } from '../../kernel/names.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import { headOf } from '../../kernel/text.ts';
import type { Aim } from '../../ops/publishing/plan-change.ts';
import type { Artifact, Owners } from '../../ops/publishing/publication.ts';
import { describeRefusal, type Refusal } from '../../ops/publishing/refusal.ts';
import { noteForAudit } from '../edge/audit-notes.ts';
import type { HttpBindings, OpsContext } from '../edge/context.ts';
import type { AppPorts } from '../edge/ports.ts';
import { type ProblemMessages, problem } from '../edge/problem.ts';
import { wholeNumber } from '../edge/query.ts';
import { differencesShown, publicationMessage, versionTag } from '../views/mapping-views.ts';
import { type OpsQuery, opsRoute, readJson, readText, rollbackBody } from './request.ts';

/* The owners that a caller names for a mapping, or what is wrong with them. */

const OWNERS_PARAMETERS = ['partners', 'shared'];

/** From the address. @returns null: not given. */
async function ownersQuery(
  context: Context<HttpBindings>,
  ports: AppPorts,
  { environment, get }: OpsQuery,
): Promise<Result<Owners | null, ProblemMessages>> {
  const [partners, shared] = [get('partners'), get('shared')];
  if (partners === undefined && shared === undefined) return ok(null);
  if (shared !== undefined && (shared !== 'true' || partners !== undefined)) return err(ownersUnreadable());
  if (partners === undefined) return ok('everybody');
  const names = partners.split(',').map((name) => name.trim());
  return knownOwners(context, ports, { environment, names });
}

/** An unknown name would give the mapping to nobody, and a misspelt one to somebody else. */
export async function knownOwners(
  context: Context<HttpBindings>,
  ports: AppPorts,
  { environment, names }: { environment: Environment; names: readonly string[] },
): Promise<Result<readonly string[], ProblemMessages>> {
  const known = await ports.partners(context.env).names(environment);
  if (!known.ok) return err(DIRECTORY_UNAVAILABLE);
  const unknown = names.find((name) => !known.value.includes(name));
  return unknown === undefined ? ok([...new Set(names)].sort()) : err(partnerUnknown(unknown));
}

const ownersUnreadable = (): ProblemMessages => ({
  status: 400,
  code: 'parameter_invalid',
  title: 'Parameter not readable',
  detail: 'The address does not say clearly whom the mapping is for. Nothing was changed.',
  fix: 'Write partners= with the names of partners, separated by commas, or shared=true; one of both.',
});

const DIRECTORY_UNAVAILABLE: ProblemMessages = {
  status: 503,
  code: 'directory_unavailable',
  title: 'Directory unavailable',
  detail: 'Which partners there are cannot be read at the moment. Nothing was changed.',
  fix: 'Send the request again: a repeat is safe.',
};

const partnerUnknown = (name: string): ProblemMessages => ({
  status: 422,
  code: 'partner_unknown',
  title: 'Unknown partner',
  detail: `No partner "${headOf(name, 64)}" is known in this environment. Nothing was changed.`,
  fix: 'Check the name and the environment; GET /v1/ops/partners lists all.',
});

export const nameIn = (context: OpsContext): string => context.req.param('name') ?? '';

export function refused(context: OpsContext, refusal: Refusal): Response {
  const words = describeRefusal(refusal);
  const found = {
    ...('problems' in refusal ? { problems: refusal.problems } : {}),
    ...('examples' in refusal ? { examples: refusal.examples } : {}),
  };
  return problem(context, { ...words, code: refusal.code }, found);
}

interface ChangeRequest {
  aim: Aim;
  /** Includes the note for the history, which a body has as a member. */
  query: OpsQuery;
  note?: string;
  owners?: Owners | null;
}

export async function change(
  context: OpsContext,
  ports: AppPorts,
  { aim, query, note = query.note, owners = null }: ChangeRequest,
): Promise<Response> {
  const { keyId, name: author } = context.get('operator');
  const name = nameIn(context);
  const { environment, dryRun, ifMatch } = query;
  const asked = { environment, name, aim, by: { keyId, name: author }, note, dryRun, owners, ifMatch };
  const changed = await ports.publishing(context.env).change(asked);
  if (!changed.ok) return refused(context, changed.error);
  const { differences, ...outcome } = changed.value;
  noteForAudit(context, { detail: { sha256: outcome.sha256 } });
  if (!dryRun) context.header('ETag', versionTag(outcome.sha256));
  return context.json({ name, environment, dryRun, ...outcome, ...differencesShown(differences) });
}

/** The routes of any published name, mapping or code list. */
export function addNameRoutes(routes: Hono<HttpBindings>, ports: AppPorts, artifact: Artifact): void {
  const known = ['dryRun', 'note', ...(artifact === 'mapping' ? OWNERS_PARAMETERS : [])];
  routes.put(
    '/:name',
    opsRoute(ports, known, async (context, query) => {
      const written = await readText(context);
      if (!written.ok) return problem(context, written.error);
      const owners = await ownersQuery(context, ports, query);
      if (!owners.ok) return problem(context, owners.error);
      const aim = { artifact, written: written.value };
      return change(context, ports, { aim, query, owners: owners.value });
    }),
  );
  routes.post(
    '/:name/rollback',
    opsRoute(ports, ['dryRun'], async (context, query) => {
      const body = await readJson(context, rollbackBody);
      if (!body.ok) return problem(context, body.error);
      const { to, note } = body.value;
      return change(context, ports, { aim: { artifact, to }, query, note });
    }),
  );
  routes.get(
    '/:name/history',
    opsRoute(ports, ['before'], (context, query) => history(context, ports, artifact, query)),
  );
}

async function history(
  context: OpsContext,
  ports: AppPorts,
  artifact: Artifact,
  { environment, get }: OpsQuery,
): Promise<Response> {
  const name = nameIn(context);
  const page = await ports
    .publishing(context.env)
    .publications(environment, artifact, name, wholeNumber(get('before')));
  if (!page.ok) return refused(context, page.error);
  const { publications, next } = page.value;
  return context.json({
    name,
    environment,
    publications: publications.map((each) => ({
      sha256: each.sha256,
      origin: each.isBundled ? 'bundled' : 'published',
      ...publicationMessage(each),
    })),
    next: next === null ? null : `${context.req.path}?environment=${environment}&before=${next}`,
  });
}
