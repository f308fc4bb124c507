/** Every call of ours against a checker written from the documentation alone, and the checker against planted differences. */
import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { UpstreamPort } from '../../src/upstream/call.ts';
import type { ComposedCall } from '../../src/upstream/compose.ts';
import * as upstream from '../../src/upstream/endpoints.ts';
import { tokenCall } from '../../src/upstream/gate/mint.ts';
import { holdToken } from '../../src/upstream/gate/token-lifetime.ts';
import { differences, ENDPOINT_COUNT, endpointOf, type SentRequest } from '../documentation/checker.ts';
import { aChannel, BASE_URL, clockAt, json, NOW_MS, upstreamAnswers } from './upstream/samples.ts';

const ID = '7d444840-9dc0-11d1-b245-5ffdce74fad2';
const held = { ok: true, value: holdToken('canary-token', 'f', 3_600, NOW_MS) } as const;
const PORT: UpstreamPort = { clock: clockAt(), tokens: { current: async () => held, replace: async () => held } };
const CHANNEL = aChannel();
const scac = 'ABCD';

const TIME = { dateTime: '2026-03-02T08:15:00.0000000-06:00', timeZoneCode: 'CST', timeZoneOffset: 'UTC-6' };
const MILESTONE = {
  eventCode: 'X3',
  reasonCode: 'NS',
  loadNumber: 'LD1',
  eventCity: 'Joliet',
  eventState: 'IL',
  time: TIME,
  stopsequenceNumber: 1,
  references: [{ name: 'PRO', value: '7' }],
};
const POINT = {
  time: TIME,
  stopsequenceNumber: 2,
  resourceId: '1XKYD49X0MJ400001',
  resourceType: 'TRUCK',
  odometer: 120_345,
  temperature: { unitOfMeasure: 'C', value: -18.5, dateTime: TIME.dateTime },
  coordinate: { latitude: 41.5, longitude: -88.1 },
  references: [],
};
const TRACE = { loadNumber: 'LD1', eventCity: 'Joliet', eventState: 'IL', traces: [POINT] };
const EVENT = { load_id: 'LD1', milestone_type: 'ARRIVED', event_time: '2026-03-02T08:15:00-06:00' };

afterEach(() => vi.unstubAllGlobals());

function asSeen({ method, url, headers, body }: ComposedCall): SentRequest {
  const { pathname, search } = new URL(url);
  const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const path = pathname.slice(new URL(BASE_URL).pathname.replace(/\/$/, '').length);
  return { method, path, query: search.replace(/^\?/, ''), headers: lower, body: body ?? '' };
}

const CALLS: (() => Promise<unknown>)[] = [
  () => upstream.listVehicles(PORT, CHANNEL, { vin: 'V 1', licensePlate: 'P&1', customerNumber: '9' }),
  () => upstream.getVehicle(PORT, CHANNEL, '12/3'),
  () => upstream.listServiceHistory(PORT, CHANNEL, { vehicleNumber: '7', from: '2026-01-01', to: '2026-01-31' }),
  () => upstream.listLocations(PORT, CHANNEL, { city: 'Joliet' }),
  () => upstream.getLocation(PORT, CHANNEL, '0042'),
  () => upstream.postMilestone(PORT, CHANNEL, { scac, body: JSON.stringify(MILESTONE) }),
  () => upstream.postTrace(PORT, CHANNEL, { scac, body: JSON.stringify(TRACE) }),
  () => upstream.postLoadMilestoneEvent(PORT, CHANNEL, { body: JSON.stringify(EVENT) }),
  () => upstream.createOrder(PORT, CHANNEL, { scac, body: '{"orderRef":"SO-1"}' }),
  () => upstream.updateOrder(PORT, CHANNEL, { scac, id: ID, body: JSON.stringify({ orderRef: 'SO-1', id: ID }) }),
  () => upstream.cancelOrder(PORT, CHANNEL, { scac, id: ID }),
  () => upstream.orderActionStatus(PORT, CHANNEL, { scac, id: ID }),
  () => upstream.pollOrderHistory(PORT, CHANNEL, { scac, partnerId: 'P 1', clientId: 'C1' }),
  () => upstream.orderHistory(PORT, CHANNEL, { scac, orderRef: 'A#1' }),
  () => upstream.orderTracks(PORT, CHANNEL, { scac, orderRef: 'A1' }),
];

async function allSent(): Promise<SentRequest[]> {
  const seen = upstreamAnswers(json({}));
  for (const call of CALLS) await call();
  const tokens = [tokenCall(aChannel()), tokenCall(aChannel({ tokenEndpoint: 'plain' }))];
  return [...(seen as ComposedCall[]), ...tokens].map(asSeen);
}

it('every call of every endpoint is as the documentation says', async () => {
  const sent = await allSent();
  expect(sent.map((request) => [request.path, differences(request)]).filter(([, wrong]) => wrong?.length)).toEqual([]);
  expect(new Set(sent.map(endpointOf)).size).toBe(ENDPOINT_COUNT);
});

it('the checker is written from the documentation alone', () => {
  expect(readFileSync('test/documentation/checker.ts', 'utf8')).not.toMatch(/^import /m);
});

