/** The contract: its routes are the routers', its client speaks to them, and an answer that it does not name is found. */
import { describe, expect, it } from 'vitest';
import { routes } from '../../../scripts/reference/routes.ts';
import { kindsFor } from '../../../src/batch/acknowledgment/file.ts';
import { RECENT_ORDERS_MAX } from '../../../src/feed/limits.ts';
import { clientOf, type Send } from '../../../src/http/contract/client.ts';
import { nonconformity } from '../../../src/http/contract/conformity.ts';
import { ROUTES } from '../../../src/http/contract/contract.ts';
import { routeOf } from '../../../src/http/contract/match.ts';
import { PATH_PARAMETERS } from '../../../src/http/contract/parameters.ts';

const routed = routes().map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`);

it('names exactly the routes that the routers have', () => {
  expect(Object.keys(ROUTES).sort()).toEqual([...routed].sort());
});

it('says what every name in a path stands for', () => {
  const names = Object.keys(ROUTES).flatMap((name) => [...name.matchAll(/\{(\w+)\}/g)].map(([, each]) => each));
  expect([...new Set(names)].filter((name) => !((name ?? '') in PATH_PARAMETERS))).toEqual([]);
});

it('promises the kinds of acknowledgments that formats have, and no others', () => {
  const kinds = (['x12', 'edifact'] as const).flatMap((format) => [...kindsFor({ format })]);
  for (const [name, { query }] of Object.entries(ROUTES).filter(([each]) => each.endsWith('/acknowledgment'))) {
    const promised = [...(query?.kind?.description ?? '').matchAll(/`(\w+)`/g)].map(([, kind]) => kind);
    expect(promised, name).toEqual(kinds);
  }
});

it('says how many orders are listed as heard of last, and that no page comes after them', () => {
  for (const name of ['GET /v1/orders', 'GET /v1/ops/orders']) {
    const said = ROUTES[name]?.query?.sort?.description;
    expect(said).toContain(`the ${RECENT_ORDERS_MAX} heard of last, on one page`);
  }
});

it('finds the route that says a path most closely', () => {
  expect(routeOf('GET', '/v1/batches/b_1/report.csv')?.name).toBe('GET /v1/batches/{id}/report.csv');
  expect(routeOf('HEAD', '/v1/batches/b_1')?.name).toBe('GET /v1/batches/{id}');
  expect(routeOf('PUT', '/v1/batches/')?.name).toBe('PUT /v1/batches');
  expect(routeOf('PUT', '/v1/batches/events.csv')?.name).toBe('PUT /v1/batches/{fileName}');
  expect(routeOf('GET', '/v1/nothing')).toBeUndefined();
});

describe('an answer', () => {
  const list = { batches: [], next: null };
  const of = (status: number, body: unknown, type = 'application/json', headers = ['Content-Type', 'X-Request-Id']) =>
    nonconformity({ method: 'GET', path: '/v1/batches', status, type, text: JSON.stringify(body), headers });

  it('is as the contract says', () => {
    expect(of(200, list)).toEqual([]);
  });
  it('is found with a member that the contract does not name', () => {
    expect(of(200, { ...list, secret: 1 })).toEqual([expect.stringContaining('secret')]);
  });
  it('is found with a status, a media type or a refusal that it does not name', () => {
    expect(of(201, list)).toEqual([expect.stringContaining('undocumented status')]);
    expect(of(200, list, 'text/html')).toEqual([expect.stringContaining('undocumented media type')]);
    expect(of(409, {}, 'application/problem+json')).toEqual([expect.stringContaining('undocumented refusal')]);
  });
  it('is found with a header that the contract does not name', () => {
    expect(of(200, list, 'application/json', ['Location'])).toEqual([expect.stringContaining('location')]);
  });
  it('is found when a refusal is no problem document, or one that no page explains', () => {
    const refusal = { type: '/problems/x', title: 'T', status: 404, detail: 'D', code: 'not_found', requestId: 'r' };
    expect(of(404, refusal, 'application/problem+json')).toEqual([]);
    expect(of(404, { code: 'not_found' }, 'application/problem+json')).toHaveLength(1);
    expect(of(404, { ...refusal, code: 'never_heard_of' }, 'application/problem+json')).toEqual([
      expect.stringContaining('never_heard_of'),
    ]);
  });
});

describe('the client', () => {
  const sent: Parameters<Send>[0][] = [];
  const api = clientOf(async (call) => {
    sent.push(call);
    return call.address.includes('gone')
      ? Response.json({ code: 'bytes_expired', title: 'T', detail: 'D' }, { status: 410 })
      : Response.json({ batches: [], next: null });
  });

  it('fills the path, leaves out what is empty, and reads the answer', async () => {
    const page = await api.call('GET /v1/batches', { query: { limit: 5, before: null } });
    expect(page).toEqual({ ok: true, value: { batches: [], next: null } });
    const headers = { Accept: 'application/json' };
    expect(sent.at(-1)).toMatchObject({ method: 'GET', address: '/v1/batches?limit=5', headers, body: null });
    await api.answer('PUT /v1/batches/{fileName}', {
      path: { fileName: 'a b/c.csv' },
      query: { mapping: 'carrier-status-csv', dryRun: true },
      bytes: 'x',
      idempotencyKey: 'k',
    });
    expect(sent.at(-1)).toMatchObject({
      address: '/v1/batches/a%20b%2Fc.csv?mapping=carrier-status-csv&dryRun=true',
      headers: { 'Idempotency-Key': 'k' },
      body: 'x',
    });
  });
  it('asks for a file in whatever form it has', async () => {
    await api.answer('GET /v1/batches/{id}/source', { path: { id: 'b_1' } });
    expect(sent.at(-1)?.headers).toEqual({});
  });
  it('gives a refusal as a value', async () => {
    const refused = await api.call('GET /v1/batches/{id}', { path: { id: 'gone' } });
    expect(refused).toMatchObject({ ok: false, error: { status: 410, code: 'bytes_expired' } });
  });
});
