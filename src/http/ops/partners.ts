/** `/v1/ops/partners`: the partners, and their keys. Everybody with an operator's key reads; administrators change. */
import { Hono } from 'hono';
import * as z from 'zod';
import { ENVIRONMENTS, type Environment } from '../../kernel/names.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import { issuedPartnerKey, keyEnd, rotatedEnd } from '../../ops/directory/issued-keys.ts';
import type { StoredPartnerKey } from '../../ops/directory/key-store.ts';
import { PARTNER_CHARACTERS_MAX, PARTNER_ORIGINS_MAX, PARTNERS_PAGE } from '../../ops/directory/limits.ts';
import type { AdministeredPartner, PartnerChange } from '../../ops/directory/partners.ts';
import { SCAC_FORM } from '../../upstream/contracts/bodies.ts';
import type { Answered } from '../contract/contract.ts';
import { adminOnly, type HttpBindings, type OpsContext } from '../edge/context.ts';
import type { AppPorts } from '../edge/ports.ts';
import { problem } from '../edge/problem.ts';
import { pageSize } from '../edge/query.ts';
import { withParameters } from '../edge/reader.ts';
import { nameIn, refused } from './changes.ts';
import { auditFacts, keyBytes, revokeBody, rotateBody } from './keys.ts';
import { type OpsRefusal, refusedByOps } from './refusals.ts';
import { type OpsQuery, opsRoute, readJson, why } from './request.ts';
import { partnerKeyView } from './views/keys.ts';

/** Part of addresses, of object names and of storage keys. */
const NAME_FORM = /^[a-z0-9]+(-[a-z0-9]+)*$/;

const displayName = z.string().trim().min(1).max(PARTNER_CHARACTERS_MAX.displayName);
const newPartner = z.strictObject({
  name: z.string().max(PARTNER_CHARACTERS_MAX.name).regex(NAME_FORM, 'lower-case letters, digits and single dashes'),
  displayName: displayName.optional(),
  channel: z.string().min(1),
  why,
});
/** As a browser says it: no path and no slash at the end. Plain http only of this machine. */
function isOrigin(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.origin !== text) return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && /^(?:localhost|127\.0\.0\.1)$/.test(url.hostname));
}
const ORIGIN_FORM = 'an origin such as https://portal.example, without a path';

const changeBody = z
  .strictObject({
    displayName: displayName.optional(),
    channel: z.string().min(1).optional(),
    enabled: z.boolean().optional(),
    origins: z
      .array(z.string().max(PARTNER_CHARACTERS_MAX.origin).refine(isOrigin, ORIGIN_FORM))
      .max(PARTNER_ORIGINS_MAX)
      .optional(),
    why,
  })
  .refine(
    ({ displayName: name, channel, enabled, origins }) => (name ?? channel ?? enabled ?? origins) !== undefined,
    'must have displayName, channel, enabled or origins',
  );
const newKey = z.strictObject({
  scacs: z.array(z.string().regex(SCAC_FORM, 'two to four capital letters')).min(1).optional(),
  mappings: z.array(z.string().min(1)).min(1).nullable().default(null),
  expires: z.string().optional(),
  why,
});

export function opsAdministeredRoutes(ports: AppPorts): Hono<HttpBindings> {
  const routes = new Hono<HttpBindings>();
  routes.get('/', opsRoute(ports, ['limit', 'after'], list));
  routes.post('/', adminOnly, opsRoute(ports, [], create));
  routes.get('/:name', opsRoute(ports, [], show));
  routes.patch('/:name', adminOnly, opsRoute(ports, ['dryRun'], change));
  routes.get('/:name/keys', opsRoute(ports, [], listKeys));
  routes.post('/:name/keys', adminOnly, opsRoute(ports, [], makeKey));
  routes.post('/:name/keys/:keyId/rotate', adminOnly, opsRoute(ports, ['dryRun'], rotateKey));
  routes.post('/:name/keys/:keyId/revoke', adminOnly, opsRoute(ports, ['dryRun'], revokeKey));
  return routes;
}

const partnerLinks = (environment: Environment, partner: string) => {
  const path = `/partners/${encodeURIComponent(partner)}`;
  return {
    self: withParameters(`/v1/ops${path}`, { environment }),
    keys: withParameters(`/v1/ops${path}/keys`, { environment }),
    console: withParameters(`/console${path}`, { environment }),
  };
};

