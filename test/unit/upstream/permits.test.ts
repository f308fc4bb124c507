/** The permits of a subject: what is at hand, what the gate is told of it, and when it is asked again. */
import { describe, expect, it, vi } from 'vitest';
import { GATE_PAUSE_MS, LEASE_PERMITS_MAX, LEASE_USE_MS } from '../../../src/kernel/limits.ts';
import type { BreakerSignal } from '../../../src/upstream/gate/breaker.ts';
import type { LeaseAnswer, LeaseRequest } from '../../../src/upstream/gate/core.ts';
import { type Permit, Permits, type Wanted } from '../../../src/upstream/permits.ts';
import { movedClock } from './gate-samples.ts';

const LANE = 'milestones';
const WANTED: Wanted = { channel: 'main', scac: 'DEMO', repeatable: true, backlog: 100 };

/** A gate that grants, unless `answers` says otherwise. */
function aWallet(answers: (LeaseAnswer | Error)[] = []) {
  const clock = movedClock();
  const asked: (LeaseRequest & { channel: string })[] = [];
  const lease = async (channel: string, request: LeaseRequest): Promise<LeaseAnswer> => {
    asked.push({ ...request, channel });
    const next = answers.shift();
    if (next instanceof Error) throw next;
    if (request.wanted < 1) return { outcome: 'noted' };
    const granted = { lease: `lease-${asked.length}`, permits: request.wanted, untilMs: clock.nowMs() + 60_000 };
    return next ?? { outcome: 'granted', ...granted, probe: false };
  };
  const permits = new Permits(() => ({ lease }), { partner: 'acme', subject: 'LD1' });
  const take = (more: Partial<Wanted> = {}): Permit | null => permits.take(LANE, { ...WANTED, ...more }, clock);
  const taken = (): Permit => {
    const permit = take();
    if (permit === null) throw new Error('no permit is at hand');
    return permit;
  };
  const ask = (more: Partial<Wanted> = {}) => permits.request(LANE, { ...WANTED, ...more }, clock);
  const note = (permit: Permit, verdict: BreakerSignal, { sendings = 1, tookMs = 200 } = {}): void => {
    const endedAtMs = clock.nowMs();
    const ended = { sendings, startedAtMs: endedAtMs - tookMs, endedAtMs, status: 200, detail: '' };
    permits.note(LANE, permit, { verdict, ...ended });
  };
  return { permits, clock, asked, take, taken, request: ask, note, settle: () => permits.settle(LANE) };
}

describe('a permit', () => {
  it('is there once per permit of the lease, and then the gate is asked', async () => {
    const { take, request: ask } = aWallet();
    expect(take()).toBeNull();
    expect(await ask({ backlog: 2 })).toBeNull();
    expect([take() !== null, take() !== null, take()]).toEqual([true, true, null]);
  });

  it('is for its channel and its SCAC alone', async () => {
    const { take, request: ask } = aWallet();
    await ask();
    expect([take({ channel: 'second' }), take({ scac: 'OTHR' })]).toEqual([null, null]);
    expect(take()).not.toBeNull();
  });

  it('is none any more at its time', async () => {
    const { clock, take, taken, request: ask } = aWallet();
    await ask();
    clock.pass(59_999);
    expect(taken().lease).toBe('lease-1');
    clock.pass(1);
    expect(take()).toBeNull();
  });

  it('with which nothing was sent goes back as unused, and as no result', async () => {
    const { asked, taken, request: ask, note, settle } = aWallet();
    await ask({ backlog: 3 });
    note(taken(), 'busy', { sendings: 0 });
    await settle();
    expect(asked[1]).toMatchObject({ results: [], ended: [{ lease: 'lease-1', unused: 3 }] });
  });
});

describe('after an attempt', () => {
  it('that passed, the next may leave under the same lease', async () => {
    const { taken, request: ask, note } = aWallet();
    await ask();
    note(taken(), 'passed');
    expect(taken().lease).toBe('lease-1');
  });

  it.each<BreakerSignal>(['failed', 'redirected', 'busy', 'credentials_refused', 'scac_refused'])(
    'that ended %s, the gate decides anew before another request is risked, and hears what came of this one',
    async (verdict) => {
      const { asked, take, taken, request: ask, note } = aWallet();
      await ask({ backlog: 10 });
      note(taken(), verdict);
      expect(take()).toBeNull();
      await ask();
      expect(asked[1]).toMatchObject({
        results: [{ lease: 'lease-1', partner: 'acme', subject: 'LD1', scac: 'DEMO', verdict, sendings: 1 }],
        ended: [{ lease: 'lease-1', unused: 9 }],
      });
    },
  );

  it('the gate hears of it once', async () => {
    const { asked, taken, request: ask, note, settle } = aWallet();
    await ask();
    note(taken(), 'passed');
    await settle();
    await ask();
    await settle();
    expect(asked.map(({ results }) => results.length)).toEqual([0, 1, 0, 0]);
  });
});

