/** The gate of a channel as an object: what it stores, mints, probes and tells, over restarts. The upstream's answers are given. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ObjectDatabase } from '../../../scripts/simulate/sql.ts';
import { GATE_AUDIT_SHOWN, KV_TTL_SECONDS_MIN, TOKEN_FAILURE_PAUSE_MS } from '../../../src/kernel/limits.ts';
import { err, ok } from '../../../src/kernel/result.ts';
import type { Breaker, Scope } from '../../../src/upstream/gate/breaker.ts';
import { channelTest } from '../../../src/upstream/gate/channel-test.ts';
import type { LeaseAnswer, LeaseRequest } from '../../../src/upstream/gate/core.ts';
import type { OwnProbe } from '../../../src/upstream/gate/own-probe.ts';
import { sealToken } from '../../../src/upstream/gate/sealed-token.ts';
import { GATE_MIGRATIONS, GateStore, sorted } from '../../../src/upstream/gate/store.ts';
import { type CachedToken, holdToken } from '../../../src/upstream/gate/token-lifetime.ts';
import { storageOf, storageOn } from '../object-storage.ts';
import { aChannel, json, NOW_MS, type SeenRequest, upstreamAnswers } from './samples.ts';

vi.mock('cloudflare:workers', () => import('../../../scripts/simulate/workers.ts'));
const { UpstreamGate } = await import('../../../src/upstream/gate/gate.ts');

beforeEach(() => {
  vi.useFakeTimers({ now: NOW_MS });
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const breaker = (scope: Scope, more: Partial<Breaker> = {}): Breaker =>
  ({ scope, state: 'open', why: 'failures', untilMs: NOW_MS, probe: null, successes: 0, ...more }) as Breaker;

describe('what a gate stores', () => {
  const stored = () => new GateStore(storageOf(new ObjectDatabase(() => ''), GATE_MIGRATIONS).sql);

  it('are breakers, one for each scope, until they close', () => {
    const store = stored();
    expect(store.breakers()).toEqual([]);
    store.keepBreaker('channel', breaker('channel'));
    store.keepBreaker('auth', breaker('auth'));
    store.keepBreaker('channel', breaker('channel', { state: 'half_open' }));
    expect(store.breakers()).toEqual([breaker('auth'), breaker('channel', { state: 'half_open' })]);
    store.keepBreaker('auth', undefined);
    expect(store.breakers().map(({ scope }) => scope)).toEqual(['channel']);
  });

  it('are the latest token of its channel, which no other channel can open, and the name of the first', () => {
    const store = stored();
    const token = (text: string) => holdToken(text, `of ${text}`, 3_600, NOW_MS);
    expect([store.token(aChannel()), store.channel()]).toEqual([undefined, undefined]);
    for (const text of ['one', 'two']) store.keepToken(sealToken(token(text), aChannel()));
    expect(store.token(aChannel())).toEqual(token('two'));
    expect(store.token(aChannel({ name: 'other' }))).toBeUndefined();
    store.keepChannel('main');
    store.keepChannel('other');
    expect(store.channel()).toBe('main');
  });

  it('are APIs that cannot be read, and releases with the breaker before, newest first', () => {
    const store = stored();
    const read = { api: 'locations' as const, sinceMs: 1, lastMs: 2, status: 500, detail: 'd' };
    store.keepFailingRead(read);
    store.keepFailingRead({ ...read, api: 'fleet' });
    store.keepFailingRead({ ...read, lastMs: 3 });
    expect(store.failingReads()).toEqual([
      { ...read, api: 'fleet' },
      { ...read, lastMs: 3 },
    ]);
    store.dropFailingRead('fleet');
    expect(store.failingReads()).toHaveLength(1);
    const audit = (atMs: number) => ({
      atMs,
      keyId: 'k',
      author: 'A',
      reason: 'r',
      scope: 'auth' as const,
      before: breaker('auth'),
    });
    for (const atMs of [1, 2, 3]) store.audit(audit(atMs));
    expect(store.audits(2)).toEqual([audit(3), audit(2)]);
  });

  it('is told by what it is about: the channel and its partners, the credentials, codes of carriers', () => {
    const all = (['auth', 'channel', 'partner:acme', 'scac:ABCD'] as const).map((scope) => breaker(scope));
    const [auth, channel, partner, scac] = all;
    expect(sorted(all)).toEqual({ auth, breakers: [channel, partner], parkedScacs: [scac] });
    expect(sorted([])).toEqual({ auth: null, breakers: [], parkedScacs: [] });
  });
});

describe('a test of a channel', () => {
  const minted = ok({});
  const failed = (code: 'token_refused' | 'token_unreachable' | 'token_unreadable') => err({ code, detail: 'why' });
  const probe = (verdict: OwnProbe['verdict'], status: number | null = 500): OwnProbe =>
    ({ verdict, sendings: 1, failure: { subject: 'locations', status, detail: 'said' } }) as unknown as OwnProbe;

  it.each<[string, Parameters<typeof channelTest>[0], OwnProbe | null]>([
    ['ok', minted, probe('passed', 200)],
    ['ok', minted, null],
    ['credentials_refused', minted, probe('credentials_refused', 401)],
    ['credentials_refused', failed('token_unreachable'), probe('credentials_refused', 401)],
    ['not_allowed', minted, probe('scac_refused', 403)],
    ['failing', minted, probe('failed')],
    ['failing', minted, probe('busy', 429)],
    ['failing', minted, probe('redirected', 302)],
    ['unreachable', minted, probe('failed', null)],
    ['unreachable', failed('token_unreachable'), probe('failed')],
    ['unreachable', failed('token_unreachable'), null],
    ['unreachable', failed('token_unreachable'), probe('passed')],
    ['token_failed', failed('token_refused'), null],
    ['token_failed', failed('token_unreadable'), probe('passed')],
  ])('says that it is %s', (state, token, probed) => {
    expect(channelTest(token, probed)).toEqual({
      state,
      token: token.ok
        ? { obtained: true, code: null, detail: '' }
        : { obtained: false, code: token.error.code, detail: 'why' },
      call: probed && { asked: 'locations', status: probed.failure.status, detail: 'said' },
    });
  });
});

const SETTINGS = {
  ...{
    name: 'main',
    environment: 'test',
    baseUrl: 'http://127.0.0.1:9',
    scacs: ['ABCD'],
    ratePerSecond: 10,
    burst: 20,
  },
};
const TOKEN = (text: string, life = 3_600) => json({ access_token: text, expires_in: life });

/** @param channel more settings of its one channel. */
function aGate(channel: object = {}) {
  const database = new ObjectDatabase(() => '');
  const alarm = { atMs: null as number | null };
  const copied: [string, string, { expirationTtl: number }][] = [];
  const kv = { isDown: false, answers: (): Promise<unknown> => Promise.resolve() };
  const behind: Promise<unknown>[] = [];
  const env = (settings: object) => ({
    ...{ TIME_SCALE: '1', JURISDICTION: '' },
    CHANNELS: JSON.stringify([{ ...SETTINGS, ...settings }]),
    CHANNEL_SECRETS: JSON.stringify({ main: { apiKey: 'key', clientSecret: 'secret' } }),
    TOKENS: {
      put: async (...put: [string, string, { expirationTtl: number }]) => {
        if (kv.isDown) throw new Error('planned: KV');
        await kv.answers();
        copied.push(put);
      },
    },
  });
  const storage = Object.assign(storageOn(database), {
    getAlarm: async () => alarm.atMs,
    setAlarm: async (atMs: number) => void Object.assign(alarm, { atMs }),
  });
  const context = { storage, waitUntil: (work: Promise<unknown>) => void behind.push(work) };
  const start = (settings: object = channel) =>
    new UpstreamGate(context as unknown as DurableObjectState, env(settings) as unknown as Env);
  const ask = (gate: ReturnType<typeof start>, more: Partial<LeaseRequest> = {}): Promise<LeaseAnswer> =>
    gate.lease('main', {
      partner: 'acme',
      scac: 'ABCD',
      subject: 'L1',
      wanted: 1,
      repeatable: true,
      results: [],
      ended: [],
      ...more,
    });
  return { database, alarm, copied, kv, behind, start, ask, gate: start() };
}

