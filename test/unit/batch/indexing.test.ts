/** A batch's row in the index of all batches: when it is written, tried again, and taken away. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { IndexCheckpoint } from '../../../src/batch/core/progress.ts';
import { batchIndex, type IndexedBatch, Indexing, indexedBatch } from '../../../src/batch/steps/batch-index.ts';
import { type ChangedParts, changedParts, NO_PARTS } from '../../../src/batch/steps/index-parts.ts';
import { INDEX_PAUSE_MS, INDEX_RETRY_MS, INDEX_RETRY_MS_MAX, INDEX_WRITE_MS_MAX } from '../../../src/kernel/limits.ts';
import { aDirectory } from '../directory-tables.ts';
import { movedClock } from '../upstream/gate-samples.ts';
import { aSummary, aTicket, BATCH_ID } from './samples.ts';

let warned: string[] = [];
beforeEach(() => {
  warned = [];
  vi.spyOn(console, 'warn').mockImplementation((line) => void warned.push(String(line)));
});
afterEach(() => {
  vi.restoreAllMocks();
});

const aRow = (rows = 1): IndexedBatch => indexedBatch(aSummary({ rows }), null, null, 'plain');
/** All that was begun and can end has ended. */
const ended = () => new Promise((resolve) => setImmediate(resolve));

/** @param write what becomes of each write; it is stored where nothing else is said. */
function indexing(write: (rows: number) => Promise<void> = async () => undefined) {
  const clock = movedClock();
  const written: [revision: number, rows: number][] = [];
  const seen = { changed: [] as ChangedParts[], forgotten: [] as (readonly string[])[], fails: false, notesFail: 0 };
  let row: IndexedBatch | null = aRow();
  let mark: IndexCheckpoint = { revision: 0, written: null };
  let removes = async (): Promise<void> => undefined;
  const made = new Indexing({
    index: () => ({
      write: async ({ row_count }, { revision }, changed) => {
        written.push([revision, row_count]);
        seen.changed.push(changed);
        await write(row_count);
      },
      forgetIssues: async (environment, ids) => {
        written.push([0, 0]);
        seen.forgotten.push([environment, ...ids]);
      },
      remove: () => removes(),
    }),
    row: () => {
      if (seen.fails) throw new Error('planned: no row');
      return row;
    },
    parts: () => NO_PARTS,
    mark: () => mark,
    storeCheckpoint: (now) => {
      seen.notesFail -= 1;
      if (seen.notesFail === 0) throw new Error('planned: full');
      mark = now;
    },
    clock,
  });
  return {
    clock,
    written,
    seen,
    mark: () => mark,
    indexing: made,
    /** It has cost more. */
    costs: (dollars: number) => {
      if (row !== null) row = { ...row, dollars };
    },
    /** The batch has as many rows now; null: it is gone. */
    has: (rows: number | null) => {
      row = rows === null ? null : aRow(rows);
    },
    removing: (remove: () => Promise<void>) => {
      removes = remove;
    },
    isWritten: () => mark.written === JSON.stringify({ ...row, dollars: undefined }),
    /** One step, as of a wake-up so much later. */
    stepAfter: async (ms: number) => {
      clock.pass(ms);
      const againMs = made.step();
      await ended();
      return againMs;
    },
  };
}

