import { describe, expect, it } from 'vitest';
import {
  afterSweep,
  afterWatch,
  firstRounds,
  nextRoundMs,
  sweepPlan,
  sweepUnclaimed,
} from '../../../src/intake/watch-batches.ts';
import { batchIdTimeMs, timeSortedId } from '../../../src/kernel/ids.ts';
import {
  BATCH_PAUSE_MS,
  SWEEP_BATCHES_MAX,
  SWEEP_CALLS_MAX,
  SWEEP_MS,
  UNCLAIMED_RETENTION_MS,
  WATCH_REGISTER_MS,
} from '../../../src/kernel/limits.ts';
import { sourceKey } from '../../../src/kernel/names.ts';

const NOW_MS = Date.UTC(2026, 2, 2, 8);
const clock = { nowMs: () => NOW_MS, timeScale: 1 };
const idAt = (ms: number): string => timeSortedId('b', ms, new Uint8Array(16));
const BORDER_MS = NOW_MS - UNCLAIMED_RETENTION_MS;
const nobody = () => new Set<string>();

describe('a sweep of stored files', () => {
  it('reads the time of an id out of it', () => {
    for (const ms of [0, 1, NOW_MS, 2 ** 40]) expect(batchIdTimeMs(idAt(ms))).toBe(ms);
  });

  it('deletes what nobody claims after its time, and not before', () => {
    const [old, young] = [idAt(BORDER_MS - 1), idAt(BORDER_MS)];
    expect(sweepPlan([old, young], true, nobody, clock)).toEqual({ unclaimed: [old], last: null });
  });

  it('leaves alone what a batch of the register claims', () => {
    const ids = [1, 2, 3].map((ms) => idAt(BORDER_MS - ms)).sort();
    const known = () => new Set(ids.slice(1));
    expect(sweepPlan(ids, true, known, clock).unclaimed).toEqual(ids.slice(0, 1));
  });

  it('goes on behind a full page of old ones, and is done where the young begin', () => {
    const old = [idAt(BORDER_MS - 2), idAt(BORDER_MS - 1)];
    expect(sweepPlan(old, false, () => new Set(old), clock)).toEqual({ unclaimed: [], last: old[1] });
    expect(sweepPlan([...old, idAt(NOW_MS)], false, () => new Set(old), clock).last).toBeNull();
  });

  it('deletes no more at once than a wake-up may call, and goes on behind them', () => {
    const ids = Array.from({ length: SWEEP_CALLS_MAX + 2 }, (_, index) => idAt(BORDER_MS - 1_000 + index));
    const plan = sweepPlan(ids, true, nobody, clock);
    expect(plan.unclaimed).toEqual(ids.slice(0, SWEEP_CALLS_MAX));
    expect(plan.last).toBe(ids[SWEEP_CALLS_MAX - 1]);
  });
});

describe('the runs of a sweep', () => {
  const SCOPE = { environment: 'test', partner: 'acme' } as const;

  /** Stored files in the order of their keys, listed as the platform does: keys with a common folder are one line of a page. */
  function aBucket(ids: readonly string[]) {
    const kept = new Set(ids.map((id) => sourceKey(SCOPE, id)));
    const list = async ({ prefix = '', delimiter = '', startAfter = '', limit = 1_000 }: R2ListOptions) => {
      const keys = [...kept].sort().filter((key) => key.startsWith(prefix) && key > startAfter);
      const folders = keys.map((key) => key.slice(0, key.indexOf(delimiter, prefix.length) + 1));
      const found = [...new Set(folders)].filter((folder) => folder !== '');
      const isPage = delimiter !== '';
      const page = isPage ? found.slice(0, limit) : [];
      return {
        delimitedPrefixes: page,
        objects: isPage ? [] : keys.map((key) => ({ key })),
        truncated: isPage && page.length < found.length,
      };
    };
    const files = {
      list,
      delete: async (keys: string | string[]) => [keys].flat().forEach((key) => void kept.delete(key)),
    };
    return { files: files as unknown as R2Bucket, kept };
  }

  it('begin where the one before ended, and the last one comes to the end', async () => {
    const claimed = Array.from({ length: SWEEP_BATCHES_MAX }, (_, at) => idAt(BORDER_MS - 10_000 + at));
    const forgotten = idAt(BORDER_MS - 1);
    const { files, kept } = aBucket([...claimed, forgotten]);
    const port = { files, known: (ids: readonly string[]) => new Set(ids.filter((id) => id !== forgotten)), clock };
    const after = await sweepUnclaimed(port, SCOPE, '');
    expect([after, kept.size]).toEqual([claimed.at(-1), SWEEP_BATCHES_MAX + 1]);
    expect(await sweepUnclaimed(port, SCOPE, after ?? '')).toBeNull();
    expect(kept).toEqual(new Set(claimed.map((id) => sourceKey(SCOPE, id))));
  });

  it('see nothing twice: two are enough for as many files as two may look through', async () => {
    const ids = Array.from({ length: 2 * SWEEP_BATCHES_MAX }, (_, at) => idAt(BORDER_MS - 10_000 + at));
    const port = { files: aBucket(ids).files, known: (found: readonly string[]) => new Set(found), clock };
    const after = await sweepUnclaimed(port, SCOPE, '');
    expect(after).toBe(ids[SWEEP_BATCHES_MAX - 1]);
    expect(await sweepUnclaimed(port, SCOPE, after ?? '')).toBeNull();
  });
});

describe('the rounds of a register', () => {
  const first = firstRounds(clock);

  it('ask open batches every five minutes, and only where there are some', () => {
    expect(nextRoundMs(first, true)).toBe(NOW_MS + WATCH_REGISTER_MS);
    expect(nextRoundMs(first, false)).toBe(NOW_MS + SWEEP_MS);
  });

  it('go on soon where there are more batches than one wake-up may ask', () => {
    expect(afterWatch(first, 200, clock).watch).toEqual({ dueMs: NOW_MS + BATCH_PAUSE_MS, after: 200 });
    expect(afterWatch(first, null, clock).watch).toEqual({ dueMs: NOW_MS + WATCH_REGISTER_MS, after: 0 });
  });

  it('sweep once a day, and go on sooner where a sweep was cut short', () => {
    expect(afterSweep(first, null, clock).sweep).toEqual({ dueMs: NOW_MS + SWEEP_MS, after: '' });
    expect(afterSweep(first, 'b_1', clock).sweep).toEqual({ dueMs: NOW_MS + WATCH_REGISTER_MS, after: 'b_1' });
  });
});
