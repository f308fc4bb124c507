/** `/v1/mapping-proposals`: mappings that partners propose, and what operators do with them. */
import * as z from 'zod';
import { PROPOSAL_STATES } from '../../ops/publishing/proposals.ts';
import { acts, DRY, IF_MATCH, look, VERSION, WHY } from './ops/routes.ts';
import { Changed } from './ops/setup-shapes.ts';
import { choice } from './parameters.ts';
import { json, jsonBody, list, type Routes } from './route.ts';
import { Environment } from './shapes.ts';

const LINE = {
  id: z.string(),
  partner: z.string(),
  name: z.string(),
  note: z.string().describe('What it is for.'),
  proposedAt: z.string(),
  state: z.enum(PROPOSAL_STATES),
  decidedBy: z.string().nullable(),
  decidedAt: z.string().nullable(),
  reason: z.string().nullable().describe('Why it was published or declined.'),
} as const;
const WHOLE = { ...LINE, mapping: z.string().describe('The document, YAML.'), codeLists: list(z.string()) } as const;

const Line = z.strictObject(LINE);
const Proposed = z.strictObject({
  id: z.string(),
  state: z.literal('open'),
  links: z.strictObject({ self: z.string() }),
});

const LIST = { proposals: list(Line), isCut: z.boolean().describe('There are more.') } as const;

export const PROPOSAL_ROUTES = {
  'GET /v1/mapping-proposals': {
    who: 'partner',
    does: 'the mappings that you proposed, and what became of each',
    answers: { 200: json('Those that wait for a decision first, each newest first.', z.strictObject(LIST)) },
  },
  'POST /v1/mapping-proposals': {
    who: 'partner',
    does: 'proposes a mapping; an operator publishes or declines it',
    body: jsonBody(
      z.strictObject({
        name: z.string().describe('As inside the document.'),
        mapping: z.string().describe('The document, YAML.'),
        codeLists: z.exactOptional(z.array(z.string())).describe('Code lists that come with it, YAML.'),
        note: z.string().describe('What it is for.'),
      }),
    ),
    answers: { 201: json('It waits for a decision.', Proposed) },
    refuses: [400, 409, 413],
  },
  'GET /v1/mapping-proposals/{id}': {
    who: 'partner',
    does: 'one of them with its document',
    answers: { 200: json('The proposal.', z.strictObject(WHOLE)) },
    refuses: [404],
  },
  'POST /v1/mapping-proposals/{id}/withdraw': {
    who: 'partner',
    does: 'takes it back while nobody has decided',
    answers: { 200: json('It is withdrawn.', Line) },
    refuses: [404, 409],
  },
  'GET /v1/ops/mapping-proposals': look(
    'mappings that partners propose',
    z.strictObject({ environment: Environment, ...LIST }),
    { state: choice(PROPOSAL_STATES, 'Only these.') },
  ),
  'GET /v1/ops/mapping-proposals/{id}': look(
    'one of them with its document',
    z.strictObject({ environment: Environment, ...WHOLE }),
  ),
  'POST /v1/ops/mapping-proposals/{id}/publish': acts({
    does: 'publishes it as it is; a new mapping is for the partner that proposed it',
    answer: Changed.extend({ id: z.string(), partner: z.string() }),
    body: { why: WHY },
    query: DRY,
    headers: IF_MATCH,
    answered: VERSION,
  }),
  'POST /v1/ops/mapping-proposals/{id}/decline': acts({
    does: 'declines it with a reason that the partner reads',
    answer: z.strictObject({ environment: Environment, ...LINE }),
    body: { why: WHY },
  }),
} as const satisfies Routes;
