/** Batches that were claimed and not created: each is tried by itself, whatever becomes of the others. */
import { afterEach, expect, it, vi } from 'vitest';
import { ObjectDatabase } from '../../../scripts/simulate/sql.ts';
import type { BatchTicket } from '../../../src/batch/core/ticket.ts';
import { REGISTER_MIGRATIONS } from '../../../src/intake/register-migrations.ts';
import { createUnfinished } from '../../../src/intake/unfinished.ts';
import { aTicket } from '../batch/samples.ts';
import { storageOf } from '../object-storage.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

/** @param tickets as they are stored, oldest first. */
function aRegister(tickets: readonly object[]) {
  const { sql } = storageOf(new ObjectDatabase(() => ''), REGISTER_MIGRATIONS);
  for (const [at, ticket] of tickets.entries())
    sql.exec('INSERT INTO batch (batch_id, ticket) VALUES (?, ?)', `b_${at + 1}`, JSON.stringify(ticket));
  return sql;
}

it('holds up no other where one cannot be read or created, and says each with its reason', async () => {
  const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const ticket = (batchId: string) => aTicket({ batchId });
  const sql = aRegister([{ ...ticket('b_1'), form: 2 }, { batchId: 'b_2' }, ticket('b_3'), ticket('b_4')]);
  const created: string[] = [];
  const create = async ({ batchId }: BatchTicket): Promise<void> => {
    if (batchId === 'b_3') throw new Error('planned: down');
    created.push(batchId);
  };
  expect(await createUnfinished({ sql, create })).toHaveLength(3);
  expect(created).toEqual(['b_4']);
  expect(logged.mock.calls.map(([line]) => JSON.parse(String(line)))).toMatchObject([
    { event: 'batch_not_created', batchId: 'b_1', detail: expect.stringContaining('stored_data_newer') },
    { event: 'batch_not_created', batchId: 'b_2', detail: expect.stringContaining('cannot be read') },
    { event: 'batch_not_created', batchId: 'b_3', detail: 'planned: down' },
  ]);
  expect(await createUnfinished({ sql, create }, 'b_4')).toEqual([]);
});

it('leaves a rolling batch to its first message', async () => {
  const create = vi.fn(async () => undefined);
  expect(await createUnfinished({ sql: aRegister([aTicket({ message: true })]), create })).toEqual([]);
  expect(create).not.toHaveBeenCalled();
});
