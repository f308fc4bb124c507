import { beforeAll, describe, expect, it } from 'vitest';
import type { Client } from './client.ts';

/** seed 2.1, 4.1, 5: tokens, their two spellings, their life and where they open a door. */
export function tokenClauses(client: () => Client): void {
  describe('tokens (2.1, 4.1, 5)', () => {
    beforeAll(() => client().control('POST', 'reset'));

    it('4.1 row 1: answers with token_type, expires_in of 3600, access_token and scope', async () => {
      const { status, json } = await client().basicToken();
      expect(status).toBe(200);
      expect(json).toEqual({ token_type: 'Bearer', expires_in: 3600, access_token: expect.any(String), scope: 'APIM' });
    });

    it('4.1 row 2: answers with expired_in of 3600, without scope', async () => {
      const { status, json } = await client().formToken();
      expect(status).toBe(200);
      expect(json).toEqual({ token_type: 'Bearer', expired_in: 3600, access_token: expect.any(String) });
    });

    it('4.1: every request mints a token of its own', async () => {
      const [first, second] = await Promise.all([client().basicToken(), client().basicToken()]);
      expect(first.json.access_token).not.toBe(second.json.access_token);
    });

    it.each([
      ['without the subscription key', { headers: { 'Ocp-Apim-Subscription-Key': '' } }, 401],
      ['without Basic', { headers: { Authorization: '' } }, 401],
      ['with a wrong secret', { headers: { Authorization: `Basic ${btoa('sandbox-test-key:wrong')}` } }, 401],
      [
        'with the key of another account in Basic',
        { headers: { Authorization: `Basic ${btoa('sandbox-test-key-2:sandbox-test-secret-2')}` } },
        401,
      ],
      ['with a scope other than APIM', { form: 'grant_type=client_credentials&scope=ALL' }, 400],
      ['with a grant other than client_credentials', { form: 'grant_type=password&scope=APIM' }, 400],
      ['with a JSON body', { headers: { 'Content-Type': 'application/json' }, form: '{}' }, 415],
      ['without Accept: application/json', { headers: { Accept: 'text/html' } }, 406],
    ])('4.1 row 1: refuses a request %s', async (_, given, status) => {
      expect((await client().basicToken('test', given)).status).toBe(status);
    });

    it.each([
      ['an unknown client_id', 'grant_type=client_credentials&client_id=x&client_secret=sandbox-test-secret', 401],
      ['a wrong client_secret', 'grant_type=client_credentials&client_id=sandbox-test-client&client_secret=x', 401],
      ['no grant_type', 'client_id=sandbox-test-client&client_secret=sandbox-test-secret', 400],
    ])('4.1 row 2: refuses %s', async (_, form, status) => {
      expect((await client().formToken('test', form)).status).toBe(status);
    });

    it('5.2.4: a protected call takes the bearer of either endpoint together with the key', async () => {
      const tokens = [(await client().basicToken()).json.access_token, (await client().formToken()).json.access_token];
      for (const token of tokens) expect((await client().loadEvent(token)).status).toBe(200);
    });

    it('5.2.4: a protected call without bearer, with an invented one or without the key is refused', async () => {
      const token = (await client().formToken()).json.access_token;
      expect((await client().loadEvent(null)).json.error.code).toBe('token_missing');
      expect((await client().loadEvent('invented')).json.error.code).toBe('token_unknown');
      expect((await client().loadEvent(token, { key: null })).json.error.code).toBe('subscription_key_missing');
    });

    it('5.5: test credentials get no production token, and a test token opens nothing in production', async () => {
      const basic = `Basic ${btoa('sandbox-test-key:sandbox-test-secret')}`;
      const headers = { 'Ocp-Apim-Subscription-Key': 'sandbox-test-key', Authorization: basic };
      expect((await client().basicToken('production', { headers })).status).toBe(401);
      const form = 'grant_type=client_credentials&client_id=sandbox-test-client&client_secret=sandbox-test-secret';
      expect((await client().formToken('production', form)).status).toBe(401);
      const token = (await client().formToken('test')).json.access_token;
      expect((await client().loadEvent(token, { environment: 'production' })).json.error.code).toBe('token_unknown');
    });

    it('2.1, 8: a token ends with its life', async () => {
      await client().control('PUT', 'settings', { tokenLifeSeconds: 0.4 });
      const { json } = await client().basicToken();
      expect(json.expires_in).toBe(0.4);
      expect((await client().loadEvent(json.access_token)).status).toBe(200);
      await expect
        .poll(async () => (await client().loadEvent(json.access_token)).json.error?.code, { timeout: 5_000 })
        .toBe('token_expired');
    });
  });
}
