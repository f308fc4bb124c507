/**
 * `/v1/keys`: the caller's own keys. A key may make another like itself, and renew or end those that can do no more than
 * it can: nobody gains a right by it, and no key lives longer than the one it comes from was made for.
 */
import { type Context, Hono } from 'hono';
import * as z from 'zod';
import { iso } from '../../kernel/clock.ts';
import { NOTE_CHARACTERS_MAX } from '../../kernel/limits.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import type { AuditFacts } from '../../ops/directory/audit.ts';
import { issuedPartnerKey, rotatedEnd } from '../../ops/directory/issued-keys.ts';
import type { StoredPartnerKey } from '../../ops/directory/key-store.ts';
import { KEY_LIFETIME_MS, KEY_OVERLAP_HOURS, KEYS_MADE } from '../../ops/directory/limits.ts';
import type { Answered } from '../contract/contract.ts';
import { type HttpBindings, signIn } from '../edge/context.ts';
import type { AppPorts } from '../edge/ports.ts';
import { problem } from '../edge/problem.ts';
import { onlyKnown, readFlag } from '../edge/query.ts';
import { tooMany } from '../edge/rates.ts';
import { keyBytes } from '../ops/keys.ts';
import { refusedByOps } from '../ops/refusals.ts';
import { readJson } from '../ops/request.ts';
import { partnerKeyView } from '../ops/views/keys.ts';

const why = z.string().max(NOTE_CHARACTERS_MAX).default('');
const makeBody = z.strictObject({ why });
const rotateBody = z.strictObject({
  overlapHours: z.int().min(0).max(KEY_OVERLAP_HOURS.most).default(KEY_OVERLAP_HOURS.usual),
  why,
});

type Own = Context<HttpBindings>;

export function keyRoutes(ports: AppPorts): Hono<HttpBindings> {
  const routes = new Hono<HttpBindings>();
  routes.use(signIn(ports.directory));
  routes.get('/', (context) => list(context, ports));
  routes.post(
    '/',
    withOnly([], (context) => make(context, ports)),
  );
  routes.post(
    '/:keyId/rotate',
    withOnly(['dryRun'], (context) => rotate(context, ports)),
  );
  routes.post(
    '/:keyId/revoke',
    withOnly(['dryRun'], (context) => revoke(context, ports)),
  );
  return routes;
}

/** A misspelt `dryRun` must never act. */
const withOnly =
  (known: readonly string[], act: (context: Own) => Promise<Response>) =>
  async (context: Own): Promise<Response> => {
    const query = onlyKnown(context.req.query(), known);
    return query.ok ? act(context) : problem(context, query.error);
  };

const holderOf = (context: Own) => {
  const { partner, environment } = context.get('principal');
  return { partner, environment };
};

/** Without the channel, which is the operator's. */
function ownKey(context: Own, row: StoredPartnerKey, nowMs: number) {
  const { channel: _, ...view } = partnerKeyView(row, nowMs);
  return { ...view, isThisOne: view.keyId === context.get('principal').keyId, mayChange: isWithin(context, row) };
}

/** Whether a key can do nothing that the caller's cannot. */
function isWithin(context: Own, row: StoredPartnerKey): boolean {
  const own = context.get('principal');
  const { channel, scacs, mappings } = partnerKeyView(row, 0);
  const hasMappings = own.mappings === null || mappings?.every((each) => own.mappings?.includes(each)) === true;
  return channel === own.channel && scacs.every((each) => own.scacs.includes(each)) && hasMappings;
}

async function list(context: Own, ports: AppPorts): Promise<Response> {
  const keys = await ports.partnerKeys(context.env).list(holderOf(context));
  if (!keys.ok) return refusedByOps(context, keys.error);
  const now = Date.now();
  const { environment } = holderOf(context);
  return context.json({
    environment,
    keys: keys.value.map((row) => ownKey(context, row, now)),
  } satisfies Answered<'GET /v1/keys'>);
}

/** The key that the address names, if the caller may change it. */
async function keyIn(context: Own, ports: AppPorts, keyId: string): Promise<Result<StoredPartnerKey, Response>> {
  const found = await ports.partnerKeys(context.env).read(keyId);
  if (!found.ok) return err(refusedByOps(context, found.error));
  const { partner, environment } = holderOf(context);
  const isTheirs = found.value.partner === partner && found.value.environment === environment;
  if (!isTheirs) return err(refusedByOps(context, { code: 'key_unknown', keyId }));
  return isWithin(context, found.value) ? ok(found.value) : err(beyondYours(context, keyId));
}

const beyondYours = (context: Own, keyId: string): Response =>
  problem(context, {
    status: 403,
    code: 'key_beyond_yours',
    title: 'Key with other rights',
    detail: `The key ${keyId} may do what the key that you use may not. Nothing was changed.`,
    fix: 'Use a key with at least the same SCACs and mappings, or ask the operator.',
  });

/** How long it was made for, and at most the usual time. */
const madeForMs = ({ created_at, expires_at }: StoredPartnerKey): number =>
  expires_at === null ? KEY_LIFETIME_MS : Math.min(KEY_LIFETIME_MS, Date.parse(expires_at) - Date.parse(created_at));

