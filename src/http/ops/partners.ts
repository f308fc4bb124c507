/** `/v1/ops/partners`: what is agreed with a partner about the envelopes of its interchanges. */
import { Hono } from 'hono';
import { z } from 'zod';
import { envelopeRules } from '../../batch/envelopes/rules.ts';
import { NOTE_CHARACTERS_MAX } from '../../kernel/limits.ts';
import type { AgreedEnvelopes } from '../../ops/directory/partner-envelopes.ts';
import type { HttpBindings, OpsContext } from '../edge/bindings.ts';
import type { AppPorts } from '../edge/ports.ts';
import { problem } from '../edge/problem.ts';
import { readJson } from './body.ts';
import { nameIn } from './changes.ts';
import { addFeedRoutes, forPartner as forKnownPartner } from './feeds.ts';
import type { OpsQuery } from './query.ts';
import { refusedByOps } from './refusals.ts';

const change = z.strictObject({ rules: envelopeRules, note: z.string().trim().min(1).max(NOTE_CHARACTERS_MAX) });

export function opsPartnerRoutes(ports: AppPorts): Hono<HttpBindings> {
  const routes = new Hono<HttpBindings>();
  routes.get('/:name/envelopes', (context) =>
    forPartner(context, ports, (query) => ports.envelopes(context.env).read(query.environment, nameIn(context))),
  );
  routes.put('/:name/envelopes', async (context) => {
    const body = await readJson(context, change);
    if (!body.ok) return problem(context, body.error);
    const { keyId, name: author } = context.get('operator');
    const asked = { ...body.value, keyId, author, atMs: Date.now() };
    return forPartner(context, ports, (query) =>
      ports.envelopes(context.env).set(query.environment, nameIn(context), asked),
    );
  });
  addFeedRoutes(routes, ports);
  return routes;
}

type Answered = Awaited<ReturnType<ReturnType<AppPorts['envelopes']>['read']>>;

async function forPartner(
  context: OpsContext,
  ports: AppPorts,
  ask: (query: OpsQuery) => Promise<Answered>,
): Promise<Response> {
  return forKnownPartner(context, ports, async (query) => {
    const answered = await ask(query);
    return answered.ok
      ? context.json(shown(query.environment, nameIn(context), answered.value))
      : refusedByOps(context, answered.error);
  });
}

const shown = (
  environment: string,
  partner: string,
  { edition, rules, changedBy, changedAt, note }: AgreedEnvelopes,
) => ({
  environment,
  partner,
  edition,
  rules,
  changedBy,
  changedAt,
  note,
});
