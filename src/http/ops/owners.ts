/** `/v1/ops/mappings/{name}/owners`: whom a published mapping is for, who said so when, and the change of it. */
import type { Hono } from 'hono';
import { z } from 'zod';
import { NOTE_CHARACTERS_MAX } from '../../kernel/limits.ts';
import { OWNERS_MAX } from '../../ops/publishing/limits.ts';
import type { Owners } from '../../ops/publishing/publication.ts';
import type { HttpBindings, OpsContext } from '../edge/bindings.ts';
import type { AppPorts } from '../edge/ports.ts';
import { problem } from '../edge/problem.ts';
import { readJson } from './body.ts';
import { nameIn, refused } from './changes.ts';
import { knownOwners } from './owners-asked.ts';
import { readOpsQuery } from './query.ts';

const note = z.string().trim().min(1).max(NOTE_CHARACTERS_MAX);
const ownersBody = z
  .strictObject({
    partners: z.array(z.string().min(1)).min(1).max(OWNERS_MAX).optional(),
    shared: z.literal(true).optional(),
    note,
  })
  .refine(({ partners, shared }) => (partners === undefined) !== (shared === undefined), {
    error: 'must have partners, or shared: true, and not both',
  });

export function addOwnerRoutes(routes: Hono<HttpBindings>, ports: AppPorts): void {
  routes.get('/:name/owners', (context) => show(context, ports));
  routes.put('/:name/owners', (context) => set(context, ports));
}

async function show(context: OpsContext, ports: AppPorts): Promise<Response> {
  const query = readOpsQuery(context);
  if (!query.ok) return problem(context, query.error);
  const { environment } = query.value;
  const name = nameIn(context);
  const found = await ports.publishing(context.env).owners(environment, name);
  if (!found.ok) return refused(context, found.error);
  const { owners, changes } = found.value;
  return context.json({ name, environment, owners: ownersWords(owners), changes });
}

async function set(context: OpsContext, ports: AppPorts): Promise<Response> {
  const query = readOpsQuery(context);
  if (!query.ok) return problem(context, query.error);
  const { environment } = query.value;
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
  const asked = { environment, name, owners, by: { keyId, name: author }, note: remark };
  const changed = await ports.publishing(context.env).setOwners(asked);
  if (!changed.ok) return refused(context, changed.error);
  return context.json({ name, environment, owners: ownersWords(owners), changed: changed.value });
}

/** `unassigned`: published before mappings had owners; every partner uses it until somebody says whom it is for. */
export const ownersWords = (owners: Owners | null) => owners ?? 'unassigned';
