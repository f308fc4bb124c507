/** A proposed mapping, for the partner that proposed it and for operators. */
import type { Context } from 'hono';
import { messagesFor, type RefusalTable } from '../../kernel/refusals.ts';
import type { ListedProposal, Proposal, ProposalRefusal } from '../../ops/publishing/proposals.ts';
import { problem } from '../edge/problem.ts';

export const proposalLine = ({
  id,
  partner,
  name,
  note,
  proposedAt,
  state,
  decidedBy,
  decidedAt,
  reason,
}: ListedProposal) => ({
  ...{ id, partner, name, note, proposedAt, state, decidedBy, decidedAt, reason },
});

export const proposalWhole = (proposal: Proposal) => ({
  ...proposalLine(proposal),
  mapping: proposal.written,
  codeLists: proposal.codeLists,
});

export function proposalRefused(context: Context, refusal: ProposalRefusal): Response {
  return problem(context, { ...messagesFor(MESSAGES, refusal), code: refusal.code });
}

const MESSAGES: RefusalTable<ProposalRefusal> = {
  directory_unavailable: {
    status: 503,
    title: 'Proposals unavailable',
    detail:
      'Proposed mappings cannot be read or written at the moment. If this was to change something, whether it was done is not known.',
    fix: 'GET the list of proposals first, and send again only the proposals and decisions that were not stored.',
  },
  proposal_unknown: {
    status: 404,
    title: 'Unknown proposal',
    detail: 'There is no such proposal in this environment.',
    fix: 'GET the list of proposals, and use an id of it.',
  },
  proposal_decided: ({ state }) => ({
    status: 409,
    title: 'Decided already',
    detail: `The proposal is ${state} already. Nothing was changed.`,
    fix: 'Propose the mapping again if it is still wanted.',
  }),
  too_many_proposals: ({ most }) => ({
    status: 409,
    title: 'Too many open proposals',
    detail: `${most} proposals wait for a decision, which is all there may be. Nothing was changed.`,
    fix: 'Withdraw one, or wait until one is decided.',
  }),
};
