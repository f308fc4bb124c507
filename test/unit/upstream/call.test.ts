import { afterEach, describe, expect, it, vi } from 'vitest';
import { err, ok, type Result } from '../../../src/kernel/result.ts';
import { call, type UpstreamPort } from '../../../src/upstream/call.ts';
import { ENDPOINTS } from '../../../src/upstream/contracts/endpoints.ts';
import { NOT_SHOWN } from '../../../src/upstream/contracts/not-shown.ts';
import type { TokenProblem } from '../../../src/upstream/gate/mint.ts';
import { type CachedToken, holdToken } from '../../../src/upstream/gate/token-lifetime.ts';
import { forgetTokens, tokenSource } from '../../../src/upstream/tokens.ts';
import { aChannel, clockAt, json, NOW_MS, type SeenRequest, upstreamAnswers } from './samples.ts';

const KEY_ONLY = aChannel();
const WITH_BEARER = aChannel({ auth: { ...NOT_SHOWN.authByApi, events: 'key+bearer' } });
const SENT = { scac: 'ABCD', body: '{"eventCode":"X3"}' };
const NO_TOKEN: TokenProblem = { code: 'token_refused', detail: 'status 401', credentialsRefused: true };

const held = (name: string): CachedToken => holdToken(name, `f-${name}`, 3_600, NOW_MS);
const refused = () => new Response('{"error":"expired"}', { status: 401 });

/** Tokens by name, and a log of everything in the order it happened. */
function port(
  tokens: { current?: Result<CachedToken, TokenProblem>; renewed?: Result<CachedToken, TokenProblem> } = {},
) {
  const events: string[] = [];
  const upstream: UpstreamPort = {
    clock: clockAt(),
    tokens: {
      current: async () => {
        events.push('ask for a token');
        return tokens.current ?? ok(held('first'));
      },
      replace: async (_channel, failed) => {
        events.push(`replace ${failed}`);
        return tokens.renewed ?? ok(held('second'));
      },
    },
    log: {
      begin: (fingerprint) => events.push(`begin ${fingerprint ?? '-'}`),
      end: (observed) => events.push(`end ${observed.outcome === 'answered' ? observed.status : observed.outcome}`),
    },
  };
  return { upstream, events };
}

const bearers = (seen: SeenRequest[]) => seen.map(({ headers }) => headers.Authorization);

afterEach(() => vi.unstubAllGlobals());

describe('a channel whose key is enough', () => {
  it('sends no bearer token and asks for none', async () => {
    const seen = upstreamAnswers(json({}));
    const { upstream, events } = port();
    expect(await call(upstream, KEY_ONLY, ENDPOINTS.milestone, SENT)).toMatchObject({
      outcome: 'answered',
      status: 200,
    });
    expect(bearers(seen)).toEqual([undefined]);
    expect(events).toEqual(['begin -', 'end 200']);
  });

  it('takes a 401 as the answer: there is nothing to renew', async () => {
    const seen = upstreamAnswers(refused());
    const { upstream, events } = port();
    expect(await call(upstream, KEY_ONLY, ENDPOINTS.milestone, SENT)).toMatchObject({ status: 401 });
    expect(seen).toHaveLength(1);
    expect(events).toEqual(['begin -', 'end 401']);
  });

  it('sends no bearer token though one is handed in', async () => {
    const seen = upstreamAnswers(json({}));
    await call(port().upstream, KEY_ONLY, ENDPOINTS.milestone, { ...SENT, token: 'canary' });
    expect(JSON.stringify(seen)).not.toContain('canary"');
    expect(bearers(seen)).toEqual([undefined]);
  });
});

