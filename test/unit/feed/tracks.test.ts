/** Tracks of one order for somebody who waits: what is shown where the service does not show them, and how long is waited for a permit. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { findOrder, readTracks, type TracksPort } from '../../../src/feed/tracks.ts';
import { ok } from '../../../src/kernel/result.ts';
import { NOTHING_NAMED, type TrackTerms } from '../../../src/tracking/store/order-store.ts';
import type { Channel } from '../../../src/upstream/channels.ts';
import { NOT_SHOWN } from '../../../src/upstream/contracts/not-shown.ts';
import { holdToken } from '../../../src/upstream/gate/token-lifetime.ts';
import { forgetTokens } from '../../../src/upstream/tokens.ts';
import { movedClock } from '../upstream/gate-samples.ts';
import { aChannel, json, upstreamAnswers } from '../upstream/samples.ts';
import { aGate, entry } from './samples.ts';

const SECOND_MS = 1_000;
const TERMS: TrackTerms = {
  ...NOTHING_NAMED,
  polled: [],
  earlier: [],
  scac: 'DEMO',
  mapping: null,
  isFollowed: false,
};

/** Its waits pass at once. @param auth of its channel. */
function reading(auth: Partial<Channel['auth']> = {}) {
  const clock = movedClock();
  const waits: number[] = [];
  vi.stubGlobal('scheduler', {
    wait: async (ms: number) => {
      waits.push(ms);
      clock.pass(ms);
    },
  });
  const gate = aGate(clock);
  const cache = { get: async () => null, put: vi.fn(async () => undefined) };
  const env = { UPSTREAM_GATE: gate.binding, TOKENS: cache, LOOK_UPS: cache } as unknown as TracksPort['env'];
  const channel = aChannel({ auth: { ...NOT_SHOWN.authByApi, ...auth } });
  const port: TracksPort = { env, clock, channel, scope: { environment: 'test', partner: 'acme' } };
  const read = () => readTracks(port, 'R1', TERMS);
  /** @param idsOf of the orders that the caller has. */
  const find = (idsOf: Record<string, string[]>) =>
    findOrder({ ...port, mapping: null, idsOf: async (orderRef) => idsOf[orderRef] ?? [] }, 'PO-7');
  return { clock, gate, waits, read, find };
}

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

describe('tracks', () => {
  it('are asked for as what may be repeated: as a probe of a channel that was down they do no harm', async () => {
    const { gate, read } = reading();
    upstreamAnswers(json({ events: [entry('R1', 'received')] }));
    expect(await read()).toMatchObject({ outcome: 'read', tracks: [{ code: 'received' }] });
    expect(gate.asked[0]).toMatchObject({ subject: '["reads","R1"]', partner: 'acme', scac: 'DEMO', repeatable: true });
  });

  it.each([400, 404, 422])('that are answered with %i are refused, with the head of why', async (status) => {
    const { read } = reading();
    upstreamAnswers(new Response(`no such order ${'x'.repeat(300)}`, { status }));
    const detail = `no such order ${'x'.repeat(186)}`;
    expect(await read()).toEqual({ outcome: 'trouble', trouble: { code: 'upstream_refused', status, detail } });
  });

  it('are not refused where a token was and no new one can be had: nothing is known of the credentials', async () => {
    forgetTokens(); // of a test before this one
    const { gate, clock, read } = reading({ orders: 'key+bearer' });
    gate.mints.mockResolvedValueOnce(ok(holdToken('old', 'f-old', 3_600, clock.nowMs())));
    upstreamAnswers(new Response('expired', { status: 401 }));
    const trouble = { code: 'upstream_down', status: null, detail: 'no_token: token_refused: status 500' };
    expect(await read()).toEqual({ outcome: 'trouble', trouble });
    forgetTokens();
  });

  it('wait five seconds for a permit', async () => {
    const { clock, gate, waits, read } = reading();
    upstreamAnswers(json({ events: [] }));
    gate.answers.push({ outcome: 'parked', untilMs: clock.nowMs() + 5 * SECOND_MS, why: 'rate' });
    expect(await read()).toMatchObject({ outcome: 'read', tracks: [] });
    expect(waits).toEqual([5 * SECOND_MS]);
  });

  it('wait no longer for a permit, and say then why there are none', async () => {
    const { clock, gate, waits, read } = reading();
    const seen = upstreamAnswers(json({ events: [] }));
    gate.answers.push({ outcome: 'parked', untilMs: clock.nowMs() + 5 * SECOND_MS + 1, why: 'rate' });
    const detail = 'the rate of the channel is used up';
    expect(await read()).toEqual({ outcome: 'trouble', trouble: { code: 'upstream_down', status: null, detail } });
    expect([waits, seen]).toEqual([[], []]);
  });
});

describe('an order that is looked for by a secondary reference', () => {
  const at = (minute: number) => ({ eventTime: `2026-03-01T08:${String(minute).padStart(2, '0')}:00Z` });

  it('is found behind any number of statuses without an id, which say nothing of whose they are', async () => {
    const { find } = reading();
    const nameless = Array.from({ length: 12 }, (_, index) => entry(`X${index}`, 'received', at(20 + index)));
    upstreamAnswers(json({ events: [...nameless, entry('R1', 'received', { orderId: 'ID-1', ...at(1) })] }));
    expect(await find({ R1: ['id-1'] })).toBe('R1');
  });

  it('is looked for among the ten latest orders that the answer names', async () => {
    const others = (count: number) =>
      Array.from({ length: count }, (_, index) =>
        entry(`X${index}`, 'received', { orderId: `other-${index}`, ...at(20 + index) }),
      );
    const own = entry('R1', 'received', { orderId: 'ID-1', ...at(1) });
    const { find } = reading();
    upstreamAnswers(json({ events: [...others(9), own] }), json({ events: [...others(10), own] }));
    expect([await find({ R1: ['id-1'] }), await find({ R1: ['id-1'] })]).toEqual(['R1', null]);
  });
});
