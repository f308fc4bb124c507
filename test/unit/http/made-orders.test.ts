/** Orders without a feed are found in the batches that were to make them: all of them, once, in pages that cost a bounded number of calls. */
import { expect, it } from 'vitest';
import {
  type MadeOrdersCursor,
  madeOrders,
  readMadeCheckpoint,
  writeMadeCheckpoint,
} from '../../../src/http/views/made-orders.ts';
import { BATCHES_PAGE_MAX, ORDER_BATCHES_MAX } from '../../../src/kernel/limits.ts';

interface Made {
  orders: number;
  dryRun?: boolean;
  mapping?: string;
}

/** The last of them is the newest. */
function batchesOf(made: readonly Made[]) {
  const asked: string[] = [];
  const all = made.map(({ dryRun = false, mapping = 'orders-csv' }, index) => ({
    batch_id: `b_${index + 1}`,
    seq: index + 1,
    ticket: JSON.stringify({ dryRun, mapping, receivedAtMs: index }),
    ...{ state: 'settled', messages: null, bytes: null },
  }));
  return {
    asked,
    register: {
      list: async (before: number | null, limit: number) =>
        all
          .filter(({ seq }) => before === null || seq < before)
          .reverse()
          .slice(0, limit),
    },
    batch: (batchId: string) => ({
      madeOrders: async (after: { record: number }, limit: number) => {
        asked.push(batchId);
        const index = Number(batchId.slice(2)) - 1;
        return Array.from({ length: made[index]?.orders ?? 0 }, (_, at) => at + 1)
          .filter((record) => record > after.record)
          .slice(0, limit)
          .map((record) => ({ record, request: 1, orderRef: `${batchId}-${record}`, state: 'delivered' as const }));
      },
    }),
    mayMakeOrders: (mapping: string) => mapping === 'orders-csv',
  };
}

async function allPages(ports: ReturnType<typeof batchesOf>, limit: number): Promise<string[][]> {
  const pages: string[][] = [];
  for (let mark: MadeOrdersCursor | null = null; ; ) {
    const { orders, next } = await madeOrders(ports, mark, limit);
    pages.push(orders.map(({ orderRef }) => orderRef));
    if (next === null) return pages;
    mark = readMadeCheckpoint(writeMadeCheckpoint(next)) ?? null;
  }
}

it('lists each order once, newest batch first, whatever the size of a page', async () => {
  const made = [{ orders: 3 }, { orders: 0 }, { orders: 2 }];
  const all = ['b_3-1', 'b_3-2', 'b_1-1', 'b_1-2', 'b_1-3'];
  for (const limit of [1, 2, 3, 5, 50])
    expect((await allPages(batchesOf(made), limit)).flat(), `${limit}`).toEqual(all);
});

it('asks no batch that was a dry run, or whose mapping makes no orders', async () => {
  const ports = batchesOf([{ orders: 1 }, { orders: 1, dryRun: true }, { orders: 1, mapping: 'status-csv' }]);
  expect((await madeOrders(ports, null, 10)).orders).toMatchObject([{ batchId: 'b_1', receivedAtMs: 0 }]);
  expect(ports.asked).toEqual(['b_1']);
});

it('comes short where many batches hold nothing, and goes on from there', async () => {
  const made = [{ orders: 1 }, ...Array.from({ length: ORDER_BATCHES_MAX + BATCHES_PAGE_MAX }, () => ({ orders: 0 }))];
  const ports = batchesOf(made);
  const first = await madeOrders(ports, null, 10);
  expect([first.orders, ports.asked.length]).toEqual([[], ORDER_BATCHES_MAX]);
  expect((await allPages(ports, 10)).flat()).toEqual(['b_1-1']);
});

it.each(['', 'SO-1', '1~2', '0~1~1', '1~2~3~4', '-1~2~3'])('takes %j for no place in the list', (text) => {
  expect(readMadeCheckpoint(text)).toBeUndefined();
});
