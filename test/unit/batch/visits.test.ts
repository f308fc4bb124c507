/** Visits on their own: how many begin and when, what is stored of them, and what follows where one fails. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LookAhead } from '../../../src/batch/core/look-ahead.ts';
import { forgetVisits, SubjectPace, takeVisitSlot, Wave } from '../../../src/batch/core/pacing.ts';
import { START } from '../../../src/batch/core/progress.ts';
import {
  NEW_SUBJECTS_FREE,
  REPORTS_PAUSE_MS,
  SUBJECTS_AWAKE_MAX,
  SUBJECTS_REMEMBERED_MAX,
  VISIT_LOOK_MS,
  VISITS_AT_ONCE_MAX,
  VISITS_PER_BURST,
  VISITS_PER_WAKE_UP,
} from '../../../src/batch/limits.ts';
import { addAhead } from '../../../src/batch/steps/dispatch.ts';
import { Visits } from '../../../src/batch/steps/visits.ts';
import { NO_USAGE } from '../../../src/kernel/usage.ts';
import type { VisitReport } from '../../../src/tracking/request.ts';
import { anOutcome, aStoredRequest, aTicket, RECEIVED_MS } from './samples.ts';

beforeEach(() => {
  vi.useFakeTimers({ now: RECEIVED_MS });
  forgetVisits();
});
afterEach(() => {
  vi.restoreAllMocks(); // before the timers: one of them may be watched
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const PAUSE_MS = 1_000;

/** So many loads with one request each. @param kind positions keep no load awake. */
function visitsOf(count: number, kind: 'milestone' | 'trace' = 'trace') {
  const [ahead, wave, pace] = [new LookAhead(START), new Wave(), new SubjectPace(1e9)];
  for (let record = 1; record <= count; record += 1)
    addAhead(ahead, aStoredRequest(record, 1, { kind, subject: `load:L${record}` } as never), aTicket(), undefined);
  const seen = {
    ...{ begun: [] as number[], stored: [] as number[][], calls: 0, asked: 0, settled: [] as string[] },
    ...{ takesMs: 0, fails: false, form: 1, refuses: false, isWhole: true, areSlotsLost: false },
    requestMore: async (): Promise<void> => pace.grant({ subjects: 1e6, waitMs: 0 }, Date.now()),
    report: null as ((record: number) => Promise<VisitReport>) | null,
  };
  const load = (name: string) => ({
    visit: async ({ requests }: { requests: { record: number }[] }): Promise<VisitReport> => {
      const record = requests[0]?.record ?? 0;
      seen.begun.push(record);
      if (seen.takesMs > 0) await new Promise((resolve) => setTimeout(resolve, seen.takesMs));
      if (seen.fails) throw new Error('planned: away');
      if (seen.report !== null) return seen.report(record);
      return { form: seen.form, outcomes: [anOutcome(record)], receipt: `r${record}`, usage: NO_USAGE };
    },
    settled: async (receipt: string) => {
      seen.settled.push(`${JSON.parse(name).at(-1)} ${receipt}`);
      if (seen.refuses) throw new Error('planned: away');
    },
  });
  const visits = new Visits({
    ...{ ahead, wave, pace, subjects: { load, order: () => expect.fail('there are no orders') } as never },
    visitor: () => {
      if (seen.areSlotsLost) forgetVisits();
      return { partner: 'p', batch: 'b_1' };
    },
    ...{ pauseMs: () => PAUSE_MS, isWhole: () => seen.isWhole },
    endsLoads: () => false,
    requestMore: () => {
      seen.asked += 1;
      return seen.requestMore();
    },
    store: (outcomes, ended) => {
      seen.stored.push(outcomes.map(({ record }) => record));
      ahead.ended(ended);
    },
  });
  /** A wake-up in which some may begin. */
  const begin = () => {
    visits.beginWakeUp();
    visits.isHeld = false;
    return visits.begin();
  };
  return { visits, ahead, wave, pace, seen, begin };
}

const passed = (ms: number) => vi.advanceTimersByTimeAsync(ms);

