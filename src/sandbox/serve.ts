/**
 * One request from arrival to journal: late effects that are due, decision, fault, effects, row. No I/O of its own.
 *
 * All in one step and in this order, so that the journal's order is the order in which requests took effect.
 */
import { ENDPOINTS, type EndpointName } from '../upstream/contracts/endpoints.ts';
import {
  answerOnly,
  type Decision,
  isSuccess,
  type JournalEntry,
  type Look,
  refusal,
  type StoreQuery,
} from './decision.ts';
import { decideLoadMilestoneEvent, decideMilestone, decideTrace } from './events.ts';
import { type Acted, act, chooseFault, type Delivery } from './faults/faults.ts';
import { decideLocation, decideLocations, decideServiceHistory, decideVehicle, decideVehicles } from './fleet.ts';
import { maskBody, maskHeaders, type Received, refuse } from './http.ts';
import { decideActionStatus, decideCancel, decideCreate, decideHistory, decideTracks, decideUpdate } from './orders.ts';
import { checkCaller, findRoute, type Route } from './request.ts';
import type { SqlStore } from './sql-store.ts';
import { decideToken } from './tokens.ts';

/* One received request → the service's answer and the effects it would have without faults. Pure. */

interface Moment {
  nowMs: number;
  look: Look;
  newId: () => string;
}

type KeyedEndpoint = Exclude<EndpointName, 'oauthToken' | 'plainToken'>;

const DECIDERS: Record<KeyedEndpoint, (ask: StoreQuery) => Decision> = {
  vehicles: decideVehicles,
  vehicle: decideVehicle,
  serviceHistory: decideServiceHistory,
  locations: decideLocations,
  location: decideLocation,
  milestone: decideMilestone,
  trace: decideTrace,
  loadMilestoneEvent: decideLoadMilestoneEvent,
  orderCreate: decideCreate,
  orderUpdate: decideUpdate,
  orderCancel: decideCancel,
  orderActionStatus: decideActionStatus,
  orderHistory: decideHistory,
  orderTracks: decideTracks,
};

function decide(received: Received, route: Route, moment: Moment): Decision {
  if (route.kind === 'unknown_path') {
    return refusal('path_unknown', `Nothing is served at ${received.path}.`);
  }
  if (route.kind === 'wrong_method') {
    const answer = refuse('method_not_allowed', `This path takes ${route.allowed.join(', ')}.`);
    return answerOnly({ ...answer, headers: { ...answer.headers, allow: route.allowed.join(', ') } });
  }
  const { environment, endpoint, params } = route;
  if (endpoint === 'oauthToken' || endpoint === 'plainToken') {
    return decideToken(endpoint === 'oauthToken' ? 1 : 2, { received, environment, ...moment });
  }
  const where = { environment, api: ENDPOINTS[endpoint].api };
  const caller = checkCaller(received, where, moment.look, moment.nowMs);
  if (!caller.ok) return answerOnly(caller.answer);
  return DECIDERS[endpoint]({ received, params, ...caller.value, ...moment });
}

/*
 * One received request → the row stored of it: secrets as fingerprints, the body capped. Pure.
 *
 * `applied` says whether the service acted on the request, whatever the client saw of it.
 */

/**
 * Longest body text that is stored: 512 KiB, more than a day of positions packs to. A row of the store holds 2 MB at
 * most.
 */
export const BODY_CHARACTERS_STORED_MAX = 512 * 1024;

function describe(
  received: Received,
  outcome: { environment: string | null; decision: Decision; acted: Acted; fault: string | null; nowMs: number },
): JournalEntry {
  const { acted, decision, nowMs } = outcome;
  const { answer, manner } = acted.delivery;
  const applied = acted.applied && isSuccess(decision.answer);
  return {
    receivedAtMs: nowMs,
    environment: outcome.environment,
    method: received.method,
    path: received.path,
    query: new URLSearchParams(received.query).toString(),
    headers: maskHeaders(received.headers),
    body: maskBody(received.body.slice(0, BODY_CHARACTERS_STORED_MAX)),
    bodyBytes: received.bodyBytes,
    status: manner.kind === 'reset' ? null : answer.status,
    manner: manner.kind,
    applied,
    appliedAtMs: applied ? nowMs : null,
    fault: outcome.fault,
  };
}

/**
 * @property tick an instant that was never returned before, in real ms: each late effect has its own, and the request
 * the one after them, so that no two changes of an order share an instant.
 */
export interface Steps {
  tick(): number;
  newId(): string;
}

export function serve(received: Received, store: SqlStore, { tick, newId }: Steps): Delivery {
  const nowMs = settleDue(store, tick);
  const route = findRoute(received.method, received.path);
  const decision = decide(received, route, { nowMs, newId, look: store });
  const { rule, counts } = chooseFault(store.rules, (id) => store.faultCount(id), received, route.environment);
  for (const { id, count } of counts) store.saveFaultCount(id, count);
  const acted = act(decision, rule?.fault ?? null, received);
  for (const effect of acted.effects) store.carryOut(effect, nowMs);
  const fault = rule?.id ?? null;
  const seq = store.addEntry(describe(received, { environment: route.environment, decision, acted, fault, nowMs }));
  if (acted.late !== null) store.postpone(seq, nowMs + acted.late.afterMs, acted.late.effects);
  return acted.delivery;
}

/**
 * Late effects need no alarm: nobody can tell whether they happened before the next request.
 * @returns the instant of that request, after theirs.
 */
export function settleDue(store: SqlStore, tick: Steps['tick']): number {
  let nowMs = tick();
  for (const { seq, effects } of store.takeDue(nowMs)) {
    for (const effect of effects) store.carryOut(effect, nowMs);
    store.markApplied(seq, nowMs);
    nowMs = tick();
  }
  return nowMs;
}
