/**
 * Carrier events (seed 4.3, 6.1): a milestone, a trace request or a load milestone event into a confirmation.
 *
 * What the service says about an unknown load is not shown: every load number is taken, unless the setting `knownLoads`
 * names those that exist.
 */
import type { z } from 'zod';
import { loadMilestoneEventBody, milestoneBody, traceBody } from '../upstream/contracts/bodies.ts';
import { NOT_SHOWN } from '../upstream/contracts/not-shown.ts';
import { json, refuse } from './answers.ts';
import { objectWith, readBody } from './bodies.ts';
import { type Ask, answerOnly, type Decision } from './decision.ts';

export function decideMilestone(ask: Ask): Decision {
  return record(
    ask,
    milestoneBody,
    ({ loadNumber }) => loadNumber,
    (body) => ({ status: 'accepted', loadNumber: body.loadNumber }),
  );
}

export function decideTrace(ask: Ask): Decision {
  return record(
    ask,
    traceBody,
    ({ loadNumber }) => loadNumber,
    (body) => {
      const points = Array.isArray(body.traces) ? body.traces.length : 0;
      return { status: 'accepted', loadNumber: body.loadNumber, points };
    },
  );
}

export function decideLoadMilestoneEvent(ask: Ask): Decision {
  return record(
    ask,
    loadMilestoneEventBody,
    ({ load_id }) => load_id,
    (body) => ({
      message: 'Milestone event recorded.',
      load_id: body.load_id,
    }),
  );
}

function record<Schema extends z.ZodType>(
  ask: Ask,
  schema: Schema,
  loadOf: (body: z.output<Schema>) => unknown,
  confirm: (body: z.output<Schema>) => Record<string, unknown>,
): Decision {
  const body = readBody(ask.received, schema);
  if (!body.ok) return answerOnly(body.answer);
  const { knownLoads } = ask.look.settings;
  const load = String(loadOf(body.value));
  if (knownLoads !== null && !knownLoads.includes(load)) {
    return answerOnly(refuse('load_unknown', `There is no load ${load}.`));
  }
  const confirmation = {
    ...objectWith(NOT_SHOWN.confirmationIdPath, ask.newId()),
    ...confirm(body.value),
    receivedAt: new Date(ask.nowMs).toISOString(),
  };
  return { answer: json(200, confirmation), effects: [{ kind: 'event_recorded' }] };
}