describe('the row of a batch', () => {
  it('is written once it is there, and again once it has changed, each time under the next revision', async () => {
    const { written, has, isWritten, stepAfter } = indexing();
    expect([await stepAfter(0), written, isWritten()]).toEqual([INDEX_RETRY_MS, [[1, 1]], true]);
    expect([await stepAfter(INDEX_PAUSE_MS), written.length]).toEqual([null, 1]);
    has(2);
    await stepAfter(0);
    expect([written, isWritten()]).toEqual([
      [
        [1, 1],
        [2, 2],
      ],
      true,
    ]);
    has(null);
    expect(await stepAfter(INDEX_PAUSE_MS)).toBeNull();
    expect(warned).toEqual([]);
  });

  it('is not written again for what it cost alone: that would cost something each time', async () => {
    const { written, costs, stepAfter } = indexing();
    await stepAfter(0);
    costs(0.01);
    expect([await stepAfter(INDEX_PAUSE_MS), written.length]).toEqual([null, 1]);
  });

  it('is written at most once in a pause, however often it changes', async () => {
    const { written, has, stepAfter } = indexing();
    await stepAfter(0);
    has(2);
    expect([await stepAfter(INDEX_PAUSE_MS - 1), written.length]).toEqual([1, 1]);
    await stepAfter(1);
    expect(written).toHaveLength(2);
  });

  it('that could not be written is tried again later and later, and soon once it went well between', async () => {
    let isDown = true;
    const { written, has, isWritten, stepAfter } = indexing(async () => {
      if (isDown) throw new Error('planned: no index');
    });
    await stepAfter(0);
    expect([await stepAfter(1), warned.length]).toEqual([INDEX_RETRY_MS - 1, 1]);
    expect(JSON.parse(warned[0] ?? '')).toEqual({
      ...{ event: 'batch_not_indexed', batchId: BATCH_ID, detail: 'planned: no index' },
    });
    await stepAfter(INDEX_RETRY_MS - 1);
    expect(await stepAfter(1)).toBe(2 * INDEX_RETRY_MS - 1);
    isDown = false;
    await stepAfter(2 * INDEX_RETRY_MS - 1);
    expect([written.length, isWritten()]).toEqual([3, true]);
    isDown = true;
    has(2);
    await stepAfter(INDEX_PAUSE_MS);
    expect([written.length, await stepAfter(1)]).toEqual([4, INDEX_RETRY_MS - 1]);
  });

  it('waits for the write that is under way, until that is taken for lost', async () => {
    const { written, has, stepAfter } = indexing(() => new Promise(() => undefined));
    await stepAfter(0);
    has(2);
    expect([await stepAfter(INDEX_PAUSE_MS), written.length]).toEqual([INDEX_PAUSE_MS, 1]);
    await stepAfter(INDEX_WRITE_MS_MAX - INDEX_PAUSE_MS - 1);
    expect(written).toHaveLength(1);
    await stepAfter(1);
    expect(written).toHaveLength(2);
  });

  it('is not known to be written by a write that came to its end behind a later one', async () => {
    const ends: (() => void)[] = [];
    const { has, isWritten, stepAfter } = indexing(() => new Promise((resolve) => void ends.push(resolve)));
    await stepAfter(0);
    has(2);
    await stepAfter(INDEX_WRITE_MS_MAX);
    const [first, second] = ends;
    has(1);
    first?.();
    await ended();
    expect(isWritten()).toBe(false);
    has(2);
    second?.();
    await ended();
    expect(isWritten()).toBe(true);
  });

  it('is written again where the batch is as before a write of which nobody knows what came of it', async () => {
    let isDown = false;
    const { written, has, stepAfter } = indexing(async () => {
      if (isDown) throw new Error('planned: no index');
    });
    await stepAfter(0);
    has(2);
    isDown = true;
    await stepAfter(INDEX_PAUSE_MS);
    has(1);
    await stepAfter(INDEX_RETRY_MS);
    expect(written.map(([, rows]) => rows)).toEqual([1, 2, 1]);
  });

  it('is written anew on request, or it is said that it could not be; of a batch that is gone there is none', async () => {
    let isDown = false;
    const {
      indexing: own,
      written,
      has,
    } = indexing(async () => {
      if (isDown) throw new Error('planned: no index');
    });
    expect([await own.rewrite(), await own.rewrite(), written.length]).toEqual([true, true, 2]);
    isDown = true;
    await expect(own.rewrite()).rejects.toThrow('the index could not be written');
    has(null);
    expect(await own.rewrite()).toBe(false);
  });

  it('goes with its batch, but not while it is being written; a write that is lost does not bring it back', async () => {
    let end = (): void => undefined;
    const { indexing: own, clock, stepAfter, mark } = indexing(() => new Promise((resolve) => (end = resolve)));
    await stepAfter(0);
    expect(await own.remove(aTicket(), BATCH_ID)).toBe(false);
    clock.pass(INDEX_WRITE_MS_MAX);
    expect(await own.remove(aTicket(), BATCH_ID)).toBe(true);
    end();
    await ended();
    expect(mark()).toEqual({ revision: 1, written: null });
  });

  it('does not go with its batch where a write of it began while it was being taken away', async () => {
    const { indexing: own, stepAfter, has, removing, written } = indexing();
    await stepAfter(0);
    removing(async () => {
      has(2);
      void own.rewrite();
      await Promise.resolve();
      await Promise.resolve();
    });
    expect(await own.remove(aTicket(), BATCH_ID)).toBe(false);
    expect(written.at(-1)).toEqual([2, 2]);
  });

  it('is written again later where it cannot be noted that it is written', async () => {
    const { indexing: own, stepAfter, seen, isWritten } = indexing();
    seen.notesFail = 2;
    await stepAfter(0);
    expect([JSON.parse(warned[0] ?? '{}').detail, isWritten()]).toEqual(['planned: full', false]);
    seen.notesFail = 0;
    expect([await own.rewrite(), isWritten()]).toEqual([true, true]);
  });

  it('is not known to be in the index once it was taken away, and its issues are forgotten where there are some', async () => {
    const { indexing: own, stepAfter, mark, seen } = indexing();
    await stepAfter(0);
    await own.remove(aTicket(), BATCH_ID);
    expect([mark(), seen.forgotten]).toEqual([{ revision: 1, written: null }, []]);
    await own.remove(aTicket(), BATCH_ID, ['i1']);
    expect(seen.forgotten).toEqual([['test', 'i1']]);
  });

  it('is looked for again soon where it could not be made, which is logged', async () => {
    const { seen, stepAfter } = indexing();
    seen.fails = true;
    expect(await stepAfter(0)).toBe(INDEX_RETRY_MS);
    expect(warned.map((line) => JSON.parse(line))).toEqual([{ event: 'batch_not_indexed', detail: 'planned: no row' }]);
  });

  it('is written with its parts: those that the index lacks, or all where nobody knows what it has', async () => {
    let isDown = true;
    const {
      indexing: own,
      seen,
      stepAfter,
    } = indexing(async () => {
      if (isDown) throw new Error('planned: no index');
    });
    await stepAfter(0);
    isDown = false;
    await stepAfter(INDEX_RETRY_MS);
    await own.rewrite();
    expect(seen.changed.map(({ leavesIssues }) => leavesIssues)).toEqual([false, true, true]);
  });

  it('is not waited for longer than a pause that was never so long: the clock may have been set back', async () => {
    const { clock, has, stepAfter } = indexing();
    await stepAfter(0);
    has(2);
    clock.pass(-10 * INDEX_RETRY_MS_MAX);
    expect(await stepAfter(0)).toBe(INDEX_RETRY_MS_MAX);
  });

  it('forgets issues after the write under way, which has them still, and one without them', async () => {
    let go = (): void => undefined;
    const {
      indexing: own,
      written,
      stepAfter,
      has,
    } = indexing(async (rows) => {
      if (rows === 1) await new Promise<void>((resolve) => (go = resolve));
    });
    await stepAfter(0);
    has(2);
    const forgotten = own.forgetIssues(['0']);
    await ended();
    expect(written).toEqual([[1, 1]]);
    go();
    await forgotten;
    expect(written).toEqual([
      [1, 1],
      [2, 2],
      [0, 0],
    ]);
  });

  it('that could not be taken away is logged, and stays', async () => {
    const { indexing: own, isWritten, removing, stepAfter } = indexing();
    await stepAfter(0);
    removing(() => Promise.reject(new Error('planned: no index')));
    expect([await own.remove(aTicket(), BATCH_ID), isWritten()]).toEqual([false, true]);
    const { event, batchId, environment, detail } = JSON.parse(warned[0] ?? '{}') as Record<string, string>;
    expect([event, batchId, environment, detail]).toEqual([
      ...['batch_not_indexed', BATCH_ID, 'test', 'planned: no index'],
    ]);
  });
});

