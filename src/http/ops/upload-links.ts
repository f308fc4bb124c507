/** `/v1/ops/partners/{name}/upload-links`: links that let somebody without a key send files for a partner, for some days. */
import { Hono } from 'hono';
import * as z from 'zod';
import { DAY_MS } from '../../kernel/clock.ts';
import type { Environment } from '../../kernel/names.ts';
import type { Result } from '../../kernel/result.ts';
import { WORKING_STATES } from '../../ops/directory/issued-keys.ts';
import type { StoredPartnerKey } from '../../ops/directory/key-store.ts';
import { UPLOAD_LINK_DAYS } from '../../ops/directory/limits.ts';
import type { UploadLink, UploadLinkRefusal } from '../../ops/directory/upload-links.ts';
import { newToken } from '../../ops/people/sessions.ts';
import type { HttpBindings, OpsContext } from '../edge/context.ts';
import type { AppPorts } from '../edge/ports.ts';
import { problem } from '../edge/problem.ts';
import { nameIn } from './changes.ts';
import { auditFacts, revokeBody } from './keys.ts';
import { unknownMapping } from './partners.ts';
import { refusedByOps } from './refusals.ts';
import { type OpsQuery, opsRoute, readJson, why } from './request.ts';
import { partnerKeyView } from './views/keys.ts';

const wanted = z.strictObject({
  mappings: z.array(z.string().min(1)).min(1).nullable().default(null),
  days: z.int().min(1).max(UPLOAD_LINK_DAYS.most).default(UPLOAD_LINK_DAYS.usual),
  why,
});

export function opsUploadLinkRoutes(ports: AppPorts): Hono<HttpBindings> {
  const routes = new Hono<HttpBindings>();
  routes.get('/:name/upload-links', opsRoute(ports, [], list));
  routes.post('/:name/upload-links', opsRoute(ports, ['dryRun'], make));
  routes.post('/:name/upload-links/:link/revoke', opsRoute(ports, ['dryRun'], revoke));
  return routes;
}

const scopeIn = (context: OpsContext, environment: Environment) => ({ environment, partner: nameIn(context) });

async function list(context: OpsContext, { environment }: OpsQuery, ports: AppPorts): Promise<Response> {
  const scope = scopeIn(context, environment);
  const [partner, links] = await Promise.all([
    ports.administered(context.env).read(environment, scope.partner),
    ports.uploadLinks(context.env).list(scope),
  ]);
  if (!partner.ok) return refusedByOps(context, partner.error);
  if (!links.ok) return refusedLink(context, links.error);
  return context.json({ ...scope, links: links.value });
}

/** Those that the partner's working keys have; all of its channel where it has no such key yet. */
function scacsLike(keys: readonly StoredPartnerKey[], ofChannel: readonly string[]): string[] {
  const views = keys.map((row) => partnerKeyView(row, Date.now())).filter(({ state }) => WORKING_STATES.has(state));
  const own = new Set(views.flatMap(({ scacs }) => scacs));
  const shared = ofChannel.filter((scac) => own.has(scac));
  return shared.length === 0 ? [...ofChannel] : shared;
}

/** The link is in this one answer and nowhere else: behind the `#`, which browsers send to nobody. */
async function make(context: OpsContext, { environment, dryRun }: OpsQuery, ports: AppPorts): Promise<Response> {
  const body = await readJson(context, wanted);
  if (!body.ok) return problem(context, body.error);
  const { mappings, days, why: note } = body.value;
  const found = await ports.administered(context.env).read(environment, nameIn(context));
  if (!found.ok) return refusedByOps(context, found.error);
  const { partner, channel } = found.value;
  if (channel === null) return refusedByOps(context, { code: 'partner_channel_missing', partner });
  const setup = ports.gates(context.env).setup(environment, channel);
  if (!setup.ok) return refusedByOps(context, { code: 'unknown_channel', name: channel, known: [] });
  const unknown = await unknownMapping(context, ports, environment, mappings ?? []);
  if (unknown !== null) return unknown;
  const endsAtMs = Date.now() + days * DAY_MS;
  const keys = await ports.partnerKeys(context.env).list({ partner, environment });
  if (!keys.ok) return refusedByOps(context, keys.error);
  const scacs = scacsLike(keys.value, setup.value.scacs);
  if (dryRun) return context.json({ environment, partner, dryRun, scacs, mappings, endsAt: new Date(endsAtMs) });
  const token = newToken();
  const link = { partner, environment, channel, scacs, mappings, note, madeBy: context.get('operator').name, endsAtMs };
  const facts = auditFacts(context, { why: note, environment });
  const made = await ports.uploadLinks(context.env).make(link, token, facts);
  if (!made.ok) return refusedLink(context, made.error);
  const address = `${new URL(context.req.url).origin}/console/open#${token}`;
  return context.json({ environment, partner, link: address, ...made.value }, 201);
}

function refusedLink(context: OpsContext, refusal: UploadLinkRefusal): Response {
  switch (refusal.code) {
    case 'directory_unavailable':
      return refusedByOps(context, refusal);
    case 'link_unknown':
      return problem(context, {
        status: 404,
        code: 'link_unknown',
        title: 'Unknown upload link',
        detail: 'This partner has no such upload link in this environment. Nothing was changed.',
        fix: 'GET the list of its upload links; an id begins with l_.',
      });
    case 'too_many_links':
      return problem(context, {
        status: 409,
        code: 'too_many_links',
        title: 'Too many upload links',
        detail: `${refusal.most} upload links of this partner are open, which is all there may be. Nothing was changed.`,
        fix: 'Take back those that nobody needs; "openedAt" helps to tell.',
      });
  }
}

async function revoke(context: OpsContext, { environment, dryRun }: OpsQuery, ports: AppPorts): Promise<Response> {
  const body = await readJson(context, revokeBody);
  if (!body.ok) return problem(context, body.error);
  const scope = scopeIn(context, environment);
  const linkId = context.req.param('link') ?? '';
  const links = ports.uploadLinks(context.env);
  const done: Result<UploadLink, UploadLinkRefusal> = dryRun
    ? await links.read(linkId, scope)
    : await links.revoke(linkId, scope, auditFacts(context, { why: body.value.why, environment }));
  return done.ok ? context.json({ ...scope, dryRun, ...done.value }) : refusedLink(context, done.error);
}
