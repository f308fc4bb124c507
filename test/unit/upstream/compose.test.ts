/** Headers per API by the sections of the service's documentation, and what may never get into an address. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { composeCall, needsBearer } from '../../../src/upstream/compose.ts';
import { ENDPOINTS, type Endpoint, type EndpointName } from '../../../src/upstream/contracts/endpoints.ts';
import { NOT_SHOWN, type UpstreamApi } from '../../../src/upstream/contracts/not-shown.ts';
import { draws } from '../../draws.ts';
import { API_KEY, aChannel, BASE_URL } from './samples.ts';

const ALL = Object.entries(ENDPOINTS) as [EndpointName, Endpoint][];
const ofApis = (...apis: string[]): [EndpointName, Endpoint][] => ALL.filter(([, { api }]) => apis.includes(api));
const ORDER_ID = '0f8fad5b-d9cb-469f-a165-70867728950e';
const WHOLE = { path: { id: ORDER_ID, vehicleNumber: '1', locationNumber: '1' }, scac: 'ABCD', token: 'canary-token' };

function composed(endpoint: Endpoint, parameters: Parameters<typeof composeCall>[2] = WHOLE, channel = aChannel()) {
  const call = composeCall(channel, endpoint, parameters);
  if (!call.ok) throw new Error(JSON.stringify(call.error));
  return call.value;
}

describe('seed 5.4: the subscription key', () => {
  it.each(ALL)('goes with every call: %s', (_name, endpoint) => {
    expect(composed(endpoint).headers['Ocp-Apim-Subscription-Key']).toBe(API_KEY);
  });
});

describe('seed 4.3: carrier events', () => {
  it.each(ofApis('events'))('carry key, carrierSCAC and Accept: %s', (_name, endpoint) => {
    expect(composed(endpoint).headers).toMatchObject({
      'Ocp-Apim-Subscription-Key': API_KEY,
      carrierSCAC: 'ABCD',
      Accept: 'application/json',
    });
  });
});

describe('seed 4.4: orders', () => {
  it.each(ofApis('orders'))('carry key, Accept and the SCAC under the name we chose: %s', (_name, endpoint) => {
    expect(composed(endpoint).headers).toMatchObject({
      'Ocp-Apim-Subscription-Key': API_KEY,
      [NOT_SHOWN.orderScacHeader]: 'ABCD',
      Accept: 'application/json',
    });
  });
});

describe('seed 4.2: fleet and locations', () => {
  it.each(ofApis('fleet', 'locations'))('carry the key and no SCAC: %s', (_name, endpoint) => {
    expect(composed(endpoint).headers).not.toHaveProperty('carrierSCAC');
  });
});

describe('seed 5: the bearer token', () => {
  it.each(ofApis('fleet', 'locations', 'events', 'orders'))(
    'is not sent where the key alone is enough: %s',
    (_name, endpoint) => {
      expect(needsBearer(aChannel(), endpoint)).toBe(false);
      expect(JSON.stringify(composed(endpoint))).not.toContain('canary-token');
    },
  );

  it.each(ofApis('loadMilestoneEvents'))('goes with the key where OAuth protects the API: %s', (_name, endpoint) => {
    expect(composed(endpoint).headers).toMatchObject({
      Authorization: 'Bearer canary-token',
      'Ocp-Apim-Subscription-Key': API_KEY,
    });
  });

  it.each(ALL.filter(([, { api }]) => api !== 'token'))('goes wherever the channel says so: %s', (_name, endpoint) => {
    const auth = { ...NOT_SHOWN.authByApi, [endpoint.api as UpstreamApi]: 'key+bearer' as const };
    expect(composed(endpoint, WHOLE, aChannel({ auth })).headers.Authorization).toBe('Bearer canary-token');
  });

  it('is set for the API of each endpoint, and each that can be set has one', () => {
    const apis = new Set(Object.values(ENDPOINTS).map(({ api }) => api));
    expect([...apis].sort()).toEqual([...Object.keys(NOT_SHOWN.authByApi), 'token'].sort());
  });

  it('stops the call when it is wanted and there is none', () => {
    const call = composeCall(aChannel(), ENDPOINTS.loadMilestoneEvent, { body: '{}' });
    expect(call).toEqual({ ok: false, error: { code: 'token_missing' } });
  });
});

describe('a SCAC', () => {
  it.each(['AB', 'ABC', 'ABCD'])('%s becomes the header', (scac) => {
    expect(composed(ENDPOINTS.milestone, { scac, body: '{}' }).headers.carrierSCAC).toBe(scac);
  });

  it.each([
    '',
    'A',
    'ABCDE',
    'abcd',
    'AB1',
    'ABC ',
    ' ABC',
    'AB\r\nX-Evil: 1',
    'AB\nC',
    'AB\0C',
    'ÀBCD',
    'ＡＢＣＤ',
    'ABCD\n',
  ])('%j never becomes a header', (scac) => {
    expect(composeCall(aChannel(), ENDPOINTS.milestone, { scac, body: '{}' })).toEqual({
      ok: false,
      error: { code: 'scac_invalid', value: scac },
    });
  });

  it('is missed when it is left out', () => {
    expect(composeCall(aChannel(), ENDPOINTS.orderCreate, { body: '{}' })).toMatchObject({
      error: { code: 'scac_invalid' },
    });
  });
});

describe('a value in a path', () => {
  const addressOf = (vehicleNumber: string) => composeCall(aChannel(), ENDPOINTS.vehicle, { path: { vehicleNumber } });
  const PARENT = '/fms/fleet/v1/vehicles/';
  const refusal = (value: string) => ({
    ok: false,
    error: { code: 'path_value_invalid', name: 'vehicleNumber', value },
  });

  it.each([
    '',
    ' ',
    '\t',
    '\r\n',
    '.',
    '..',
    '...',
    '../..',
    '../../token',
    'a/../b',
    '..\\..',
    '%2e%2e',
    '.%2E',
    '..%2f..',
    '..%5C..',
    'a/..',
    'a\\..',
    'a%2f..',
    '..%2fa',
    '..%5ca',
  ])('%j is refused: it would address another path', (value) => {
    expect(addressOf(value)).toEqual(refusal(value));
  });

  it.each(['\ud800', 'a\udc00', '\udc00\ud800'])('%j is refused: it is no text, and could not be encoded', (value) => {
    expect(addressOf(value)).toEqual(refusal(value));
  });

  it('is missed when it is left out', () => {
    expect(composeCall(aChannel(), ENDPOINTS.vehicle, {})).toEqual(refusal(''));
  });

  it.each([
    '/',
    'a..b',
    '%2e5',
    '//elsewhere.example',
    'a/b',
    'a?b=c',
    'a#b',
    'a;b',
    'a@b',
    'https://elsewhere.example',
    'a\r\nHost: elsewhere.example',
    'a\0b',
    '%00',
    '‥',
    '．．',
    'ünïcödé',
    '😀',
  ])('%j stays one segment below its parent', (value) => {
    const call = addressOf(value);
    const url = new URL(call.ok ? call.value.url : 'about:blank');
    expect(url.origin).toBe(BASE_URL);
    expect(url.pathname.startsWith(PARENT)).toBe(true);
    expect(url.pathname.slice(PARENT.length)).not.toMatch(/^\.*$|\//);
    expect(decodeURIComponent(url.pathname.slice(PARENT.length))).toBe(value);
    expect(url.search + url.hash).toBe('');
  });

  it('is refused or arrives unchanged in its own segment, whatever it is', () => {
    const codeUnits = fc.array(fc.nat(0xffff), { maxLength: 12 }).map((units) => String.fromCharCode(...units));
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'grapheme', maxLength: 20 }), codeUnits), (value) => {
        const call = addressOf(value);
        if (!call.ok) return call.error.code === 'path_value_invalid';
        const { origin, pathname } = new URL(call.value.url);
        const segment = pathname.slice(PARENT.length);
        return origin === BASE_URL && pathname.startsWith(PARENT) && decodeURIComponent(segment) === value;
      }),
      { numRuns: draws(500) },
    );
  });
});

describe('the id of an order in a path (seed 2.8)', () => {
  const WITH_ID = [ENDPOINTS.orderUpdate, ENDPOINTS.orderCancel, ENDPOINTS.orderActionStatus];
  const addressOf = (endpoint: Endpoint, id: string) =>
    composeCall(aChannel(), endpoint, { scac: 'ABCD', path: { id } });

  it.each([ORDER_ID, ORDER_ID.toUpperCase(), '00000000-0000-0000-0000-000000000000'])('may be %s', (id) => {
    for (const endpoint of WITH_ID) {
      const call = addressOf(endpoint, id);
      expect(call.ok && call.value.url).toBe(BASE_URL + endpoint.path.replace('{id}', id));
    }
  });

  it.each([
    '',
    '1',
    '..',
    'statuses',
    ORDER_ID.replaceAll('-', ''),
    `{${ORDER_ID}}`,
    `${ORDER_ID}/statuses`,
    `${ORDER_ID}\n`,
    ` ${ORDER_ID}`,
    `urn:uuid:${ORDER_ID}`,
    ORDER_ID.replace('0f', 'zz'),
    `${ORDER_ID}?`,
    '\ud800',
  ])('is never %j: what is no UUID does not enter the path', (id) => {
    for (const endpoint of WITH_ID) {
      expect(addressOf(endpoint, id)).toEqual({
        ok: false,
        error: { code: 'path_value_invalid', name: 'id', value: id },
      });
    }
  });

  it('is missed when it is left out', () => {
    expect(composeCall(aChannel(), ENDPOINTS.orderCancel, { scac: 'ABCD' })).toMatchObject({
      error: { code: 'path_value_invalid', name: 'id', value: '' },
    });
  });
});

describe('a query', () => {
  it.each(['a b', 'a&b=c', 'a=b', 'a+b', 'ä', '#x', '\r\n', '%26', ''])('carries %j as it is', (orderRef) => {
    const { url } = composed(ENDPOINTS.orderHistory, { scac: 'ABCD', query: { orderRef } });
    expect([...new URL(url).searchParams]).toEqual([['orderRef', orderRef]]);
    expect(url).not.toMatch(/[\s#]/);
  });

  it('is left out when there is none', () => {
    expect(composed(ENDPOINTS.vehicles, {}).url).toBe(`${BASE_URL}/fms/fleet/v1/vehicles`);
    expect(composed(ENDPOINTS.vehicles, { query: {} }).url).toBe(`${BASE_URL}/fms/fleet/v1/vehicles`);
  });
});

describe('a body', () => {
  it('is passed on byte for byte, declared as JSON', () => {
    const body = '{"b": 1,  "a":"\\u00e4"}';
    expect(composed(ENDPOINTS.milestone, { scac: 'ABCD', body })).toMatchObject({
      method: 'POST',
      body,
      headers: { 'Content-Type': 'application/json' },
    });
  });

  it('and its type are absent where the call has none', () => {
    const call = composed(ENDPOINTS.orderCancel, { scac: 'ABCD', path: { id: ORDER_ID } });
    expect(call).not.toHaveProperty('body');
    expect(call.headers).not.toHaveProperty('Content-Type');
  });
});

it('joins the path to an address that has one of its own', () => {
  const channel = aChannel({ baseUrl: 'https://upstream.example/gateway' });
  expect(composed(ENDPOINTS.milestone, WHOLE, channel).url).toBe(
    'https://upstream.example/gateway/rcsc/events/v1/loads/milestone-requests',
  );
});