describe('a channel that wants a bearer token', () => {
  it('sends it, and names it in the log by its fingerprint alone', async () => {
    const seen = upstreamAnswers(json({}));
    const { upstream, events } = port();
    await call(upstream, WITH_BEARER, ENDPOINTS.milestone, SENT);
    expect(bearers(seen)).toEqual(['Bearer first']);
    expect(events).toEqual(['ask for a token', 'begin f-first', 'end 200']);
  });

  it('sends nothing when there is none, and says why', async () => {
    const seen = upstreamAnswers(json({}));
    const { upstream, events } = port({ current: err(NO_TOKEN) });
    expect(await call(upstream, WITH_BEARER, ENDPOINTS.milestone, SENT)).toEqual({
      outcome: 'not_sent',
      code: 'no_token',
      detail: 'token_refused: status 401',
    });
    expect(seen).toEqual([]);
    expect(events).toEqual(['ask for a token']);
  });
});

describe('a gate that cannot be reached', () => {
  const cache = { get: async () => null } as unknown as Pick<KVNamespace, 'get'>;

  it('is no token for the call, and nothing is thrown', async () => {
    forgetTokens();
    const gate = () => ({ currentToken: () => Promise.reject(new Error('object reset')) });
    const seen = upstreamAnswers(json({}));
    const upstream = { ...port().upstream, tokens: tokenSource({ cache, gate }, clockAt()) };
    expect(await call(upstream, WITH_BEARER, ENDPOINTS.milestone, SENT)).toMatchObject({
      outcome: 'not_sent',
      code: 'no_token',
    });
    expect(seen).toEqual([]);
  });

  it('leaves the 401 as the answer when it comes in between', async () => {
    forgetTokens();
    const currentToken = async (_channel: string, failed?: string) => {
      if (failed !== undefined) throw new Error('object reset');
      return ok(held('first'));
    };
    const seen = upstreamAnswers(refused());
    const upstream = { ...port().upstream, tokens: tokenSource({ cache, gate: () => ({ currentToken }) }, clockAt()) };
    expect(await call(upstream, WITH_BEARER, ENDPOINTS.milestone, SENT)).toMatchObject({ status: 401 });
    expect(seen).toHaveLength(1);
  });
});

describe('a 401 to a bearer call', () => {
  it('renews the token once and sends the same bytes once more', async () => {
    const seen = upstreamAnswers(refused(), json({}));
    const { upstream, events } = port();
    expect(await call(upstream, WITH_BEARER, ENDPOINTS.milestone, SENT)).toMatchObject({ status: 200 });
    expect(bearers(seen)).toEqual(['Bearer first', 'Bearer second']);
    expect(seen.map(({ body }) => body)).toEqual([SENT.body, SENT.body]);
    expect(events).toEqual([
      'ask for a token',
      'begin f-first',
      'end 401',
      'replace f-first',
      'begin f-second',
      'end 200',
    ]);
  });

  it('is the answer when it comes a second time: never a third sending (I13)', async () => {
    const seen = upstreamAnswers(refused());
    const { upstream, events } = port();
    expect(await call(upstream, WITH_BEARER, ENDPOINTS.milestone, SENT)).toMatchObject({ status: 401 });
    expect(seen).toHaveLength(2);
    expect(events.filter((event) => event.startsWith('replace'))).toHaveLength(1);
  });

  it('is the answer when no other token can be had', async () => {
    const seen = upstreamAnswers(refused());
    const { upstream, events } = port({ renewed: err(NO_TOKEN) });
    expect(await call(upstream, WITH_BEARER, ENDPOINTS.milestone, SENT)).toMatchObject({
      outcome: 'answered',
      status: 401,
    });
    expect(seen).toHaveLength(1);
    expect(events.at(-1)).toBe('replace f-first');
  });

  it.each<[TokenProblem, string | undefined]>([
    [NO_TOKEN, undefined],
    [{ code: 'token_refused', detail: 'status 400' }, undefined], // of a gate of release 0.1, as the next two
    [{ code: 'token_refused', detail: 'status 401' }, undefined],
    [{ code: 'token_refused', detail: 'status 403' }, undefined],
    [{ code: 'token_refused', detail: 'status 404', credentialsRefused: true }, undefined],
    [{ code: 'token_refused', detail: 'status 404' }, 'token_refused: status 404'],
    [{ code: 'token_refused', detail: 'status 4011' }, 'token_refused: status 4011'],
    [{ code: 'token_unreachable', detail: 'status 401' }, 'token_unreachable: status 401'],
    [{ code: 'token_refused', detail: 'status 503' }, 'token_refused: status 503'],
    [{ code: 'token_unreachable', detail: 'timeout' }, 'token_unreachable: timeout'],
    [{ code: 'token_unreadable', detail: 'a page' }, 'token_unreadable: a page'],
  ])('says why it stands without a new token, unless the credentials were refused: %j', async (problem, notRenewed) => {
    upstreamAnswers(refused());
    const { upstream } = port({ renewed: err(problem) });
    const observed = await call(upstream, WITH_BEARER, ENDPOINTS.milestone, SENT);
    expect('notRenewed' in observed ? observed.notRenewed : undefined).toBe(notRenewed);
  });

  it('may be followed by no answer, which is then what is known', async () => {
    upstreamAnswers(refused(), new Error('connection lost'));
    const { upstream, events } = port();
    expect(await call(upstream, WITH_BEARER, ENDPOINTS.milestone, SENT)).toMatchObject({ outcome: 'no_answer' });
    expect(events.slice(-2)).toEqual(['begin f-second', 'end no_answer']);
  });
});

