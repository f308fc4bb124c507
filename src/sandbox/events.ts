/**
 * Carrier events (seed 4.3, 6.1): a milestone, a trace request or a load milestone event into a confirmation.
 *
 * Every load number is taken: what the service says about an unknown load is not shown, so only a fault says it.
 */
import type { z } from 'zod';
import { loadMilestoneEventBody, milestoneBody, traceBody } from '../upstream/contracts/bodies.ts';
import { NOT_SHOWN } from '../upstream/contracts/not-shown.ts';
import { json } from './answers.ts';
import { objectWith, readBody } from './bodies.ts';
import { type Ask, answerOnly, type Decision } from './decision.ts';

export function decideMilestone(ask: Ask): Decision {
  return record(ask, milestoneBody, (body) => ({ status: 'accepted', loadNumber: body.loadNumber }));
}

export function decideTrace(ask: Ask): Decision {
  return record(ask, traceBody, (body) => {
    const points = Array.isArray(body.traces) ? body.traces.length : 0;
    return { status: 'accepted', loadNumber: body.loadNumber, points };
  });
}

export function decideLoadMilestoneEvent(ask: Ask): Decision {
  return record(ask, loadMilestoneEventBody, (body) => ({
    message: 'Milestone event recorded.',
    load_id: body.load_id,
  }));
}

function record<Schema extends z.ZodType>(
  ask: Ask,
  schema: Schema,
  confirm: (body: z.output<Schema>) => Record<string, unknown>,
): Decision {
  const body = readBody(ask.received, schema);
  if (!body.ok) return answerOnly(body.answer);
  const confirmation = {
    ...objectWith(NOT_SHOWN.confirmationIdPath, ask.newId()),
    ...confirm(body.value),
    receivedAt: new Date(ask.nowMs).toISOString(),
  };
  return { answer: json(200, confirmation), effects: [{ kind: 'event_recorded' }] };
}
