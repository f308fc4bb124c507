/** Pages of other sites that call the API with a partner's key: those that an administrator set, and no others. */
import { reset } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ROUTES } from '../../../src/http/contract/contract.ts';
import { bridge } from '../bridge.ts';
import { statusFile, statusRows } from '../csv-files.ts';
import { anOperator } from '../operators.ts';
import { aPartner, ORIGIN, type Partner, problemOf } from '../partners.ts';
import { upstreamAnswers } from '../upstream-double.ts';

const PORTAL = 'https://portal.example';

beforeEach(() => void upstreamAnswers(200));
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

async function withPortal(): Promise<Partner> {
  const partner = await aPartner();
  const admin = await anOperator({ role: 'admin' });
  const set = await admin.done<{ origins: string[] }>('PATCH', `/v1/ops/partners/${partner.name}`, {
    origins: [PORTAL, 'http://localhost:5173'],
    why: 'their portal',
  });
  expect(set.origins).toEqual(['http://localhost:5173', PORTAL]);
  return partner;
}

const preflight = (path: string, origin = PORTAL, method = 'PUT'): Promise<Response> =>
  bridge(ORIGIN + path, {
    method: 'OPTIONS',
    headers: {
      Origin: origin,
      'Access-Control-Request-Method': method,
      'Access-Control-Request-Headers': 'authorization,content-type',
    },
  });

const allowed = (answer: Response) => answer.headers.get('Access-Control-Allow-Origin');

/** What routes of partners say in headers, by the contract. */
const DOCUMENTED = [
  ...new Set(
    Object.values(ROUTES)
      .filter(({ who }) => who === 'partner')
      .flatMap(({ answers }) => Object.values(answers).flatMap(({ headers }) => Object.keys(headers ?? {}))),
  ),
];

describe('a page of another site', () => {
  it('is told what it may send, and reads what becomes of it', async () => {
    const partner = await withPortal();
    const asked = await preflight('/v1/batches');
    expect([asked.status, await asked.text(), allowed(asked)]).toEqual([204, '', PORTAL]);
    expect(asked.headers.get('Access-Control-Allow-Methods')).toBe('GET, HEAD, OPTIONS, POST, PUT');
    expect(asked.headers.get('Access-Control-Allow-Headers')).toMatch(/Authorization.*Idempotency-Key/);
    expect(asked.headers.get('Access-Control-Max-Age')).toBe('600');
    expect(asked.headers.get('Vary')).toMatch(/^Origin/);
    const init = { headers: { Origin: PORTAL } };
    const sent = await partner.upload(statusFile(...statusRows(1, 1)), {}, { method: 'PUT', ...init });
    expect([sent.status, allowed(sent)]).toEqual([202, PORTAL]);
    const readable = sent.headers.get('Access-Control-Expose-Headers')?.split(', ') ?? [];
    expect(readable).toEqual(expect.arrayContaining(['Location', 'Retry-After']));
    expect(DOCUMENTED.filter((name) => !readable.includes(name))).toEqual([]);
    for (const answer of [asked, sent, await partner.fetch('/v1/batches/none', init)]) {
      expect(answer.headers.get('Access-Control-Allow-Credentials')).toBeNull();
      expect(answer.headers.get('Vary')).toContain('Origin');
      expect(allowed(answer)).toBe(PORTAL);
    }
  });

  it('reads nothing unless it is set for the partner whose key it has', async () => {
    const partner = await withPortal();
    const other = await aPartner();
    for (const origin of ['https://elsewhere.example', `${PORTAL}.evil.example`, 'null', `${PORTAL}:8443`]) {
      expect(allowed(await preflight('/v1/batches', origin)), origin).toBeNull();
      const answer = await partner.fetch('/v1/batches', { headers: { Origin: origin } });
      expect([answer.status, allowed(answer), answer.headers.get('Vary')], origin).toEqual([200, null, 'Origin']);
    }
    expect(allowed(await other.fetch('/v1/batches', { headers: { Origin: PORTAL } }))).toBeNull();
    const wrong = await bridge(`${ORIGIN}/v1/batches`, { headers: { Origin: PORTAL, Authorization: 'Bearer wrong' } });
    expect([wrong.status, allowed(wrong)]).toEqual([401, PORTAL]);
  });

  it('reads nothing with a key that the browser remembers, and nothing of operators', async () => {
    const partner = await withPortal();
    const Authorization = `Basic ${btoa(`any:${partner.key}`)}`;
    const remembered = await partner.fetch('/v1/batches', { headers: { Origin: PORTAL, Authorization } });
    expect([remembered.status, allowed(remembered)]).toEqual([200, null]);
    const admin = await anOperator({ role: 'admin' });
    const path = `/v1/ops/partners/${partner.name}`;
    expect(allowed(await admin.fetch(path, { headers: { Origin: PORTAL } }))).toBeNull();
    const asked = await preflight(path, PORTAL, 'PATCH');
    expect([asked.status, allowed(asked), asked.headers.get('Access-Control-Allow-Headers')]).toEqual([
      204,
      null,
      null,
    ]);
  });

  it('reads nothing any more once the list is empty, or the partner switched off', async () => {
    const partner = await withPortal();
    const admin = await anOperator({ role: 'admin' });
    const path = `/v1/ops/partners/${partner.name}`;
    await admin.done('PATCH', path, { enabled: false, why: 'left' });
    expect(allowed(await preflight('/v1/batches'))).toBeNull();
    await admin.done('PATCH', path, { enabled: true, why: 'back' });
    expect(allowed(await preflight('/v1/batches'))).toBe(PORTAL);
    await admin.done('PATCH', path, { origins: [], why: 'the portal is gone' });
    expect(allowed(await preflight('/v1/batches'))).toBeNull();
    const { entries } = await admin.getJson<{ entries: { detail: unknown; why: string }[] }>('/v1/ops/audit?limit=1');
    expect(entries[0]).toMatchObject({ why: 'the portal is gone' });
    expect(JSON.stringify(entries[0]?.detail)).toContain(PORTAL);
  });
});

it.each(['portal.example', `${PORTAL}/`, `${PORTAL}/app`, 'http://portal.example', '*', 'null', 'file:///x'])(
  'no origin is set that no browser would say, or that anybody could read along: %s',
  async (origin) => {
    const partner = await aPartner();
    const admin = await anOperator({ role: 'admin' });
    const answer = await admin.fetch(`/v1/ops/partners/${partner.name}`, {
      method: 'PATCH',
      body: JSON.stringify({ origins: [origin], why: 'x' }),
    });
    expect(await problemOf(answer)).toMatchObject({
      status: 400,
      detail: expect.stringContaining('https://portal.example'),
    });
  },
);
