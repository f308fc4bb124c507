/** Channels for operators: how they are set up, without a secret, and what a test of one tells. */
import { reset } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AuditEntry } from '../../../src/ops/directory/audit.ts';
import type { ChannelTest } from '../../../src/upstream/gate/channel-test.ts';
import { health } from '../gates.ts';
import { anOperator, type Operator } from '../operators.ts';
import { problemOf } from '../partners.ts';
import { upstreamAnswers } from '../upstream-double.ts';

let operator: Operator;
beforeEach(async () => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  operator = await anOperator();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

const tested = (channel = 'plain'): Promise<ChannelTest> =>
  operator.done('POST', `/v1/ops/channels/${channel}/test`, { why: 'the key was renewed' });

describe('a channel', () => {
  it('is shown as it is set up, with what its gate knows', async () => {
    expect(await operator.getJson('/v1/ops/channels/bearer')).toMatchObject({
      environment: 'test',
      name: 'bearer',
      state: 'ok',
      bucket: { permitsOut: 0 },
      breakers: [],
      token: null,
      setup: {
        baseUrl: 'http://127.0.0.1:9/upstream-test',
        tokenEndpoint: 'oauth',
        auth: { events: 'key+bearer' },
        scacs: ['DEMO', 'ACME'],
        customerNumber: null,
        probe: 'locations',
      },
    });
    const { channels } = await operator.getJson<{ channels: { name: string }[] }>('/v1/ops/channels');
    expect(channels.map(({ name }) => name)).toContain('leased');
    expect(channels.map(({ name }) => name)).not.toContain('live');
  });

  it('shows no secret anywhere', async () => {
    upstreamAnswers(200);
    await tested('second-endpoint');
    const pages = ['/v1/ops/channels', '/v1/ops/channels/second-endpoint', '/v1/ops/audit', '/v1/ops/health'];
    for (const path of pages) {
      const text = await (await operator.fetch(path)).text();
      expect(text).not.toContain('canary');
      expect(text).not.toContain('token-1');
    }
  });

  it('of another environment is unknown', async () => {
    expect(await problemOf(await operator.fetch('/v1/ops/channels/live'))).toMatchObject({ code: 'unknown_channel' });
    const test = await operator.fetch('/v1/ops/channels/live/test', { method: 'POST', body: '{"why":"x"}' });
    expect(await problemOf(test)).toMatchObject({ code: 'unknown_channel' });
  });
});

describe('a test of a channel', () => {
  it('asks for a token and for the locations, and for nothing else; it is in the audit', async () => {
    const upstream = upstreamAnswers(200);
    expect(await tested()).toMatchObject({
      state: 'ok',
      token: { obtained: true },
      call: { asked: 'GET locations', status: 200 },
    });
    expect([upstream.tokenRequests.length, upstream.probes.length, upstream.left.length]).toEqual([1, 1, 0]);
    const { entries } = await operator.getJson<{ entries: AuditEntry[] }>('/v1/ops/audit');
    expect(entries).toMatchObject([
      {
        action: 'channel.test',
        about: 'channel/plain',
        why: 'the key was renewed',
        detail: { state: 'ok', status: 200 },
      },
    ]);
    const shown = await operator.getJson<{ token: { obtainedAt: string; expiresAt: string } }>(
      '/v1/ops/channels/plain',
    );
    const { obtainedAt, expiresAt } = shown.token;
    expect(Date.parse(expiresAt) - Date.parse(obtainedAt)).toBe(3_600_000);
    expect(Math.abs(Date.parse(obtainedAt) - Date.now())).toBeLessThan(60_000);
  });

  it.each([
    [401, 'credentials_refused'],
    [403, 'not_allowed'],
    [500, 'failing'],
    [new Error('planned: refused'), 'unreachable'],
  ] as const)('that is answered with %s says %s, and stops nothing', async (answer, state) => {
    const upstream = upstreamAnswers(200);
    upstream.answerProbes(answer);
    expect(await tested()).toMatchObject({ state });
    expect((await health('plain')).breakers).toEqual([]);
    expect((await health('plain')).auth).toBeNull();
  });

  it('says that there is no token, with why', async () => {
    const upstream = upstreamAnswers(200);
    upstream.answerTokens(401);
    expect(await tested()).toMatchObject({
      state: 'token_failed',
      token: { obtained: false, code: 'token_refused', detail: 'status 401' },
    });
  });

  it('needs a reason', async () => {
    const answer = await operator.fetch('/v1/ops/channels/plain/test', { method: 'POST', body: '{}' });
    expect(await problemOf(answer)).toMatchObject({ code: 'body_invalid' });
  });
});