describe('other answers to a bearer call', () => {
  it.each([200, 302, 400, 403, 407, 429, 500])('%d renews nothing', async (status) => {
    const seen = upstreamAnswers(new Response('', { status }));
    const { upstream, events } = port();
    expect(await call(upstream, WITH_BEARER, ENDPOINTS.milestone, SENT)).toMatchObject({ status });
    expect(seen).toHaveLength(1);
    expect(events).toEqual(['ask for a token', 'begin f-first', `end ${status}`]);
  });

  it('none at all renews nothing', async () => {
    const seen = upstreamAnswers(new Error('connection lost'));
    const { upstream } = port();
    expect(await call(upstream, WITH_BEARER, ENDPOINTS.milestone, SENT)).toMatchObject({
      outcome: 'no_answer',
      code: 'network',
    });
    expect(seen).toHaveLength(1);
  });
});

describe('the log', () => {
  it('is told before anything leaves, and of nothing that does not', async () => {
    const events: string[] = [];
    upstreamAnswers(async () => {
      events.push('on the wire');
      return json({});
    });
    const log = { begin: () => events.push('begin'), end: () => events.push('end') };
    await call({ ...port().upstream, log }, KEY_ONLY, ENDPOINTS.milestone, SENT);
    expect(events).toEqual(['begin', 'on the wire', 'end']);
  });

  it('keeps the request here when the intent cannot be written', async () => {
    const seen = upstreamAnswers(json({}));
    const log = {
      begin: () => {
        throw new Error('storage is full');
      },
      end: () => undefined,
    };
    await expect(call({ ...port().upstream, log }, KEY_ONLY, ENDPOINTS.milestone, SENT)).rejects.toThrow(
      'storage is full',
    );
    expect(seen).toEqual([]);
  });

  it('is not told of a call that could not be composed', async () => {
    const seen = upstreamAnswers(json({}));
    const { upstream, events } = port();
    expect(await call(upstream, KEY_ONLY, ENDPOINTS.milestone, { scac: 'ab cd', body: '{}' })).toMatchObject({
      outcome: 'not_sent',
      code: 'not_composed',
    });
    expect([seen, events]).toEqual([[], []]);
  });

  it('may be missing', async () => {
    upstreamAnswers(json({}));
    const { clock, tokens } = port().upstream;
    expect(await call({ clock, tokens }, KEY_ONLY, ENDPOINTS.milestone, SENT)).toMatchObject({ status: 200 });
  });
});
