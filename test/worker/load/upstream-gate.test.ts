/** The gate of a channel: one token request at a time whoever asks, kept in storage, copied to KV. */
import { evictDurableObject, reset, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { KV_TTL_SECONDS_MIN, TOKEN_FAILURE_PAUSE_MS, TOKEN_REFRESH_SHARE } from '../../../src/kernel/limits.ts';
import { gateName } from '../../../src/kernel/names.ts';
import type { Channel } from '../../../src/upstream/channels.ts';
import { UpstreamGate } from '../../../src/upstream/gate/gate.ts';
import { openToken, sealToken } from '../../../src/upstream/gate/sealed-token.ts';
import type { CachedToken } from '../../../src/upstream/gate/token-lifetime.ts';
import { upstreamOf } from '../../../src/upstream/settings.ts';
import { forgetTokens } from '../../../src/upstream/tokens.ts';
import { aLoad, PATIENCE } from '../loads.ts';
import { heldAnswer, tokenBody, type UpstreamDouble, upstreamAnswers } from '../upstream-double.ts';

afterEach(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  forgetTokens();
  await reset();
});

const gate = (channel = 'bearer') => env.UPSTREAM_GATE.getByName(gateName('test', channel));

function bearer(): Channel {
  const channel = upstreamOf(env).channels.get('bearer');
  if (channel === undefined) throw new Error('no channel bearer');
  return channel;
}

async function tokenOf(failedFingerprint?: string, channel = 'bearer'): Promise<CachedToken> {
  const held = await gate(channel).currentToken(channel, failedFingerprint);
  if (!held.ok) throw new Error(`${held.error.code}: ${held.error.detail}`);
  return held.value;
}

/** Counts the tokens it hands out: `token-1`, `token-2`, … each with this life. */
function tokensLast(life: Record<string, number>): UpstreamDouble {
  const upstream = upstreamAnswers(200);
  upstream.answerTokens(() => Response.json(tokenBody(upstream.tokenRequests.length, life)));
  return upstream;
}

/** Moves the clock, not the timers. */
function passes(ms: number): void {
  vi.useFakeTimers({ now: Date.now() + ms, toFake: ['Date'] });
}

describe('the gate', () => {
  it('makes one token request for callers that come at once', async () => {
    const { tokenRequests } = tokensLast({ expires_in: 3600 });
    const tokens = await Promise.all(Array.from({ length: 20 }, () => tokenOf()));
    expect(new Set(tokens.map(({ token }) => token))).toEqual(new Set(['token-1']));
    expect(tokenRequests).toHaveLength(1);
    await tokenOf();
    expect(tokenRequests).toHaveLength(1);
  });

  it('keeps the tokens of channels apart', async () => {
    const { tokenRequests } = tokensLast({ expires_in: 3600 });
    const [one, other] = [await tokenOf(), await tokenOf(undefined, 'second-endpoint')];
    expect(one.token).not.toBe(other.token);
    expect(tokenRequests).toHaveLength(2);
  });

  it('renews the token a caller was refused with, once for all who report it', async () => {
    const { tokenRequests } = tokensLast({ expires_in: 3600 });
    const refused = await tokenOf();
    const renewed = await Promise.all(Array.from({ length: 10 }, () => tokenOf(refused.fingerprint)));
    expect(new Set(renewed.map(({ token }) => token))).toEqual(new Set(['token-2']));
    expect(tokenRequests).toHaveLength(2);
  });

  it('gives the current token, without a request, to a caller whose refused token is no longer current', async () => {
    const { tokenRequests } = tokensLast({ expires_in: 3600 });
    const stale = await tokenOf();
    const current = await tokenOf(stale.fingerprint);
    expect(await tokenOf(stale.fingerprint)).toEqual(current);
    expect(await tokenOf('000000000000')).toEqual(current);
    expect(tokenRequests).toHaveLength(2);
  });

  it('renews a token after 80 % of its life and not before', async () => {
    const { tokenRequests } = tokensLast({ expires_in: 1000 });
    const first = await tokenOf();
    expect(first.refreshAtMs - (first.expiresAtMs - 1_000_000)).toBe(1_000_000 * TOKEN_REFRESH_SHARE);
    passes(790_000);
    expect((await tokenOf()).token).toBe('token-1');
    passes(20_000);
    expect((await tokenOf()).token).toBe('token-2');
    expect(tokenRequests).toHaveLength(2);
  });

  it('gives the old token while renewing fails, as long as it lives', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const upstream = tokensLast({ expires_in: 1000 });
    await tokenOf();
    upstream.answerTokens(503);
    passes(850_000);
    expect((await tokenOf()).token).toBe('token-1');
    passes(200_000);
    expect(await gate().currentToken('bearer')).toMatchObject({ ok: false });
  });

  it('still has its token after an eviction', async () => {
    const { tokenRequests } = tokensLast({ expires_in: 3600 });
    const before = await tokenOf();
    await evictDurableObject(gate());
    expect(await tokenOf()).toEqual(before);
    expect(tokenRequests).toHaveLength(1);
  });

  it.each([
    ['expires_in', { expires_in: 1800 }, 1800],
    ['expired_in', { expired_in: 900 }, 900],
    ['no life', {}, 3600],
  ])('reads the life of a token as the answer spells it: %s', async (_, life, seconds) => {
    tokensLast(life);
    const asked = Date.now();
    for (const channel of ['bearer', 'second-endpoint']) {
      const { expiresAtMs } = await tokenOf(undefined, channel);
      expect(expiresAtMs).toBeGreaterThanOrEqual(asked + seconds * 1_000);
      expect(expiresAtMs).toBeLessThan(asked + seconds * 1_000 + 15_000);
    }
  });

  it('asks each channel at its own token endpoint with its own credentials', async () => {
    const { tokenRequests } = tokensLast({ expires_in: 3600 });
    await tokenOf();
    await tokenOf(undefined, 'second-endpoint');
    const [first, second] = tokenRequests;
    expect(new URL(first?.url ?? '').pathname).toBe('/upstream-test/identityservices/oauth2/default/v1/token');
    expect(first?.headers.Authorization).toBe(`Basic ${btoa('canary-key-bearer:canary-secret-bearer')}`);
    expect(first?.body).toBe('grant_type=client_credentials&scope=APIM');
    expect(new URL(second?.url ?? '').pathname).toBe('/upstream-test/token');
    expect(Object.fromEntries(new URLSearchParams(second?.body))).toEqual({
      grant_type: 'client_credentials',
      client_id: 'canary-id-second-endpoint',
      client_secret: 'canary-secret-second-endpoint',
    });
    expect(tokenRequests.map(({ method, redirect }) => [method, redirect])).toEqual([
      ['POST', 'manual'],
      ['POST', 'manual'],
    ]);
  });
});

