import { describe, expect, it } from 'vitest';
import type { StoredBytes } from '../../../src/formats/slices.ts';
import { readAhead } from '../../../src/http/views/stored-files.ts';
import { FILES_READ_AHEAD, READ_AHEAD_FILE_BYTES_MAX } from '../../../src/kernel/limits.ts';

/** Files that say when they are asked. */
function stored(sizes: readonly number[], fails: (at: number, time: number) => boolean = () => false) {
  const asked: number[] = [];
  const files = sizes.map((bytes, at) => {
    const read: StoredBytes['read'] = async (offset, length) => {
      asked.push(at);
      if (fails(at, asked.filter((each) => each === at).length)) throw new Error('planned: storage is down');
      return new Uint8Array(bytes).fill(at).subarray(offset, offset + length);
    };
    return { name: `file ${at}`, source: { bytes, read } };
  });
  return { files, asked };
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, at) => at);

describe('files that are read one after the other', () => {
  it('are fetched once each, a few before their turn, and read as they are', async () => {
    const { files, asked } = stored(upTo(20).map((at) => at + 1));
    const ahead = readAhead(files);
    await ahead[0]?.source.read(0, 1);
    expect(asked).toEqual(upTo(FILES_READ_AHEAD + 1));
    for (const [at, { name, source }] of ahead.entries()) {
      expect([name, source.bytes]).toEqual([`file ${at}`, at + 1]);
      expect([...(await source.read(0, at + 1))]).toEqual(Array(at + 1).fill(at));
    }
    expect(asked).toEqual(upTo(20));
  });

  it('are read by range', async () => {
    const { files } = stored([10]);
    const [file] = readAhead(files);
    expect(await file?.source.read(4, 3)).toHaveLength(3);
    expect(await file?.source.read(8, 10)).toHaveLength(2);
  });

  it('may be read a second time from the first one on', async () => {
    const { files, asked } = stored(Array(10).fill(1));
    const ahead = readAhead(files);
    for (const pass of [1, 2]) {
      for (const { source } of ahead) expect(await source.read(0, 1), `pass ${pass}`).toHaveLength(1);
    }
    expect(asked.length).toBeLessThanOrEqual(20);
  });

  it('that are large are read as they are asked for', async () => {
    const { files, asked } = stored([1, READ_AHEAD_FILE_BYTES_MAX + 1]);
    const ahead = readAhead(files);
    await ahead[0]?.source.read(0, 1);
    expect(asked).toEqual([0]);
    expect(await ahead[1]?.source.read(5, 7)).toHaveLength(7);
    expect(asked).toEqual([0, 1]);
  });

  it('that fail ahead of their turn are asked for again in it; who reads one that fails hears why', async () => {
    const { files, asked } = stored([1, 1, 1], (at, time) => at === 2 || (at === 1 && time === 1));
    const ahead = readAhead(files);
    await ahead[0]?.source.read(0, 1);
    await new Promise((resolve) => setTimeout(resolve));
    expect(await ahead[1]?.source.read(0, 1)).toHaveLength(1);
    await expect(ahead[2]?.source.read(0, 1)).rejects.toThrow('planned');
    expect(asked.filter((at) => at === 1)).toHaveLength(2);
  });
});
