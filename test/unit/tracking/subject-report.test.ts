/** What a subject tells the batches of its requests, until each of them has heard the newest of each. */
import { describe, expect, it, vi } from 'vitest';
import type { RequestOutcome } from '../../../src/delivery/outcome.ts';
import type { RequestState } from '../../../src/delivery/states.ts';
import { OUTCOME_PAUSE_MS } from '../../../src/kernel/limits.ts';
import { batchName } from '../../../src/kernel/names.ts';
import { type Usage, UsageMeter } from '../../../src/kernel/usage.ts';
import { OutcomeReports } from '../../../src/tracking/outcome-reports.ts';
import { movedClock } from '../upstream/gate-samples.ts';
import { aTaken, committing, loadStored } from './samples.ts';

const SCOPE = { environment: 'test', partner: 'acme' } as const;

function aSubject({ isNamed = true } = {}) {
  const { tables, store: bare } = loadStored();
  const store = committing(tables.journal, bare);
  const clock = movedClock();
  const told: [batch: string, record: number, state: RequestState][] = [];
  const receiver = { hear: async (_batch: string, _outcomes: readonly RequestOutcome[]): Promise<void> => undefined };
  const meter = new UsageMeter();
  const usage: Usage[] = [];
  const reports = new OutcomeReports(
    bare,
    (name) => ({
      recordOutcomes: async (outcomes, _form, used) => {
        await receiver.hear(name, outcomes);
        for (const { record, state } of outcomes) told.push([name, record, state]);
        usage.push(used);
      },
    }),
    meter,
  );
  if (isNamed) store.identify(SCOPE);
  const decide = (seq: number, state: RequestState): void =>
    store.decide({
      seq,
      state,
      reason: null,
      outcome: null,
      evidence: null,
      at_ms: null,
      tries: 1,
      had_unknown: 0,
      status: 200,
      answer: '',
      decided_at_ms: clock.nowMs(),
    });
  return {
    store,
    clock,
    told,
    meter,
    usage,
    receiver,
    decide,
    notify: () => reports.notify(clock),
    isDue: () => reports.isDue(clock),
  };
}

const B1 = batchName(SCOPE, 'b_1');
const B2 = batchName(SCOPE, 'b_2');

describe('outcomes', () => {
  it('are told each batch of its own requests, once', async () => {
    const { store, told, decide, notify: tell } = aSubject();
    store.add([aTaken(1), aTaken(2, { batchId: 'b_2' }), aTaken(3)]);
    for (const seq of [1, 2, 3]) decide(seq, 'delivered');
    expect([await tell(), await tell()]).toEqual([null, null]);
    expect(told).toEqual([
      [B1, 1, 'delivered'],
      [B1, 3, 'delivered'],
      [B2, 2, 'delivered'],
    ]);
  });

  it("of a subject that was never named are nobody's: all is told", async () => {
    const { told, notify: tell } = aSubject({ isNamed: false });
    expect([await tell(), told]).toEqual([null, []]);
  });

  it('that change while their batch is being told are told again: the newest is never lost', async () => {
    const { store, told, receiver, decide, notify: tell } = aSubject();
    store.add([aTaken(1), aTaken(2)]);
    decide(1, 'waiting');
    decide(2, 'delivered');
    receiver.hear = async () => {
      receiver.hear = async () => undefined;
      decide(1, 'delivered');
    };
    expect(await tell()).toBeNull();
    expect(told).toEqual([
      [B1, 1, 'waiting'],
      [B1, 2, 'delivered'],
      [B1, 1, 'delivered'],
    ]);
  });

  it('of a batch that cannot be reached are told later, and hold up no other batch', async () => {
    const warned = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const { store, clock, told, receiver, decide, notify: tell } = aSubject();
    store.add([aTaken(1), aTaken(2, { batchId: 'b_2' })]);
    for (const seq of [1, 2]) decide(seq, 'delivered');
    receiver.hear = async (name) => {
      if (name === B1) throw new Error('planned: the batch is down');
    };
    expect(await tell()).toBe(clock.nowMs() + OUTCOME_PAUSE_MS);
    expect(told).toEqual([[B2, 2, 'delivered']]);
    receiver.hear = async () => undefined;
    expect(await tell()).toBeNull();
    expect(told.at(-1)).toEqual([B1, 1, 'delivered']);
    warned.mockRestore();
  });

  it('bring along what the subject has used since the last ones, also where a batch could not be reached', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const { store, meter, usage, receiver, decide, notify: tell } = aSubject();
    store.add([aTaken(1), aTaken(2)]);
    decide(1, 'delivered');
    meter.sends();
    receiver.hear = async () => {
      throw new Error('planned: the batch is down');
    };
    await tell();
    meter.sends();
    receiver.hear = async () => undefined;
    await tell();
    decide(2, 'delivered');
    await tell();
    expect(usage.map(({ upstreamCalls }) => upstreamCalls)).toEqual([2, 0]);
    vi.restoreAllMocks();
  });

  it('are due on the way of a long drain once three seconds have passed', async () => {
    const { clock, notify: tell, isDue } = aSubject();
    await tell();
    clock.pass(3_000);
    expect(isDue()).toBe(false);
    clock.pass(1);
    expect(isDue()).toBe(true);
  });
});