describe('the checker finds', () => {
  const HEADERS = {
    'ocp-apim-subscription-key': 'sha256:1',
    carrierscac: 'DEMO',
    accept: 'application/json',
    'content-type': 'application/json',
  };
  const milestone = (change: object, headers: object = {}): SentRequest => ({
    method: 'POST',
    path: '/rcsc/events/v1/loads/milestone-requests',
    query: '',
    headers: { ...HEADERS, ...headers },
    body: JSON.stringify({ ...MILESTONE, ...change }),
  });
  const trace = (change: object): SentRequest => ({
    ...milestone({}),
    path: '/rcsc/events/v1/loads/trace-requests',
    body: JSON.stringify({ ...TRACE, traces: [{ ...POINT, ...change }] }),
  });
  const order = (method: string, path: string, query = '', body = ''): SentRequest => ({
    ...milestone({}),
    method,
    path,
    query,
    body,
  });
  const token = (body: string, headers: object = {}): SentRequest => ({
    method: 'POST',
    path: '/identityservices/oauth2/default/v1/token',
    query: '',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      accept: 'application/json',
      authorization: `Basic ${btoa('key:secret')}`,
      'ocp-apim-subscription-key': 'key',
      ...headers,
    },
    body,
  });
  const REQUESTS = '/rcsc/order-requests/v1/';
  const STATUS = '/rcsc/order-status/v1';

  it('nothing in what is right', () => {
    const oauth = token('grant_type=client_credentials&scope=APIM');
    for (const right of [milestone({}), trace({}), oauth, order('DELETE', REQUESTS + ID)]) {
      expect(differences(right)).toEqual([]);
    }
  });

  it.each<[string, SentRequest]>([
    ['4: no such path', order('GET', '/rcsc/orders/v1')],
    ['4: /rcsc/order-requests/v1/', order('GET', REQUESTS)],
    ['4: no such path', order('POST', '/rcsc/order-requests/v1', '', '{}')],
    ['4.3: header carrierSCAC', milestone({}, { carrierscac: undefined })],
    ['4.3: header carrierSCAC', milestone({}, { carrierscac: 'demo' })],
    ['4.3: header Ocp-Apim-Subscription-Key', milestone({}, { 'ocp-apim-subscription-key': undefined })],
    ['4.3: header Accept', milestone({}, { accept: '*/*' })],
    ['2.2: header Content-Type', milestone({}, { 'content-type': 'text/plain' })],
    ['2.2: stopSequenceNumber is not named', milestone({ stopSequenceNumber: 1 })],
    ['2.2: stopsequenceNumber is no integer', milestone({ stopsequenceNumber: '1' })],
    ['2.2: eventState is no string', milestone({ eventState: null })],
    ['2.2: references[0].value is missing', milestone({ references: [{ name: 'PRO' }] })],
    ['2.3: time.timeZoneCode is no time-zone abbreviation', milestone({ time: { ...TIME, timeZoneCode: 'UTC-6' } })],
    ['2.3: time.timeZoneCode is missing', milestone({ time: { ...TIME, timeZoneCode: undefined } })],
    ['2.3: time.timeZoneOffset is no offset', milestone({ time: { ...TIME, timeZoneOffset: '-06:00' } })],
    ['2.3: time.timeZoneOffset is -5', milestone({ time: { ...TIME, timeZoneOffset: 'UTC-5' } })],
    [
      '2.3: time.dateTime is no date-time',
      milestone({ time: { ...TIME, dateTime: '2026-02-30T08:15:00.0000000-06:00' } }),
    ],
    ['2.3: time.dateTime is no date-time', milestone({ time: { ...TIME, dateTime: '2026-03-02T08:15:00-06:00' } })],
    ['2.4: traces[0].resourceId is no vehicle', trace({ resourceId: 'T2201' })],
    ['2.4: traces[0].odometer is no integer', trace({ odometer: 1.5 })],
    [
      '2.4: traces[0].temperature.unitOfMeasure',
      trace({ temperature: { ...POINT.temperature, unitOfMeasure: 'Celsius' } }),
    ],
    ['2.4: traces[0].coordinate.latitude', trace({ coordinate: { latitude: 91, longitude: 0 } })],
    ['2.4: traces is empty', { ...trace({}), body: JSON.stringify({ ...TRACE, traces: [] }) }],
    ['4.1: the form has grant_type', token('grant_type=client_credentials')],
    ['4.1: scope is another', token('grant_type=client_credentials&scope=all')],
    [
      '4.1: Authorization is not the Base64',
      token('grant_type=client_credentials&scope=APIM', { authorization: 'Basic a2V5' }),
    ],
    ['4.1: the form has client_id', { ...token('client_id=1&grant_type=client_credentials'), path: '/token' }],
    ['5.2: header Authorization', { ...milestone({}), path: '/v1/load-milestone-events', body: JSON.stringify(EVENT) }],
    ['4.4: no header carries a SCAC', { ...order('DELETE', REQUESTS + ID), headers: { ...HEADERS, carrierscac: '' } }],
    ['4.4: the order ID of the path is not in the body', order('PUT', REQUESTS + ID, '', '{"orderRef":"SO-1"}')],
    ['4.4: has a body', order('DELETE', REQUESTS + ID, '', '{}')],
    ['4: no such path', order('DELETE', `${REQUESTS}SO-1`)],
    ['4.4: the query has clientId,orderRef', order('GET', `${STATUS}/orders`, 'orderRef=1&clientId=2')],
    ['4.4: orderRef is empty', order('GET', `${STATUS}/tracks`, 'orderRef=')],
    ['4.2: no parameter "plate"', order('GET', '/fms/fleet/v1/vehicles', 'plate=1')],
  ])('%s', (wanted, request) => {
    expect(differences(request).map((one) => one.slice(0, wanted.length))).toContain(wanted);
  });
});
