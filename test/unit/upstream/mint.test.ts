/** The two token endpoints of seed 4.1, and every way their answer can be. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Secret } from '../../../src/kernel/secret.ts';
import { mintToken, tokenCall } from '../../../src/upstream/gate/mint.ts';
import {
  API_KEY,
  aChannel,
  BASE_URL,
  CLIENT_ID,
  CLIENT_SECRET,
  clockAt,
  json,
  NOW_MS,
  upstreamAnswers,
} from './samples.ts';

afterEach(() => vi.unstubAllGlobals());

describe('seed 4.1 row 1', () => {
  const { url, method, headers, body } = tokenCall(aChannel());

  it('posts to the identity service', () => {
    expect([method, url]).toEqual(['POST', `${BASE_URL}/identityservices/oauth2/default/v1/token`]);
  });

  it('sends exactly the four headers named', () => {
    expect(headers).toEqual({
      'Content-Type': 'application/x-www-form-urlencoded',
      Accept: 'application/json',
      Authorization: `Basic ${Buffer.from(`${API_KEY}:${CLIENT_SECRET}`).toString('base64')}`,
      'Ocp-Apim-Subscription-Key': API_KEY,
    });
  });

  it('sends grant type and scope as a form, and no secret in it', () => {
    expect(body).toBe('grant_type=client_credentials&scope=APIM');
  });
});

it('writes credentials beyond Latin-1 as UTF-8, and does not throw', async () => {
  const seen = upstreamAnswers(json({ access_token: 't' }));
  const channel = aChannel({ clientSecret: new Secret('пароль-ß-😀') });
  expect(await mintToken(channel, clockAt())).toMatchObject({ ok: true });
  const credentials = seen[0]?.headers.Authorization?.replace('Basic ', '') ?? '';
  expect(Buffer.from(credentials, 'base64').toString('utf8')).toBe(`${API_KEY}:пароль-ß-😀`);
});

describe('seed 4.1 row 2', () => {
  const { url, method, headers, body = '' } = tokenCall(aChannel({ tokenEndpoint: 'plain' }));

  it('posts to /token', () => {
    expect([method, url]).toEqual(['POST', `${BASE_URL}/token`]);
  });

  it('sends the one header named', () => {
    expect(headers).toEqual({ 'Content-Type': 'application/x-www-form-urlencoded' });
  });

  it('sends grant type, client id and secret as a form', () => {
    expect([...new URLSearchParams(body)]).toEqual([
      ['grant_type', 'client_credentials'],
      ['client_id', CLIENT_ID],
      ['client_secret', CLIENT_SECRET],
    ]);
  });

  it('encodes a secret with characters of forms', () => {
    const clientSecret = new Secret('a&b=c+d%20e ü');
    const call = tokenCall(aChannel({ tokenEndpoint: 'plain', clientSecret }));
    expect(new URLSearchParams(call.body).get('client_secret')).toBe('a&b=c+d%20e ü');
  });
});

describe('a token answer', () => {
  it('of endpoint 1 names its life as expires_in (seed 2.1)', async () => {
    upstreamAnswers(json({ token_type: 'Bearer', expires_in: 3_600, access_token: 'canary-token', scope: 'APIM' }));
    const minted = await mintToken(aChannel(), clockAt());
    expect(minted).toMatchObject({ ok: true, value: { token: 'canary-token', expiresAtMs: NOW_MS + 3_600_000 } });
    expect(minted.ok && minted.value.fingerprint).toMatch(/^[0-9a-f]{12}$/);
  });

  it('of endpoint 2 names its life as expired_in (seed 2.1)', async () => {
    const seen = upstreamAnswers(json({ token_type: 'Bearer', expired_in: 60, access_token: 'canary-token' }));
    const minted = await mintToken(aChannel({ tokenEndpoint: 'plain' }), clockAt());
    expect(minted).toMatchObject({ ok: true, value: { expiresAtMs: NOW_MS + 60_000 } });
    expect(seen[0]?.url).toBe(`${BASE_URL}/token`);
  });

  it('may write its life as text, or leave it out (seed 8)', async () => {
    upstreamAnswers(json({ access_token: 't', expires_in: '120' }));
    expect(await mintToken(aChannel(), clockAt())).toMatchObject({ value: { expiresAtMs: NOW_MS + 120_000 } });
    upstreamAnswers(json({ access_token: 't' }));
    expect(await mintToken(aChannel(), clockAt())).toMatchObject({ value: { expiresAtMs: NOW_MS + 3_600_000 } });
  });

  it('may hold members nobody asked for', async () => {
    upstreamAnswers(json({ access_token: 't', expires_in: 60, refresh_token: 'x', ext: { a: 1 } }));
    expect(await mintToken(aChannel(), clockAt())).toMatchObject({ ok: true });
  });

  it.each([
    ['no JSON', new Response('canary-token')],
    ['a page', new Response('<html>canary-token</html>', { headers: { 'content-type': 'text/html' } })],
    ['nothing', new Response('')],
    ['no token', json({ token: 'canary-token', expires_in: 60 })],
    ['an empty token', json({ access_token: '', canary: 'canary-token' })],
    ['a token that is no text', json({ access_token: ['canary-token'] })],
    ['a list', json(['canary-token'])],
  ])('that holds %s is unreadable, and not quoted', async (_what, answer) => {
    upstreamAnswers(answer);
    const minted = await mintToken(aChannel(), clockAt());
    expect(minted).toMatchObject({ ok: false, error: { code: 'token_unreadable' } });
    expect(JSON.stringify(minted)).not.toContain('canary');
  });

  it.each([200, 201, 202, 203, 226, 299])('may come with status %d', async (status) => {
    upstreamAnswers(json({ access_token: 't' }, status));
    expect(await mintToken(aChannel(), clockAt())).toMatchObject({ ok: true, value: { token: 't' } });
  });

  it.each(['canary token', 'canary\ntoken', 'canary\0', 'canary-тест', 'canary-ü', ' canary', 'canary\u007f'])(
    'whose token is %j, which no header can hold, is unreadable and not quoted',
    async (token) => {
      upstreamAnswers(json({ access_token: token }));
      const minted = await mintToken(aChannel(), clockAt());
      expect(minted).toMatchObject({ ok: false, error: { code: 'token_unreadable' } });
      expect(JSON.stringify(minted)).not.toContain('canary');
    },
  );

  it.each([300, 302, 399, 408, 421, 425, 429, 500, 503])('of status %d has none, and is not quoted', async (status) => {
    upstreamAnswers(new Response('{"access_token":"canary-token"}', { status }));
    const minted = await mintToken(aChannel(), clockAt());
    expect(minted).toEqual({ ok: false, error: { code: 'token_refused', detail: `status ${status}` } });
  });

  it.each([400, 401, 403, 404, 499])('of status %d refuses the credentials, and is not quoted', async (status) => {
    upstreamAnswers(new Response('{"access_token":"canary-token"}', { status }));
    const error = { code: 'token_refused', detail: `status ${status}`, credentialsRefused: true };
    expect(await mintToken(aChannel(), clockAt())).toEqual({ ok: false, error });
  });

  it('that never comes leaves the endpoint unreachable', async () => {
    upstreamAnswers(new Error('connection refused'));
    const minted = await mintToken(aChannel(), clockAt());
    expect(minted).toEqual({ ok: false, error: { code: 'token_unreachable', detail: 'connection refused' } });
  });
});

it('gives two tokens two fingerprints and one token the same one', async () => {
  upstreamAnswers(json({ access_token: 'one' }), json({ access_token: 'two' }), json({ access_token: 'two' }));
  const prints: string[] = [];
  for (let count = 0; count < 3; count += 1) {
    const minted = await mintToken(aChannel(), clockAt());
    if (minted.ok) prints.push(minted.value.fingerprint);
  }
  expect(prints).toHaveLength(3);
  expect(prints[0]).not.toBe(prints[1]);
  expect(prints[1]).toBe(prints[2]);
});
