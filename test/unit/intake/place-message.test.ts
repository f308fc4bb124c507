/** A claimed message finds its batch, whatever that answers and however often it is offered. */
import { expect, it, vi } from 'vitest';
import { ObjectDatabase } from '../../../scripts/simulate/sql.ts';
import type { BatchTicket } from '../../../src/batch/core/ticket.ts';
import type { Appended } from '../../../src/batch/steps/messages.ts';
import { REGISTER_MIGRATIONS } from '../../../src/intake/register-migrations.ts';
import {
  assignToBatch,
  assignUnassigned,
  type PlacingPort,
  RollingBatches,
} from '../../../src/intake/rolling-batches.ts';
import { MESSAGES_ASSIGNED_AT_ONCE, PLACES_TRIED_MAX } from '../../../src/kernel/limits.ts';
import { storageOf } from '../object-storage.ts';

function aRegister(answer: (uploadId: string, name: string) => Appended) {
  const storage = storageOf(new ObjectDatabase(() => ''), REGISTER_MIGRATIONS) as unknown as PlacingPort['storage'];
  const rolling = new RollingBatches(storage.sql);
  const offered: [message: number, birth: string | null][] = [];
  const port: PlacingPort = {
    storage,
    rolling,
    batch: (name) => ({
      append: async ({ message, uploadId }, birth) => {
        offered.push([message, birth?.batchId ?? null]);
        return answer(uploadId, name);
      },
    }),
  };
  let uploads = 0;
  const claim = (): string => {
    uploads += 1;
    const ticket = {
      ...{ batchId: `b_${uploads}`, environment: 'test', partner: 'acme', mapping: 'x12-214', mappingSha256: 'v1' },
      ...{ scac: 'DEMO', allowedScacs: ['DEMO'], channel: 'main', format: 'x12', fileName: null, bytes: 1 },
      ...{ sha256: 's', receivedAtMs: Date.UTC(2026, 2, 2) + uploads, dryRun: false, message: true },
    } as const satisfies BatchTicket;
    rolling.assign(ticket);
    return ticket.batchId;
  };
  return { port, offered, claim, left: () => rolling.unplaced(10) };
}
const ACCEPTED: Appended = { outcome: 'taken', isFull: false };

it('is offered to its batch, the first one with the ticket that the batch is born with, and not again once that has it', async () => {
  const { port, offered, claim, left } = aRegister(() => ACCEPTED);
  const [first, second] = [claim(), claim()];
  expect(left()).toEqual([first, second]);
  expect(await assignToBatch(port, first)).toEqual({ batchId: first, message: 1 });
  expect(await assignToBatch(port, second)).toEqual({ batchId: first, message: 2 });
  await assignToBatch(port, second);
  expect([offered, left()]).toEqual([
    [
      [1, first],
      [2, null],
    ],
    [],
  ]);
});

it('goes to the next batch where one refuses it, and begins another where its batch is full', async () => {
  const refuses = new Set<string>();
  const { port, claim } = aRegister((uploadId) =>
    refuses.delete(uploadId) ? { outcome: 'refused' } : { outcome: 'taken', isFull: uploadId === 'b_2' },
  );
  const [first, second] = [claim(), claim()];
  await assignToBatch(port, first);
  refuses.add(second);
  expect(await assignToBatch(port, second)).toEqual({ batchId: second, message: 1 });
  const third = claim();
  expect(await assignToBatch(port, third)).toEqual({ batchId: third, message: 1 }); // the second one's batch was full
});

it('is offered so often and no more, where every batch refuses it, and one that nobody claimed not at all', async () => {
  const { port, offered, claim } = aRegister(() => ({ outcome: 'refused' }));
  await expect(assignToBatch(port, claim())).rejects.toThrow('no batch takes message b_1');
  expect(offered.length).toBeLessThan(10);
  await expect(assignToBatch(port, 'b_9')).rejects.toThrow('message b_9 is not known');
});

it('has its place where the last batch that it is offered takes it', async () => {
  let answers = 0;
  const { port, claim } = aRegister(() => {
    answers += 1;
    return answers <= PLACES_TRIED_MAX ? { outcome: 'refused' } : ACCEPTED;
  });
  const uploadId = claim();
  expect(await assignToBatch(port, uploadId)).toMatchObject({ message: 1 });
});

it('costs the others nothing when its batch cannot be told: these have theirs, and it is known that one is left', async () => {
  const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  let isDown = true;
  const { port, claim, left } = aRegister((uploadId) => {
    if (isDown && uploadId === 'b_1') throw new Error('planned: down');
    return ACCEPTED;
  });
  const [first] = [claim(), claim()];
  expect([await assignUnassigned(port), left()]).toEqual([false, [first]]);
  expect(logged.mock.calls.map(([line]) => JSON.parse(String(line)))).toEqual([
    { event: 'message_not_placed', detail: `message ${first}: planned: down` },
  ]);
  isDown = false;
  expect([await assignUnassigned(port), left()]).toEqual([true, []]);
  logged.mockRestore();
});

it('comes next where those before it could not be offered, however many they are', async () => {
  const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const claimed: string[] = [];
  const { port, claim, left } = aRegister((uploadId) => {
    if (uploadId !== claimed.at(-1)) throw new Error('planned: down');
    return ACCEPTED;
  });
  for (let at = 0; at <= MESSAGES_ASSIGNED_AT_ONCE; at += 1) claimed.push(claim());
  for (let wakeUps = 0; wakeUps < 2; wakeUps += 1) expect(await assignUnassigned(port)).toBe(false);
  expect(port.rolling.unplaced(claimed.length)).not.toContain(claimed.at(-1));
  expect(left()).toHaveLength(10);
  logged.mockRestore();
});