export type PartnerView = Answered<'GET /v1/ops/partners'>['partners'][number];
const partnerView = (environment: Environment, { partner, isEnabled, ...found }: AdministeredPartner) => ({
  name: partner,
  displayName: found.displayName,
  enabled: isEnabled,
  createdAt: found.createdAt,
  /** In this environment; null: none yet. */
  channel: found.channel,
  origins: found.origins,
  keys: { live: found.liveKeys, nextEnd: found.endsAt, lastUsedAt: found.lastUsedAt },
  links: partnerLinks(environment, partner),
});

async function list(context: OpsContext, { environment, get }: OpsQuery, ports: AppPorts): Promise<Response> {
  const limit = pageSize(get('limit'), PARTNERS_PAGE.usual, PARTNERS_PAGE.most);
  const found = await ports.administered(context.env).list(environment, get('after') ?? '', limit);
  if (!found.ok) return refusedByOps(context, found.error);
  const last = found.value.length === limit ? found.value.at(-1) : undefined;
  const more = last && withParameters('/v1/ops/partners', { environment, limit: `${limit}`, after: last.partner });
  const partners = found.value.map((each) => partnerView(environment, each));
  return context.json({ environment, partners, next: more ?? null });
}

async function show(context: OpsContext, { environment }: OpsQuery, ports: AppPorts): Promise<Response> {
  const found = await ports.administered(context.env).read(environment, nameIn(context));
  if (!found.ok) return refusedByOps(context, found.error);
  return context.json({ environment, ...partnerView(environment, found.value) });
}

async function create(context: OpsContext, { environment }: OpsQuery, ports: AppPorts): Promise<Response> {
  const body = await readJson(context, newPartner);
  if (!body.ok) return problem(context, body.error);
  const { name: partner, displayName: shown = partner, channel, why: cause } = body.value;
  const setup = ports.gates(context.env).setup(environment, channel);
  if (!setup.ok) return refusedByOps(context, channelUnknown(setup.error));
  const about = `partner/${partner}`;
  const facts = auditFacts(context, { why: cause, environment, about, detail: { channel, displayName: shown } });
  const made = await ports
    .administered(context.env)
    .create(environment, { partner, displayName: shown, channel }, facts);
  if (!made.ok) return refusedByOps(context, made.error);
  return context.json({ environment, ...partnerView(environment, made.value) }, 201);
}

async function change(context: OpsContext, { environment, dryRun }: OpsQuery, ports: AppPorts): Promise<Response> {
  const body = await readJson(context, changeBody);
  if (!body.ok) return problem(context, body.error);
  const { why: cause, channel } = body.value;
  const administered = ports.administered(context.env);
  const before = await administered.read(environment, nameIn(context));
  if (!before.ok) return refusedByOps(context, before.error);
  const { partner } = before.value;
  const ofBoth = changesOfBoth(body.value, before.value);
  const beyond = Object.keys(ofBoth).length > 0 ? await beyondOwn(context, ports, partner) : null;
  if (beyond !== null) return beyond;
  const refusal = channel === undefined ? null : await channelRefused(context, ports, environment, partner, channel);
  if (refusal !== null) return refusedByOps(context, refusal);
  const wanted: PartnerChange = { ...ofBoth, ...(channel === undefined ? {} : { channel }) };
  if (dryRun || Object.keys(wanted).length === 0)
    return context.json({ environment, dryRun, ...partnerView(environment, before.value) });
  const was = {
    displayName: before.value.displayName,
    isEnabled: before.value.isEnabled,
    channel: before.value.channel,
    origins: before.value.origins,
  };
  // A channel is one environment's; the name and being let in are both environments', and both see who changed them.
  const of = Object.keys(ofBoth).length > 0 ? null : environment;
  const channelOf = channel === undefined ? {} : { channelOf: environment };
  const facts = auditFacts(context, {
    why: cause,
    environment: of,
    detail: { before: was, after: wanted, ...channelOf },
  });
  const changed = await administered.change(environment, partner, wanted, facts);
  if (!changed.ok) return refusedByOps(context, changed.error);
  return context.json({ environment, dryRun, ...partnerView(environment, changed.value) });
}

