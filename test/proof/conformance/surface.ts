import { describe, expect, it } from 'vitest';
import { ENDPOINTS } from '../../../src/upstream/contracts/endpoints.ts';
import type { Client } from './client.ts';

/** seed 4, 5.5, 9: what holds for every row of the endpoint tables, generated from them. */
export function surfaceClauses(client: () => Client): void {
  const rows = Object.values(ENDPOINTS).map(({ section, method, path, api }) => {
    return { section, method, api, path: path.replace(/\{.+?\}/, '00000000-0000-4000-8000-000000000000') };
  });

  describe('every endpoint (4, 5)', () => {
    it.each(rows)('$section: $method $path is served in both environments', async ({ method, path }) => {
      for (const environment of ['test', 'production'] as const) {
        const { json } = await client().call(method, path, { environment });
        expect(['path_unknown', 'method_not_allowed', 'subscription_key_unknown']).not.toContain(json?.error?.code);
      }
    });

    it.each(rows.filter(({ api }) => api !== 'token'))(
      '5: $method $path asks for a subscription key',
      async ({ method, path }) => {
        expect(await client().call(method, path, { key: null })).toMatchObject({
          status: 401,
          json: { error: { code: 'subscription_key_missing', message: expect.any(String), fields: [] } },
        });
      },
    );

    it.each(rows.filter(({ api }) => api !== 'token'))(
      "5.5: $method $path refuses the other environment's key",
      async ({ method, path }) => {
        const testKey = await client().call(method, path, { environment: 'production', key: 'sandbox-test-key' });
        const productionKey = await client().call(method, path, { environment: 'test', key: 'sandbox-production-key' });
        expect([testKey.status, productionKey.status]).toEqual([401, 401]);
      },
    );

    it.each(rows.filter(({ api }) => api === 'events' || api === 'orders'))(
      '$section: $method $path asks for SCAC and Accept',
      async ({ method, path }) => {
        const problems: [object, number, string][] = [
          [{ scac: null }, 400, 'scac_malformed'],
          [{ scac: 'TOOLONG' }, 400, 'scac_malformed'],
          [{ scac: 'NOPE' }, 403, 'scac_not_onboarded'],
          [{ accept: 'text/html' }, 406, 'accept_not_json'],
        ];
        for (const [call, status, code] of problems) {
          expect(await client().call(method, path, call)).toMatchObject({ status, json: { error: { code } } });
        }
      },
    );

    it.each(rows)('$section: $path refuses PATCH and says what it takes', async ({ method, path }) => {
      const heard = await client().call('PATCH', path);
      expect(heard.status).toBe(405);
      expect(heard.headers.get('allow')).toContain(method);
    });

    it('9.1: another version is another path', async () => {
      expect((await client().call('POST', '/rcsc/events/v2/loads/milestone-requests', { body: {} })).status).toBe(404);
    });

    it('4.4: the create path ends in a slash', async () => {
      expect((await client().call('POST', '/rcsc/order-requests/v1', { body: {} })).status).toBe(404);
    });

    it('1.6: nothing is served outside the two environments', async () => {
      expect((await client().send('GET', '/fms/fleet/v1/vehicles')).status).toBe(404);
    });
  });
}
