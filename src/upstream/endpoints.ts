/** The seed's endpoints, one function each. Bodies are JSON text, so that a repeat sends the same bytes. */
import type { Observation } from './answer.ts';
import { call, type UpstreamPort } from './call.ts';
import type { Channel } from './channels.ts';
import { ENDPOINTS } from './contracts/endpoints.ts';
import { NOT_SHOWN } from './contracts/not-shown.ts';

type Answering = Promise<Observation>;
const written = (query: Record<string, string | undefined>): Record<string, string> =>
  Object.fromEntries(Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined));

/** seed 4.3 */
export const postMilestone = (port: UpstreamPort, channel: Channel, sent: { scac: string; body: string }): Answering =>
  call(port, channel, ENDPOINTS.milestone, sent);
/** seed 4.3 */
export const postTrace = (port: UpstreamPort, channel: Channel, sent: { scac: string; body: string }): Answering =>
  call(port, channel, ENDPOINTS.trace, sent);
/** seed 4.3, the OAuth-protected example */
export const postLoadMilestoneEvent = (port: UpstreamPort, channel: Channel, sent: { body: string }): Answering =>
  call(port, channel, ENDPOINTS.loadMilestoneEvent, sent);

/** seed 4.4 */
export const createOrder = (port: UpstreamPort, channel: Channel, sent: { scac: string; body: string }): Answering =>
  call(port, channel, ENDPOINTS.orderCreate, sent);
/** seed 4.4: `body` is the complete order, including the id. */
export const updateOrder = (
  port: UpstreamPort,
  channel: Channel,
  sent: { scac: string; id: string; body: string },
): Answering => call(port, channel, ENDPOINTS.orderUpdate, { scac: sent.scac, path: { id: sent.id }, body: sent.body });
/** seed 4.4 */
export const cancelOrder = (port: UpstreamPort, channel: Channel, sent: { scac: string; id: string }): Answering =>
  call(port, channel, ENDPOINTS.orderCancel, { scac: sent.scac, path: { id: sent.id } });
/** seed 4.4: the result of the last create, update or cancel. */
export const orderActionStatus = (
  port: UpstreamPort,
  channel: Channel,
  asked: { scac: string; id: string },
): Answering => call(port, channel, ENDPOINTS.orderActionStatus, { scac: asked.scac, path: { id: asked.id } });
/** seed 4.4: changes since the last poll; the upstream keeps the cursor, so every call may advance it. */
export const pollOrderHistory = (
  port: UpstreamPort,
  channel: Channel,
  asked: { scac: string; partnerId: string; clientId: string },
): Answering =>
  call(port, channel, ENDPOINTS.orderHistory, {
    scac: asked.scac,
    query: { partnerId: asked.partnerId, clientId: asked.clientId },
  });
/** seed 4.4: history of one order. */
export const orderHistory = (
  port: UpstreamPort,
  channel: Channel,
  asked: { scac: string; orderRef: string },
): Answering => call(port, channel, ENDPOINTS.orderHistory, { scac: asked.scac, query: { orderRef: asked.orderRef } });
/** seed 4.4: milestone level only. */
export const orderTracks = (
  port: UpstreamPort,
  channel: Channel,
  asked: { scac: string; orderRef: string },
): Answering => call(port, channel, ENDPOINTS.orderTracks, { scac: asked.scac, query: { orderRef: asked.orderRef } });

/** seed 4.2 */
export const listVehicles = (
  port: UpstreamPort,
  channel: Channel,
  filters: { vin?: string; licensePlate?: string; customerNumber?: string },
): Answering => call(port, channel, ENDPOINTS.vehicles, { query: written(filters) });
/** seed 4.2 */
export const getVehicle = (port: UpstreamPort, channel: Channel, vehicleNumber: string): Answering =>
  call(port, channel, ENDPOINTS.vehicle, { path: { vehicleNumber } });
/** seed 4.2; dates as `yyyy-mm-dd`, both inclusive (names of the parameters are our choice). */
export const listServiceHistory = (
  port: UpstreamPort,
  channel: Channel,
  asked: { vehicleNumber?: string; from?: string; to?: string },
): Answering =>
  call(port, channel, ENDPOINTS.serviceHistory, {
    query: written({
      [NOT_SHOWN.serviceHistoryVehicleParameter]: asked.vehicleNumber,
      [NOT_SHOWN.serviceHistoryFromParameter]: asked.from,
      [NOT_SHOWN.serviceHistoryToParameter]: asked.to,
    }),
  });
/** seed 4.2; filters are our choice (NOT_SHOWN.locationFilterParameters). */
export const listLocations = (
  port: UpstreamPort,
  channel: Channel,
  filters: Partial<Record<(typeof NOT_SHOWN.locationFilterParameters)[number], string>>,
): Answering => call(port, channel, ENDPOINTS.locations, { query: written(filters) });
/** seed 4.2 */
export const getLocation = (port: UpstreamPort, channel: Channel, locationNumber: string): Answering =>
  call(port, channel, ENDPOINTS.location, { path: { locationNumber } });
