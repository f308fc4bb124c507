/** The seed's endpoint tables as data: method, path, section and the API whose headers apply. Paths are relative to the base URL. */
import { NOT_SHOWN, type UpstreamApi } from './not-shown.ts';

export interface Endpoint {
  section: string;
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** `{name}` is one path segment, filled in by `endpointPath`. */
  path: string;
  /** `token`: the endpoint that issues the credentials. */
  api: UpstreamApi | 'token';
}

const FMS_FLEET = `/fms/${NOT_SHOWN.fleetApiName}/${NOT_SHOWN.fleetApiVersion}`;
const FMS_LOCATIONS = `/fms/${NOT_SHOWN.locationsApiName}/${NOT_SHOWN.fleetApiVersion}`;

export const ENDPOINTS = {
  oauthToken: { section: '4.1 row 1', method: 'POST', path: '/identityservices/oauth2/default/v1/token', api: 'token' },
  plainToken: { section: '4.1 row 2', method: 'POST', path: '/token', api: 'token' },
  vehicles: { section: '4.2', method: 'GET', path: `${FMS_FLEET}/vehicles`, api: 'fleet' },
  vehicle: { section: '4.2', method: 'GET', path: `${FMS_FLEET}/vehicles/{vehicleNumber}`, api: 'fleet' },
  serviceHistory: { section: '4.2', method: 'GET', path: `${FMS_FLEET}/serviceHistory`, api: 'fleet' },
  locations: { section: '4.2', method: 'GET', path: `${FMS_LOCATIONS}/locations`, api: 'locations' },
  location: { section: '4.2', method: 'GET', path: `${FMS_LOCATIONS}/locations/{locationNumber}`, api: 'locations' },
  milestone: { section: '4.3', method: 'POST', path: '/rcsc/events/v1/loads/milestone-requests', api: 'events' },
  trace: { section: '4.3', method: 'POST', path: '/rcsc/events/v1/loads/trace-requests', api: 'events' },
  loadMilestoneEvent: { section: '4.3', method: 'POST', path: '/v1/load-milestone-events', api: 'loadMilestoneEvents' },
  orderCreate: { section: '4.4', method: 'POST', path: '/rcsc/order-requests/v1/', api: 'orders' },
  orderUpdate: { section: '4.4', method: 'PUT', path: '/rcsc/order-requests/v1/{id}', api: 'orders' },
  orderCancel: { section: '4.4', method: 'DELETE', path: '/rcsc/order-requests/v1/{id}', api: 'orders' },
  orderActionStatus: { section: '4.4', method: 'GET', path: '/rcsc/order-requests/v1/{id}/statuses', api: 'orders' },
  orderHistory: { section: '4.4', method: 'GET', path: '/rcsc/order-status/v1/orders', api: 'orders' },
  orderTracks: { section: '4.4', method: 'GET', path: '/rcsc/order-status/v1/tracks', api: 'orders' },
} as const satisfies Record<string, Endpoint>;

export type EndpointName = keyof typeof ENDPOINTS;

/** Header names of seed 4.3 and 5, spelled as the upstream spells them. */
export const HEADERS = {
  subscriptionKey: 'Ocp-Apim-Subscription-Key',
  carrierScac: 'carrierSCAC',
  authorization: 'Authorization',
  accept: 'Accept',
} as const;
