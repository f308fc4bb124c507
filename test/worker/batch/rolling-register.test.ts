/** Which batch a message goes to, as the register decides with its claim; and what becomes of a claim whose batch was not told. */
import { evictDurableObject, reset, runInDurableObject } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { BatchTicket } from '../../../src/batch/core/ticket.ts';
import { Batch } from '../../../src/batch/object/batch.ts';
import type { Appended } from '../../../src/batch/steps/messages.ts';
import type { Claim, ClaimRequest } from '../../../src/intake/take-upload.ts';
import { ROLLING_BATCH_MESSAGES_MAX, ROLLING_BATCH_TABLES_MAX } from '../../../src/kernel/limits.ts';
import { PATIENCE } from '../loads.ts';
import { aRegister } from '../registers.ts';
import { loseAlarm } from '../watched.ts';

afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

function messagesRegister() {
  const { stub, request: ask } = aRegister(() => ({
    mapping: 'x12-214',
    format: 'x12',
    receivedAtMs: Date.UTC(2026, 2, 2, 8),
    message: true,
  }));
  const claim = async (ticket: Partial<BatchTicket> = {}, more: Partial<ClaimRequest> = {}) =>
    (await stub().claim(ask(ticket, more))) as Claim;
  const place = async (ticket: Partial<BatchTicket> = {}) => {
    const claimed = await claim(ticket);
    if (claimed.outcome !== 'claimed' || claimed.placed === undefined) throw new Error(`it is ${claimed.outcome}`);
    return claimed.placed;
  };
  return { stub, request: ask, claim, place };
}

const ACCEPTED: Appended = { outcome: 'taken', isFull: false };
let append = vi.spyOn(Batch.prototype, 'append');

beforeEach(() => {
  append = vi.spyOn(Batch.prototype, 'append').mockResolvedValue(ACCEPTED);
});

const interchange = (digest = 'content-1') => ({ key: 'sender 17', control: '000000017', digest });

describe('messages of a partner', () => {
  it('share a batch, each under a number of its own, and the list shows it as one', async () => {
    const { place, stub } = messagesRegister();
    const first = await place({ bytes: 10 });
    const [second, third] = [await place({ bytes: 20 }), await place({ bytes: 30 })];
    expect([first.message, second.message, third.message]).toEqual([1, 2, 3]);
    expect([second.batchId, third.batchId]).toEqual([first.batchId, first.batchId]);
    expect(await stub().list(null, 10)).toMatchObject([{ batch_id: first.batchId, messages: 3, bytes: 60 }]);
  });

  it('that come at the same moment get one batch and different numbers', async () => {
    const { place } = messagesRegister();
    const placed = await Promise.all(Array.from({ length: 20 }, () => place()));
    expect(new Set(placed.map(({ batchId }) => batchId)).size).toBe(1);
    expect(placed.map(({ message }) => message).sort((a, b) => a - b)).toEqual(placed.map((_, index) => index + 1));
  });

  const OTHERS: Record<string, Partial<BatchTicket>> = {
    'a later day': { receivedAtMs: Date.UTC(2026, 2, 3) },
    'another version of the mapping': { mappingSha256: 'version-2' },
    'another SCAC': { scac: 'OTHR' },
    'a key that may use other SCACs': { allowedScacs: ['DEMO', 'OTHR'] },
    'a key of another channel': { channel: 'second' },
    'forced work': { forced: true },
  };
  it.each(Object.keys(OTHERS))('under other terms get a batch of their own: %s', async (which) => {
    const { place } = messagesRegister();
    const first = await place();
    const other = await place(OTHERS[which]);
    expect([other.batchId === first.batchId, other.message]).toEqual([false, 1]);
    expect(await place(OTHERS[which])).toEqual({ batchId: other.batchId, message: 2 });
  });

  it('of a version that is published again go on in the batch of that version', async () => {
    const { place } = messagesRegister();
    const first = await place();
    await place({ mappingSha256: 'version-2' });
    expect(await place()).toEqual({ batchId: first.batchId, message: 2 });
  });

  it('that were under way at midnight do not bring the batch of the new day to an end', async () => {
    const { place } = messagesRegister();
    const today = { receivedAtMs: Date.UTC(2026, 2, 3) };
    const yesterday = { receivedAtMs: Date.UTC(2026, 2, 2, 23, 59, 59, 999) };
    const [old, fresh] = [await place(yesterday), await place(today)];
    const late = await place(yesterday);
    expect([old.batchId, fresh.batchId]).not.toContain(late.batchId);
    expect(await place(today)).toEqual({ batchId: fresh.batchId, message: 2 });
  });

  it.each([
    ['x12', ROLLING_BATCH_MESSAGES_MAX],
    ['csv', ROLLING_BATCH_TABLES_MAX],
  ] as const)('get a new batch when one has as many as may share it: %s', async (format, most) => {
    const { place, stub } = messagesRegister();
    const first = await place({ format });
    const sql = `WITH RECURSIVE number (n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM number WHERE n < ?)
      INSERT INTO message (upload_id, batch_id, message, sha256, received_at_ms)
      SELECT upload_id || n, batch_id, n, '', 0 FROM number, message`;
    await runInDurableObject(stub(), (_, { storage }) => void storage.sql.exec(sql, most - 1).toArray());
    await evictDurableObject(stub());
    expect(await place({ format })).toEqual({ batchId: first.batchId, message: most });
    expect((await place({ format })).message).toBe(1);
  });

  it('get a new batch when one says that it has rows enough', async () => {
    const { place } = messagesRegister();
    const first = await place();
    append.mockResolvedValueOnce({ outcome: 'taken', isFull: true });
    expect(await place()).toEqual({ batchId: first.batchId, message: 2 });
    expect((await place()).message).toBe(1);
  });

  it('that are dry runs share no batch', async () => {
    const { place } = messagesRegister();
    const placed = [await place({ dryRun: true }), await place({ dryRun: true }), await place()];
    expect(new Set(placed.map(({ batchId }) => batchId)).size).toBe(3);
  });
});

