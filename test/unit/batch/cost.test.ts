/** What a batch cost at list price, and where that is kept. */
import { describe, expect, it, vi } from 'vitest';
import { ObjectDatabase } from '../../../scripts/simulate/sql.ts';
import { costOf } from '../../../src/batch/core/cost.ts';
import { BATCH_MIGRATIONS } from '../../../src/batch/store/batch-migrations.ts';
import { BatchStore } from '../../../src/batch/store/batch-store.ts';
import { NO_USAGE, type Usage } from '../../../src/kernel/usage.ts';
import { storageOf } from '../object-storage.ts';
import { aTicket, SETTLED } from './samples.ts';

vi.mock('cloudflare:workers', () => import('../../../scripts/simulate/workers.ts'));
const { costIn } = await import('../../../src/batch/object/batch-answers.ts');

const batchStorage = () => storageOf(new ObjectDatabase(() => ''), BATCH_MIGRATIONS);

const A_MILLION = 1_000_000;

describe('the cost of a batch', () => {
  it.each<[Partial<Usage>, number]>([
    [{ rowsWritten: A_MILLION }, 1],
    [{ objectCalls: A_MILLION }, 0.15],
    [{ awakeMs: 1_000 * A_MILLION }, 1.5625], // an eighth of a GB for a million seconds
    [{ filesWritten: A_MILLION }, 4.5],
    [{ filesRead: A_MILLION }, 0.36],
    [{ upstreamCalls: A_MILLION }, 0], // they are no item of the list
  ])('of %o is %d dollars', (used, dollars) => {
    expect(costOf({ ...NO_USAGE, ...used }, 0)).toEqual({ ...NO_USAGE, ...used, dollars });
  });

  it('has what every upload or message takes before its batch counts', () => {
    const { dollars, ...used } = costOf(NO_USAGE, 2);
    expect(used).toEqual({ ...NO_USAGE, rowsWritten: 2, objectCalls: 4, filesWritten: 2, filesRead: 2 });
    expect(dollars).toBeCloseTo(2 * 6.46e-6, 5);
  });
});

describe('a batch', () => {
  const one = (upstreamCalls: number): Usage => ({ ...NO_USAGE, upstreamCalls });

  it('keeps what was used by its loads and by itself, stored with whatever it stores next', () => {
    const storage = batchStorage();
    const own = [one(1), one(10), one(0)];
    const store = new BatchStore(storage, { take: () => own.shift() ?? NO_USAGE });
    store.keepTicket(aTicket());
    store.beginUsage();
    store.commit(() => {
      store.uses(one(100));
      store.keepTrouble('planned');
    });
    expect(store.usage()).toEqual(one(111));
    expect(new BatchStore(storage, { take: () => one(0) }).usage()).toEqual(one(101));
  });

  it('that began before anything was counted says nothing of it', () => {
    const store = new BatchStore(batchStorage(), { take: () => one(1) });
    store.uses(one(1));
    expect(store.usage()).toBeNull();
  });

  it('of messages cost what each of them took when it came in, and one of a file that of one upload', () => {
    const costs = (message?: number) => {
      const store = new BatchStore(batchStorage());
      store.beginUsage();
      store.commit(() => {
        store.keepProgress({ ...SETTLED, ...(message === undefined ? {} : { message }) });
        for (let each = 1; each <= (message ?? 0); each += 1)
          store.messages.add({
            message: each,
            uploadId: `u${each}`,
            fileName: null,
            bytes: 1,
            sha256: '',
            receivedAtMs: 1,
          });
      });
      return costIn({ store, messages: store.messages });
    };
    expect([costs(), costs(3)]).toEqual([costOf(NO_USAGE, 1), costOf(NO_USAGE, 3)]);
    const uncounted = new BatchStore(batchStorage());
    expect(costIn({ store: uncounted, messages: uncounted.messages })).toBeNull();
  });
});