describe('a gate that has just started', () => {
  it('tells the first who asks to come back in a moment: what was sent before is not known, so that no permits have gathered', async () => {
    upstreamAnswers(200);
    await gate('narrow').health('narrow');
    await evictDurableObject(gate('narrow'));
    const asked = { partner: 'acme', scac: 'DEMO', subject: 'LD1', repeatable: true, results: [], ended: [] };
    expect(await gate('narrow').lease('narrow', { ...asked, wanted: 1 })).toMatchObject({
      outcome: 'parked',
      why: 'rate',
    });
  });

  it('shows by its fingerprint which token it has, and until when', async () => {
    tokensLast({ expires_in: 3600 });
    expect(await gate().health('bearer')).toMatchObject({ channel: 'bearer', token: null });
    const { fingerprint, expiresAtMs } = await tokenOf();
    const mintedAtMs = expiresAtMs - 3_600_000;
    expect((await gate().health('bearer')).token).toEqual({ fingerprint, mintedAtMs, expiresAtMs });
  });
});

describe('the copy in KV', () => {
  /** It is written behind the answer. */
  const copied = () =>
    vi.waitFor(async () => {
      const kept = await env.TOKENS.get(gateName('test', 'bearer'));
      expect(kept).not.toBeNull();
      return kept;
    }, PATIENCE);

  it('holds the token with its own times, sealed as in the gate, for at least a minute', async () => {
    tokensLast({ expires_in: 10 });
    const held = await tokenOf();
    const name = gateName('test', 'bearer');
    const kept = await copied();
    expect(openToken(JSON.parse(kept ?? ''), bearer())).toEqual(held);
    const stored = await runInDurableObject(gate(), (_, { storage }) =>
      JSON.stringify(storage.sql.exec('SELECT * FROM token').toArray()),
    );
    for (const text of [kept, stored]) expect(text).not.toMatch(/token-1|expiresAtMs/);
    const { keys } = await env.TOKENS.list();
    const ttlSeconds = (keys.find((key) => key.name === name)?.expiration ?? 0) - Date.now() / 1_000;
    expect(ttlSeconds).toBeGreaterThan(KV_TTL_SECONDS_MIN - 15);
  });

  it('is kept as long as the token lives, and no longer', async () => {
    tokensLast({ expires_in: 3600 });
    const { expiresAtMs } = await tokenOf();
    await copied();
    const { keys } = await env.TOKENS.list();
    const [{ expiration = 0 } = {}] = keys.filter(({ name }) => name === gateName('test', 'bearer'));
    expect(Math.abs(expiration * 1_000 - expiresAtMs)).toBeLessThan(60_000);
  });

  it('spares the gate a call: an isolate that has just started delivers with it', async () => {
    const { left } = tokensLast({ expires_in: 3600 });
    await tokenOf();
    await copied();
    forgetTokens();
    const asked = vi.spyOn(UpstreamGate.prototype, 'currentToken');
    const load = aLoad();
    await load.dispatch([1], { channel: 'bearer' });
    await load.reaches('delivered');
    expect(left[0]?.headers.Authorization).toBe('Bearer token-1');
    expect(asked).not.toHaveBeenCalled();
  });

  it('is not trusted when it is stale: the gate is asked', async () => {
    const { left } = tokensLast({ expires_in: 3600 });
    const stale: CachedToken = {
      token: 'stale',
      fingerprint: '0',
      refreshAtMs: Date.now() - 1,
      expiresAtMs: Date.now() + 9e5,
    };
    await env.TOKENS.put(gateName('test', 'bearer'), JSON.stringify(sealToken(stale, bearer())));
    const load = aLoad();
    await load.dispatch([1], { channel: 'bearer' });
    await load.reaches('delivered');
    expect(left[0]?.headers.Authorization).toBe('Bearer token-1');
  });
});