describe('a partner with as many files under way as it may have', () => {
  it('may still send messages: they wait for nothing', async () => {
    const { place, claim, stub } = messagesRegister();
    const { batchId } = await place();
    const sql = `WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 1000)
      INSERT INTO batch (batch_id, ticket, created, state) SELECT 'file-' || n, json_object('bytes', 10), 1, 'open' FROM number`;
    await runInDurableObject(stub(), (_, { storage }) => void storage.sql.exec(sql).toArray());
    expect(await claim({ message: false as never })).toMatchObject({ outcome: 'too_much_under_way', files: 1_001 });
    expect(await place()).toEqual({ batchId, message: 2 });
  });
});

describe('a batch that refuses a message', () => {
  it('gets no more of them: this one goes to a new batch, and so does what it claims', async () => {
    const { place, claim, stub } = messagesRegister();
    const first = await place();
    append.mockResolvedValueOnce({ outcome: 'refused' });
    const keyed = { idempotencyKey: 'key-1', interchanges: [interchange()] };
    const moved = await claim({}, keyed);
    expect(moved).toEqual({ outcome: 'claimed', placed: { batchId: expect.any(String), message: 1 } });
    const { batchId } = (moved as { placed: { batchId: string } }).placed;
    expect(batchId).not.toBe(first.batchId);
    expect(await claim({}, keyed)).toMatchObject({ outcome: 'replayed', batchId, message: 1 });
    const repeated = await claim({}, { interchanges: [interchange()] });
    expect(repeated).toMatchObject({ outcome: 'interchange_repeated', refusal: { batchId, message: 1 } });
    expect(await place()).toEqual({ batchId, message: 2 });
    expect(await stub().list(null, 10)).toMatchObject([{ messages: 2 }, { batch_id: first.batchId, messages: 1 }]);
  });

  it('is not asked for ever', async () => {
    append.mockResolvedValue({ outcome: 'refused' });
    const { place } = messagesRegister();
    await expect(place().catch(({ message }: Error) => message)).resolves.toContain('no batch takes message');
    expect(append.mock.calls.length).toBeLessThan(10);
  });
});

