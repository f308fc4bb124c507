import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ok } from '../../../src/kernel/result.ts';
import { call, forgetSlots, Slots, type UpstreamPort } from '../../../src/upstream/call.ts';
import { ENDPOINTS } from '../../../src/upstream/contracts/endpoints.ts';
import { holdToken } from '../../../src/upstream/gate/token-lifetime.ts';
import { CALLS_IN_FLIGHT_MAX, SLOT_LOOK_MS_MAX } from '../../../src/upstream/limits.ts';
import { aChannel } from './samples.ts';

const SENT = { scac: 'ABCD', body: '{"eventCode":"X3"}' };

/** Calls that hang until they are answered one by one. */
function hangingUpstream(): { begun: () => number; answerOne: () => void } {
  const answers: (() => void)[] = [];
  let begun = 0;
  vi.stubGlobal('fetch', (_url: string, { signal }: RequestInit) => {
    begun += 1;
    return new Promise<Response>((resolve, reject) => {
      answers.push(() => resolve(Response.json({})));
      signal?.addEventListener('abort', () => reject(new Error('The operation was aborted')));
    });
  });
  return { begun: () => begun, answerOne: () => answers.shift()?.() };
}

function port(more: Partial<NonNullable<UpstreamPort['log']>> = {}): { port: UpstreamPort; begun: () => number } {
  let begun = 0;
  const held = holdToken('a', 'f-a', 3_600, 0);
  const log = {
    begin: () => {
      begun += 1;
    },
    end: () => undefined,
    ...more,
  };
  const tokens = { current: async () => ok(held), replace: async () => ok(held) };
  return { port: { clock: { nowMs: () => Date.now(), timeScale: 1 }, tokens, log }, begun: () => begun };
}

const channel = aChannel();
const post = (through: UpstreamPort, on = channel) => call(through, on, ENDPOINTS.milestone, SENT);

beforeEach(() => {
  vi.useFakeTimers();
  forgetSlots();
});
afterEach(() => {
  forgetSlots();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe('a call that finds no free slot', () => {
  it('has not begun: it is announced to nobody and no time-out runs until it gets its slot', async () => {
    const upstream = hangingUpstream();
    for (let each = 0; each < CALLS_IN_FLIGHT_MAX; each += 1) void post(port().port);
    const waiting = port();
    let observed: unknown;
    void post(waiting.port).then((seen) => {
      observed = seen;
    });
    await vi.advanceTimersByTimeAsync(19_000);
    expect(upstream.begun()).toBe(CALLS_IN_FLIGHT_MAX);
    expect(waiting.begun()).toBe(0);
    upstream.answerOne();
    await vi.advanceTimersByTimeAsync(SLOT_LOOK_MS_MAX);
    expect(waiting.begun()).toBe(1);
    await vi.advanceTimersByTimeAsync(19_000); // 38 s after it was asked for, 19 s after it began
    expect(observed).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(observed).toMatchObject({ code: 'timeout' });
  });

  it('never leaves when it was withdrawn while it waited, and its place goes to the next', async () => {
    const upstream = hangingUpstream();
    for (let each = 0; each < CALLS_IN_FLIGHT_MAX; each += 1) void post(port().port);
    const withdrawn = port({ mayBegin: () => false });
    const next = port();
    const ended = post(withdrawn.port);
    void post(next.port);
    await vi.advanceTimersByTimeAsync(0);
    upstream.answerOne();
    await vi.advanceTimersByTimeAsync(2 * SLOT_LOOK_MS_MAX);
    expect(await ended).toMatchObject({ outcome: 'not_sent', code: 'withdrawn' });
    expect([withdrawn.begun(), next.begun()]).toEqual([0, 1]);
  });

  it('waits for no call of another channel', async () => {
    const upstream = hangingUpstream();
    for (let each = 0; each < CALLS_IN_FLIGHT_MAX; each += 1) void post(port().port);
    void post(port().port, aChannel({ name: 'another' }));
    await vi.advanceTimersByTimeAsync(0);
    expect(upstream.begun()).toBe(CALLS_IN_FLIGHT_MAX + 1);
  });

  it('gets the slot of one whose announcement failed', async () => {
    const upstream = hangingUpstream();
    const failing = port({
      begin: () => {
        throw new Error('the disk is full');
      },
    });
    for (let each = 0; each < CALLS_IN_FLIGHT_MAX; each += 1) await post(failing.port).catch(() => undefined);
    void post(port().port);
    await vi.advanceTimersByTimeAsync(0);
    expect(upstream.begun()).toBe(1);
  });
});

describe('slots', () => {
  it('go to those who wait in the order in which they came', () => {
    const slots = new Slots(1);
    expect(slots.take(1, 0)).toBeNull();
    expect(slots.take(2, 0)).toBeGreaterThan(0);
    expect(slots.take(3, 0)).toBeGreaterThan(slots.take(2, 0) ?? 0);
    slots.giveBack(1);
    expect(slots.take(3, 1)).toBeGreaterThan(0);
    expect(slots.take(2, 1)).toBeNull();
    slots.giveBack(2);
    expect(slots.take(3, 2)).toBeNull();
  });

  it('are free again when the object of a call died with it', () => {
    const slots = new Slots(1);
    slots.take(1, 0);
    expect(slots.take(2, 59_999)).toBeGreaterThan(0);
    expect(slots.take(2, 60_000)).toBeNull();
  });

  it('are not kept for one who does not look any more', () => {
    const slots = new Slots(1);
    slots.take(1, 0);
    slots.take(2, 0);
    slots.take(3, 2_000);
    slots.giveBack(1);
    expect(slots.take(3, 2_400)).toBeGreaterThan(0);
    expect(slots.take(3, 2_501)).toBeNull();
  });
});