describe('what a row says', () => {
  const of = (summary: Parameters<typeof aSummary>[0], trouble: string | null = null) =>
    indexedBatch(aSummary({ rowStates: {}, ...summary }), trouble, null, 'plain');

  it('is when its batch came, when it settled, and whether it was withdrawn', () => {
    const [receivedAt, settledAt] = ['1970-01-01T00:00:01.000Z', '1970-01-01T00:00:02.000Z'];
    expect(of({ receivedAt, settledAt, cancelledAt: settledAt })).toMatchObject({
      ...{ received_at_ms: 1_000, settled_at_ms: 2_000, is_cancelled: 1 },
    });
    expect(of({ receivedAt, settledAt: null })).toMatchObject({ settled_at_ms: null, is_cancelled: 0 });
  });

  it('is how many rows only a person can move on, without those delivered in corrected form', () => {
    const rowStates = { held: 5, invalid: 10, rejected: 200, dead: 3_000, delivered: 9 };
    expect(of({ rowStates })).toMatchObject({ held: 5, refused: 3_210 });
    const resolvedStates = { invalid: 4, dead: 1_000 };
    expect(of({ rowStates, resolvedStates })).toMatchObject({ refused: 2_206 });
    expect(of({})).toMatchObject({ held: 0, refused: 0 });
  });

  it.each<[boolean, string, Parameters<typeof of>]>([
    [false, 'all is well', [{}]],
    [true, 'something is held', [{ rowStates: { held: 1 } }]],
    [true, 'it cannot go on', [{}, 'down']],
    [true, 'something was refused', [{ rowStates: { invalid: 1 } }]],
    [true, 'it could not be read', [{ state: 'unreadable' }]],
    [false, 'what was refused is resolved', [{ rowStates: { invalid: 1 }, resolvedStates: { invalid: 1 } }]],
    [false, 'it is a dry run', [{ rowStates: { invalid: 1 }, dryRun: true }]],
    [false, 'it is a dry run that could not be read', [{ state: 'unreadable', dryRun: true }]],
  ])('is that somebody is needed (%s) where %s', (isNeeded, _, given) => {
    expect(of(...given).needs_somebody).toBe(Number(isNeeded));
  });
});

describe('the index', () => {
  const none = changedParts(NO_PARTS, null);

  it('keeps one row of a batch, the one of the latest revision, until that is taken away', async () => {
    const { database, read } = aDirectory();
    const index = batchIndex(database);
    const stored = () => read('SELECT batch_id, row_count, revision FROM batch_index');
    await index.write(aRow(2), { revision: 2, written_at_ms: 1 }, none);
    await index.write(aRow(1), { revision: 1, written_at_ms: 2 }, none);
    expect(stored()).toEqual([[BATCH_ID, 2, 2]]);
    await index.write(aRow(3), { revision: 3, written_at_ms: 3 }, none);
    expect(stored()).toEqual([[BATCH_ID, 3, 3]]);
    await index.remove('production', BATCH_ID, 4);
    expect(stored()).toHaveLength(1);
    await index.remove('test', BATCH_ID, 4);
    expect(stored()).toEqual([]);
  });
});