describe('how many are asked for', () => {
  it('is what the lane could use, at most what a lease may hold', async () => {
    const { asked, request: ask } = aWallet();
    await ask({ backlog: 3 });
    await ask({ backlog: 1_000 });
    expect(asked.map(({ wanted }) => wanted)).toEqual([3, LEASE_PERMITS_MAX]);
  });

  it('is what can be sent soon, as long as answers take: permits that lie idle are missed by others', async () => {
    const { asked, taken, request: ask, note } = aWallet();
    await ask();
    note(taken(), 'passed', { tookMs: LEASE_USE_MS / 4 });
    await ask();
    note(taken(), 'passed', { tookMs: LEASE_USE_MS / 4 + 1 });
    await ask();
    expect(asked.map(({ wanted }) => wanted)).toEqual([LEASE_PERMITS_MAX, 4, 3]);
  });

  it('is one at least: a slow upstream, or a lane that counts none, still gets its turn', async () => {
    const { asked, taken, request: ask, note } = aWallet();
    await ask({ backlog: 0 });
    note(taken(), 'passed', { tookMs: 10 * LEASE_USE_MS });
    await ask();
    expect(asked.map(({ wanted }) => wanted)).toEqual([1, 1]);
  });
});

describe('a lane that is parked', () => {
  const parked = (untilMs: number): LeaseAnswer => ({ outcome: 'parked', untilMs, why: 'channel' });

  it('asks once until the time that the gate named', async () => {
    const untilMs = movedClock().nowMs() + 1_000;
    const { asked, clock, request: ask } = aWallet([parked(untilMs)]);
    expect([await ask(), await ask()]).toEqual([
      { untilMs, why: 'channel' },
      { untilMs, why: 'channel' },
    ]);
    clock.pass(999);
    await ask();
    expect(asked).toHaveLength(1);
    clock.pass(1);
    expect(await ask()).toBeNull();
    expect(asked).toHaveLength(2);
  });

  it('stays so from one drain to the next', async () => {
    const { asked, request: ask, settle } = aWallet([parked(movedClock().nowMs() + 1_000)]);
    await ask();
    await settle();
    expect(await ask()).toMatchObject({ why: 'channel' });
    expect(asked).toHaveLength(1);
  });

  it('asks for another SCAC at once', async () => {
    const { asked, request: ask } = aWallet([parked(movedClock().nowMs() + 1_000)]);
    await ask();
    expect(await ask({ scac: 'OTHR' })).toBeNull();
    expect(asked.map(({ scac }) => scac)).toEqual(['DEMO', 'OTHR']);
  });

  it('because its gate cannot be reached asks again a little later', async () => {
    const warned = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const { clock, take, request: ask } = aWallet([new Error('planned: the gate is down')]);
    expect(await ask()).toEqual({ untilMs: clock.nowMs() + GATE_PAUSE_MS, why: 'gate' });
    expect(take()).toBeNull();
    clock.pass(GATE_PAUSE_MS);
    expect(await ask()).toBeNull();
    const logged = warned.mock.calls.map(([line]) => JSON.parse(String(line)));
    expect(logged).toEqual([{ event: 'gate_unreachable', channel: 'main', detail: 'planned: the gate is down' }]);
    warned.mockRestore();
  });
});

describe('when a drain is over', () => {
  it('what is left goes back', async () => {
    const { asked, take, taken, request: ask, settle } = aWallet();
    await ask({ backlog: 5 });
    taken();
    await settle();
    expect(asked[1]).toMatchObject({ wanted: 0, ended: [{ lease: 'lease-1', unused: 4 }] });
    expect(take()).toBeNull();
  });

  it('and the lane had asked for nothing, the gate is not called', async () => {
    const { asked, request: ask, settle } = aWallet();
    await settle();
    await ask();
    await settle();
    await settle();
    expect(asked).toHaveLength(2);
  });

  it('a gate that cannot be told hinders nothing', async () => {
    const warned = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const { request: ask, settle } = aWallet([
      { outcome: 'granted', lease: 'lease-1', permits: 2, untilMs: Number.MAX_SAFE_INTEGER, probe: false },
      new Error('planned: the gate is down'),
    ]);
    await ask();
    await settle();
    expect(await ask()).toBeNull();
    warned.mockRestore();
  });

  // The lane is free before its drain is settled, and another visit may begin with it in between.
  it('the next one, which is asking for permits already, gets them', async () => {
    const { take, request: ask, settle } = aWallet();
    await ask({ backlog: 1 });
    take();
    const asking = ask();
    await settle();
    await asking;
    expect(take()?.lease).toBe('lease-2');
  });

  it('the gate still hears how a call of the next one ends, which is on the wire already', async () => {
    const { asked, taken, request: ask, note, settle } = aWallet();
    await ask({ backlog: 3 });
    const permit = taken();
    await settle();
    note(permit, 'failed');
    await settle();
    const told = asked.flatMap(({ results }) => results);
    expect(told).toEqual([expect.objectContaining({ lease: 'lease-1', verdict: 'failed' })]);
    expect(asked.flatMap(({ ended }) => ended)).toEqual([{ lease: 'lease-1', unused: 2 }]);
  });
});
