/** `/v1/mapping-proposals`: mappings that a partner proposes; an operator publishes or declines them. */
import { type Context, Hono } from 'hono';
import * as z from 'zod';
import { NOTE_CHARACTERS_MAX } from '../../kernel/limits.ts';
import { NAME_FORM } from '../../mapping/document/code-list.ts';
import { DOCUMENT_CHARACTERS_MAX } from '../../mapping/limits.ts';
import { TRY_CODE_LISTS_MAX } from '../../ops/publishing/limits.ts';
import type { ProposalReader } from '../../ops/publishing/proposals.ts';
import { type HttpBindings, signIn } from '../edge/context.ts';
import type { AppPorts } from '../edge/ports.ts';
import { problem } from '../edge/problem.ts';
import { readJson } from '../ops/request.ts';
import { proposalLine, proposalRefused, proposalWhole } from '../views/mapping-proposal.ts';

const text = z.string().min(1).max(DOCUMENT_CHARACTERS_MAX);
const proposalBody = z.strictObject({
  name: z.string().regex(NAME_FORM, 'must be the name inside the document'),
  mapping: text,
  codeLists: z.array(text).max(TRY_CODE_LISTS_MAX).default([]),
  note: z.string().trim().min(1, 'must say what it is for').max(NOTE_CHARACTERS_MAX),
});

type Partner = Context<HttpBindings>;

export function mappingProposalRoutes(ports: AppPorts): Hono<HttpBindings> {
  const routes = new Hono<HttpBindings>();
  routes.use(signIn(ports.directory));
  routes.get('/', (context) => list(context, ports));
  routes.post('/', (context) => propose(context, ports));
  routes.get('/:id', (context) => show(context, ports));
  routes.post('/:id/withdraw', (context) => withdraw(context, ports));
  return routes;
}

const readerOf = (context: Partner): ProposalReader => {
  const { environment, partner } = context.get('principal');
  return { environment, partner };
};

async function list(context: Partner, ports: AppPorts): Promise<Response> {
  const found = await ports.proposals(context.env).list(readerOf(context), null);
  if (!found.ok) return proposalRefused(context, found.error);
  const { proposals, isCut } = found.value;
  return context.json({ proposals: proposals.map(proposalLine), isCut });
}

async function propose(context: Partner, ports: AppPorts): Promise<Response> {
  const body = await readJson(context, proposalBody);
  if (!body.ok) return problem(context, body.error);
  const { name, mapping: written, codeLists, note } = body.value;
  const { keyId } = context.get('principal');
  const made = await ports
    .proposals(context.env)
    .propose({ ...proposer(context), name, written, codeLists, note, keyId });
  if (!made.ok) return proposalRefused(context, made.error);
  const { id } = made.value;
  return context.json({ id, state: 'open', links: { self: `/v1/mapping-proposals/${id}` } }, 201);
}

const proposer = (context: Partner) => {
  const { environment, partner } = context.get('principal');
  return { environment, partner };
};

async function show(context: Partner, ports: AppPorts): Promise<Response> {
  const found = await ports.proposals(context.env).find(readerOf(context), context.req.param('id') ?? '');
  return found.ok ? context.json(proposalWhole(found.value)) : proposalRefused(context, found.error);
}

async function withdraw(context: Partner, ports: AppPorts): Promise<Response> {
  const { partner } = context.get('principal');
  const decision = { state: 'withdrawn', by: partner, reason: '' } as const;
  const done = await ports.proposals(context.env).decide(readerOf(context), context.req.param('id') ?? '', decision);
  return done.ok ? context.json(proposalLine(done.value)) : proposalRefused(context, done.error);
}