describe('a claim whose batch was not told', () => {
  it('is told by the alarm that was armed with the claim, once', async () => {
    append.mockRejectedValueOnce(new Error('planned: died before the batch'));
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const { claim, stub } = messagesRegister();
    await claim().catch(() => undefined);
    await evictDurableObject(stub());
    await vi.waitFor(() => expect(append).toHaveBeenCalledTimes(2), PATIENCE);
    const [part, birth] = append.mock.calls[1] ?? [];
    expect([part?.message, birth?.batchId]).toEqual([1, part?.uploadId]);
  });

  it('is told by the repeat of its sender, which gets its number', async () => {
    const { claim, place, stub } = messagesRegister();
    const first = await place();
    append.mockRejectedValueOnce(new Error('planned: died before the batch'));
    const keyed = { idempotencyKey: 'key-1' };
    await claim({}, keyed).catch(() => undefined);
    await loseAlarm(stub());
    expect(await claim({}, keyed)).toMatchObject({ outcome: 'replayed', batchId: first.batchId, message: 2 });
    expect(append.mock.lastCall?.[0].message).toBe(2);
  });

  it('that its batch cannot be told of costs no other message its turn', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const { request: ask, stub } = messagesRegister();
    const [lost, other] = [ask(), ask({ scac: 'OTHR' })];
    append.mockRejectedValue(new Error('planned: batches are down'));
    for (const each of [lost, other]) await Promise.resolve(stub().claim(each)).catch(() => undefined);
    append.mockImplementation(async ({ uploadId }) => {
      if (uploadId === lost.ticket.batchId) throw new Error('planned: this batch is down');
      return ACCEPTED;
    });
    const offered = (uploadId: string) => append.mock.calls.filter(([part]) => part.uploadId === uploadId).length;
    await vi.waitFor(() => expect(offered(lost.ticket.batchId)).toBeGreaterThan(3), PATIENCE);
    const { length } = append.mock.calls;
    expect(offered(other.ticket.batchId)).toBeLessThan(length - offered(other.ticket.batchId)); // it has its place since
  });

  it('costs the messages behind it nothing', async () => {
    const { claim, place } = messagesRegister();
    const first = await place();
    append.mockRejectedValueOnce(new Error('planned: died before the batch'));
    await claim().catch(() => undefined);
    expect(await place()).toEqual({ batchId: first.batchId, message: 3 });
  });
});

