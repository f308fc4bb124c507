/**
 * Carrier events (seed 4.3, 6.1): a milestone, a trace request or a load milestone event in, a confirmation out.
 *
 * How the service answers for an unknown load is not shown: every load number is accepted, unless the setting
 * `knownLoads` names those that exist.
 */
import type { z } from 'zod';
import { loadMilestoneEventBody, milestoneBody, traceBody } from '../upstream/contracts/bodies.ts';
import { NOT_SHOWN } from '../upstream/contracts/not-shown.ts';
import { answerOnly, type Decision, type StoreQuery } from './decision.ts';
import { json, refuse } from './http.ts';
import { objectWith, readBody } from './request.ts';

export function decideMilestone(query: StoreQuery): Decision {
  return record(
    query,
    milestoneBody,
    ({ loadNumber }) => loadNumber,
    (body) => ({ status: 'accepted', loadNumber: body.loadNumber }),
  );
}

export function decideTrace(query: StoreQuery): Decision {
  return record(
    query,
    traceBody,
    ({ loadNumber }) => loadNumber,
    (body) => {
      const points = Array.isArray(body.traces) ? body.traces.length : 0;
      return { status: 'accepted', loadNumber: body.loadNumber, points };
    },
  );
}

export function decideLoadMilestoneEvent(query: StoreQuery): Decision {
  return record(
    query,
    loadMilestoneEventBody,
    ({ load_id }) => load_id,
    (body) => ({
      message: 'Milestone event recorded.',
      load_id: body.load_id,
    }),
  );
}

function record<Schema extends z.ZodType>(
  query: StoreQuery,
  schema: Schema,
  loadOf: (body: z.output<Schema>) => unknown,
  confirm: (body: z.output<Schema>) => Record<string, unknown>,
): Decision {
  const body = readBody(query.received, schema);
  if (!body.ok) return answerOnly(body.answer);
  const { knownLoads } = query.look.settings;
  const load = String(loadOf(body.value));
  if (knownLoads !== null && !knownLoads.includes(load)) {
    return answerOnly(refuse('load_unknown', `There is no load ${load}.`));
  }
  const confirmation = {
    ...objectWith(NOT_SHOWN.confirmationIdPath, query.newId()),
    ...confirm(body.value),
    receivedAt: new Date(query.nowMs).toISOString(),
  };
  return { answer: json(200, confirmation), effects: [{ kind: 'event_recorded' }] };
}
