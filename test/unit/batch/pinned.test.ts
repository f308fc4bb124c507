/** The stored bytes of a batch by range, with and without a memory that is read into again. */
import { expect, it } from 'vitest';
import {
  emptyReadMemory,
  forgetArrived,
  keepArrived,
  pinnedMapping,
  pinVersionOnce,
  storedSource,
} from '../../../src/batch/files/pinned.ts';
import { sourceKey } from '../../../src/kernel/names.ts';

const BATCH = { environment: 'test', partner: 'acme', batchId: 'b_1', bytes: 10 } as const;
const FILE = new Uint8Array([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);

/** Takes the memory away and gives it back with what was read, as the platform's does. */
const readerOf = (bytes: Uint8Array) => ({
  readAtLeast: async (_least: number, view: Uint8Array) => {
    if (bytes.length === 0) return { done: true, value: undefined };
    const buffer = (view.buffer as ArrayBuffer).transfer();
    const value = new Uint8Array(buffer, 0, bytes.length);
    value.set(bytes);
    return { done: false, value };
  },
  read: async () => ({ done: true }),
});

function bucket(kept: Record<string, Uint8Array> = { [sourceKey(BATCH, 'b_1')]: FILE }) {
  const asked: string[] = [];
  const files = {
    get: async (key: string, { range }: { range: { offset: number; length: number } }) => {
      asked.push(`${range.offset}+${range.length}`);
      const bytes = kept[key]?.slice(range.offset, range.offset + range.length);
      if (bytes === undefined) return null;
      return { body: { getReader: () => readerOf(bytes) }, arrayBuffer: async () => bytes.buffer };
    },
  } as unknown as Pick<R2Bucket, 'get'>;
  return { files, asked };
}

it('reads what is asked, and nothing where nothing is', async () => {
  const { files, asked } = bucket();
  const source = storedSource(files, BATCH, null);
  expect([...(await source.read(2, 3))]).toEqual([2, 3, 4]);
  expect([...(await source.read(2, 0))]).toEqual([]);
  expect([source.bytes, asked]).toEqual([10, ['2+3']]);
});

it('says whose bytes are missing', async () => {
  await expect(storedSource(bucket({}).files, BATCH, null).read(0, 1)).rejects.toThrow(
    'the stored bytes of b_1 are missing',
  );
});

it('says which version of a mapping is missing', async () => {
  const files = { get: async () => null } as unknown as R2Bucket;
  await expect(pinnedMapping(files, 'a-version')).rejects.toThrow('mapping version a-version is missing');
  const broken = { get: async () => ({ text: async () => '{}' }) } as unknown as R2Bucket;
  await expect(pinnedMapping(broken, 'a-version')).rejects.toThrow('mapping version a-version does not compile');
});

it('reads ahead into its memory, and again only what that does not hold', async () => {
  const { files, asked } = bucket();
  const source = storedSource(files, BATCH, null, emptyReadMemory());
  expect([...(await source.read(2, 3))]).toEqual([2, 3, 4]);
  expect([...(await source.read(6, 4))]).toEqual([6, 7, 8, 9]);
  expect([...(await source.read(2, 8))]).toEqual([2, 3, 4, 5, 6, 7, 8, 9]);
  expect(asked).toEqual(['2+8']);
  expect([...(await source.read(1, 4))]).toEqual([1, 2, 3, 4]); // before what it holds
  expect([...(await source.read(9, 1))]).toEqual([9]);
  expect(asked).toEqual(['2+8', '1+9']);
});

it('ends where its object does, though more was known of it', async () => {
  const { files } = bucket({ [sourceKey(BATCH, 'b_1')]: FILE.slice(0, 6) });
  const source = storedSource(files, BATCH, null, emptyReadMemory());
  expect([...(await source.read(4, 4))]).toEqual([4, 5]);
  expect([...(await source.read(6, 4))]).toEqual([]);
});

it('holds the bytes of one file: those of another are read', async () => {
  const other = { ...BATCH, batchId: 'b_2' };
  const kept = { [sourceKey(BATCH, 'b_1')]: FILE, [sourceKey(other, 'b_2')]: FILE.map((byte) => byte + 100) };
  const { files, asked } = bucket(kept);
  const memory = emptyReadMemory();
  expect([...(await storedSource(files, BATCH, null, memory).read(0, 2))]).toEqual([0, 1]);
  expect([...(await storedSource(files, other, null, memory).read(0, 2))]).toEqual([100, 101]);
  expect(asked).toEqual(['0+10', '0+10']);
});

it('reads what arrived with a message without storage, until that is read to its end', async () => {
  const { files, asked } = bucket();
  const memory = emptyReadMemory();
  keepArrived(memory, BATCH, 'b_1', FILE);
  const source = storedSource(files, BATCH, null, memory);
  expect([[...(await source.read(0, 2))], [...(await source.read(3, 20))]]).toEqual([
    [0, 1],
    [3, 4, 5, 6, 7, 8, 9],
  ]);
  expect(asked).toEqual([]);
  forgetArrived(memory, BATCH);
  expect([...(await source.read(0, 2))]).toEqual([0, 1]);
  expect(asked).toEqual(['0+10']);
});

it('lets go of the oldest of many messages that wait, which are then read from storage', async () => {
  const { files, asked } = bucket();
  const memory = emptyReadMemory();
  keepArrived(memory, BATCH, 'b_1', FILE);
  for (let other = 0; other < 40; other += 1) keepArrived(memory, BATCH, `other_${other}`, FILE);
  expect(memory.arrived.size).toBe(32);
  await storedSource(files, BATCH, null, memory).read(0, 2);
  expect(asked).toEqual(['0+10']);
});

it('looks once for a version that is stored, and again for one that was not', async () => {
  const looked: string[] = [];
  let stored: object | null = null;
  const files = {
    head: async (key: string) => {
      looked.push(key);
      return stored;
    },
  } as unknown as R2Bucket;
  const version = { sha256: 'looked-for', text: null };
  expect((await pinVersionOnce(files, version)).ok).toBe(false);
  stored = {};
  expect([(await pinVersionOnce(files, version)).ok, (await pinVersionOnce(files, version)).ok]).toEqual([true, true]);
  expect(looked).toHaveLength(2);
});
