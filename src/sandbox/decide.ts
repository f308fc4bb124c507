/**
 * One received request into the service's answer and the effects it would have, as if there were no faults. Pure.
 */
import { ENDPOINTS, type EndpointName } from '../upstream/contracts/endpoints.ts';
import { refuse } from './answers.ts';
import { checkCaller } from './checks.ts';
import { type Ask, answerOnly, type Decision, type Look } from './decision.ts';
import { decideLoadMilestoneEvent, decideMilestone, decideTrace } from './events.ts';
import { decideServiceHistory, decideVehicle, decideVehicles } from './fleet.ts';
import { decideLocation, decideLocations } from './locations.ts';
import { decideActionStatus, decideCancel, decideCreate, decideUpdate } from './orders/orders.ts';
import { decideHistory, decideTracks } from './orders/status.ts';
import type { Received } from './received.ts';
import type { Route } from './routes.ts';
import { decideToken } from './tokens.ts';

export interface Moment {
  nowMs: number;
  look: Look;
  newId: () => string;
}

type KeyedEndpoint = Exclude<EndpointName, 'oauthToken' | 'plainToken'>;

const DECIDERS: Record<KeyedEndpoint, (ask: Ask) => Decision> = {
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

export function decide(received: Received, route: Route, moment: Moment): Decision {
  if (route.kind === 'unknown_path') {
    return answerOnly(refuse('path_unknown', `Nothing is served at ${received.path}.`));
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
  const { account, scac } = caller;
  return DECIDERS[endpoint]({ received, params, account, scac, ...moment });
}