/** @param by the caller's own key: a key that lives shortly gets no longer life out of another one. */
function issuedLike(context: Own, row: StoredPartnerKey, by: StoredPartnerKey, nowMs: number) {
  const { channel, scacs, mappings } = partnerKeyView(row, nowMs);
  const expiresAt = iso(nowMs + Math.min(madeForMs(row), madeForMs(by)));
  const wanted = { ...holderOf(context), channel, scacs, mappings, expiresAt };
  return issuedPartnerKey(wanted, keyBytes(context, context.get('principal').keyId), nowMs);
}

/** The caller's own key. */
const ownIn = (context: Own, ports: AppPorts) => keyIn(context, ports, context.get('principal').keyId);

const changeOf = (context: Own, action: string, cause: string, nowMs: number): { facts: AuditFacts; nowMs: number } => {
  const { partner, environment, keyId: by } = context.get('principal');
  const entry = { environment, actor: partner, action, about: `partner/${partner}`, why: cause, atMs: nowMs };
  return { facts: { ...entry, detail: { by } }, nowMs };
};

/** @returns a refusal where the holder had too many new ones lately; null: it may have another. */
async function madeTooMany(context: Own, ports: AppPorts, nowMs: number): Promise<Response | null> {
  const keys = await ports.partnerKeys(context.env).list(holderOf(context));
  if (!keys.ok) return refusedByOps(context, keys.error);
  const madeMs = keys.value.map(({ created_at }) => Date.parse(created_at)).toSorted((one, other) => other - one);
  const leastMs = madeMs[KEYS_MADE.most - 1];
  const waitMs = leastMs === undefined ? 0 : leastMs + KEYS_MADE.withinMs - nowMs;
  if (waitMs <= 0) return null;
  const detail = `You made ${KEYS_MADE.most} keys within an hour, which is all there may be.`;
  const seconds = Math.ceil(waitMs / 1_000);
  return tooMany(context, 'too_many_requests', 'keys', detail, 'Use the key that was made last.', seconds);
}

async function make(context: Own, ports: AppPorts): Promise<Response> {
  const body = await readJson(context, makeBody);
  if (!body.ok) return problem(context, body.error);
  const own = await ownIn(context, ports);
  if (!own.ok) return own.error;
  const now = Date.now();
  const refused = await madeTooMany(context, ports, now);
  if (refused !== null) return refused;
  const issued = issuedLike(context, own.value, own.value, now);
  const change = changeOf(context, 'key.make', body.value.why, now);
  const made = await ports.partnerKeys(context.env).make(issued, holderOf(context), change);
  if (!made.ok) return refusedByOps(context, made.error);
  return context.json(
    { key: issued.key, ...ownKey(context, made.value, now) } satisfies Answered<'POST /v1/keys'>,
    201,
  );
}

async function rotate(context: Own, ports: AppPorts): Promise<Response> {
  const [dryRun, body] = [readFlag(context.req.query(), 'dryRun'), await readJson(context, rotateBody)];
  if (!dryRun.ok) return problem(context, dryRun.error);
  if (!body.ok) return problem(context, body.error);
  const { overlapHours, why: cause } = body.value;
  const old = await keyIn(context, ports, context.req.param('keyId') ?? '');
  if (!old.ok) return old.error;
  const now = Date.now();
  const endsAt = rotatedEnd(old.value.expires_at, overlapHours, now);
  if (dryRun.value) return context.json({ dryRun: true, endsAt, ...ownKey(context, old.value, now) });
  const refused = await madeTooMany(context, ports, now);
  if (refused !== null) return refused;
  const own = await ownIn(context, ports);
  if (!own.ok) return own.error;
  const issued = issuedLike(context, old.value, own.value, now);
  const change = changeOf(context, 'key.rotate', cause, now);
  const made = await ports.partnerKeys(context.env).rotate(old.value, overlapHours, issued, holderOf(context), change);
  if (!made.ok) return refusedByOps(context, made.error);
  return context.json({ key: issued.key, endsAt, ...ownKey(context, made.value, now) }, 201);
}

async function revoke(context: Own, ports: AppPorts): Promise<Response> {
  const [dryRun, body] = [readFlag(context.req.query(), 'dryRun'), await readJson(context, makeBody)];
  if (!dryRun.ok) return problem(context, dryRun.error);
  if (!body.ok) return problem(context, body.error);
  const key = await keyIn(context, ports, context.req.param('keyId') ?? '');
  if (!key.ok) return key.error;
  const now = Date.now();
  if (dryRun.value) return context.json({ dryRun: true, ...ownKey(context, key.value, now) });
  const { key_id: keyId } = key.value;
  const revoked = await ports
    .partnerKeys(context.env)
    .revoke(keyId, changeOf(context, 'key.revoke', body.value.why, now));
  if (!revoked.ok) return refusedByOps(context, revoked.error);
  const after = await ports.partnerKeys(context.env).read(keyId);
  if (!after.ok) return refusedByOps(context, after.error);
  return context.json({ changed: revoked.value, ...ownKey(context, after.value, now) });
}
