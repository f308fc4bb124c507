/**
 * Carrier events (seed 4.3, 6.1): a milestone, a trace request or a load milestone event in, a confirmation out.
 *
 * How the service answers for an unknown load is not shown: every load number is accepted, unless the setting
 * `knownLoads` names those that exist.
 */
import type * as z from 'zod';
import { loadMilestoneEventBody, milestoneBody, traceBody } from '../upstream/contracts/bodies.ts';
import { withValueAt } from '../upstream/contracts/json.ts';
import { NOT_SHOWN } from '../upstream/contracts/not-shown.ts';
import { answerOnly, type Decision, refusal, type StoreQuery } from './decision.ts';
import { json } from './http.ts';
import { readBody } from './request.ts';

export const decideMilestone = (query: StoreQuery): Decision =>
  record(query, milestoneBody, ({ loadNumber }) => [loadNumber, { status: 'accepted', loadNumber }]);

export const decideTrace = (query: StoreQuery): Decision =>
  record(query, traceBody, ({ loadNumber, traces }) => {
    const points = Array.isArray(traces) ? traces.length : 0;
    return [loadNumber, { status: 'accepted', loadNumber, points }];
  });

export const decideLoadMilestoneEvent = (query: StoreQuery): Decision =>
  record(query, loadMilestoneEventBody, ({ load_id }) => [load_id, { message: 'Milestone event recorded.', load_id }]);

/** @param confirm the load of a body, and its part of the answer. */
function record<Schema extends z.ZodType>(
  query: StoreQuery,
  schema: Schema,
  confirm: (body: z.output<Schema>) => [load: unknown, said: Record<string, unknown>],
): Decision {
  const body = readBody(query.received, schema);
  if (!body.ok) return answerOnly(body.answer);
  const { knownLoads } = query.look.settings;
  const [load, said] = confirm(body.value);
  if (knownLoads !== null && !knownLoads.includes(String(load)))
    return refusal('load_unknown', `There is no load ${load}.`);
  const confirmation = {
    ...withValueAt({}, NOT_SHOWN.confirmationIdPath, query.newId()),
    ...said,
    receivedAt: new Date(query.nowMs).toISOString(),
  };
  return { answer: json(200, confirmation), effects: [{ kind: 'event_recorded' }] };
}
