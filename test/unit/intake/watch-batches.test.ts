/** The rounds of a register on its tables: which batches are asked, what is forgotten, and when it wakes next. */
import { expect, it, vi } from 'vitest';
import { ObjectDatabase } from '../../../scripts/simulate/sql.ts';
import { REGISTER_MIGRATIONS } from '../../../src/intake/register-migrations.ts';
import { RollingBatches } from '../../../src/intake/rolling-batches.ts';
import { watchBatches } from '../../../src/intake/watch-batches.ts';
import { BATCH_RETENTION_MS, SWEEP_MS, WATCH_BATCHES_MAX, WATCH_REGISTER_MS } from '../../../src/kernel/limits.ts';
import { storageOf } from '../object-storage.ts';
import { movedClock } from '../upstream/gate-samples.ts';

function aRegister() {
  const { sql } = storageOf(new ObjectDatabase(() => ''), REGISTER_MIGRATIONS);
  const clock = movedClock();
  const asked: string[] = [];
  const answers = new Map<string, 'unknown' | 'watched' | Error>();
  const batch = (batchId: string) => ({
    watch: async () => {
      asked.push(batchId);
      const answer = answers.get(batchId) ?? 'watched';
      if (answer instanceof Error) throw answer;
      return answer;
    },
  });
  const files = { list: async () => ({ objects: [], delimitedPrefixes: [], truncated: false }), delete: vi.fn() };
  const scope = { environment: 'test', partner: 'acme' } as const;
  const add = (batchId: string, state: string, receivedAtMs = clock.nowMs()) =>
    sql.exec(
      'INSERT INTO batch (batch_id, ticket, state) VALUES (?, ?, ?)',
      batchId,
      JSON.stringify({ receivedAtMs }),
      state,
    );
  const round = () =>
    watchBatches({ scope, sql, rolling: new RollingBatches(sql), files: files as never, batch: batch as never, clock });
  const known = () =>
    sql
      .exec<{ batch_id: string }>('SELECT batch_id FROM batch ORDER BY seq')
      .toArray()
      .map((row) => row.batch_id);
  return { sql, clock, asked, answers, add, round, known };
}

it('asks its open batches a round after it was first told of one, and each round again', async () => {
  const { clock, asked, add, round } = aRegister();
  add('b_1', 'open');
  add('b_2', 'settled');
  expect(await round()).toBe(clock.nowMs() + WATCH_REGISTER_MS);
  expect(asked).toEqual([]);
  clock.pass(WATCH_REGISTER_MS);
  expect(await round()).toBe(clock.nowMs() + WATCH_REGISTER_MS);
  expect(asked).toEqual(['b_1']);
  clock.pass(WATCH_REGISTER_MS);
  await round();
  expect(asked).toEqual(['b_1', 'b_1']);
});

it('wakes for nothing but its sweep where none is open', async () => {
  const { clock, add, round } = aRegister();
  add('b_1', 'settled');
  expect(await round()).toBe(clock.nowMs() + SWEEP_MS);
});

it('asks so many at once, and the others soon; one that cannot be reached costs no other its turn', async () => {
  const warned = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  const { clock, asked, answers, add, round } = aRegister();
  for (let number = 1; number <= WATCH_BATCHES_MAX + 1; number += 1) add(`b_${number}`, 'open');
  answers.set('b_1', new Error('planned: it is down'));
  await round();
  clock.pass(WATCH_REGISTER_MS);
  const soonMs = (await round()) - clock.nowMs();
  expect(new Set(asked).size).toBe(WATCH_BATCHES_MAX);
  expect(soonMs).toBeLessThan(WATCH_REGISTER_MS);
  clock.pass(soonMs);
  expect((await round()) - clock.nowMs()).toBe(WATCH_REGISTER_MS);
  expect(asked.slice(WATCH_BATCHES_MAX)).toEqual([`b_${WATCH_BATCHES_MAX + 1}`]);
  warned.mockRestore();
});

it('forgets a batch that says it is gone, once its life is over, and no other', async () => {
  const { clock, asked, answers, add, round, known } = aRegister();
  add('b_old', 'settled');
  add('b_kept', 'settled');
  add('b_open', 'open');
  await round();
  clock.pass(BATCH_RETENTION_MS + SWEEP_MS - 1_000);
  add('b_new', 'settled');
  for (const gone of ['b_old', 'b_new', 'b_open']) answers.set(gone, 'unknown');
  await round();
  expect(known()).toEqual(['b_old', 'b_kept', 'b_open', 'b_new']); // nobody was asked before the end of his life
  asked.length = 0;
  clock.pass(SWEEP_MS);
  await round();
  expect(asked.filter((batchId) => batchId !== 'b_open')).toEqual(['b_old', 'b_kept']);
  expect(known()).toEqual(['b_kept', 'b_open', 'b_new']);
});
