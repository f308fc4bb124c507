/** How a register erases what its partner has: one step after the other, and what came too late is not taken. */
import { beforeEach, expect, it, vi } from 'vitest';
import { ObjectDatabase } from '../../../scripts/simulate/sql.ts';
import type { BatchTicket } from '../../../src/batch/core/ticket.ts';
import { beginErasing, erasableRegister, erasingStep, isErased, noteErased } from '../../../src/intake/erasing.ts';
import { BATCHES_ERASED_AT_ONCE, CREATION_PATIENCE_MS } from '../../../src/intake/limits.ts';
import { REGISTER_MIGRATIONS } from '../../../src/intake/register-migrations.ts';
import { firstBatchId } from '../../../src/kernel/ids.ts';
import { BATCH_PAUSE_MS } from '../../../src/kernel/limits.ts';
import { aTicket } from '../batch/samples.ts';
import { storageOf } from '../object-storage.ts';

const SCOPE = { environment: 'test', partner: 'acme' } as const;
const NOW_MS = Date.UTC(2026, 2, 2, 8);
const clock = { nowMs: () => NOW_MS, timeScale: 1 };

beforeEach(() => {
  for (const level of ['warn', 'error'] as const) vi.spyOn(console, level).mockImplementation(() => undefined);
});

/** A register with so many batches, each of which answers as it is told here; absent: its erasure has begun. */
function aRegister(batches: number) {
  const kept = new Map<string, unknown>();
  const kv = { get: (key: string) => kept.get(key), put: (key: string, value: unknown) => void kept.set(key, value) };
  const { sql } = storageOf(new ObjectDatabase(() => ''), REGISTER_MIGRATIONS);
  for (let at = 1; at <= batches; at += 1)
    sql.exec('INSERT INTO batch (batch_id, ticket, created) VALUES (?, ?, 1)', `b_${at}`, '{}');
  const storage = { sql, kv } as unknown as DurableObjectStorage;
  const answers = new Map<string, 'gone' | 'under_way' | Error>();
  const asked: string[] = [];
  const created: string[] = [];
  const create = async ({ batchId }: BatchTicket): Promise<void> => {
    if (!answers.has(batchId)) throw new Error('planned: it cannot be called');
    created.push(batchId);
    sql.exec('UPDATE batch SET created = 1 WHERE batch_id = ?', batchId);
  };
  const step = async () => {
    asked.length = 0;
    const nextMs = await erasingStep({
      ...{ scope: SCOPE, storage, clock, create },
      files: { list: async () => ({ objects: [] }), delete: async () => undefined } as never,
      batch: (batchId) => ({
        eraseWhole: async () => {
          asked.push(batchId);
          const answer = answers.get(batchId) ?? 'begun';
          if (answer instanceof Error) throw answer;
          return answer;
        },
      }),
      forget: (batchId) => void sql.exec('DELETE FROM batch WHERE batch_id = ?', batchId),
    });
    return { nextMs, asked: asked.length, first: asked[0] };
  };
  return { storage, answers, created, step };
}

it('asks one page of batches after the other, and begins again: those that are not over hold up only themselves', async () => {
  const { storage, answers, step } = aRegister(BATCHES_ERASED_AT_ONCE + 2);
  for (let at = 1; at <= BATCHES_ERASED_AT_ONCE; at += 1)
    answers.set(`b_${at}`, at % 2 === 0 ? 'under_way' : new Error('planned: it does not answer'));
  beginErasing(storage, SCOPE, NOW_MS);
  const nextMs = NOW_MS + BATCH_PAUSE_MS;
  expect(await step()).toEqual({ nextMs, asked: BATCHES_ERASED_AT_ONCE, first: 'b_1' });
  for (const at of [1, 2]) answers.set(`b_${BATCHES_ERASED_AT_ONCE + at}`, 'gone');
  expect(await step()).toEqual({ nextMs, asked: 2, first: `b_${BATCHES_ERASED_AT_ONCE + 1}` });
  for (let at = 1; at <= BATCHES_ERASED_AT_ONCE; at += 1) answers.set(`b_${at}`, 'gone');
  expect(await step()).toEqual({ nextMs, asked: BATCHES_ERASED_AT_ONCE, first: 'b_1' });
  expect(await step()).toEqual({ nextMs: null, asked: 0, first: undefined });
});

it('creates what can be, waits for the rest, and gives up what could not be for an hour: that is not created, and so not sent', async () => {
  const { storage, answers, created, step } = aRegister(1);
  const [early, late] = [NOW_MS - CREATION_PATIENCE_MS - 1, NOW_MS - CREATION_PATIENCE_MS].map(firstBatchId) as [
    string,
    string,
  ];
  for (const batchId of [early, late]) {
    const ticket = JSON.stringify(aTicket({ batchId }));
    storage.sql.exec('INSERT INTO batch (batch_id, ticket) VALUES (?, ?)', batchId, ticket);
  }
  storage.sql.exec("UPDATE batch SET state = 'settled' WHERE created = 1");
  expect(erasableRegister(storage, clock)).toMatchObject({ batches: 3, open: 1, notCreated: 1 });
  beginErasing(storage, SCOPE, NOW_MS);
  for (const batchId of ['b_1', early]) answers.set(batchId, 'gone');
  const nextMs = NOW_MS + BATCH_PAUSE_MS;
  expect(await step()).toEqual({ nextMs, asked: 2, first: 'b_1' });
  expect([await step(), created]).toEqual([{ nextMs, asked: 0, first: undefined }, []]);
  answers.set(late, 'gone');
  expect([await step(), created]).toEqual([{ nextMs, asked: 1, first: late }, [late]]);
  expect(await step()).toEqual({ nextMs: null, asked: 0, first: undefined });
});

it('takes nothing from when it begins, and afterwards nothing that was received before it was over', () => {
  const { storage } = aRegister(0);
  expect(isErased(storage, NOW_MS)).toBe(false);
  beginErasing(storage, SCOPE, NOW_MS);
  expect(isErased(storage, NOW_MS + 1)).toBe(true);
  const after = aRegister(0).storage;
  noteErased(after, NOW_MS);
  expect([isErased(after, NOW_MS - 1), isErased(after, NOW_MS), isErased(after, NOW_MS + 1)]).toEqual([
    ...[true, true, false],
  ]);
});