describe('a token endpoint that fails', () => {
  it('is asked once, and not again until the pause is over', async () => {
    const warned = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const upstream = upstreamAnswers(200);
    upstream.answerTokens(500);
    const failures = [];
    const stopped = vi.spyOn(Date, 'now').mockReturnValue(Date.now()); // the pause is a few ms long at this scale
    for (let asked = 0; asked < 5; asked += 1) failures.push(await gate().currentToken('bearer'));
    stopped.mockRestore();
    expect(failures).toEqual(
      Array.from({ length: 5 }, () => ({ ok: false, error: { code: 'token_refused', detail: 'status 500' } })),
    );
    expect(upstream.tokenRequests).toHaveLength(1);
    expect(warned).toHaveBeenCalledTimes(1);
    passes(TOKEN_FAILURE_PAUSE_MS + 1);
    upstream.answerTokens(() => Response.json(tokenBody(9)));
    expect((await tokenOf()).token).toBe('token-9');
    expect(upstream.tokenRequests).toHaveLength(2);
  });

  it.each([
    ['refuses the credentials', 401, 'token_refused'],
    ['redirects', 302, 'token_refused'],
    ['answers with a page', () => new Response('<html>canary-page'), 'token_unreadable'],
    ['answers without a token', () => Response.json({ error: 'canary' }), 'token_unreadable'],
    ['cannot be reached', new Error('Network connection lost.'), 'token_unreachable'],
  ] as const)('says why and quotes nothing of the answer: it %s', async (_, answer, code) => {
    const warned = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const upstream = upstreamAnswers(200);
    upstream.answerTokens(typeof answer === 'number' ? () => new Response('canary', { status: answer }) : answer);
    const held = await gate().currentToken('bearer');
    expect(held).toMatchObject({ ok: false, error: { code } });
    expect(JSON.stringify([held, warned.mock.calls])).not.toContain('canary');
  });

  it('fails all who wait for the one request, and leaves nothing stored', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const held = heldAnswer();
    const upstream = upstreamAnswers(200);
    upstream.answerTokens(held.answer);
    const waiting = Promise.all(Array.from({ length: 5 }, () => gate().currentToken('bearer')));
    await vi.waitFor(() => expect(upstream.tokenRequests).toHaveLength(1), PATIENCE);
    held.release(503);
    expect((await waiting).map(({ ok }) => ok)).toEqual([false, false, false, false, false]);
    expect(upstream.tokenRequests).toHaveLength(1);
    const rows = await runInDurableObject(gate(), (_, state) =>
      state.storage.sql.exec('SELECT * FROM token').toArray(),
    );
    expect(rows).toEqual([]);
  });

  it('is not asked for a channel that is not configured', async () => {
    const { tokenRequests } = upstreamAnswers(200);
    expect(await gate('nobody').currentToken('nobody')).toMatchObject({ ok: false });
    expect(tokenRequests).toEqual([]);
  });
});