const refusedAttempt = (lease: string, verdict: 'credentials_refused' | 'failed' = 'credentials_refused') => ({
  ...{
    lease,
    partner: 'acme',
    scac: 'ABCD',
    subject: 'L1',
    verdict,
    startedAtMs: Date.now(),
    endedAtMs: Date.now(),
    sendings: 1,
  },
  ...{ status: 401, detail: 'no' },
});
const urls = (seen: readonly SeenRequest[]) => seen.map(({ url }) => new URL(url).pathname.split('/').at(-1));

type Trial = ReturnType<typeof aGate>;
/** Of a gate that has filled its bucket since it began. */
async function permit(gate: Trial['gate'], ask: Trial['ask']): Promise<{ lease: string }> {
  await gate.health('main');
  vi.advanceTimersByTime(1_000);
  const granted = await ask(gate);
  if (granted.outcome !== 'granted') throw new Error('no permit');
  return granted;
}

describe('a gate', () => {
  it('gives permits of a channel that there is, and none at once after a start', async () => {
    const { gate, ask } = aGate();
    expect(await ask(gate)).toMatchObject({ outcome: 'parked', why: 'rate' });
    vi.advanceTimersByTime(1_000);
    expect(await ask(gate, { wanted: 3 })).toMatchObject({ outcome: 'granted', permits: 3 });
    expect(await gate.health('main')).toMatchObject({
      ...{ channel: 'main', ratePerSecond: 10, burst: 20, permitsOut: 3, permitsLeft: 7, token: null, audit: [] },
      ...{ breakers: [], auth: null, parkedScacs: [], failingReads: [] },
    });
    await expect(gate.health('other')).rejects.toThrow('channel other is not configured');
  });

  it('keeps an open breaker over a restart, until it is released, once, by somebody who is noted', async () => {
    const { gate, ask, start } = aGate();
    const granted = await permit(gate, ask);
    await ask(gate, { wanted: 0, results: [refusedAttempt(granted.lease)] });
    expect(vi.mocked(console.warn).mock.calls.map(([line]) => JSON.parse(line))).toMatchObject([
      { event: 'breaker_open', channel: 'main', detail: 'auth: credentials_refused' },
    ]);
    const next = start();
    expect((await next.health('main')).auth).toMatchObject({ state: 'open', why: 'credentials_refused' });
    expect(await ask(next)).toMatchObject({ outcome: 'parked', why: 'auth' });
    const by = { scope: 'auth' as const, keyId: 'k1', author: 'Kim', reason: 'renewed' };
    expect(await next.release('main', by)).toMatchObject({ scope: 'auth', state: 'open' });
    expect(await next.release('main', by)).toBeNull();
    const { auth, audit } = await start().health('main');
    expect([auth, audit.length]).toEqual([null, 1]);
    expect(audit[0]).toMatchObject({ ...by, atMs: Date.now(), before: { state: 'open' } });
    expect(GATE_AUDIT_SHOWN).toBeGreaterThan(1);
  });

  it('releases no breaker where it cannot be noted who did', async () => {
    const { gate, ask } = aGate();
    const granted = await permit(gate, ask);
    await ask(gate, { wanted: 0, results: [refusedAttempt(granted.lease)] });
    const noting = vi.spyOn(GateStore.prototype, 'audit').mockImplementationOnce(() => {
      throw new Error('planned: full');
    });
    const by = { scope: 'auth' as const, keyId: 'k1', author: 'Kim', reason: 'renewed' };
    await expect(gate.release('main', by)).rejects.toThrow('planned: full');
    expect(await gate.release('main', by)).toMatchObject({ scope: 'auth', state: 'open' });
    expect((await gate.health('main')).audit).toHaveLength(1);
    noting.mockRestore();
  });

  it('notes APIs that cannot be read from the first failure to the last, until one answers', async () => {
    const { gate } = aGate();
    await gate.noteRead('main', 'fleet', { status: 500, detail: 'a' });
    vi.advanceTimersByTime(5);
    await gate.noteRead('main', 'fleet', { status: 502, detail: 'b' });
    await gate.noteRead('main', 'locations', { status: null, detail: 'c' });
    const failing = async () => (await gate.health('main')).failingReads;
    expect(await failing()).toEqual([
      { api: 'fleet', sinceMs: NOW_MS, lastMs: NOW_MS + 5, status: 502, detail: 'b' },
      { api: 'locations', sinceMs: NOW_MS + 5, lastMs: NOW_MS + 5, status: null, detail: 'c' },
    ]);
    await gate.noteRead('main', 'fleet', null);
    expect((await failing()).map(({ api }) => api)).toEqual(['locations']);
  });
});

