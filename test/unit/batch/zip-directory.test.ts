import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeZipProblem } from '../../../src/batch/core/zip-problems.ts';
import { readZipDirectory } from '../../../src/batch/files/unzip.ts';
import type { StoredBytes } from '../../../src/formats/slices.ts';
import { ARCHIVE_DIRECTORY_BYTES_MAX, ARCHIVE_FILES_MAX } from '../../../src/kernel/limits.ts';
import { draws } from '../../draws.ts';
import { zipOf } from '../../zip-files.ts';

function stored(bytes: Uint8Array, bytesInAll = bytes.length): StoredBytes & { reads: number[] } {
  const reads: number[] = [];
  return {
    bytes: bytesInAll,
    reads,
    async read(offset, length) {
      reads.push(length);
      return bytes.slice(offset, offset + length);
    },
  };
}

const PARTS = [
  { name: 'a.csv', content: 'Load,City\nL1,Joliet\n'.repeat(20) },
  { name: 'deep/b.csv', content: 'x', method: 0 },
];
const ARCHIVE = zipOf(PARTS);

describe('the directory of an archive', () => {
  it('says where the bytes of each file stand and what must come out of them', async () => {
    const read = await readZipDirectory(stored(ARCHIVE));
    expect(read).toEqual({
      ok: true,
      value: [
        {
          name: 'a.csv',
          isDeflated: true,
          offset: 35,
          packedBytes: expect.any(Number),
          declaredBytes: 400,
          crc32: expect.any(Number),
        },
        {
          name: 'b.csv',
          isDeflated: false,
          offset: expect.any(Number),
          packedBytes: 1,
          declaredBytes: 1,
          crc32: 0x8cdc1683,
        },
      ],
    });
    const second = read.ok ? read.value[1] : undefined;
    expect(ARCHIVE[second?.offset ?? 0]).toBe('x'.charCodeAt(0));
  });

  it('is read in small pieces: what stands between the headers is left alone', async () => {
    const content = new Uint8Array(3_000_000).map((_, at) => (at * 2_654_435_761) >>> 24);
    const source = stored(zipOf([{ name: 'noise.bin', content, method: 0 }]));
    expect(await readZipDirectory(source)).toMatchObject({ ok: true });
    expect(source.reads.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(200_000);
  });

  it('may list so many files and no more; folders and what systems add count for nothing', async () => {
    const files = Array.from({ length: ARCHIVE_FILES_MAX }, (_, at) => ({ name: `f${at}.csv`, content: 'x' }));
    const others = [
      { name: 'folder/', content: '' },
      { name: '__MACOSX/._f0.csv', content: 'x' },
    ];
    const read = await readZipDirectory(stored(zipOf([...files, ...others])));
    expect(read.ok && read.value.length).toBe(ARCHIVE_FILES_MAX);
    const more = await readZipDirectory(stored(zipOf([...files, { name: 'one-more.csv', content: 'x' }])));
    expect(more).toEqual({ ok: false, error: { code: 'zip_too_many_files', filesMax: ARCHIVE_FILES_MAX } });
    expect(await readZipDirectory(stored(zipOf(others)))).toEqual({ ok: false, error: { code: 'zip_empty' } });
  });

  it.each(['[Content_Types].xml', 'META-INF/manifest.xml'])(
    'is that of an office document where %s stands in it',
    async (name) => {
      const read = await readZipDirectory(stored(zipOf([...PARTS, { name, content: '<x/>' }])));
      expect(read).toEqual({ ok: false, error: { code: 'zip_office_file', entry: name } });
    },
  );

  it('is refused with the file that is at fault, where one is', () => {
    expect(describeZipProblem({ code: 'zip_encrypted', entry: 'a.csv' })).toMatchObject({ file: 'a.csv' });
    expect(describeZipProblem({ code: 'zip_encrypted', entry: null })).not.toHaveProperty('file');
    expect(describeZipProblem({ code: 'zip_empty' })).not.toHaveProperty('file');
  });

  it('that is encrypted itself names no file', async () => {
    const encrypted = ARCHIVE.slice();
    const view = new DataView(encrypted.buffer);
    view.setUint32(view.getUint32(ARCHIVE.length - 22 + 16, true), 0x08064b50, true); // how it then begins
    expect(await readZipDirectory(stored(encrypted))).toEqual({
      ok: false,
      error: { code: 'zip_encrypted', entry: null },
    });
  });

  it('never makes more be read at once than a directory may have, whatever it states of itself', async () => {
    const lying = ARCHIVE.slice();
    new DataView(lying.buffer).setUint32(lying.length - 22 + 12, 90_000_000, true); // its length
    new DataView(lying.buffer).setUint32(lying.length - 22 + 16, 0, true); // where it begins
    const source = stored(new Uint8Array(100_000_000 - lying.length), 100_000_000);
    const read = source.read;
    source.read = async (offset, length) => {
      const from = offset - (100_000_000 - lying.length);
      return from >= 0 ? lying.slice(from, from + length) : read(offset, length);
    };
    expect(await readZipDirectory(source)).toMatchObject({ ok: false });
    expect(Math.max(...source.reads)).toBeLessThanOrEqual(ARCHIVE_DIRECTORY_BYTES_MAX);
  });

  it('is a result and never an exception, however the archive is damaged', async () => {
    const damage = fc.record({
      cut: fc.option(fc.nat(ARCHIVE.length), { freq: 3 }),
      changes: fc.array(fc.tuple(fc.nat(ARCHIVE.length - 1), fc.nat(255)), { maxLength: 6 }),
    });
    await fc.assert(
      fc.asyncProperty(damage, async ({ cut, changes }) => {
        const bytes = ARCHIVE.slice(0, cut ?? ARCHIVE.length);
        for (const [at, value] of changes) if (at < bytes.length) bytes[at] = value;
        const read = await readZipDirectory(stored(bytes));
        if (read.ok) {
          for (const file of read.value) expect(file.offset + file.packedBytes).toBeLessThanOrEqual(bytes.length);
          return;
        }
        const { code, message, fix } = describeZipProblem(read.error);
        expect(code).toMatch(/^zip_[a-z_]+$/);
        expect(message).toMatch(/\w+ \w+/);
        expect(fix).toMatch(/\w+ \w+/);
      }),
      { numRuns: draws(500) },
    );
  });

  it('is not called broken while storage fails', async () => {
    const failing = new Error('planned: storage is down');
    for (let failsAt = 1; failsAt <= 4; failsAt += 1) {
      const source = stored(ARCHIVE);
      const read = source.read;
      source.read = async (...asked) => {
        if (source.reads.length + 1 === failsAt) throw failing;
        return read(...asked);
      };
      await expect(readZipDirectory(source)).rejects.toBe(failing);
    }
  });
});
