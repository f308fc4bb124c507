/** What a subject tells the batches of its requests, until each of them has heard the newest of each. */
import { describe, expect, it, vi } from 'vitest';
import type { RequestOutcome } from '../../../src/delivery/outcome.ts';
import type { RequestState } from '../../../src/delivery/states.ts';
import { OUTCOME_PAUSE_MS, OUTCOMES_PER_CALL, OUTCOMES_PER_VISIT } from '../../../src/kernel/limits.ts';
import { batchName } from '../../../src/kernel/names.ts';
import { type Usage, UsageMeter } from '../../../src/kernel/usage.ts';
import { OutcomeReports } from '../../../src/tracking/outcome-reports.ts';
import { movedClock } from '../upstream/gate-samples.ts';
import { aTaken, committing, loadStored } from './samples.ts';

const SCOPE = { environment: 'test', partner: 'acme' } as const;

function aSubject({ isNamed = true } = {}) {
  const { sql, tables, store: bare } = loadStored();
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
    reports,
    sql,
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

  it('of a request that is on its way again are told once, however long it takes', async () => {
    const { store, told, receiver, decide, notify: tell } = aSubject();
    store.add([aTaken(1)]);
    decide(1, 'waiting');
    receiver.hear = async () => {
      if (told.length > 3) throw new Error('planned: again and again');
    };
    store.beginAttempt({
      ...{ seq: 1, purpose: 'send', startedAtMs: 1, requestSha256: '', tokenFingerprint: null },
      ...{ possibleDuplicate: false, late: false, carries: null },
    });
    expect([await tell(), told]).toEqual([null, [[B1, 1, 'sending']]]);
    decide(1, 'delivered');
    expect([await tell(), told.at(-1)]).toEqual([null, [B1, 1, 'delivered']]);
  });

  it('of a batch that cannot be reached are told later, and hold up no other batch', async () => {
    const warned = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const said = () => warned.mock.calls.map(([line]) => JSON.parse(String(line)));
    const { store, clock, told, receiver, decide, notify: tell } = aSubject();
    store.add([aTaken(1), aTaken(2, { batchId: 'b_2' })]);
    for (const seq of [1, 2]) decide(seq, 'delivered');
    receiver.hear = async (name) => {
      if (name === B1) throw new Error('planned: the batch is down');
    };
    expect(await tell()).toBe(clock.nowMs() + OUTCOME_PAUSE_MS);
    expect(told).toEqual([[B2, 2, 'delivered']]);
    expect(said()).toMatchObject([
      { event: 'outcome_not_reported', batchId: 'b_1', detail: 'planned: the batch is down' },
    ]);
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

describe('what a visit is answered', () => {
  /** So many requests of a batch, all of them delivered. */
  function delivered(count: number, more: object = {}) {
    const made = aSubject();
    made.store.add(Array.from({ length: count }, (_, index) => aTaken(index + 1, more)));
    made.store.tables.journal.commit(() => {
      for (let seq = 1; seq <= count; seq += 1) made.decide(seq, 'delivered');
    });
    return made;
  }

  it('is all there is to tell its batch, under a receipt of its own; and says whether there is more', () => {
    const { reports, store, decide } = delivered(2);
    const { report, isAll } = reports.answer('b_1');
    expect([report.outcomes.map(({ record }) => record), isAll, report.form]).toEqual([[1, 2], true, 1]);
    expect(report.receipt).not.toBe(reports.answer('b_1').report.receipt);
    expect(reports.answer('b_2')).toEqual({ report: { outcomes: [], receipt: null }, isAll: false });
    store.add([aTaken(3, { batchId: 'b_2' })]);
    decide(3, 'delivered');
    expect(reports.answer('b_1').isAll).toBe(false);
  });

  it('is no more than an answer may hold', () => {
    const { reports } = delivered(OUTCOMES_PER_VISIT);
    const { report, isAll } = reports.answer('b_1');
    expect([report.outcomes.length, isAll]).toEqual([OUTCOMES_PER_VISIT, false]);
  });

  it('is stored: nobody hears of what a dead process has forgotten', async () => {
    const { reports, store, sql, receiver, notify } = delivered(1);
    const late = (record: number) => store.tables.journal.commitSoon(() => store.add([aTaken(record)]));
    const stored = () => [...loadStored(sql).store.all()].length;
    late(2);
    expect(stored()).toBe(1);
    reports.answer('b_1');
    expect(stored()).toBe(2);
    late(3);
    const seen: number[] = [];
    receiver.hear = async () => void seen.push(stored());
    await notify();
    expect(seen).toEqual([3]);
  });

  it('is forgotten once it is confirmed, and after eight others', () => {
    const { reports, store } = delivered(1);
    const receipts = Array.from({ length: 9 }, () => reports.answer('b_1').report.receipt ?? '');
    const untold = () => store.unreported('b_1', 9).length;
    reports.confirm(receipts[0] ?? '');
    expect(untold()).toBe(1);
    reports.confirm(receipts[1] ?? '');
    expect(untold()).toBe(0);
    store.renew(1, 0);
    store.tables.journal.commit(() => void store.tables.outbox.put({ seq: 1, revision: 1 }));
    reports.confirm(receipts[1] ?? '');
    expect(untold()).toBe(1); // it was confirmed before
  });

  it('names for each point the request it travels in, and for the one that leads none', () => {
    const { reports, store } = delivered(3);
    const { request } = store.tables;
    store.tables.journal.commit(() => {
      request.patch(1, { into_seq: 1 });
      for (const seq of [2, 3]) request.patch(seq, { into_seq: 1, state: 'coalesced' });
    });
    expect(
      reports.answer('b_1').report.outcomes.map(({ into, intoState }) => [into?.record ?? null, intoState]),
    ).toEqual([
      [null, null],
      [1, 'delivered'],
      [1, 'delivered'],
    ]);
  });

  it('makes it late enough to tell the rest only after three more seconds', () => {
    const { reports, clock, isDue } = delivered(1);
    expect(isDue()).toBe(true);
    reports.beginVisit(clock);
    expect(isDue()).toBe(false);
    clock.pass(3_001);
    expect(isDue()).toBe(true);
  });

  it('by itself comes in calls of so many', async () => {
    const { notify, told, usage } = delivered(OUTCOMES_PER_CALL + 1);
    await notify();
    expect([told.length, usage.length]).toEqual([OUTCOMES_PER_CALL + 1, 2]);
  });
});
