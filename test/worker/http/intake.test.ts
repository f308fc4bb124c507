/** From a body to a claim: the bytes as they are stored, and the register that says which upload is new. */
import { evictDurableObject, reset, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { storeParts } from '../../../src/batch/files/store-parts.ts';
import { Batch } from '../../../src/batch/object/batch.ts';
import { IntakeRegister } from '../../../src/intake/register.ts';
import { storeBody } from '../../../src/intake/store-upload.ts';
import { newBatchId } from '../../../src/kernel/ids.ts';
import { CLAIM_RETENTION_MS, UPLOAD_PART_BYTES } from '../../../src/kernel/limits.ts';
import { messageOf } from '../../../src/kernel/log.ts';
import { batchName } from '../../../src/kernel/names.ts';
import { sha256Hex } from '../../../src/kernel/secret.ts';
import { TEST_TIME_SCALE } from '../channels.ts';
import { aRegister } from '../registers.ts';

afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

function watchedRegister() {
  const { scope, stub, request: ask } = aRegister();
  const batchExists = async (batchId: string): Promise<boolean> =>
    (await env.BATCH.getByName(batchName(scope, batchId)).summary()) !== undefined;
  return { scope, stub, request: ask, batchExists };
}

/** The message of a call that fails; an RPC promise may not be handed to `expect`, which would touch its properties. */
async function failureOf(call: () => Promise<unknown>): Promise<string> {
  try {
    await call();
    return 'it did not fail';
  } catch (thrown) {
    return messageOf(thrown);
  }
}

/** Batches exist and read nothing: their files are not there. */
const quietBatches = () => vi.spyOn(Batch.prototype, 'alarm').mockResolvedValue(undefined);

describe('the register', () => {
  it('takes one of fifty claims of the same file at once, and gives the others its id', async () => {
    quietBatches();
    const create = vi.spyOn(Batch.prototype, 'create');
    const { stub, request: ask, batchExists } = watchedRegister();
    const asked = Array.from({ length: 50 }, () => ask());
    const claims = await Promise.all(asked.map((one) => stub().claim(one)));
    const claimed = asked.filter((_, index) => claims[index]?.outcome === 'claimed');
    expect(claimed).toHaveLength(1);
    const batchId = claimed[0]?.ticket.batchId ?? '';
    const others = claims.filter(({ outcome }) => outcome !== 'claimed');
    expect(others).toEqual(
      Array.from({ length: 49 }, () => ({ outcome: 'replayed', batchId, receivedAtMs: expect.any(Number) })),
    );
    expect(new Set(create.mock.calls.map(([ticket]) => ticket.batchId))).toEqual(new Set([batchId]));
    expect(await batchExists(batchId)).toBe(true);
    expect(await stub().list(null, 100)).toHaveLength(1);
  });

  it('takes the same bytes as new under another mapping version or SCAC', async () => {
    quietBatches();
    const { stub, request: ask } = watchedRegister();
    const outcomes = [];
    for (const other of [{}, { mappingSha256: 'version-2' }, { scac: 'ACME' }, { sha256: 'file-2' }, {}]) {
      outcomes.push((await stub().claim(ask(other))).outcome);
    }
    expect(outcomes).toEqual(['claimed', 'claimed', 'claimed', 'claimed', 'replayed']);
  });

  it('finds a claim under any name that its mapping was claimed as, and keeps it under the first', async () => {
    quietBatches();
    const { stub, request: ask } = watchedRegister();
    const first = ask({ mappingSha256: 'of-0.1' }); // that release claimed under the version alone
    await stub().claim(first);
    const now = { mappingSha256: 'version-2', claimedAs: ['work', 'of-0.1'] as const };
    expect(await stub().claim(ask(now))).toMatchObject({ outcome: 'replayed', batchId: first.ticket.batchId });
    const other = ask({ ...now, sha256: 'file-2' });
    expect((await stub().claim(other)).outcome).toBe('claimed');
    const later = ask({ sha256: 'file-2', mappingSha256: 'version-3', claimedAs: ['work', 'version-3'] });
    expect(await stub().claim(later)).toMatchObject({ outcome: 'replayed', batchId: other.ticket.batchId });
    const changed = ask({ sha256: 'file-2', mappingSha256: 'version-4', claimedAs: ['other-work', 'version-4'] });
    expect((await stub().claim(changed)).outcome).toBe('claimed');
  });

  it('has an alarm whenever it has claimed, also where it was lost and the upload comes again', async () => {
    quietBatches();
    const { stub, request: ask } = watchedRegister();
    const alarm = () => runInDurableObject(stub(), (_, state) => state.storage.getAlarm());
    await stub().claim(ask());
    expect(await alarm()).not.toBeNull();
    await runInDurableObject(stub(), (_, state) => state.storage.deleteAlarm());
    expect((await stub().claim(ask())).outcome).toBe('replayed');
    expect(await alarm()).not.toBeNull();
  });

  it('refuses an idempotency key that comes back with something else, naming its batch', async () => {
    quietBatches();
    const { stub, request: ask } = watchedRegister();
    const first = ask({}, { idempotencyKey: 'key-1' });
    await stub().claim(first);
    const reused = ask({ sha256: 'file-2' }, { idempotencyKey: 'key-1', fingerprint: 'fingerprint-2' });
    expect(await stub().claim(reused)).toEqual({
      outcome: 'key_reused',
      batchId: first.ticket.batchId,
      sha256: 'file-1',
    });
    expect(await stub().knows(reused.ticket.batchId)).toBe(false);
    expect(await stub().claim(ask({}, { idempotencyKey: 'key-1' }))).toEqual({
      outcome: 'replayed',
      batchId: first.ticket.batchId,
      receivedAtMs: first.ticket.receivedAtMs,
    });
  });

  it('gives the batch of the bytes to a new idempotency key, and keeps that answer', async () => {
    quietBatches();
    const { stub, request: ask } = watchedRegister();
    const first = ask();
    await stub().claim(first);
    const expected = { outcome: 'replayed', batchId: first.ticket.batchId, receivedAtMs: first.ticket.receivedAtMs };
    expect(await stub().claim(ask({}, { idempotencyKey: 'key-2' }))).toEqual(expected);
    expect(await stub().claim(ask({}, { idempotencyKey: 'key-2' }))).toEqual(expected);
  });

  it('repeats a dry run only under its idempotency key, and lets it claim no bytes', async () => {
    quietBatches();
    const { stub, request: ask } = watchedRegister();
    const dry = ask({ dryRun: true }, { idempotencyKey: 'dry-1' });
    expect(await stub().claim(dry)).toEqual({ outcome: 'claimed' });
    const again = ask({ dryRun: true }, { idempotencyKey: 'dry-1' });
    expect(await stub().claim(again)).toEqual({
      outcome: 'replayed',
      batchId: dry.ticket.batchId,
      receivedAtMs: dry.ticket.receivedAtMs,
    });
    expect(await stub().claim(ask({ dryRun: true }))).toEqual({ outcome: 'claimed' });
    expect(await stub().claim(ask())).toEqual({ outcome: 'claimed' });
  });

  it('creates a claimed batch by its alarm when the process died before it existed', async () => {
    quietBatches();
    const { stub, request: ask, batchExists } = watchedRegister();
    vi.spyOn(Batch.prototype, 'create').mockRejectedValueOnce(new Error('planned: died before the batch'));
    const lost = ask();
    expect(await failureOf(() => stub().claim(lost))).toContain('planned');
    expect(await batchExists(lost.ticket.batchId)).toBe(false);
    await evictDurableObject(stub());
    await runInDurableObject(stub(), (register) => register.alarm());
    expect(await batchExists(lost.ticket.batchId)).toBe(true);
    expect(await stub().claim(ask())).toEqual({
      outcome: 'replayed',
      batchId: lost.ticket.batchId,
      receivedAtMs: lost.ticket.receivedAtMs,
    });
  });

  it('creates it also when the upload is repeated, and before that repeat is answered', async () => {
    quietBatches();
    const { stub, request: ask, batchExists } = watchedRegister();
    vi.spyOn(Batch.prototype, 'create').mockRejectedValueOnce(new Error('planned: died before the batch'));
    const lost = ask();
    expect(await failureOf(() => stub().claim(lost))).toContain('planned');
    expect(await stub().claim(ask())).toEqual({
      outcome: 'replayed',
      batchId: lost.ticket.batchId,
      receivedAtMs: lost.ticket.receivedAtMs,
    });
    expect(await batchExists(lost.ticket.batchId)).toBe(true);
  });

  it('never lets its alarm be lost while the batch cannot be created', async () => {
    quietBatches();
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const { stub, request: ask, batchExists } = watchedRegister();
    const create = vi.spyOn(Batch.prototype, 'create').mockRejectedValue(new Error('planned: batches are down'));
    const lost = ask();
    expect(await failureOf(() => stub().claim(lost))).toContain('planned');
    for (let wakeUps = 0; wakeUps < 2; wakeUps += 1) {
      await runInDurableObject(stub(), (register) => register.alarm()); // does not throw
    }
    create.mockRestore();
    await runInDurableObject(stub(), (register) => register.alarm());
    expect(await batchExists(lost.ticket.batchId)).toBe(true);
  });

  it('creates the others where one batch cannot be created, and answers a repeat of each of them', async () => {
    quietBatches();
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const { stub, request: ask, batchExists } = watchedRegister();
    const [first, second] = [ask(), ask({ sha256: 'file-2' })];
    const whole = Batch.prototype.create;
    const create = vi.spyOn(Batch.prototype, 'create').mockRejectedValue(new Error('planned: batches are down'));
    for (const lost of [first, second]) expect(await failureOf(() => stub().claim(lost))).toContain('planned');
    create.mockImplementation(function (this: Batch, ticket) {
      if (ticket.batchId === first.ticket.batchId) return Promise.reject(new Error('planned: this one is down'));
      return whole.call(this, ticket);
    });
    expect(await stub().claim(ask({ sha256: 'file-2' }))).toMatchObject({ batchId: second.ticket.batchId });
    expect(await batchExists(second.ticket.batchId)).toBe(true);
    const third = ask({ sha256: 'file-3' });
    create.mockRejectedValueOnce(new Error('planned: down once more'));
    expect(await failureOf(() => stub().claim(third))).toContain('planned');
    await runInDurableObject(stub(), (register) => register.alarm());
    expect(await batchExists(third.ticket.batchId)).toBe(true);
  });

  it('creates a batch that was lost before its partner is erased, and waits for its end', async () => {
    quietBatches();
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const { scope, stub, request: ask, batchExists } = watchedRegister();
    const create = vi.spyOn(Batch.prototype, 'create').mockRejectedValue(new Error('planned: batches are down'));
    const lost = ask();
    expect(await failureOf(() => stub().claim(lost))).toContain('planned');
    await stub().eraseAll(scope);
    await runInDurableObject(stub(), (register) => register.alarm());
    expect(await stub().erasable()).toMatchObject({ batches: 1 });
    create.mockRestore();
    await runInDurableObject(stub(), (register) => register.alarm());
    expect([await batchExists(lost.ticket.batchId), await stub().erasable()]).toMatchObject([true, { batches: 1 }]);
  });

  it('erases the other batches of its partner where one cannot be created', async () => {
    quietBatches();
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const { scope, stub, request: ask } = watchedRegister();
    await stub().claim(ask());
    vi.spyOn(Batch.prototype, 'create').mockRejectedValue(new Error('planned: batches are down'));
    expect(await failureOf(() => stub().claim(ask({ sha256: 'file-2' })))).toContain('planned');
    vi.spyOn(Batch.prototype, 'eraseWhole').mockResolvedValue('gone');
    await stub().eraseAll(scope);
    await runInDurableObject(stub(), (register) => register.alarm());
    expect(await stub().erasable()).toMatchObject({ batches: 1, open: 1 });
  });

  it('remembers claims and keys when it is evicted, and forgets them after their life', async () => {
    quietBatches();
    const { stub, request: ask } = watchedRegister();
    const old = ask(
      { receivedAtMs: Date.now() - CLAIM_RETENTION_MS / TEST_TIME_SCALE - 1_000 },
      { idempotencyKey: 'key-1' },
    );
    const recent = ask({ sha256: 'file-2', receivedAtMs: Date.now() - CLAIM_RETENTION_MS / TEST_TIME_SCALE + 60_000 });
    await stub().claim(old);
    await stub().claim(recent);
    await evictDurableObject(stub());
    expect(await stub().claim(ask({ sha256: 'file-2' }))).toMatchObject({ batchId: recent.ticket.batchId });
    expect(await stub().claim(ask({}, { idempotencyKey: 'key-1', fingerprint: 'other' }))).toEqual({
      outcome: 'claimed',
    });
  });

  it('goes by the latest opening of a batch, whatever comes late', async () => {
    quietBatches();
    const { stub, request: ask } = watchedRegister();
    const [other, one] = [ask({ sha256: 'file-0' }), ask({ sha256: 'file-1' })];
    for (const asked of [other, one]) await stub().claim(asked);
    const { batchId } = one.ticket;
    const settled = { state: 'settled', claimsNothing: false, tookNothing: false } as const;
    const stateNow = async () => (await stub().list(null, 1))[0]?.state;
    for (const asked of [other, one]) await stub().closeBatch(asked.ticket.batchId, { ...settled, opening: 0 });
    await stub().reopenBatch(batchId, 1);
    expect((await stub().list(null, 2)).map(({ state }) => state)).toEqual(['open', 'settled']);
    await stub().closeBatch(batchId, { ...settled, claimsNothing: true, opening: 0 });
    expect(await stateNow()).toBe('open');
    expect((await stub().claim(ask({ sha256: 'file-1' }))).outcome).toBe('replayed'); // its claim stands
    await stub().closeBatch(batchId, { ...settled, opening: 1 });
    await stub().reopenBatch(batchId, 1);
    expect(await stateNow()).toBe('settled');
  });

  it('lists its batches newest first, page by page, with the state they ended in', async () => {
    quietBatches();
    const { stub, request: ask } = watchedRegister();
    const asked = [1, 2, 3, 4, 5].map((number) => ask({ sha256: `file-${number}` }));
    for (const one of asked) await stub().claim(one);
    await stub().closeBatch(asked[1]?.ticket.batchId ?? '', {
      state: 'settled',
      claimsNothing: false,
      tookNothing: false,
      opening: 0,
    });
    const newestFirst = asked.map(({ ticket }) => ticket.batchId).reverse();
    const first = await stub().list(null, 3);
    expect(first.map(({ batch_id }) => batch_id)).toEqual(newestFirst.slice(0, 3));
    const second = await stub().list(first.at(-1)?.seq ?? null, 3);
    expect(second.map(({ batch_id, state }) => [batch_id, state])).toEqual([
      [newestFirst[3], 'settled'],
      [newestFirst[4], 'open'],
    ]);
  });

  it('knows its own batches and no others', async () => {
    quietBatches();
    const [one, other] = [watchedRegister(), watchedRegister()];
    const asked = one.request();
    await one.stub().claim(asked);
    expect(await one.stub().knows(asked.ticket.batchId)).toBe(true);
    expect(await other.stub().knows(asked.ticket.batchId)).toBe(false);
    expect(await one.stub().knows("' OR 1=1 --")).toBe(false);
  });

  it('does not push back the alarm that will create a lost batch when other uploads keep coming', async () => {
    quietBatches();
    const { stub, request: ask } = watchedRegister();
    const alarm = () => runInDurableObject(stub(), (_, state) => state.storage.getAlarm());
    const rings = vi.spyOn(IntakeRegister.prototype, 'alarm').mockResolvedValue(undefined);
    const startedMs = Date.now();
    await runInDurableObject(stub(), (_, state) => state.storage.setAlarm(startedMs + 1));
    await vi.waitFor(async () => {
      await stub().claim(ask({ batchId: newBatchId(Date.now()), sha256: crypto.randomUUID() }));
      expect(rings).toHaveBeenCalled();
    });
    await runInDurableObject(stub(), (_, state) => state.storage.setAlarm(Date.now() + 86_400_000));
    await stub().claim(ask({ sha256: 'file-2' }));
    expect((await alarm()) ?? 0).toBeLessThan(Date.now() + 60_000);
  });
});

describe('the bytes of an upload', () => {
  const streamOf = (...chunks: (Uint8Array<ArrayBuffer> | Error)[]): ReadableStream<Uint8Array> =>
    new ReadableStream({
      type: 'bytes',
      pull(controller) {
        const chunk = chunks.shift();
        if (chunk instanceof Error) controller.error(chunk);
        else if (chunk) controller.enqueue(chunk);
        else {
          controller.close();
          controller.byobRequest?.respond(0);
        }
      },
    });
  /** No two chunks of an upload are alike. */
  const someBytes = (count: number): Uint8Array<ArrayBuffer> =>
    new Uint8Array(Array.from({ length: count }, (_, index) => (index * 31 + (index >> 16) * 13) % 256));
  const stored = async (key: string) => (await env.FILES.get(key))?.bytes();

  it.each([1, 4_096, 65_535, 65_536, 65_537, 300_000])('are stored as they came and hashed: %i', async (count) => {
    const bytes = someBytes(count);
    const half = Math.floor(count / 2);
    const body = streamOf(...[bytes.slice(0, half), bytes.slice(half)].filter(({ length }) => length > 0));
    expect(await storeBody(env.FILES, 'a', body, count)).toEqual({
      ok: true,
      value: { sha256: await sha256Hex(bytes), bytes: count },
    });
    expect(await stored('a')).toEqual(bytes);
  });

  it('are stored as they came by a storage that takes them later than they come', async () => {
    const bytes = someBytes(300_000);
    const taken: number[] = [];
    const slow = {
      async put(_key: string, body: ReadableStream<Uint8Array>) {
        for await (const chunk of body) {
          await env.FILES.head('nothing'); // turns of the event loop, in which the next bytes could overwrite these
          taken.push(...chunk);
        }
      },
    } as unknown as R2Bucket;
    const kept = await storeBody(slow, 'slow', streamOf(bytes.slice()), bytes.length);
    expect(kept).toEqual({ ok: true, value: { sha256: await sha256Hex(bytes), bytes: bytes.length } });
    expect(new Uint8Array(taken)).toEqual(bytes);
  });

  it('are whole where the end of the stream comes without a view', async () => {
    const bytes = someBytes(10);
    const reads = [
      { done: false, value: bytes },
      { done: true, value: undefined },
    ];
    const body = { getReader: () => ({ readAtLeast: async () => reads.shift() }) } as unknown as ReadableStream;
    expect(await storeBody(env.FILES, 'a', body, 10)).toEqual({
      ok: true,
      value: { sha256: await sha256Hex(bytes), bytes: 10 },
    });
  });

  it('leave nothing behind when fewer come than were declared', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    expect(await storeBody(env.FILES, 'b', streamOf(someBytes(70_000)), 90_000)).toEqual({
      ok: false,
      error: { code: 'body_cut', declaredBytes: 90_000, receivedBytes: 70_000 },
    });
    expect(await stored('b')).toBeUndefined();
  });

  it('leave nothing behind when more come than were declared', async () => {
    const outcome = await storeBody(env.FILES, 'c', streamOf(someBytes(70_000), someBytes(70_000)), 90_000);
    expect(outcome).toMatchObject({ ok: false, error: { code: 'body_cut', declaredBytes: 90_000 } });
    expect(await stored('c')).toBeUndefined();
  });

  it('leave nothing behind when the connection breaks', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const body = streamOf(someBytes(70_000), new Error('connection lost'));
    expect(await storeBody(env.FILES, 'd', body, 90_000)).toMatchObject({ ok: false, error: { code: 'body_cut' } });
    expect(await stored('d')).toBeUndefined();
  });

  it('are not accepted when storage fails after it has taken them', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const put = async (_: string, body: unknown) => {
      await new Response(body as ReadableStream).arrayBuffer();
      throw new Error('planned: storage is down');
    };
    expect(await storeBody({ put } as never, 'e', streamOf(someBytes(10)), 10)).toEqual({
      ok: false,
      error: { code: 'storage_unavailable' },
    });
  });

  it.each([
    ['stops reading', (body: ReadableStream) => body.cancel('planned')],
    ['never reads', async () => undefined],
  ])('are not accepted when storage fails before it has taken them all: it %s', async (_, fail) => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const put = async (_key: string, body: unknown) => {
      await fail(body as ReadableStream);
      throw new Error('planned: storage is down');
    };
    const body = streamOf(someBytes(70_000), someBytes(70_000));
    expect(await storeBody({ put } as never, 'f', body, 140_000)).toEqual({
      ok: false,
      error: { code: 'storage_unavailable' },
    });
  });
});

