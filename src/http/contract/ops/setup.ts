/** `/v1/ops`: partners, keys, people, mappings, code lists and settings. */
import * as z from 'zod';
import { DRAFT_COMPARE, DRAFT_EXAMPLE, DRAFT_PREVIEW, OTHER_YAML_TYPES, SUGGEST } from '../mappings.ts';
import { text, whole } from '../parameters.ts';
import { ANY_TYPE, json, jsonBody, jsonOr, list, open, type Routes, Time, YAML_TYPE } from '../route.ts';
import { Difference } from '../shapes.ts';
import {
  acts,
  CHANGE_REFUSALS,
  DRY,
  ENVIRONMENT,
  IF_MATCH,
  IF_REVISION,
  look,
  NOTE,
  record,
  VERSION,
  WHY,
} from './routes.ts';
import {
  AnswerMappingWhole,
  Changed,
  CodeListList,
  CodeListWhole,
  Envelopes,
  History,
  MappingDiff,
  MappingOwners,
  OperatorKey,
  OperatorKeys,
  OpsMapping,
  OpsMappingList,
  OwnersSet,
  PartnerKey,
  PartnerKeys,
  PartnerList,
  PartnerWhole,
  Revisions,
  UploadLink,
  UploadLinkPlan,
  UploadLinks,
} from './setup-shapes.ts';

const EXPIRES = z.exactOptional(z.string()).describe('A day, or `never`; left out: a year from now.');
const ROTATE = { overlapHours: z.exactOptional(z.int()), expires: EXPIRES, why: WHY } as const;
const REVOKE = { why: WHY } as const;
const ROLE = z.enum(['viewer', 'operator', 'admin']);
const ENVIRONMENTS = z.array(z.enum(['test', 'production']));

/** The document or the plan of a change: one shape, told apart by `dryRun`. */
const publishes = <Query extends Readonly<Record<string, z.ZodType>>>(does: string, query: Query) =>
  ({
    who: 'operator',
    does,
    query: { ...ENVIRONMENT, ...query },
    headers: IF_MATCH,
    body: { media: { [YAML_TYPE]: null, [ANY_TYPE]: null } },
    answers: { 200: { ...json('What changed, or would.', Changed), headers: VERSION } },
    refuses: CHANGE_REFUSALS,
  }) as const;

const toEarlier = acts({
  does: 'goes back to an earlier version',
  answer: Changed,
  body: { to: z.string(), note: z.exactOptional(NOTE) },
  query: DRY,
  headers: IF_MATCH,
  answered: VERSION,
});

const Plan = z.strictObject({ dryRun: z.literal(true), edition: z.number(), changes: list(Difference) });

const asYaml = <Shape extends z.ZodType>(shape: Shape) =>
  ({
    200: { ...jsonOr('The document.', shape, [YAML_TYPE, ...OTHER_YAML_TYPES]), headers: VERSION },
  }) as const;

const Person = z
  .strictObject({
    personId: z.string(),
    name: z.string(),
    role: ROLE,
    environments: list(z.enum(['test', 'production'])),
    invitedBy: z.string(),
    invitedAt: Time,
    lastSignedInAt: Time.nullable(),
    hasPassword: z.boolean(),
    passkeys: z.number(),
    sessions: z.number(),
    linkEndsAt: Time.nullable().describe('Until when the link that signs in once may be opened; null: there is none.'),
  })
  .meta({ id: 'Person' });
const Invited = z.strictObject({ personId: z.string(), name: z.string(), link: z.string(), linkEndsAt: z.string() });

const person = <Shape extends z.ZodType, Body extends Readonly<Record<string, z.ZodType>>>(
  does: string,
  answer: Shape,
  body: Body,
) => acts({ does, answer, body, who: 'admin' });