/** What counts in both environments and is not so already: what stays is not written, for somebody may change it meanwhile. */
function changesOfBoth(
  { displayName: shown, enabled, origins }: z.infer<typeof changeBody>,
  before: AdministeredPartner,
): PartnerChange {
  const isOther = origins !== undefined && `${[...origins].sort()}` !== `${[...before.origins].sort()}`;
  return {
    ...(shown === undefined || shown === before.displayName ? {} : { displayName: shown }),
    ...(enabled === undefined || enabled === before.isEnabled ? {} : { isEnabled: enabled }),
    ...(isOther ? { origins } : {}),
  };
}

/** What a partner is called and whether it is let in counts wherever it is. @returns null: the operator may act there. */
async function beyondOwn(context: OpsContext, ports: AppPorts, partner: string): Promise<Response | null> {
  const own = context.get('operator').environments;
  for (const environment of ENVIRONMENTS.filter((each) => !own.includes(each))) {
    const there = await ports.administered(context.env).read(environment, partner);
    if (!there.ok) return refusedByOps(context, there.error);
    if (there.value.channel === null && there.value.liveKeys === 0) continue;
    return problem(context, {
      status: 403,
      code: 'partner_beyond',
      title: 'Partner of both environments',
      detail: `The partner is in ${environment}, too, and this counts there as well: you may not act there. Nothing was changed.`,
      fix: 'Have it done by an administrator of both environments.',
    });
  }
  return null;
}

const channelUnknown = (refusal: { code: string } & Partial<{ name: string; known: string[] }>): OpsRefusal => ({
  code: 'unknown_channel',
  name: refusal.name ?? '',
  known: refusal.known ?? [],
});

/** Every SCAC of a key that works, or of a link that is open, must be one of the new channel. @returns null: it may be. */
async function channelRefused(
  context: OpsContext,
  ports: AppPorts,
  environment: Environment,
  partner: string,
  channel: string,
): Promise<OpsRefusal | null> {
  const setup = ports.gates(context.env).setup(environment, channel);
  if (!setup.ok) return channelUnknown(setup.error);
  const keys = await ports.partnerKeys(context.env).list({ partner, environment });
  if (!keys.ok) return keys.error;
  const links = await ports.uploadLinks(context.env).list({ partner, environment }, -1);
  if (!links.ok) return links.error;
  const views = keys.value.map((row) => partnerKeyView(row, Date.now()));
  const working = views.filter(({ state }) => state !== 'ended' && state !== 'revoked');
  const open = links.value.filter(({ state }) => state === 'open');
  const scacs = [...working, ...open].flatMap((each) => each.scacs);
  return scacRefused(scacs, setup.value.scacs);
}

function scacRefused(wanted: readonly string[], known: readonly string[]): OpsRefusal | null {
  const scac = wanted.find((each) => !known.includes(each));
  return scac === undefined ? null : { code: 'scac_not_of_channel', scac, known: [...known] };
}

/* Keys of a partner. */

async function listKeys(context: OpsContext, { environment }: OpsQuery, ports: AppPorts): Promise<Response> {
  const partner = await ports.administered(context.env).read(environment, nameIn(context));
  if (!partner.ok) return refusedByOps(context, partner.error);
  const name = partner.value.partner;
  const keys = await ports.partnerKeys(context.env).list({ partner: name, environment });
  if (!keys.ok) return refusedByOps(context, keys.error);
  const now = Date.now();
  return context.json({ environment, partner: name, keys: keys.value.map((row) => partnerKeyView(row, now)) });
}

async function makeKey(context: OpsContext, { environment }: OpsQuery, ports: AppPorts): Promise<Response> {
  const body = await readJson(context, newKey);
  if (!body.ok) return problem(context, body.error);
  const { mappings, why: cause, expires } = body.value;
  const found = await ports.administered(context.env).read(environment, nameIn(context));
  if (!found.ok) return refusedByOps(context, found.error);
  const { partner, channel } = found.value;
  if (channel === null) return refusedByOps(context, { code: 'partner_channel_missing', partner });
  const setup = ports.gates(context.env).setup(environment, channel);
  if (!setup.ok) return refusedByOps(context, channelUnknown(setup.error));
  const scacs = body.value.scacs ?? setup.value.scacs;
  const refusal = scacRefused(scacs, setup.value.scacs);
  if (refusal !== null) return refusedByOps(context, refusal);
  const unknown = await unknownMapping(context, ports, environment, mappings ?? []);
  if (unknown !== null) return unknown;
  const end = keyEnd(expires, Date.now());
  if (!end.ok) return refusedByOps(context, { code: 'key_end_invalid', why: end.error });
  const wanted = { partner, environment, channel, scacs, mappings, expiresAt: end.value };
  const issued = issuedPartnerKey(wanted, keyBytes(context), Date.now());
  const facts = auditFacts(context, { why: cause, environment, detail: { scacs, mappings } });
  const change = { facts, nowMs: facts.atMs };
  const made = await ports.partnerKeys(context.env).make(issued, { partner, environment }, change);
  if (!made.ok) return refusedByOps(context, made.error);
  return context.json({ environment, partner, key: issued.key, ...partnerKeyView(made.value, facts.atMs) }, 201);
}

