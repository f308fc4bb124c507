/** `/v1/ops/operator-keys`: keys of programs and people who operate the bridge. Administrators make and end them. */
import { Hono } from 'hono';
import * as z from 'zod';
import { ENVIRONMENTS, type Environment } from '../../kernel/names.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import { OPS_ROLES } from '../../ops/directory/directory.ts';
import { issuedOpsKey, keyEnd, type OpsKeyWanted, rotatedEnd } from '../../ops/directory/issued-keys.ts';
import type { StoredOpsKey } from '../../ops/directory/key-store.ts';
import { PARTNER_CHARACTERS_MAX } from '../../ops/directory/limits.ts';
import { adminOnly, type HttpBindings, type OpsContext } from '../edge/context.ts';
import type { AppPorts } from '../edge/ports.ts';
import { problem } from '../edge/problem.ts';
import { auditFacts, keyBytes, revokeBody, rotateBody } from './keys.ts';
import { type OpsRefusal, refusedByOps } from './refusals.ts';
import { type OpsQuery, opsRoute, readJson, why } from './request.ts';
import { opsKeyView } from './views/keys.ts';

const newKey = z.strictObject({
  name: z.string().trim().min(1).max(PARTNER_CHARACTERS_MAX.displayName),
  role: z.enum(OPS_ROLES),
  environments: z
    .array(z.enum(ENVIRONMENTS))
    .min(1)
    .transform((each) => [...new Set(each)]),
  expires: z.string().optional(),
  why,
});

export function opsOperatorKeyRoutes(ports: AppPorts): Hono<HttpBindings> {
  const routes = new Hono<HttpBindings>();
  routes.get('/', opsRoute(ports, [], list));
  routes.post('/', adminOnly, opsRoute(ports, [], make));
  routes.post('/:keyId/rotate', adminOnly, opsRoute(ports, ['dryRun'], rotate));
  routes.post('/:keyId/revoke', adminOnly, opsRoute(ports, ['dryRun'], revoke));
  return routes;
}

async function list(context: OpsContext, { environment }: OpsQuery, ports: AppPorts): Promise<Response> {
  const keys = await ports.opsKeys(context.env).all(environment);
  if (!keys.ok) return refusedByOps(context, keys.error);
  const now = Date.now();
  return context.json({ environment, keys: keys.value.map((row) => opsKeyView(row, now)) });
}

/** Nobody gives out, or ends, what reaches further than they do. */
function reachRefused(context: OpsContext, environments: readonly Environment[]): OpsRefusal | null {
  const own = context.get('operator').environments;
  return environments.every((each) => own.includes(each)) ? null : { code: 'key_environment_not_yours', environments };
}

async function make(context: OpsContext, _: OpsQuery, ports: AppPorts): Promise<Response> {
  const body = await readJson(context, newKey);
  if (!body.ok) return problem(context, body.error);
  const { expires, why: cause, ...rest } = body.value;
  const refusal = reachRefused(context, rest.environments);
  if (refusal !== null) return refusedByOps(context, refusal);
  const end = keyEnd(expires, Date.now());
  if (!end.ok) return refusedByOps(context, { code: 'key_end_invalid', why: end.error });
  const issued = issuedOpsKey({ ...rest, expiresAt: end.value }, keyBytes(context), Date.now());
  const { name, role, environments } = rest;
  const about = `operator-key/${name}`;
  const facts = auditFacts(context, { why: cause, environment: null, about, detail: { role, environments } });
  const made = await ports.opsKeys(context.env).make(issued, { name }, { facts, nowMs: facts.atMs });
  if (!made.ok) return refusedByOps(context, made.error);
  return context.json({ key: issued.key, ...opsKeyView(made.value, facts.atMs) }, 201);
}

async function keyIn(
  context: OpsContext,
  ports: AppPorts,
): Promise<Result<{ row: StoredOpsKey; wanted: Omit<OpsKeyWanted, 'expiresAt'> }, OpsRefusal>> {
  const keyId = context.req.param('keyId') ?? '';
  const found = await ports.opsKeys(context.env).read(keyId);
  if (!found.ok) return found;
  const environments = JSON.parse(found.value.environments) as Environment[];
  const own = context.get('operator').environments;
  if (!environments.some((each) => own.includes(each))) return err({ code: 'key_unknown', keyId });
  const refusal = reachRefused(context, environments);
  if (refusal !== null) return err(refusal);
  const { name, role } = found.value;
  return ok({ row: found.value, wanted: { name, role, environments } });
}

async function rotate(context: OpsContext, { dryRun }: OpsQuery, ports: AppPorts): Promise<Response> {
  const body = await readJson(context, rotateBody);
  if (!body.ok) return problem(context, body.error);
  const { overlapHours, expires, why: cause } = body.value;
  const old = await keyIn(context, ports);
  if (!old.ok) return refusedByOps(context, old.error);
  const { row, wanted } = old.value;
  const now = Date.now();
  const end = keyEnd(expires, now);
  if (!end.ok) return refusedByOps(context, { code: 'key_end_invalid', why: end.error });
  const endsAt = rotatedEnd(row.expires_at, overlapHours, now);
  if (dryRun) return context.json({ dryRun, endsAt, ...opsKeyView(row, now) });
  const issued = issuedOpsKey({ ...wanted, expiresAt: end.value }, keyBytes(context), now);
  const { name } = wanted;
  const facts = auditFacts(context, { why: cause, environment: null, about: `operator-key/${name}` });
  const made = await ports.opsKeys(context.env).rotate(row, overlapHours, issued, { name }, { facts, nowMs: now });
  if (!made.ok) return refusedByOps(context, made.error);
  return context.json({ key: issued.key, ...opsKeyView(made.value, now) }, 201);
}

async function revoke(context: OpsContext, { dryRun }: OpsQuery, ports: AppPorts): Promise<Response> {
  const body = await readJson(context, revokeBody);
  if (!body.ok) return problem(context, body.error);
  const key = await keyIn(context, ports);
  if (!key.ok) return refusedByOps(context, key.error);
  const { row, wanted } = key.value;
  const now = Date.now();
  if (dryRun) return context.json({ dryRun, ...opsKeyView(row, now) });
  const about = `operator-key/${wanted.name}`;
  const facts = auditFacts(context, { why: body.value.why, environment: null, about });
  const revoked = await ports.opsKeys(context.env).revoke(row.key_id, { facts, nowMs: now });
  if (!revoked.ok) return refusedByOps(context, revoked.error);
  const after = await ports.opsKeys(context.env).read(row.key_id);
  if (!after.ok) return refusedByOps(context, after.error);
  return context.json({ changed: revoked.value, ...opsKeyView(after.value, now) });
}
