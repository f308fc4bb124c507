/** `/v1/ops/people`: who may operate the bridge through its pages. For admins; each change stands in the audit. */

import { Hono } from 'hono';
import * as z from 'zod';
import { ENVIRONMENTS } from '../../kernel/names.ts';
import type { Result } from '../../kernel/result.ts';
import { OPS_ROLES } from '../../ops/directory/directory.ts';
import { PERSON_NAME_CHARACTERS_MAX } from '../../ops/people/limits.ts';
import type { Invited, PeopleRefusal } from '../../ops/people/people.ts';
import { noteForAudit } from '../edge/audit-notes.ts';
import { type HttpBindings, type OpsContext, opsSignIn } from '../edge/context.ts';
import type { AppPorts } from '../edge/ports.ts';
import { problem } from '../edge/problem.ts';
import { onlyKnown } from '../edge/query.ts';
import { refusedByOps } from './refusals.ts';
import { readJson, why } from './request.ts';

/** Letters, digits and a few signs: it is typed to sign in, and read in histories. */
const personName = z
  .string()
  .trim()
  .max(PERSON_NAME_CHARACTERS_MAX)
  .regex(
    /^[\p{L}\p{N}][\p{L}\p{N} .@_'+-]*$/u,
    "has letters, digits, spaces and . @ _ ' + - only, a letter or digit first",
  );
const role = z.enum(OPS_ROLES);
const environments = z
  .array(z.enum(ENVIRONMENTS))
  .min(1, 'names at least one environment')
  .transform((names) => ENVIRONMENTS.filter((name) => names.includes(name)));

const invitation = z.strictObject({ name: personName, role, environments, why });
const change = z
  .strictObject({ role: role.optional(), environments: environments.optional(), why })
  .refine((body) => body.role !== undefined || body.environments !== undefined, 'must name a role or environments');
const removal = z.strictObject({ why });
const newLink = z.strictObject({ why, reset: z.boolean().default(false) });

export function opsPeopleRoutes(ports: AppPorts): Hono<HttpBindings> {
  const routes = new Hono<HttpBindings>();
  const people = ({ env }: OpsContext) => ports.people(env);
  const asked = async <Body extends z.ZodType>(
    context: OpsContext,
    schema: Body,
    answer: (body: z.output<Body>) => Promise<Response>,
  ): Promise<Response> => {
    const query = onlyKnown(context.req.query(), PARAMETERS);
    if (!query.ok) return problem(context, query.error);
    const body = await readJson(context, schema);
    noteForAudit(context, { isWritten: true }); // in one transaction with the change
    return body.ok ? answer(body.value) : problem(context, body.error);
  };
  routes.use(opsSignIn(ports.opsDirectory, 'admin'));
  routes.get('/', async (context) => {
    const query = onlyKnown(context.req.query(), PARAMETERS);
    if (!query.ok) return problem(context, query.error);
    return answered(context, await people(context).list(), (list) => ({ people: list }));
  });
  routes.post('/', (context) =>
    asked(context, invitation, async (body) =>
      answered(context, await people(context).invite(body, context.get('operator')), withLink(context)),
    ),
  );
  routes.patch('/:id', (context) =>
    asked(context, change, async (body) =>
      answered(context, await people(context).change(idIn(context), body, context.get('operator'))),
    ),
  );
  routes.delete('/:id', (context) =>
    asked(context, removal, async (body) =>
      answered(context, await people(context).remove(idIn(context), body.why, context.get('operator')), () => ({
        personId: idIn(context),
        removed: true,
      })),
    ),
  );
  routes.post('/:id/link', (context) =>
    asked(context, newLink, async ({ why: reason, reset: isReset }) => {
      const by = context.get('operator');
      const made = await people(context).newLink(idIn(context), { why: reason, isReset }, by);
      return answered(context, made, withLink(context));
    }),
  );
  return routes;
}

/** People are of no single environment; the console adds one to every call. */
const PARAMETERS = ['environment'];

const idIn = ({ req }: OpsContext): string => req.param('id') ?? '';

/** The link is in this one answer and nowhere else. */
const withLink =
  ({ req }: OpsContext) =>
  ({ personId, name, token, linkEndsAt }: Invited) => ({
    personId,
    name,
    link: `${new URL(req.url).origin}/console/sign-in/link/${token}`,
    linkEndsAt,
  });

function answered<T>(
  context: OpsContext,
  found: Result<T, PeopleRefusal>,
  shown: (value: T) => object = (value) => value as object,
): Response {
  return found.ok ? context.json(shown(found.value)) : refusedByOps(context, found.error);
}