describe('the numbers of interchanges', () => {
  it('that came in a message are refused with the address of the message', async () => {
    const { claim } = messagesRegister();
    await claim();
    await claim({}, { interchanges: [interchange()] });
    expect(await claim({}, { interchanges: [interchange('content-2')] })).toMatchObject({
      outcome: 'interchange_repeated',
      refusal: { code: 'control_conflict', message: 2 },
    });
  });

  it('of a compressed upload are refused once it was read, but for the upload itself', async () => {
    const { stub } = messagesRegister();
    const within = (batchId: string, ...found: ReturnType<typeof interchange>[]) =>
      stub().claimInterchanges(batchId, found);
    expect(await within('b_1', interchange())).toBeNull();
    expect(await within('b_1', interchange())).toBeNull();
    const next = { ...interchange(), key: 'sender 18' };
    expect(await within('b_2', next, interchange())).toMatchObject({ code: 'control_duplicate', batchId: 'b_1' });
    expect(await within('b_3', next)).toBeNull(); // the refused one has claimed nothing
  });

  it('of a message that became nothing may come again, those of its neighbours may not', async () => {
    const { stub, request: ask } = messagesRegister();
    const first = ask({}, { interchanges: [interchange()] });
    const second = ask({}, { interchanges: [{ ...interchange(), key: 'sender 18' }] });
    for (const each of [first, second]) await stub().claim(each);
    await stub().releaseMessage(first.ticket.batchId, false);
    expect((await stub().claim(ask({}, { interchanges: second.interchanges ?? [] }))).outcome).toBe(
      'interchange_repeated',
    );
    expect((await stub().claim(ask({}, { interchanges: first.interchanges ?? [] }))).outcome).toBe('claimed');
  });

  const WITHDRAWN = { state: 'settled', claimsNothing: true, tookNothing: false, opening: 0 } as const;

  it.each(['withdrawn as a whole', 'without anything accepted', 'a message without anything accepted'])(
    'stay with the message that had them when the forced one after it is %s',
    async (end) => {
      const { stub, claim, place, request: ask } = messagesRegister();
      const { batchId } = await place();
      await claim({}, { interchanges: [interchange()] });
      const forced = ask({ forced: true }, { interchanges: [interchange()] });
      const { placed } = (await stub().claim(forced)) as { placed: { batchId: string } };
      const tookNothing = { ...WITHDRAWN, claimsNothing: false, tookNothing: true };
      if (end.startsWith('a message')) await stub().releaseMessage(forced.ticket.batchId, false);
      else await stub().closeBatch(placed.batchId, end.startsWith('withdrawn') ? WITHDRAWN : tookNothing);
      expect(await claim({}, { interchanges: [interchange()] })).toMatchObject({
        outcome: 'interchange_repeated',
        refusal: { code: 'control_duplicate', batchId, message: 2 },
      });
    },
  );

  it.each(['', ', also where the register restarted since'])(
    'are let go with a batch that was withdrawn as a whole, but for a message that it does not have%s',
    async (restart) => {
      const { stub, claim, place } = messagesRegister();
      const { batchId } = await place();
      const had = { interchanges: [interchange()], idempotencyKey: 'key-1' };
      await claim({}, had);
      append.mockRejectedValueOnce(new Error('planned: died before the batch'));
      const late = { interchanges: [{ ...interchange(), key: 'sender 18' }], idempotencyKey: 'key-2' };
      await claim({}, late).catch(() => undefined);
      await loseAlarm(stub());
      if (restart !== '') await evictDurableObject(stub());
      append.mockImplementation(async ({ message }, birth) =>
        birth === null && message === 3 ? { outcome: 'refused' } : ACCEPTED,
      );
      await stub().closeBatch(batchId, WITHDRAWN);
      const again = await claim({}, had);
      expect(again).toMatchObject({ outcome: 'claimed', placed: { batchId: expect.not.stringMatching(batchId) } });
      expect(await claim({}, late)).toMatchObject({
        ...{ outcome: 'replayed', message: 1, batchId: (again as { placed: { batchId: string } }).placed.batchId },
      });
    },
  );

  it('stay with a withdrawn batch that cannot be reached, which reports its end again', async () => {
    const { stub, claim, place } = messagesRegister();
    const { batchId } = await place();
    await claim({}, { interchanges: [interchange()] });
    await loseAlarm(stub());
    await evictDurableObject(stub());
    append.mockRejectedValueOnce(new Error('planned: down'));
    const failed = Promise.resolve(stub().closeBatch(batchId, WITHDRAWN)).catch(({ message }: Error) => message);
    expect(await failed).toBe('planned: down');
    expect((await stub().list(null, 1))[0]).toMatchObject({ batch_id: batchId, state: 'open' });
    await stub().closeBatch(batchId, WITHDRAWN);
    expect(await claim({}, { interchanges: [interchange()] })).toMatchObject({ outcome: 'claimed' });
  });
});

