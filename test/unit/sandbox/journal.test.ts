import { describe, expect, it } from 'vitest';
import { fingerprint, maskBody, maskHeaders } from '../../../src/sandbox/http.ts';
import { BODY_CHARACTERS_STORED_MAX } from '../../../src/sandbox/serve.ts';
import { JSON_HEADERS, MemorySandbox, MILESTONE, MILESTONES } from './memory-sandbox.ts';

const page = (sandbox: MemorySandbox, query = '') =>
  JSON.parse(sandbox.request('GET', `/_sandbox/journal${query}`).body);

describe('masking', () => {
  it('keeps schemes and shows equal secrets as equal', () => {
    const masked = maskHeaders({
      authorization: 'Bearer abc',
      'ocp-apim-subscription-key': 'abc',
      carrierscac: 'DEMO',
    });
    expect(masked).toEqual({
      authorization: `Bearer ${fingerprint('abc')}`,
      'ocp-apim-subscription-key': fingerprint('abc'),
      carrierscac: 'DEMO',
    });
    expect(maskHeaders({ authorization: 'abc' }).authorization).toBe(fingerprint('abc'));
  });

  it('masks a client secret wherever it stands in a form', () => {
    expect(maskBody('client_secret=s%21&client_id=c')).toBe(`client_secret=${fingerprint('s%21')}&client_id=c`);
    expect(maskBody('a=1&client_secret=s')).toBe(`a=1&client_secret=${fingerprint('s')}`);
  });
});

describe('the journal', () => {
  it('keeps what was received, in order, without secrets', () => {
    const sandbox = new MemorySandbox();
    sandbox.send('POST', `${MILESTONES}?a=1`, { ...JSON_HEADERS, Authorization: 'Bearer sbx-test-1' }, MILESTONE);
    sandbox.send('GET', '/nowhere');
    const { entries } = page(sandbox);
    expect(entries).toMatchObject([
      {
        seq: 1,
        environment: 'test',
        method: 'POST',
        path: MILESTONES,
        query: 'a=1',
        status: 200,
        applied: true,
        fault: null,
      },
      { seq: 2, environment: null, method: 'GET', path: '/nowhere', status: 404, applied: false },
    ]);
    expect(JSON.parse(entries[0].body)).toEqual(MILESTONE);
    expect(JSON.stringify(entries)).not.toMatch(/sandbox-test-key|sbx-test-1/);
  });

  it('caps long bodies and still says their length', () => {
    const sandbox = new MemorySandbox();
    sandbox.send('POST', MILESTONES, JSON_HEADERS, 'x'.repeat(BODY_CHARACTERS_STORED_MAX + 10));
    const { entries } = page(sandbox);
    expect([entries[0].body.length, entries[0].bodyBytes]).toEqual([
      BODY_CHARACTERS_STORED_MAX,
      BODY_CHARACTERS_STORED_MAX + 10,
    ]);
  });

  it('hands out pages that continue where the last one ended', () => {
    const sandbox = new MemorySandbox();
    for (let count = 0; count < 5; count += 1) sandbox.send('GET', `/n/${count}`);
    const first = page(sandbox, '?limit=3');
    const second = page(sandbox, `?after=${first.next}&limit=3`);
    expect([...first.entries, ...second.entries].map(({ path }) => path)).toEqual([
      '/n/0',
      '/n/1',
      '/n/2',
      '/n/3',
      '/n/4',
    ]);
    expect(page(sandbox, `?after=${second.next}`)).toEqual({ entries: [], next: 5 });
  });

  it('filters by exact path, by prefix and by method, and leaves bodies out on request', () => {
    const sandbox = new MemorySandbox();
    sandbox.send('GET', '/n/1');
    sandbox.send('GET', '/n/10');
    sandbox.send('POST', '/n/1', JSON_HEADERS, 'text');
    const seqs = (query: string): number[] => page(sandbox, query).entries.map(({ seq }: { seq: number }) => seq);
    expect(seqs('?path=/n/1')).toEqual([1, 3]);
    expect(seqs('?path=/n/*')).toEqual([1, 2, 3]);
    expect(seqs('?path=/n/*&method=POST')).toEqual([3]);
    expect(page(sandbox, '?bodies=false&after=2').entries[0]).toMatchObject({ body: '', bodyBytes: 4 });
  });

  it('stops a page before it grows too long for one answer', () => {
    const sandbox = new MemorySandbox();
    for (let count = 0; count < 40; count += 1)
      sandbox.send('POST', '/n', JSON_HEADERS, 'x'.repeat(BODY_CHARACTERS_STORED_MAX));
    const { entries, next } = page(sandbox, '?limit=1000');
    expect(entries.length).toBeGreaterThan(10);
    expect(entries.length).toBeLessThan(40);
    expect(next).toBe(entries.length);
  });
});