describe('the bytes of an upload of unknown length', () => {
  const PART = UPLOAD_PART_BYTES;
  const someBytes = (count: number): Uint8Array<ArrayBuffer> => {
    const bytes = new Uint8Array(count);
    for (let index = 0; index < count; index += 1) bytes[index] = (index * 31 + (index >> 12)) % 256;
    return bytes;
  };
  const bodyOf = (bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array> =>
    bytes.length === 0 ? streamThatEnds() : (new Response(bytes).body as ReadableStream<Uint8Array>);
  const streamThatEnds = (): ReadableStream<Uint8Array> =>
    new Response('').body ?? new ReadableStream({ type: 'bytes' });
  const broken = (bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array> => {
    let given = false;
    return new ReadableStream({
      type: 'bytes',
      pull(controller) {
        if (given) controller.error(new Error('connection lost'));
        else controller.enqueue(bytes.slice());
        given = true;
      },
    });
  };

  it.each([1, 100_000, PART - 1, PART, PART + 1, 2 * PART, 2 * PART + 77])(
    'are stored, counted and hashed: %i',
    async (count) => {
      const bytes = someBytes(count);
      const outcome = await storeParts(env.FILES, { key: `p-${count}`, bytesMax: 10 * PART }, bodyOf(bytes));
      expect(outcome).toEqual({ ok: true, value: { sha256: await sha256Hex(bytes), bytes: count } });
      const kept = await (await env.FILES.get(`p-${count}`))?.bytes();
      expect(kept?.length).toBe(count);
      expect(await sha256Hex(kept as Uint8Array<ArrayBuffer>)).toBe(await sha256Hex(bytes));
    },
  );

  it.each([100, PART + 100])('leave nothing behind when the connection breaks after %i', async (count) => {
    vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const outcome = await storeParts(env.FILES, { key: 'p-broken', bytesMax: 10 * PART }, broken(someBytes(count)));
    expect(outcome).toMatchObject({ ok: false, error: { code: 'body_cut' } });
    expect(await env.FILES.head('p-broken')).toBeNull();
  });

  it('are not accepted when storage fails at the second part', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const abort = vi.fn(async () => undefined);
    const uploadPart = vi.fn(async (partNumber: number) => {
      if (partNumber === 2) throw new Error('planned: storage is down');
      return { partNumber, etag: 'x' };
    });
    const files = { put: vi.fn(), createMultipartUpload: async () => ({ abort, uploadPart, complete: vi.fn() }) };
    const outcome = await storeParts(
      files as never,
      { key: 'p', bytesMax: 10 * PART },
      bodyOf(someBytes(2 * PART + 1)),
    );
    expect(outcome).toEqual({ ok: false, error: { code: 'storage_unavailable' } });
    expect(abort).toHaveBeenCalledOnce();
  });
});