describe('the token of a channel', () => {
  it('is minted once for all who ask, stored, copied, and minted anew when it was refused or its time is over', async () => {
    const { gate, start, copied, behind } = aGate();
    const seen = upstreamAnswers(TOKEN('one'), TOKEN('two', 10), TOKEN('three'));
    const both = await Promise.all([gate.currentToken('main'), gate.currentToken('main')]);
    expect([seen.length, both.map((each) => each.ok && each.value.expiresAtMs - NOW_MS > 0)]).toEqual([
      1,
      [true, true],
    ]);
    const [first] = both;
    if (!first?.ok) throw new Error('no token');
    expect((await start().currentToken('main')).ok && seen.length).toBe(1);
    expect((await gate.health('main')).token).toMatchObject({
      fingerprint: first.value.fingerprint,
      mintedAtMs: NOW_MS,
    });
    expect(await gate.currentToken('main', 'of another')).toEqual(first);
    const second = await gate.currentToken('main', first.value.fingerprint);
    expect([seen.length, second.ok && second.value.fingerprint !== first.value.fingerprint]).toEqual([2, true]);
    await Promise.all(behind);
    expect(copied.map(([name]) => name)).toEqual([expect.stringContaining('main'), copied[0]?.[0]]);
    expect(copied.map(([, , { expirationTtl }]) => expirationTtl)).toEqual([
      ...[Math.ceil((first.value.expiresAtMs - NOW_MS) / 1_000), KV_TTL_SECONDS_MIN],
    ]);
    vi.advanceTimersByTime(10_000);
    expect([(await gate.currentToken('main')).ok, seen.length]).toEqual([true, 3]);
  });

  it('is given though it could not be copied', async () => {
    const { gate, kv, behind } = aGate();
    upstreamAnswers(TOKEN('one'));
    kv.isDown = true;
    expect((await gate.currentToken('main')).ok).toBe(true);
    await Promise.all(behind);
    expect(vi.mocked(console.warn).mock.calls.map(([line]) => JSON.parse(line))).toMatchObject([
      { event: 'token_not_cached', channel: 'main', detail: 'planned: KV' },
    ]);
  });

  it('is replaced where it was refused while its copy is being written, and the copies follow each other', async () => {
    const { gate, kv, copied, behind } = aGate();
    const seen = upstreamAnswers(TOKEN('one', 100), TOKEN('two', 200));
    const puts: (() => void)[] = [];
    kv.answers = () => new Promise<void>((resolve) => void puts.push(resolve));
    const given: string[] = [];
    const ask = async (failed?: string): Promise<void> => {
      const { value } = (await gate.currentToken('main', failed)) as { value: CachedToken };
      given.push(value.token);
      if (value.token === 'one') await ask(value.fingerprint);
    };
    void ask();
    await vi.waitFor(() => expect(given).toEqual(['one', 'two']));
    expect([seen.length, puts.length, copied.length]).toEqual([2, 1, 0]);
    puts[0]?.();
    await vi.waitFor(() => expect(puts).toHaveLength(2));
    puts[1]?.();
    await Promise.all(behind);
    expect(copied.map(([, , { expirationTtl }]) => expirationTtl)).toEqual([100, 200]);
  });

  it('is not asked for again right after it was refused, and then it is', async () => {
    const { gate } = aGate();
    const seen = upstreamAnswers(json({}, 401), TOKEN('one'));
    const refused = { ok: false, error: { code: 'token_refused', detail: 'status 401', credentialsRefused: true } };
    expect([await gate.currentToken('main'), await gate.currentToken('main'), seen.length]).toEqual([
      refused,
      refused,
      1,
    ]);
    vi.advanceTimersByTime(TOKEN_FAILURE_PAUSE_MS - 1);
    expect([await gate.currentToken('main'), seen.length]).toEqual([refused, 1]);
    vi.advanceTimersByTime(1);
    expect([(await gate.currentToken('main')).ok, seen.length]).toEqual([true, 2]);
    expect(vi.mocked(console.warn).mock.calls.map(([line]) => JSON.parse(line))).toMatchObject([
      { event: 'token_failed', channel: 'main', detail: 'token_refused: status 401' },
    ]);
  });

  it('is the one before while that is alive, though a new one cannot be had', async () => {
    const { gate } = aGate();
    upstreamAnswers(TOKEN('one', 3_600), json({}, 500));
    const first = await gate.currentToken('main');
    if (!first.ok) throw new Error('no token');
    vi.advanceTimersByTime(first.value.expiresAtMs - NOW_MS - 1_000);
    expect((await gate.currentToken('main')).ok).toBe(true);
    vi.advanceTimersByTime(TOKEN_FAILURE_PAUSE_MS);
    expect(await gate.currentToken('main', first.value.fingerprint)).toMatchObject({ ok: false });
  });

  it('is none of a channel that is not configured', async () => {
    expect(await aGate().gate.currentToken('other')).toMatchObject({
      ...{ ok: false, error: { code: 'token_unreachable', detail: 'channel other is not configured' } },
    });
  });
});

