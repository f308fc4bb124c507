/** The endpoint tables of the service's documentation, clause by clause: what each function sends. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { UpstreamPort } from '../../../src/upstream/call.ts';
import { ENDPOINTS, HEADERS } from '../../../src/upstream/contracts/endpoints.ts';
import * as upstream from '../../../src/upstream/endpoints.ts';
import { holdToken } from '../../../src/upstream/gate/token-lifetime.ts';
import { aChannel, BASE_URL, clockAt, json, NOW_MS, upstreamAnswers } from './samples.ts';

const ID = '7d444840-9dc0-11d1-b245-5ffdce74fad2';
const held = { ok: true, value: holdToken('canary-token', 'f', 3_600, NOW_MS) } as const;
const PORT: UpstreamPort = { clock: clockAt(), tokens: { current: async () => held, replace: async () => held } };
const CHANNEL = aChannel();
const scac = 'ABCD';
const body = '{"a":1}';

afterEach(() => vi.unstubAllGlobals());

type Row = [clause: string, send: () => Promise<unknown>, method: string, address: string, body?: string];

const ROWS: Row[] = [
  ['4.2 vehicles', () => upstream.listVehicles(PORT, CHANNEL, {}), 'GET', '/fms/fleet/v1/vehicles'],
  [
    '4.2 vehicles, filtered',
    () => upstream.listVehicles(PORT, CHANNEL, { vin: 'V 1', licensePlate: 'P&1', customerNumber: '9' }),
    'GET',
    '/fms/fleet/v1/vehicles?vin=V+1&licensePlate=P%261&customerNumber=9',
  ],
  ['4.2 one vehicle', () => upstream.getVehicle(PORT, CHANNEL, '12/3'), 'GET', '/fms/fleet/v1/vehicles/12%2F3'],
  [
    '4.2 service history',
    () => upstream.listServiceHistory(PORT, CHANNEL, { vehicleNumber: '7', from: '2026-01-01', to: '2026-01-31' }),
    'GET',
    '/fms/fleet/v1/serviceHistory?vehicleNumber=7&fromDate=2026-01-01&toDate=2026-01-31',
  ],
  [
    '4.2 locations',
    () => upstream.listLocations(PORT, CHANNEL, { city: 'Joliet' }),
    'GET',
    '/fms/locations/v1/locations?city=Joliet',
  ],
  ['4.2 one location', () => upstream.getLocation(PORT, CHANNEL, '0042'), 'GET', '/fms/locations/v1/locations/0042'],
  [
    '4.3 milestone',
    () => upstream.postMilestone(PORT, CHANNEL, { scac, body }),
    'POST',
    '/rcsc/events/v1/loads/milestone-requests',
    body,
  ],
  [
    '4.3 trace',
    () => upstream.postTrace(PORT, CHANNEL, { scac, body }),
    'POST',
    '/rcsc/events/v1/loads/trace-requests',
    body,
  ],
  [
    '4.3 load milestone event',
    () => upstream.postLoadMilestoneEvent(PORT, CHANNEL, { body }),
    'POST',
    '/v1/load-milestone-events',
    body,
  ],
  ['4.4 create', () => upstream.createOrder(PORT, CHANNEL, { scac, body }), 'POST', '/rcsc/order-requests/v1/', body],
  [
    '4.4 update',
    () => upstream.updateOrder(PORT, CHANNEL, { scac, id: ID, body }),
    'PUT',
    `/rcsc/order-requests/v1/${ID}`,
    body,
  ],
  [
    '4.4 cancel',
    () => upstream.cancelOrder(PORT, CHANNEL, { scac, id: ID }),
    'DELETE',
    `/rcsc/order-requests/v1/${ID}`,
  ],
  [
    '4.4 status of the last action',
    () => upstream.orderActionStatus(PORT, CHANNEL, { scac, id: ID }),
    'GET',
    `/rcsc/order-requests/v1/${ID}/statuses`,
  ],
  [
    '4.4 batch history',
    () => upstream.pollOrderHistory(PORT, CHANNEL, { scac, partnerId: 'P 1', clientId: 'C1' }),
    'GET',
    '/rcsc/order-status/v1/orders?partnerId=P+1&clientId=C1',
  ],
  [
    '4.4 history of one order',
    () => upstream.orderHistory(PORT, CHANNEL, { scac, orderRef: 'A#1' }),
    'GET',
    '/rcsc/order-status/v1/orders?orderRef=A%231',
  ],
  [
    '4.4 tracks',
    () => upstream.orderTracks(PORT, CHANNEL, { scac, orderRef: 'A1' }),
    'GET',
    '/rcsc/order-status/v1/tracks?orderRef=A1',
  ],
];

describe('seed', () => {
  it.each(ROWS)('%s', async (_clause, sendIt, method, address, sentBody) => {
    const seen = upstreamAnswers(json({}));
    await sendIt();
    expect(seen).toMatchObject([{ method, url: BASE_URL + address }]);
    expect(seen[0]?.body).toBe(sentBody);
  });

  it('4.1–4.4: every endpoint but the two for tokens has its row, and every function too', () => {
    const walked = ROWS.map(([, , method, address]) => `${method} ${address.split('?')[0]}`);
    const missing = Object.values(ENDPOINTS).filter(({ method, path, api }) => {
      const form = new RegExp(`^${method} ${path.replace(/\{\w+\}/g, '[^/]+')}$`);
      return api !== 'token' && !walked.some((row) => form.test(row));
    });
    expect(missing).toEqual([]);
    expect(ROWS).toHaveLength(Object.keys(upstream).length + 1); // one function has two rows
  });

  it('4.3, 5: header names are spelled as the upstream spells them', () => {
    expect(HEADERS).toEqual({
      subscriptionKey: 'Ocp-Apim-Subscription-Key',
      carrierScac: 'carrierSCAC',
      authorization: 'Authorization',
      accept: 'Accept',
    });
  });

  it('9: the version is a segment of every path but those for tokens', () => {
    for (const { api, path } of Object.values(ENDPOINTS)) {
      if (api !== 'token') expect(path).toMatch(/\/v1\//);
    }
  });

  it('names the section each endpoint comes from', () => {
    for (const { section } of Object.values(ENDPOINTS)) expect(section).toMatch(/^4\.[1-4](?: row \d)?$/);
  });
});

it('leaves out filters that are not set', async () => {
  const seen = upstreamAnswers(json({}));
  await upstream.listServiceHistory(PORT, CHANNEL, { vehicleNumber: '7' });
  expect(seen[0]?.url).toBe(`${BASE_URL}/fms/fleet/v1/serviceHistory?vehicleNumber=7`);
});