/** @returns the refusal of the first that there is not. */
export async function unknownMapping(
  context: OpsContext,
  ports: AppPorts,
  environment: Environment,
  names: readonly string[],
): Promise<Response | null> {
  if (names.length === 0) return null;
  const all = await ports.catalog(context.env).mappings({ environment, partner: null });
  if (!all.ok) return refused(context, all.error);
  const known = all.value.map(({ name }) => name);
  const unknown = names.find((name) => !known.includes(name));
  return unknown === undefined ? null : refused(context, { code: 'unknown_mapping', name: unknown, known });
}

/** The key that the address names, if it is this partner's in this environment. */
async function keyIn(
  context: OpsContext,
  ports: AppPorts,
  environment: Environment,
): Promise<Result<StoredPartnerKey, OpsRefusal>> {
  const keyId = context.req.param('keyId') ?? '';
  const found = await ports.partnerKeys(context.env).read(keyId);
  if (!found.ok) return found;
  const isTheirs = found.value.partner === nameIn(context) && found.value.environment === environment;
  return isTheirs ? ok(found.value) : err({ code: 'key_unknown', keyId });
}

async function rotateKey(context: OpsContext, { environment, dryRun }: OpsQuery, ports: AppPorts): Promise<Response> {
  const body = await readJson(context, rotateBody);
  if (!body.ok) return problem(context, body.error);
  const { overlapHours, expires, why: cause } = body.value;
  const old = await keyIn(context, ports, environment);
  if (!old.ok) return refusedByOps(context, old.error);
  const now = Date.now();
  const end = keyEnd(expires, now);
  if (!end.ok) return refusedByOps(context, { code: 'key_end_invalid', why: end.error });
  const { partner, channel, scacs, mappings } = partnerKeyWanted(old.value);
  if (dryRun) {
    const endsAt = rotatedEnd(old.value.expires_at, overlapHours, now);
    return context.json({ environment, partner, dryRun, endsAt, ...partnerKeyView(old.value, now) });
  }
  const wanted = { partner, environment, channel, scacs, mappings, expiresAt: end.value };
  const issued = issuedPartnerKey(wanted, keyBytes(context), now);
  const facts = auditFacts(context, { why: cause, environment });
  const made = await ports
    .partnerKeys(context.env)
    .rotate(old.value, overlapHours, issued, { partner, environment }, { facts, nowMs: now });
  if (!made.ok) return refusedByOps(context, made.error);
  return context.json({ environment, partner, key: issued.key, ...partnerKeyView(made.value, now) }, 201);
}

const partnerKeyWanted = (row: StoredPartnerKey) => {
  const { channel, scacs, mappings } = partnerKeyView(row, 0);
  return { partner: row.partner, channel, scacs, mappings };
};

async function revokeKey(context: OpsContext, { environment, dryRun }: OpsQuery, ports: AppPorts): Promise<Response> {
  const body = await readJson(context, revokeBody);
  if (!body.ok) return problem(context, body.error);
  const key = await keyIn(context, ports, environment);
  if (!key.ok) return refusedByOps(context, key.error);
  const { partner, key_id: keyId } = key.value;
  const now = Date.now();
  if (dryRun) return context.json({ environment, partner, dryRun, ...partnerKeyView(key.value, now) });
  const facts = auditFacts(context, { why: body.value.why, environment });
  const revoked = await ports.partnerKeys(context.env).revoke(keyId, { facts, nowMs: now });
  if (!revoked.ok) return refusedByOps(context, revoked.error);
  const after = await ports.partnerKeys(context.env).read(keyId);
  if (!after.ok) return refusedByOps(context, after.error);
  return context.json({ environment, partner, changed: revoked.value, ...partnerKeyView(after.value, now) });
}