describe('a withdrawn batch that is sent again', () => {
  const WITHDRAWN = { state: 'settled', claimsNothing: true, tookNothing: false, opening: 0 } as const;
  const had = { interchanges: [interchange()], idempotencyKey: 'key-1' };

  async function aWithdrawnBatch() {
    const { stub, claim, place } = messagesRegister();
    const { batchId } = await place();
    await claim({}, had);
    append.mockResolvedValue({ outcome: 'taken', isFull: true }); // what comes again goes to another batch
    await place();
    await stub().closeBatch(batchId, WITHDRAWN);
    return { batchId, claim, reclaim: async () => stub().reclaim(batchId, 0), stub };
  }

  it('has its keys and control numbers back: a repeat is one of it, also in other bytes', async () => {
    const { batchId, claim, reclaim } = await aWithdrawnBatch();
    expect(await reclaim()).toBe(batchId);
    expect(await claim({}, had)).toMatchObject({ outcome: 'replayed', batchId, message: 2 });
    expect(await claim({}, { interchanges: [interchange('content-2')] })).toMatchObject({
      outcome: 'interchange_repeated',
      refusal: { code: 'control_conflict', batchId, message: 2 },
    });
  });

  it.each([
    ['key', { idempotencyKey: 'key-1' }],
    ['control number', { interchanges: [interchange('content-2')] }],
  ])('is told of the batch that has its %s by now', async (_, again) => {
    const { claim, reclaim, batchId, stub } = await aWithdrawnBatch();
    const claimed = await claim({}, again);
    expect(claimed).toMatchObject({ outcome: 'claimed', placed: { batchId: expect.not.stringMatching(batchId) } });
    expect(await reclaim()).toBe((claimed as { placed: { batchId: string } }).placed.batchId);
    await stub().closeBatch(batchId, { ...WITHDRAWN, opening: 1 }); // it has not opened, and says so
    expect(await claim({}, again)).not.toMatchObject({ outcome: 'claimed' });
  });

  it('of a file has them back, too: its interchange in other bytes is a repeat', async () => {
    vi.spyOn(Batch.prototype, 'create').mockResolvedValue(undefined as never);
    const { stub, request: ask } = messagesRegister();
    const file = ask({ message: false as never }, { interchanges: [interchange()] });
    const { batchId } = file.ticket;
    await stub().claim(file);
    await stub().closeBatch(batchId, WITHDRAWN);
    expect(await stub().reclaim(batchId, 0)).toBe(batchId);
    const again = ask({ message: false as never, sha256: 'file-2' }, { interchanges: [interchange()] });
    expect(await stub().claim(again)).toMatchObject({
      outcome: 'interchange_repeated',
      refusal: { code: 'control_duplicate', batchId },
    });
  });

  it('claims no file: the bytes of its first message may come as a file', async () => {
    const { claim, reclaim, batchId } = await aWithdrawnBatch();
    expect(await reclaim()).toBe(batchId);
    vi.spyOn(Batch.prototype, 'create').mockResolvedValue(undefined as never);
    expect(await claim({ message: false as never })).toMatchObject({ outcome: 'claimed' });
  });
});

describe('an Idempotency-Key', () => {
  it('that stands for a message with other content is refused with the batch of the message', async () => {
    const { claim, place } = messagesRegister();
    const { batchId } = await place();
    await claim({ sha256: 'file-2' }, { idempotencyKey: 'key-1' });
    expect(await claim({}, { idempotencyKey: 'key-1', fingerprint: 'fingerprint-2' })).toEqual({
      outcome: 'key_reused',
      batchId,
      sha256: 'file-2',
    });
  });

  it('of a message that could not be read may be used again', async () => {
    const { stub, request: ask } = messagesRegister();
    const asked = ask({}, { idempotencyKey: 'key-1' });
    await stub().claim(asked);
    await stub().releaseMessage(asked.ticket.batchId, true);
    expect((await stub().claim(ask({}, { idempotencyKey: 'key-1' }))).outcome).toBe('claimed');
  });
});

describe('an upload that is refused for a control number that has come before', () => {
  it('does not use up its Idempotency-Key: the same key may come with what is put right', async () => {
    const { claim } = messagesRegister();
    await claim({}, { interchanges: [interchange()] });
    const refused = await claim({}, { interchanges: [interchange('content-2')], idempotencyKey: 'key-1' });
    expect(refused.outcome).toBe('interchange_repeated');
    const mended = { interchanges: [{ ...interchange('content-2'), key: 'sender 18' }], idempotencyKey: 'key-1' };
    expect(await claim({}, { ...mended, fingerprint: 'fingerprint-2' })).toMatchObject({ outcome: 'claimed' });
  });
});

describe('a batch of messages that has come to its end', () => {
  it('leaves nothing of its messages behind', async () => {
    const { stub, claim, place } = messagesRegister();
    const { batchId } = await place();
    await claim({}, { interchanges: [interchange()], idempotencyKey: 'key-1' });
    await stub().forgetBatch(batchId);
    const rows = await runInDurableObject(stub(), (_, { storage }) =>
      ['batch', 'roll', 'message', 'idempotency', 'interchange'].map((table) => [
        table,
        storage.sql.exec(`SELECT * FROM ${table}`).toArray().length,
      ]),
    );
    expect(Object.fromEntries(rows)).toEqual({ batch: 0, roll: 0, message: 0, idempotency: 0, interchange: 0 });
  });
});
