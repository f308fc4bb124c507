/** What an object counts of what it uses. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { NO_USAGE, UsageMeter, usageOfBoth } from '../../../src/kernel/usage.ts';

afterEach(() => {
  vi.useRealTimers();
});

/** A storage whose statements write so many rows. */
function aStorage(rowsWritten: number) {
  const asked: string[] = [];
  const storage = {
    sql: {
      databaseSize: 4096,
      exec(text: string) {
        asked.push(text);
        return { rowsWritten, toArray: () => [this === storage.sql] };
      },
    },
    setAlarm: async (atMs: number) => void asked.push(`alarm ${atMs}`),
    getAlarm: async () => 7,
  };
  return { storage: storage as unknown as DurableObjectStorage, asked };
}

describe('a meter', () => {
  it('counts the rows that statements write and alarms that are set, and passes everything on', async () => {
    const meter = new UsageMeter();
    const { storage: bare, asked } = aStorage(3);
    const storage = meter.storage(bare);
    const cursor = storage.sql.exec('INSERT');
    await storage.setAlarm(5);
    expect([cursor.toArray(), await storage.getAlarm(), storage.sql.databaseSize, asked]).toEqual([
      [true],
      7,
      4096,
      ['INSERT', 'alarm 5'],
    ]);
    expect(meter.take()).toEqual({ ...NO_USAGE, rowsWritten: 4 });
  });

  it('counts calls of other objects, and files that are written and read, not those that are deleted', async () => {
    const meter = new UsageMeter();
    const files = { get: () => 'bytes', head: () => null, put: () => null, delete: () => null };
    const env = { LOAD: { getByName: (name: string) => ({ name }) }, FILES: files, NAME: 'bridge' };
    const counted = meter.environment(env as unknown as Env) as unknown as typeof env;
    expect([counted.LOAD.getByName('L1'), counted.FILES.get(), counted.NAME]).toEqual([
      { name: 'L1' },
      'bytes',
      'bridge',
    ]);
    counted.LOAD.getByName('L2');
    counted.FILES.head();
    counted.FILES.put();
    counted.FILES.delete();
    expect(meter.take()).toEqual({ ...NO_USAGE, objectCalls: 2, filesRead: 2, filesWritten: 1 });
  });

  it('counts the time in which something is under way once, however much is', async () => {
    vi.useFakeTimers();
    const meter = new UsageMeter();
    const waiting = (ms: number) => meter.awake(() => new Promise((resolve) => setTimeout(resolve, ms)));
    const both = Promise.all([waiting(100), waiting(250)]);
    await vi.advanceTimersByTimeAsync(50);
    expect([meter.isAwake, meter.take().awakeMs]).toEqual([true, 50]);
    await vi.advanceTimersByTimeAsync(1_000);
    await both;
    expect([meter.isAwake, meter.take().awakeMs]).toEqual([false, 200]);
  });

  it('counts no time twice, and none backwards', async () => {
    vi.useFakeTimers();
    const meter = new UsageMeter();
    await meter.awake(async () => vi.setSystemTime(Date.now() - 60_000));
    expect(meter.take().awakeMs).toBe(0);
  });

  it('is awake no longer when what it ran has failed', async () => {
    const meter = new UsageMeter();
    await expect(meter.awake(() => Promise.reject(new Error('planned')))).rejects.toThrow('planned');
    expect(meter.isAwake).toBe(false);
  });

  it('gives what it counted once, unless it is put back', () => {
    const meter = new UsageMeter();
    meter.sends();
    const taken = meter.take();
    expect([taken.upstreamCalls, meter.take().upstreamCalls]).toEqual([1, 0]);
    meter.sends();
    meter.putBack(taken);
    expect(meter.take().upstreamCalls).toBe(2);
  });
});

describe('usage of two', () => {
  it('is the sum of every member', () => {
    const each = { rowsWritten: 1, objectCalls: 2, awakeMs: 3, upstreamCalls: 4, filesWritten: 5, filesRead: 6 };
    expect(Object.values(usageOfBoth(each, each))).toEqual([2, 4, 6, 8, 10, 12]);
  });
});
