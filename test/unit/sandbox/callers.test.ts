import { describe, expect, it } from 'vitest';
import { findRoute } from '../../../src/sandbox/request.ts';
import { codeOf, JSON_HEADERS, KEY, MemorySandbox, MILESTONE, MILESTONES, ORDERS } from './memory-sandbox.ts';

describe('routes', () => {
  it('reads environment, endpoint and path parameters', () => {
    expect(findRoute('PUT', '/production/rcsc/order-requests/v1/a%20b')).toEqual({
      kind: 'endpoint',
      environment: 'production',
      endpoint: 'orderUpdate',
      params: { id: 'a b' },
    });
  });

  it('tells a wrong method from a wrong path', () => {
    expect(findRoute('PATCH', '/test/rcsc/order-requests/v1/1')).toMatchObject({
      kind: 'wrong_method',
      allowed: ['PUT', 'DELETE'],
    });
    expect(findRoute('POST', '/test/rcsc/order-requests/v1')).toMatchObject({
      kind: 'unknown_path',
      environment: 'test',
    });
    expect(findRoute('POST', '/rcsc/order-requests/v1/')).toMatchObject({ kind: 'unknown_path', environment: null });
  });

  it('takes a stray percent sign for an unknown path', () => {
    expect(findRoute('DELETE', '/test/rcsc/order-requests/v1/%zz').kind).toBe('unknown_path');
  });
});

describe('checks of the caller', () => {
  const without = (name: string): Record<string, string> => {
    return Object.fromEntries(Object.entries(JSON_HEADERS).filter(([key]) => key !== name));
  };
  it.each([
    ['no key', without('Ocp-Apim-Subscription-Key'), 401, 'subscription_key_missing'],
    ['a key nobody has', { ...JSON_HEADERS, 'Ocp-Apim-Subscription-Key': 'x' }, 401, 'subscription_key_unknown'],
    [
      'the key of production',
      { ...JSON_HEADERS, 'Ocp-Apim-Subscription-Key': 'sandbox-production-key' },
      401,
      'subscription_key_unknown',
    ],
    ['no SCAC', without('carrierSCAC'), 400, 'scac_malformed'],
    ['a SCAC in small letters', { ...JSON_HEADERS, carrierSCAC: 'demo' }, 400, 'scac_malformed'],
    ['a SCAC not onboarded', { ...JSON_HEADERS, carrierSCAC: 'NOPE' }, 403, 'scac_not_onboarded'],
    ['no Accept', without('Accept'), 406, 'accept_not_json'],
    ['an Accept of anything', { ...JSON_HEADERS, Accept: '*/*' }, 406, 'accept_not_json'],
    ['no media type', without('Content-Type'), 415, 'media_type_unsupported'],
    ['a media type of text', { ...JSON_HEADERS, 'Content-Type': 'text/plain' }, 415, 'media_type_unsupported'],
  ])('refuses %s', (_, headers, status, code) => {
    const { answer } = new MemorySandbox().send('POST', MILESTONES, headers, MILESTONE);
    expect([answer.status, codeOf(answer)]).toEqual([status, code]);
  });

  it('takes application/json among other ranges and with parameters', () => {
    const headers = {
      ...JSON_HEADERS,
      Accept: 'text/html, application/json;q=0.9',
      'Content-Type': 'application/json; charset=utf-8',
    };
    expect(new MemorySandbox().send('POST', MILESTONES, headers, MILESTONE).answer.status).toBe(200);
  });

  it('asks the fleet API for nothing but the key', () => {
    expect(new MemorySandbox().send('GET', '/test/fms/fleet/v1/vehicles', KEY).answer.status).toBe(200);
  });

  it('asks any API for a bearer when the settings say so', () => {
    const sandbox = new MemorySandbox();
    sandbox.request('PUT', '/_sandbox/settings', { authByApi: { orders: 'key+bearer' } });
    expect(codeOf(sandbox.send('POST', ORDERS, JSON_HEADERS, { orderRef: 'PO-1' }).answer)).toBe('token_missing');
    expect(sandbox.send('POST', MILESTONES, JSON_HEADERS, MILESTONE).answer.status).toBe(200);
  });

  it('names every field that is wrong, at its own place', () => {
    const body = { loadNumber: '', time: { ...TIME_WITH_Z }, extra: 1, stopsequenceNumber: 1.5 };
    const { answer } = new MemorySandbox().send('POST', MILESTONES, JSON_HEADERS, body);
    const paths = JSON.parse(answer.body).error.fields.map(({ path }: { path: string }) => path);
    expect(answer.status).toBe(400);
    expect(paths.sort()).toEqual(['eventCode', 'extra', 'loadNumber', 'stopsequenceNumber', 'time.dateTime']);
  });
});

