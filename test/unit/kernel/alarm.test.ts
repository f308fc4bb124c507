/** The alarm of an object: it is brought forward and never postponed, and a wake-up that fails comes again. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ensureAlarm, oneAtATime, wake } from '../../../src/kernel/alarm.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

/** @param armedMs when its alarm is due; null: it has none. */
function anObject(armedMs: number | null) {
  const alarm = { atMs: armedMs };
  const storage = {
    getAlarm: async () => alarm.atMs,
    setAlarm: async (atMs: number) => {
      alarm.atMs = atMs;
    },
  };
  return { alarm, storage };
}

describe('an alarm that is ensured', () => {
  it.each([
    ['is armed where there was none', null, 500],
    ['is brought forward', 600, 500],
    ['is not postponed', 400, 400],
    ['stands where it was due at the same time', 500, 500],
  ])('%s', async (_, armedMs, foundMs) => {
    const { alarm, storage } = anObject(armedMs);
    await ensureAlarm(storage, 500);
    expect(alarm.atMs).toBe(foundMs);
  });

  it.each([
    ['was due by then', 300, 500],
    ['is due later', 301, 301],
  ])('is lost where it %s', async (_, armedMs, foundMs) => {
    const { alarm, storage } = anObject(armedMs);
    await ensureAlarm(storage, 500, 300);
    expect(alarm.atMs).toBe(foundMs);
  });
});

/** What was logged, without where it was thrown. */
const said = ({ mock }: { mock: { calls: unknown[][] } }): unknown[] =>
  mock.calls.map(([line]) => {
    const { stack, ...rest } = JSON.parse(String(line)) as { stack?: string };
    expect(stack).toContain('alarm.test.ts');
    return rest;
  });

describe('a wake-up', () => {
  const FAILED = { failed: 'work_failed', afterFailure: () => 900 };

  it('arms the next one, and none where none is needed', async () => {
    const { alarm, storage } = anObject(null);
    await wake(storage, { ...FAILED, work: async () => null });
    expect(alarm.atMs).toBeNull();
    await wake(storage, { ...FAILED, work: async () => 700 });
    expect(alarm.atMs).toBe(700);
  });

  it('that fails comes again where what it is about cannot be read either', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const { alarm, storage } = anObject(null);
    const broken = (): never => {
      throw new Error('planned: the disk is full');
    };
    await wake(storage, { ...FAILED, work: broken, facts: broken });
    expect(said(logged)).toEqual([{ event: 'work_failed', detail: 'planned: the disk is full' }]);
    expect(alarm.atMs).toBe(900);
  });

  it('that fails is logged with what it is about, and comes again', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const { alarm, storage } = anObject(null);
    const work = () => Promise.reject(new Error('planned'));
    await wake(storage, { ...FAILED, work, facts: () => ({ batchId: 'b_1' }) });
    expect(said(logged)).toEqual([{ event: 'work_failed', batchId: 'b_1', detail: 'planned' }]);
    expect(alarm.atMs).toBe(900);
  });
});

describe('wake-ups one at a time', () => {
  it('run one after the other, also after one that failed', async () => {
    const seen: string[] = [];
    let runs = 0;
    const run = oneAtATime(async () => {
      runs += 1;
      const own = runs;
      seen.push(`${own} begins`);
      await Promise.resolve();
      seen.push(`${own} ends`);
      if (own === 1) throw new Error('planned');
    });
    const [first, second] = await Promise.allSettled([run(), run()]);
    expect([first?.status, second?.status]).toEqual(['rejected', 'fulfilled']);
    expect(seen).toEqual(['1 begins', '1 ends', '2 begins', '2 ends']);
  });
});