export const SETUP_ROUTES = {
  'GET /v1/ops/mappings': look('every mapping, its version, since when, by whom', OpsMappingList),
  'POST /v1/ops/mappings/preview': {
    who: 'operator',
    ...DRAFT_PREVIEW,
    does: 'as for partners; vehicles and locations are not looked up',
    query: ENVIRONMENT,
  },
  'POST /v1/ops/mappings/suggest': {
    who: 'operator',
    ...SUGGEST,
    does: 'as for partners',
    query: { ...SUGGEST.query, ...ENVIRONMENT },
  },
  'POST /v1/ops/mappings/compare': {
    who: 'operator',
    ...DRAFT_COMPARE,
    does: 'as for partners; vehicles and locations are not looked up',
    query: ENVIRONMENT,
  },
  'POST /v1/ops/mappings/example': { who: 'operator', ...DRAFT_EXAMPLE, does: 'as for partners', query: ENVIRONMENT },
  'GET /v1/ops/mappings/{name}': {
    ...look('one mapping; its version as `ETag`, for `If-Match` alone', OpsMapping),
    answers: asYaml(OpsMapping),
  },
  'GET /v1/ops/mappings/{name}/diff': {
    ...look('what differs between two versions', MappingDiff, {
      from: text('A version; left out: the previous one.'),
      to: text('A version; left out: the current one.'),
    }),
    refuses: [404, 409, 422],
  },
  'PUT /v1/ops/mappings/{name}': publishes('publishes the YAML in the body', {
    note: text('Why, for the history.'),
    partners: text('For these, separated by commas.'),
    shared: text('For all.'),
    ...DRY,
  }),
  'POST /v1/ops/mappings/{name}/rollback': toEarlier,
  'GET /v1/ops/mappings/{name}/history': look('every publication: who, when, why', History, {
    before: whole('As `next` says.'),
  }),
  'GET /v1/ops/mappings/{name}/owners': look('whom a mapping is for, with its history', MappingOwners),
  'PUT /v1/ops/mappings/{name}/owners': acts({
    does: 'changes that: `partners`, or `shared`',
    answer: OwnersSet,
    body: {
      partners: z.exactOptional(z.array(z.string())),
      shared: z.exactOptional(z.literal(true)),
      note: NOTE,
    },
    query: DRY,
  }),
  'GET /v1/ops/code-lists': look('every code list, and which mappings use it', CodeListList),
  'GET /v1/ops/code-lists/{name}': {
    ...look('one code list; its version as `ETag`, for `If-Match` alone', CodeListWhole),
    answers: asYaml(CodeListWhole),
  },
  'PATCH /v1/ops/code-lists/{name}': acts({
    does: 'changes single words',
    answer: Changed,
    body: {
      set: z.exactOptional(z.record(z.string(), z.string())),
      remove: z.exactOptional(z.array(z.string())),
      note: z.exactOptional(NOTE),
    },
    query: DRY,
    headers: IF_MATCH,
    answered: VERSION,
  }),
  'PUT /v1/ops/code-lists/{name}': publishes('publishes the YAML in the body', {
    note: text('Why, for the history.'),
    ...DRY,
  }),
  'POST /v1/ops/code-lists/{name}/rollback': toEarlier,
  'GET /v1/ops/code-lists/{name}/history': look('every publication', History, { before: whole('As `next` says.') }),
  'GET /v1/ops/partners': look('every partner, its channel and keys in this environment', PartnerList, {
    after: text('As `next` says.'),
    limit: whole('How many on a page.'),
  }),
  'POST /v1/ops/partners': acts({
    does: 'makes a partner',
    answer: PartnerWhole,
    body: { name: z.string(), displayName: z.exactOptional(z.string()), channel: z.string(), why: WHY },
    who: 'admin',
    status: 201,
  }),
  'GET /v1/ops/partners/{name}': look('one of them', PartnerWhole),
  'GET /v1/ops/partners/{name}/record': record('a partner in this environment', {}),
  'PATCH /v1/ops/partners/{name}': acts({
    does: 'changes it',
    answer: PartnerWhole,
    body: {
      displayName: z.exactOptional(z.string()),
      channel: z.exactOptional(z.string()),
      enabled: z.exactOptional(z.boolean()),
      origins: z
        .exactOptional(z.array(z.string()))
        .describe(
          'Of pages of other sites that may call the API with its keys: all of them, such as `https://portal.example`.',
        ),
      why: WHY,
    },
    query: DRY,
    who: 'admin',
  }),
  'GET /v1/ops/partners/{name}/keys': look('its keys: state, end, last use', PartnerKeys),
  'POST /v1/ops/partners/{name}/keys': acts({
    does: 'makes a key, shown this once. Two work at most',
    answer: PartnerKey,
    body: {
      scacs: z.exactOptional(z.array(z.string())),
      mappings: z.exactOptional(z.array(z.string()).nullable()),
      expires: EXPIRES,
      why: WHY,
    },
    who: 'admin',
    status: 201,
  }),
  'POST /v1/ops/partners/{name}/keys/{keyId}/rotate': made(
    'makes a key in the place of one, which works on',
    PartnerKey,
  ),
  'POST /v1/ops/partners/{name}/keys/{keyId}/revoke': acts({
    does: 'ends a key at once',
    answer: PartnerKey,
    body: REVOKE,
    query: DRY,
    who: 'admin',
  }),
  'GET /v1/ops/partners/{name}/upload-links': look('links that send files without a key', UploadLinks),
  'POST /v1/ops/partners/{name}/upload-links': {
    ...acts({
      does: 'makes a link that opens the upload page for some days, shown this once',
      answer: UploadLink,
      body: {
        mappings: z.exactOptional(z.array(z.string()).nullable()),
        days: z.exactOptional(z.int()),
        why: WHY,
      },
      query: DRY,
      status: 201,
    }),
    answers: { 200: json('The plan.', UploadLinkPlan), 201: json('The link.', UploadLink) },
  },
  'POST /v1/ops/partners/{name}/upload-links/{link}/revoke': acts({
    does: 'takes a link back at once, with every session that it began',
    answer: UploadLink,
    body: REVOKE,
    query: DRY,
  }),
  'GET /v1/ops/operator-keys': look("operators' keys: name, role, state, end, last use", OperatorKeys),
  'POST /v1/ops/operator-keys': acts({
    does: 'makes one, shown this once',
    answer: OperatorKey,
    body: { name: z.string(), role: ROLE, environments: ENVIRONMENTS, expires: EXPIRES, why: WHY },
    who: 'admin',
    status: 201,
  }),
  'POST /v1/ops/operator-keys/{keyId}/rotate': made('makes one in the place of one, which works on', OperatorKey),
  'POST /v1/ops/operator-keys/{keyId}/revoke': acts({
    does: 'ends one at once',
    answer: OperatorKey,
    body: REVOKE,
    query: DRY,
    who: 'admin',
  }),
  'GET /v1/ops/partners/{name}/envelopes': look("what is agreed about a partner's interchanges", Envelopes),
  'PUT /v1/ops/partners/{name}/envelopes': acts({
    does: 'sets it',
    answer: z.union([Envelopes, Plan]),
    body: { rules: open<object>('The rules.'), note: NOTE },
    query: DRY,
    headers: IF_REVISION,
  }),
  'GET /v1/ops/partners/{name}/envelopes/history': look(
    'every revision: who, when, why, and what it changed',
    Revisions,
  ),
  'GET /v1/ops/answer-mappings/order-status': look('how answers about orders are read', AnswerMappingWhole),
  'PUT /v1/ops/answer-mappings/order-status': acts({
    does: 'replaces that',
    answer: z.union([AnswerMappingWhole, Plan]),
    body: { mapping: open<object>('The answer mapping.'), note: NOTE },
    query: DRY,
    headers: IF_REVISION,
  }),
  'GET /v1/ops/answer-mappings/order-status/history': look(
    'every revision: who, when, why, and what it changed',
    Revisions,
  ),
  'GET /v1/ops/people': {
    ...look('who may sign in to the pages, and how', z.strictObject({ people: list(Person) })),
    who: 'admin',
  },
  'POST /v1/ops/people': person('invites somebody. Shows a link once that signs them in once', Invited, {
    name: z.string(),
    role: ROLE,
    environments: ENVIRONMENTS,
    why: WHY,
  }),
  'PATCH /v1/ops/people/{id}': person('changes that; more rights end a link that was not opened', Person, {
    role: z.exactOptional(ROLE),
    environments: z.exactOptional(ENVIRONMENTS),
    why: WHY,
  }),
  'DELETE /v1/ops/people/{id}': person(
    'removes somebody and signs them out everywhere',
    z.strictObject({ personId: z.string(), removed: z.literal(true) }),
    { why: WHY },
  ),
  'POST /v1/ops/people/{id}/link': person(
    'a new link, shown once; `reset` forgets their passkeys and password',
    Invited,
    {
      why: WHY,
      reset: z.exactOptional(z.boolean()),
    },
  ),
} as const satisfies Routes;

/** A plan, or the new key. */
function made<Shape extends z.ZodType>(does: string, shape: Shape) {
  return {
    who: 'admin',
    does,
    query: { ...ENVIRONMENT, ...DRY },
    body: jsonBody(z.strictObject(ROTATE)),
    answers: { 200: json('The plan.', shape), 201: json('The new key, shown this once.', shape) },
    refuses: CHANGE_REFUSALS,
  } as const;
}