describe('visits', () => {
  it('are so many before the next waits for a timer, again and again', async () => {
    const { seen, begin } = visitsOf(3 * VISITS_PER_BURST + 1);
    const timers = vi.spyOn(globalThis, 'setTimeout');
    const pauses: number[] = [];
    seen.report = async () => {
      pauses.push(timers.mock.calls.filter(([, ms]) => ms === 0).length);
      return { form: 1, outcomes: [], receipt: null };
    };
    await Promise.all([begin(), vi.runAllTimersAsync()]);
    expect([0, 1, 2, 3].map((pause) => pauses.filter((each) => each === pause).length)).toEqual([8, 8, 8, 1]);
  });

  it('are so many in one wake-up', async () => {
    const { visits, seen, begin } = visitsOf(VISITS_PER_WAKE_UP + 1);
    seen.report = () => new Promise(() => undefined);
    seen.areSlotsLost = true;
    await Promise.all([begin(), vi.runAllTimersAsync()]);
    expect([seen.begun.length, visits.isSpent]).toEqual([VISITS_PER_WAKE_UP, true]);
    await Promise.all([begin(), vi.runAllTimersAsync()]);
    expect([seen.begun.length, visits.isSpent]).toEqual([VISITS_PER_WAKE_UP + 1, false]);
  });

  it('keep their batch busy while one is under way, and not longer', async () => {
    const { visits, seen, begin } = visitsOf(1);
    seen.takesMs = 10;
    expect(visits.isBusy).toBe(false);
    await begin();
    expect(visits.isBusy).toBe(true);
    await passed(10);
    expect([visits.isBusy, visits.hasChanged, seen.stored]).toEqual([false, true, [[1]]]);
  });

  it('keep it busy while one that came back is not stored', async () => {
    const { visits, seen, begin } = visitsOf(2);
    seen.report = async (record) => {
      if (record === 2) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      return { form: 1, outcomes: [anOutcome(record)], receipt: null };
    };
    await begin();
    await passed(REPORTS_PAUSE_MS - 1);
    expect([visits.isBusy, seen.stored]).toEqual([true, []]);
    await passed(1);
    expect(seen.stored).toEqual([[1]]);
    await passed(PAUSE_MS - REPORTS_PAUSE_MS);
    expect([seen.stored, visits.isBusy]).toEqual([[[1], [2]], false]);
  });

  it('are stored at once where none is under way any more', async () => {
    const { seen, begin } = visitsOf(1);
    await begin();
    await passed(0);
    expect([seen.stored, seen.settled]).toEqual([[[1]], ['L1 r1']]);
  });

  it('are stored, too, where their load is not told of it', async () => {
    const { visits, seen, begin } = visitsOf(1);
    seen.refuses = true;
    await begin();
    await passed(0);
    expect([seen.stored, visits.isBusy]).toEqual([[[1]], false]);
    expect(() => visits.check()).not.toThrow();
  });

  it('are moments at which the process may end: before what came back is stored, and before it is confirmed', async () => {
    const { seen, begin } = visitsOf(1);
    vi.stubGlobal('FAILPOINT_URL', 'http://harness.test');
    const met: unknown[] = [];
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (url) => {
      met.push([String(url), seen.stored.length, seen.settled.length]);
      return new Response('');
    });
    await begin();
    await vi.runAllTimersAsync();
    expect(met).toEqual([
      ['http://harness.test/handed_over', 0, 0],
      ['http://harness.test/outcomes_told', 1, 0],
    ]);
    expect(seen.settled).toEqual(['L1 r1']);
  });

  it('forget which loads have all their positions when these are too many to remember', async () => {
    const { visits, begin } = visitsOf(2);
    for (let name = 2; name <= SUBJECTS_REMEMBERED_MAX; name += 1) visits.released.add(`${name}`);
    const sizes: number[] = [];
    const add = visits.released.add.bind(visits.released);
    vi.spyOn(visits.released, 'add').mockImplementation((name) => {
      const added = add(name);
      sizes.push(visits.released.size);
      return added;
    });
    await begin();
    await passed(0);
    expect(sizes).toEqual([SUBJECTS_REMEMBERED_MAX, 1]);
  });

  it('say that these are all positions only where the whole file is read, and these are positions', async () => {
    const whole = visitsOf(1);
    const reading = visitsOf(1);
    reading.seen.isWhole = false;
    const milestones = visitsOf(1, 'milestone');
    for (const { begin } of [whole, reading, milestones]) await begin();
    await passed(0);
    expect([whole, reading, milestones].map(({ visits }) => visits.released.size)).toEqual([1, 0, 0]);
  });
});

