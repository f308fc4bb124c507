import { beforeEach, describe, expect, it } from 'vitest';
import { err, ok, type Result } from '../../../src/kernel/result.ts';
import type { TokenProblem } from '../../../src/upstream/gate/mint.ts';
import { sealToken } from '../../../src/upstream/gate/sealed-token.ts';
import { type CachedToken, holdToken } from '../../../src/upstream/gate/token-lifetime.ts';
import { forgetTokens, tokenSource } from '../../../src/upstream/tokens.ts';
import { aChannel, NOW_MS } from './samples.ts';

const CHANNEL = aChannel();
const tokenOf = (name: string, mintedMs = NOW_MS): CachedToken => holdToken(name, `f-${name}`, 3_600, mintedMs);

/** A gate, a cache and a clock that note who was asked. */
function ports(
  given: {
    cached?: CachedToken | null | Error;
    comes?: Promise<void>;
    gate?: Result<CachedToken, TokenProblem> | Error;
    nowMs?: number;
  } = {},
) {
  const asked: string[] = [];
  const time = { nowMs: given.nowMs ?? NOW_MS };
  const source = tokenSource(
    {
      cache: {
        get: async (name: string) => {
          asked.push(`cache ${name}`);
          await given.comes;
          if (given.cached instanceof Error) throw given.cached;
          return given.cached ? sealToken(given.cached, CHANNEL) : null;
        },
      } as unknown as Pick<KVNamespace, 'get'>,
      gate: (name) => ({
        currentToken: async (channel, failed) => {
          asked.push(`gate ${name} ${channel}${failed === undefined ? '' : ` ${failed}`}`);
          if (given.gate instanceof Error) throw given.gate;
          return given.gate ?? ok(tokenOf('gate', time.nowMs));
        },
      }),
    },
    { nowMs: () => time.nowMs, timeScale: 1 },
  );
  return { source, asked, time };
}

const NAME = '["test","main"]';

beforeEach(forgetTokens);

describe('the way to a token', () => {
  it('asks the cache, then the gate', async () => {
    const { source, asked } = ports();
    expect(await source.current(CHANNEL)).toMatchObject({ ok: true, value: { token: 'gate' } });
    expect(asked).toEqual([`cache ${NAME}`, `gate ${NAME} main`]);
  });

  it('ends at the cache when that holds a fresh token', async () => {
    const { source, asked } = ports({ cached: tokenOf('cached') });
    expect(await source.current(CHANNEL)).toMatchObject({ value: { token: 'cached' } });
    expect(asked).toEqual([`cache ${NAME}`]);
  });

  it.each(['cached', 'gate'])('ends in memory the second time, after the %s gave one', async (from) => {
    const { source, asked } = ports({ cached: from === 'cached' ? tokenOf('cached') : null });
    await source.current(CHANNEL);
    asked.length = 0;
    expect(await source.current(CHANNEL)).toMatchObject({ value: { token: from } });
    expect(asked).toEqual([]);
  });

  it('leaves memory when the token must be renewed', async () => {
    const { source, asked, time } = ports();
    await source.current(CHANNEL);
    time.nowMs += 2_880_000;
    asked.length = 0;
    await source.current(CHANNEL);
    expect(asked).toEqual([`cache ${NAME}`, `gate ${NAME} main`]);
  });

  it('sees a stale copy in the cache as stale', async () => {
    const { source } = ports({ cached: tokenOf('stale', NOW_MS - 3_000_000) });
    expect(await source.current(CHANNEL)).toMatchObject({ value: { token: 'gate' } });
  });

  it('goes on to the gate when the cache fails', async () => {
    const { source, asked } = ports({ cached: new Error('KV is down') });
    expect(await source.current(CHANNEL)).toMatchObject({ value: { token: 'gate' } });
    expect(asked).toHaveLength(2);
  });

  it('keeps the tokens of two channels apart', async () => {
    const { source, asked } = ports();
    await source.current(CHANNEL);
    await source.current(aChannel({ name: 'second' }));
    await source.current(aChannel({ environment: 'production' }));
    expect(asked.filter((call) => call.startsWith('gate'))).toEqual([
      `gate ${NAME} main`,
      'gate ["test","second"] second',
      'gate ["production","main"] main',
    ]);
  });

  it('passes on why there is none, and remembers nothing', async () => {
    const problem: TokenProblem = { code: 'token_refused', detail: 'status 401' };
    const { source, asked } = ports({ gate: err(problem) });
    expect(await source.current(CHANNEL)).toEqual(err(problem));
    await source.current(CHANNEL);
    expect(asked.filter((call) => call.startsWith('gate'))).toHaveLength(2);
  });
});

