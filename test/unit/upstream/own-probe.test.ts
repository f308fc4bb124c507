/** What the channel's own probe says of the channel, by how it is answered. */
import { afterEach, expect, it, vi } from 'vitest';
import { err, ok } from '../../../src/kernel/result.ts';
import type { BreakerSignal } from '../../../src/upstream/gate/breaker.ts';
import type { TokenProblem } from '../../../src/upstream/gate/mint.ts';
import { probeLocations } from '../../../src/upstream/gate/own-probe.ts';
import { aChannel, clockAt, NOW_MS } from './samples.ts';

afterEach(() => void vi.restoreAllMocks());

const tokens = { current: vi.fn(), replace: vi.fn() };
const probed = (answer: Response | Error) => {
  vi.spyOn(globalThis, 'fetch').mockImplementation(async () => {
    if (answer instanceof Error) throw answer;
    return answer;
  });
  return probeLocations({ tokens, clock: clockAt() }, aChannel());
};

it.each<[status: number, verdict: BreakerSignal]>([
  [200, 'passed'],
  [299, 'passed'],
  [300, 'redirected'],
  [399, 'redirected'],
  [400, 'passed'],
  [401, 'credentials_refused'],
  [403, 'scac_refused'],
  [404, 'passed'],
  [407, 'credentials_refused'],
  [429, 'passed'],
  [499, 'passed'],
  [500, 'failed'],
  [503, 'failed'],
])('%i says %s', async (status, verdict) => {
  expect(await probed(new Response(null, { status }))).toEqual({
    verdict,
    failure: { atMs: NOW_MS, subject: 'GET locations', status, detail: '' },
    sendings: 1,
  });
});

it('no answer says that it fails', async () => {
  expect(await probed(new Error('connection lost'))).toMatchObject({
    verdict: 'failed',
    failure: { status: null, detail: expect.stringContaining('network') },
    sendings: 1,
  });
});

it('a probe that could not leave says nothing', async () => {
  tokens.current.mockResolvedValue({ ok: false, error: { code: 'token_unreachable', detail: 'down' } });
  const port = { tokens, clock: clockAt() };
  const channel = aChannel({ auth: { ...aChannel().auth, locations: 'key+bearer' } });
  expect(await probeLocations(port, channel)).toMatchObject({ verdict: 'busy', sendings: 0 });
});

it.each<[problem: TokenProblem, verdict: BreakerSignal, detail: string]>([
  [{ code: 'token_refused', detail: 'status 401', credentialsRefused: true }, 'credentials_refused', ''],
  [{ code: 'token_refused', detail: 'status 500' }, 'failed', 'token_refused: status 500'],
])('a token that is refused and cannot be renewed: %j', async (problem, verdict, detail) => {
  tokens.current.mockResolvedValue(ok({ token: 'old', fingerprint: 'f-old' }));
  tokens.replace.mockResolvedValue(err(problem));
  vi.spyOn(globalThis, 'fetch').mockImplementation(async () => new Response(null, { status: 401 }));
  const channel = aChannel({ auth: { ...aChannel().auth, locations: 'key+bearer' } });
  const probe = await probeLocations({ tokens, clock: clockAt() }, channel);
  expect(probe).toMatchObject({ verdict, failure: { status: 401, detail }, sendings: 1 });
});