const TIME_WITH_Z = { dateTime: '2026-03-01T06:15:00.0000000Z', timeZoneCode: 'CST', timeZoneOffset: 'UTC-6' };

describe('tokens', () => {
  const TOKEN_PATH = '/test/identityservices/oauth2/default/v1/token';
  const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const basic = (text: string): Record<string, string> => ({
    ...FORM,
    ...KEY,
    Accept: 'application/json',
    Authorization: `Basic ${btoa(text)}`,
  });
  const EVENT = { load_id: 'L-1', milestone_type: 'ARRIVED', event_time: '2026-03-01T06:15:00Z' };

  it('issues the first kind of token against Basic and key', () => {
    const headers = basic('sandbox-test-key:sandbox-test-secret');
    const { answer } = new MemorySandbox().send(
      'POST',
      TOKEN_PATH,
      headers,
      'grant_type=client_credentials&scope=APIM',
    );
    expect(JSON.parse(answer.body)).toMatchObject({ token_type: 'Bearer', expires_in: 3600, scope: 'APIM' });
  });

  it.each([
    ['wrong secret', basic('sandbox-test-key:wrong'), 'grant_type=client_credentials&scope=APIM', 'client_unknown'],
    [
      'broken Base64',
      { ...basic(''), Authorization: 'Basic %%%' },
      'grant_type=client_credentials&scope=APIM',
      'client_unknown',
    ],
    [
      'another grant',
      basic('sandbox-test-key:sandbox-test-secret'),
      'grant_type=password&scope=APIM',
      'token_request_malformed',
    ],
    [
      'no scope',
      basic('sandbox-test-key:sandbox-test-secret'),
      'grant_type=client_credentials',
      'token_request_malformed',
    ],
  ])('refuses %s', (_, headers, form, code) => {
    expect(codeOf(new MemorySandbox().send('POST', TOKEN_PATH, headers, form).answer)).toBe(code);
  });

  it('refuses a wrong client_secret in the form', () => {
    const form = 'grant_type=client_credentials&client_id=sandbox-test-client&client_secret=sandbox-production-secret';
    expect(codeOf(new MemorySandbox().send('POST', '/test/token', FORM, form).answer)).toBe('client_unknown');
  });

  function tokenOf(sandbox: MemorySandbox, environment = 'test'): string {
    const form = `grant_type=client_credentials&client_id=sandbox-${environment}-client&client_secret=sandbox-${environment}-secret`;
    return JSON.parse(sandbox.send('POST', `/${environment}/token`, FORM, form).answer.body).access_token;
  }

  function sendEvent(sandbox: MemorySandbox, token: string, key = 'sandbox-test-key'): number {
    const headers = {
      'Ocp-Apim-Subscription-Key': key,
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
    };
    return sandbox.send('POST', '/test/v1/load-milestone-events', headers, EVENT).answer.status;
  }

  it('lets a token expire at the end of its life and not before', () => {
    const sandbox = new MemorySandbox();
    const token = tokenOf(sandbox);
    sandbox.nowMs += 3_600_000 - 2; // the request itself comes a millisecond later
    expect(sendEvent(sandbox, token)).toBe(200);
    expect(sendEvent(sandbox, token)).toBe(401);
  });

  it('binds a token to its environment and its account', () => {
    const sandbox = new MemorySandbox();
    expect(sendEvent(sandbox, tokenOf(sandbox, 'production'))).toBe(401);
    expect(sendEvent(sandbox, tokenOf(sandbox), 'sandbox-test-key-2')).toBe(401);
  });
});