describe('when the gate has no new token', () => {
  const REFUSED: TokenProblem = { code: 'token_refused', detail: 'status 500' };
  const DUE_MS = 3_000_000;
  const OVER_MS = 3_600_000;

  it.each<[string, Result<CachedToken, TokenProblem> | Error]>([
    ['says why', err(REFUSED)],
    ['cannot be reached', new Error('object reset')],
  ])('a token that still lives is used though due to be renewed, where the gate %s', async (_how, gate) => {
    const { source } = ports({ cached: tokenOf('old', NOW_MS - DUE_MS), gate });
    expect(await source.current(CHANNEL)).toMatchObject({ ok: true, value: { token: 'old' } });
  });

  it('the gate is asked each time all the same: a new one may be had by then', async () => {
    const { source, asked } = ports({ cached: tokenOf('old', NOW_MS - DUE_MS), gate: err(REFUSED) });
    await source.current(CHANNEL);
    await source.current(CHANNEL);
    expect(asked.filter((call) => call.startsWith('gate'))).toHaveLength(2);
  });

  it('the one in memory is used when the cache has none', async () => {
    const first = ports();
    await first.source.current(CHANNEL);
    const { source } = ports({ gate: err(REFUSED), nowMs: NOW_MS + DUE_MS });
    expect(await source.current(CHANNEL)).toMatchObject({ ok: true, value: { token: 'gate' } });
  });

  it('a token at the end of its life is not used', async () => {
    const { source } = ports({ cached: tokenOf('old', NOW_MS - OVER_MS), gate: err(REFUSED) });
    expect(await source.current(CHANNEL)).toEqual(err(REFUSED));
  });

  it('a token that was refused is not handed out in its own place', async () => {
    const { source } = ports({ cached: tokenOf('old', NOW_MS - DUE_MS), gate: err(REFUSED) });
    expect(await source.replace(CHANNEL, 'f-old')).toEqual(err(REFUSED));
  });

  it('nothing is thrown: a gate that cannot be reached is a token that cannot be had', async () => {
    const { source } = ports({ gate: new Error('object reset') });
    const unreachable = err({ code: 'token_unreachable', detail: 'the gate could not be reached: object reset' });
    expect(await source.current(CHANNEL)).toEqual(unreachable);
    expect(await source.replace(CHANNEL, 'f-1')).toEqual(unreachable);
  });
});

describe('a token that was refused', () => {
  it('is reported to the gate at once, whatever memory and cache hold', async () => {
    const { source, asked } = ports({ cached: tokenOf('cached') });
    await source.current(CHANNEL);
    asked.length = 0;
    expect(await source.replace(CHANNEL, 'f-cached')).toMatchObject({ value: { token: 'gate' } });
    expect(asked).toEqual([`gate ${NAME} main f-cached`]);
  });

  it('is forgotten: the one that took its place is used from then on', async () => {
    const { source } = ports({ cached: tokenOf('cached') });
    await source.current(CHANNEL);
    await source.replace(CHANNEL, 'f-cached');
    expect(await source.current(CHANNEL)).toMatchObject({ value: { token: 'gate' } });
  });

  it.each<[mintedMs: number, then: string]>([
    [NOW_MS - 1_000, 'gate'],
    [NOW_MS + 1_000, 'cached'],
  ])(
    'and replaced while a copy was read is not used again, unless that copy is newer: %j, %s',
    async (mintedMs, then) => {
      const { promise: comes, resolve } = Promise.withResolvers<void>();
      const { source, asked } = ports({ cached: tokenOf('cached', mintedMs), comes });
      const late = source.current(CHANNEL);
      await source.replace(CHANNEL, 'f-cached');
      resolve();
      for (const given of [await late, await source.current(CHANNEL)])
        expect(given).toMatchObject({ value: { token: then } });
      expect(asked).toHaveLength(2);
    },
  );

  it('says why when no other can be had', async () => {
    const problem: TokenProblem = { code: 'token_unreachable', detail: 'connection refused' };
    const { source } = ports({ gate: err(problem) });
    expect(await source.replace(CHANNEL, 'f-1')).toEqual(err(problem));
  });
});
