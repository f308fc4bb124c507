/** What a register keeps of an upload before and behind its claim, and when it wakes. */
import { reset, runInDurableObject } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Batch } from '../../../src/batch/object/batch.ts';
import { IntakeRegister } from '../../../src/intake/register.ts';
import { RollingBatches } from '../../../src/intake/rolling-batches.ts';
import { BATCH_PAUSE_MS, UPLOAD_RESERVATION_MS, WATCH_REGISTER_MS } from '../../../src/kernel/limits.ts';
import { TEST_TIME_SCALE } from '../channels.ts';
import { aRegister } from '../registers.ts';
import { loseAlarm } from '../watched.ts';

const wakeUp = IntakeRegister.prototype.alarm;
beforeEach(() => {
  vi.spyOn(Batch.prototype, 'alarm').mockResolvedValue(undefined);
  vi.spyOn(IntakeRegister.prototype, 'alarm').mockResolvedValue(undefined);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

const alarmOf = (stub: DurableObjectStub) => runInDurableObject(stub, (_, { storage }) => storage.getAlarm());
/** The times to which it sets its alarm while it acts, with none before. */
const armedBy = (stub: DurableObjectStub<IntakeRegister>, act: (register: IntakeRegister) => Promise<unknown>) =>
  runInDurableObject(stub, async (register, { storage }) => {
    await storage.deleteAlarm();
    const arms = vi.spyOn(storage, 'setAlarm');
    await act(register);
    const timesMs = arms.mock.calls.map(([at]) => Number(at));
    arms.mockRestore();
    return timesMs;
  });

describe('a key', () => {
  it('is held by the upload that comes first until its time is over, and whoever comes next is told how long', async () => {
    const { stub } = aRegister();
    const nowMs = Date.now();
    const heldMs = UPLOAD_RESERVATION_MS / TEST_TIME_SCALE;
    expect(await stub().reserve('key-1', 'b_1', nowMs)).toEqual({ outcome: 'free' });
    expect(await stub().reserve('key-1', 'b_1', nowMs)).toEqual({ outcome: 'free' });
    const held = { outcome: 'in_flight', untilMs: nowMs + heldMs };
    expect(await stub().reserve('key-1', 'b_2', nowMs + heldMs - 1)).toEqual(held);
    expect(await stub().reserve('key-1', 'b_2', nowMs + heldMs)).toEqual({ outcome: 'free' });
  });

  it('that stands for a batch is held by nobody: each repeat may bring its bytes', async () => {
    const { stub, request: ask } = aRegister();
    await stub().claim(ask({}, { idempotencyKey: 'key-1' }));
    const nowMs = Date.now();
    expect(await stub().reserve('key-1', 'b_1', nowMs)).toEqual({ outcome: 'free' });
    expect(await stub().reserve('key-1', 'b_2', nowMs)).toEqual({ outcome: 'free' });
  });
});

describe('the alarm of a register', () => {
  it('is armed for what it takes, and not for what it refuses', async () => {
    const { stub, request: ask } = aRegister();
    const first = ask({}, { idempotencyKey: 'key-1' });
    expect(await armedBy(stub(), (register) => register.claim(first))).toHaveLength(1);
    const other = ask({ sha256: 'file-2' }, { idempotencyKey: 'key-1', fingerprint: 'fingerprint-2' });
    const refuses = async (register: IntakeRegister) =>
      expect(await register.claim(other)).toMatchObject({ outcome: 'key_reused' });
    expect(await armedBy(stub(), refuses)).toEqual([]);
  });

  it('that was lost comes five minutes after the cron has asked for it', async () => {
    const { stub } = aRegister();
    const beforeMs = Date.now();
    const [atMs = 0] = await armedBy(stub(), (register) => register.watch());
    expect(atMs).toBeGreaterThanOrEqual(beforeMs + WATCH_REGISTER_MS / TEST_TIME_SCALE);
    expect(atMs).toBeLessThanOrEqual(Math.ceil(Date.now() + WATCH_REGISTER_MS / TEST_TIME_SCALE));
  });

  it('comes again where its storage fails as it places messages, and its round is made all the same', async () => {
    const failed = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    vi.spyOn(RollingBatches.prototype, 'noteAssigned').mockImplementationOnce(() => {
      throw new Error('planned: full');
    });
    const armed = await armedBy(aRegister().stub(), (register) => wakeUp.call(register));
    expect(armed.length).toBeGreaterThan(0);
    expect(failed.mock.calls.map(([line]) => JSON.parse(String(line)))).toMatchObject([
      { event: 'message_not_placed', detail: 'planned: full' },
    ]);
  });

  it('comes again for its next round, and says nothing where all went well', async () => {
    const failed = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const { stub, request: ask } = aRegister();
    await stub().claim(ask());
    await loseAlarm(stub());
    const beforeMs = Date.now();
    await runInDurableObject(stub(), (register) => wakeUp.call(register));
    expect(failed).not.toHaveBeenCalled();
    const nextMs = (await alarmOf(stub())) ?? 0;
    expect(nextMs).toBeGreaterThan(beforeMs);
    expect(nextMs).toBeLessThanOrEqual(Math.ceil(Date.now() + WATCH_REGISTER_MS / TEST_TIME_SCALE));
  });

  it('comes again soon after a round that failed, which is logged', async () => {
    const failed = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const { stub, request: ask } = aRegister();
    await stub().claim(ask());
    await runInDurableObject(stub(), async (_, { storage }) => {
      storage.sql.exec('DROP TABLE rounds');
      await storage.deleteAlarm(); // the claim's own comes within some 20 ms
    });
    const beforeMs = Date.now();
    const timesMs = await armedBy(stub(), (register) => wakeUp.call(register));
    expect(failed.mock.calls.map(([line]) => JSON.parse(String(line)))).toMatchObject([
      { event: 'register_round_failed', detail: expect.stringContaining('rounds') },
    ]);
    expect(timesMs).toHaveLength(1);
    expect(timesMs[0]).toBeGreaterThanOrEqual(beforeMs);
    expect(timesMs[0]).toBeLessThanOrEqual(Math.ceil(Date.now() + BATCH_PAUSE_MS / TEST_TIME_SCALE));
  });

  it('asks the open batches also where the platform does not say whose register it is', async () => {
    const watch = vi.spyOn(Batch.prototype, 'watch').mockResolvedValue('known');
    const { stub, request: ask } = aRegister();
    await stub().claim(ask());
    await runInDurableObject(stub(), (register) => wakeUp.call(register));
    await runInDurableObject(stub(), async (register, { id, storage }) => {
      storage.sql.exec(`UPDATE rounds SET json = json_set(json, '$.watch.dueMs', 0)`);
      Object.defineProperty(id, 'name', { value: undefined });
      await wakeUp.call(register);
    });
    expect(watch).toHaveBeenCalledOnce();
  });
});