describe('a probe of its own', () => {
  it('is made by its alarm once credentials were refused, and lets requests through where it passes', async () => {
    const { gate, ask, alarm, start } = aGate();
    const granted = await permit(gate, ask);
    expect(alarm.atMs).toBeNull();
    await ask(gate, { wanted: 0, results: [refusedAttempt(granted.lease)] });
    const { auth } = await gate.health('main');
    expect(alarm.atMs).toBe(auth?.untilMs);
    const seen = upstreamAnswers(json({ data: [] }));
    await gate.alarm();
    expect(seen).toEqual([]); // not due yet
    vi.setSystemTime(alarm.atMs ?? 0);
    const next = start(); // as after a restart, which knows no channel by name
    await next.alarm();
    expect(urls(seen)).toEqual(['locations']);
    expect((await next.health('main')).auth?.state).not.toBe('open');
  });

  it('is none of a gate that nobody ever called, or whose channel is gone', async () => {
    const { gate, alarm } = aGate();
    const seen = upstreamAnswers(TOKEN('one'));
    await gate.alarm();
    expect([seen, alarm.atMs]).toEqual([[], null]);
  });

  it('is made for an operator, too, and paid for', async () => {
    const { gate } = aGate();
    vi.advanceTimersByTime(1_000);
    const seen = upstreamAnswers(TOKEN('one'), json({ data: [] }));
    await gate.health('main');
    vi.advanceTimersByTime(1_000);
    const { permitsLeft } = await gate.health('main');
    expect(await gate.testConnection('main')).toMatchObject({ token: { obtained: true }, call: { status: 200 } });
    expect([seen.length >= 2, (await gate.health('main')).permitsLeft]).toEqual([true, permitsLeft - 1]);
    const mute = aGate({ probe: 'none' });
    upstreamAnswers(TOKEN('one'));
    expect(await mute.gate.testConnection('main')).toEqual({
      ...{ state: 'ok', token: { obtained: true, code: null, detail: '' }, call: null },
    });
  });
});