describe('a visit that fails', () => {
  const warned = () => {
    const lines = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    return () => lines.mock.calls.map(([line]) => JSON.parse(line) as { detail: string });
  };

  it('is repeated at once, and later where it fails again; what it met is known until the next wake-up', async () => {
    const lines = warned();
    const { visits, ahead, seen, begin } = visitsOf(1);
    seen.fails = true;
    await begin();
    await passed(0);
    expect([seen.begun, ahead.repeatMs(), seen.stored]).toEqual([[1, 1], RECEIVED_MS + PAUSE_MS, []]);
    expect(lines()).toEqual([{ event: 'subject_not_reached', batchId: 'b_1', detail: 'planned: away' }]);
    expect(() => visits.check()).toThrow('planned: away');
    visits.beginWakeUp();
    expect(() => visits.check()).not.toThrow();
  });

  it('leaves its place among those awake to another, which begins by itself', async () => {
    warned();
    const { wave, seen, begin } = visitsOf(SUBJECTS_AWAKE_MAX + 1, 'milestone');
    seen.fails = true;
    seen.takesMs = 10;
    void begin();
    await passed(9);
    expect([seen.begun.length, wave.hasRoom(Date.now())]).toEqual([SUBJECTS_AWAKE_MAX, false]);
    await passed(100);
    expect([new Set(seen.begun).size, wave.hasRoom(Date.now())]).toEqual([SUBJECTS_AWAKE_MAX + 1, true]);
  });

  it('is one whose report is of a later release', async () => {
    const lines = warned();
    const { seen, begin } = visitsOf(1);
    seen.form = 9;
    await begin();
    await passed(0);
    expect([seen.stored, lines()[0]?.detail]).toEqual([
      [],
      expect.stringContaining('what came as report is of form 9'),
    ]);
  });
});

describe('what visits wait for', () => {
  /** None of the new loads is left that cost nothing. */
  const spent = (count: number) => {
    const all = visitsOf(count);
    for (let met = 0; met < NEW_SUBJECTS_FREE; met += 1) all.pace.meet(`${met}`, Date.now());
    return all;
  };

  it('is more new loads: these are asked for once, however often it is tried meanwhile', async () => {
    const { visits, seen, pace, begin } = spent(1);
    let grant = (): void => undefined;
    seen.requestMore = () =>
      new Promise((resolve) => {
        grant = () => {
          pace.grant({ subjects: 5, waitMs: 0 }, Date.now());
          resolve();
        };
      });
    visits.look();
    void begin();
    await visits.begin();
    expect([seen.asked, seen.begun, visits.isBusy, visits.hasChanged]).toEqual([1, [], true, false]);
    grant();
    await passed(0);
    expect([seen.asked, seen.begun, visits.isBusy, visits.hasChanged]).toEqual([1, [1], false, true]);
  });

  it('is until the register is asked again, where it grants none: whoever waits looks at that', async () => {
    const { visits, seen, pace, begin } = spent(1);
    seen.requestMore = async () => pace.grant({ subjects: 0, waitMs: PAUSE_MS }, Date.now());
    visits.look();
    await begin();
    expect([seen.asked, seen.begun, visits.hasChanged]).toEqual([1, [], true]);
  });

  it('is nothing where nothing is to be visited: nobody is asked, and nobody looks again', async () => {
    const { visits, seen, begin } = spent(0);
    visits.look();
    await begin();
    expect([seen.asked, visits.hasChanged, visits.isBusy]).toEqual([0, false, false]);
  });

  it('is a slot, for which is looked again and again until none may begin any more', async () => {
    for (let slot = 0; slot < VISITS_AT_ONCE_MAX; slot += 1) takeVisitSlot({ partner: 'o', batch: 'o' }, Date.now());
    const { visits, seen, begin } = visitsOf(1);
    visits.look();
    void begin();
    await passed(3 * VISIT_LOOK_MS);
    expect([seen.begun, visits.isBusy, visits.hasChanged]).toEqual([[], true, false]);
    visits.isEnding = true;
    await passed(VISIT_LOOK_MS);
    expect([seen.begun, visits.isBusy, visits.hasChanged]).toEqual([[], false, true]);
  });

  it('leaves no timer behind once something has changed', async () => {
    const { visits } = visitsOf(0);
    const [made, cleared] = [vi.spyOn(globalThis, 'setTimeout'), vi.spyOn(globalThis, 'clearTimeout')];
    let woken = 0;
    void visits.change(77).then(() => {
      woken += 1;
    });
    const timer = made.mock.results[made.mock.calls.findIndex(([, ms]) => ms === 77)]?.value;
    expect([timer === undefined, cleared.mock.calls.some(([each]) => each === timer)]).toEqual([false, false]);
    visits.changed();
    await passed(0);
    expect([woken, cleared.mock.calls.some(([each]) => each === timer)]).toEqual([1, true]);
  });
});