describe('controls', () => {
  it('empties everything on reset', () => {
    const sandbox = new MemorySandbox();
    sandbox.create();
    sandbox.request('PUT', '/_sandbox/faults', [{ fault: { type: 'status', status: 500 } }]);
    sandbox.request('PUT', '/_sandbox/settings', { tokenLifeSeconds: 5 });
    sandbox.request('POST', '/_sandbox/reset');
    const state = JSON.parse(sandbox.request('GET', '/_sandbox/state').body);
    expect(state).toMatchObject({ faultRules: 0, requests: [], orders: 0, settings: { tokenLifeSeconds: 3600 } });
    sandbox.send('GET', '/n');
    expect(page(sandbox).entries[0].seq).toBe(1);
  });

  it('counts requests by path, with orders folded together', () => {
    const sandbox = new MemorySandbox();
    sandbox.create();
    const id = sandbox.create();
    sandbox.send('GET', `/test/rcsc/order-requests/v1/${id}/statuses`);
    sandbox.send('DELETE', `/test/rcsc/order-requests/v1/${id}`);
    const { requests, orders } = JSON.parse(sandbox.request('GET', '/_sandbox/state').body);
    expect(orders).toBe(2);
    expect(requests).toHaveLength(3);
    expect(requests).toEqual(
      expect.arrayContaining([
        {
          environment: 'test',
          method: 'POST',
          path: '/test/rcsc/order-requests/v1/',
          status: 200,
          applied: true,
          count: 2,
        },
        {
          environment: 'test',
          method: 'GET',
          path: '/test/rcsc/order-requests/v1/{id}/statuses',
          status: 200,
          applied: true,
          count: 1,
        },
        {
          environment: 'test',
          method: 'DELETE',
          path: '/test/rcsc/order-requests/v1/{id}',
          status: 200,
          applied: true,
          count: 1,
        },
      ]),
    );
  });

  it('keeps rules, counts and settings for the object that wakes up next', async () => {
    const sandbox = new MemorySandbox();
    sandbox.request('PUT', '/_sandbox/faults', [{ fault: { type: 'status', status: 500 }, times: 2 }]);
    sandbox.request('PUT', '/_sandbox/settings', { onboardedScacs: ['ZZZZ'] });
    sandbox.send('GET', '/n');
    const { SqlStore } = await import('../../../src/sandbox/sql-store.ts');
    const woken = new SqlStore(sandbox.store.sql, 1);
    expect(woken.settings.onboardedScacs).toEqual(['ZZZZ']);
    expect(woken.rules).toHaveLength(1);
    expect(woken.faultCount('rule-1')).toEqual({ matched: 1, fired: 1 });
  });

  it('refuses settings it cannot read', () => {
    const sandbox = new MemorySandbox();
    expect(sandbox.request('PUT', '/_sandbox/settings', { tokenLifeSeconds: 0 }).status).toBe(400);
    expect(sandbox.request('PUT', '/_sandbox/settings', 'no json').status).toBe(400);
    expect(sandbox.request('GET', '/_sandbox/nothing').status).toBe(404);
  });
});
