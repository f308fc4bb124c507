import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { type FileKind, fileBlocks, fileInMemory, MAPPING_OF, writeFile } from '../../../scripts/bench/generate.ts';
import { bytesInMemory } from '../../../src/formats/slices.ts';
import { mapFile } from '../../../src/mapping/compile/map-file.ts';
import { SHIPPED } from '../mapping/shipped.ts';

const KINDS: FileKind[] = ['csv', 'json'];
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

async function countErrors(
  kind: FileKind,
  bytes: Buffer,
): Promise<{ records: number; wrong: number; codes: string[] }> {
  const mapping = SHIPPED.get(MAPPING_OF[kind])?.mapping;
  if (mapping === undefined) throw new Error(MAPPING_OF[kind]);
  let records = 0;
  const errors: string[][] = [];
  for await (const step of mapFile(mapping, bytesInMemory(bytes))) {
    if (step.outcome !== 'records') throw new Error(JSON.stringify(step));
    records += step.records.length;
    errors.push(...step.records.map(({ mapped }) => mapped.errors.map(({ code }) => code)));
  }
  const wrong = errors.filter((codes) => codes.length > 0);
  return { records, wrong: wrong.length, codes: [...new Set(wrong.flat())].sort() };
}

describe.each(KINDS)('a generated %s file', (kind) => {
  it('is the same for the same seed, and another for another', () => {
    expect(sha256(fileInMemory(kind, 2_000, 7))).toBe(sha256(fileInMemory(kind, 2_000, 7)));
    expect(sha256(fileInMemory(kind, 2_000, 7))).not.toBe(sha256(fileInMemory(kind, 2_000, 8)));
  });

  it('has one row in a hundred that is wrong, each in a way of its own, and is read to its end', async () => {
    const { records, wrong, codes } = await countErrors(kind, fileInMemory(kind, 5_000, 1));
    expect(records).toBe(5_000);
    expect(wrong).toBeGreaterThan(30);
    expect(wrong).toBeLessThan(75);
    expect(codes).toEqual(['bad_date', 'code_unknown', 'value_missing']);
  });

  it('ends before it would grow beyond the size asked for, by less than a row', async () => {
    for (const bytesMax of [60_000, 250_001]) {
      const bytes = Buffer.from([...fileBlocks(kind, { bytesMax }, 3)].join(''));
      expect(bytes.byteLength).toBeLessThanOrEqual(bytesMax);
      expect(bytes.byteLength).toBeGreaterThan(bytesMax - 500);
      expect((await countErrors(kind, bytes)).records).toBeGreaterThan(100);
    }
  });

  it('comes in blocks, however large it is', () => {
    let blocks = 0;
    let longest = 0;
    for (const block of fileBlocks(kind, { rows: 20_000 }, 1)) {
      blocks += 1;
      longest = Math.max(longest, block.length);
    }
    expect(blocks).toBeGreaterThan(30);
    expect(longest).toBeLessThan(200_000);
  });

  it('is on disk what it is in memory', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'transload-generate-'));
    try {
      await writeFile(join(folder, 'file'), kind, { rows: 1_234 }, 5);
      expect(sha256(readFileSync(join(folder, 'file')))).toBe(sha256(fileInMemory(kind, 1_234, 5)));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

it('gives a CSV row twelve cells, some of them quoted or accented', () => {
  const text = fileInMemory('csv', 500, 1).toString();
  const rows = parse(text) as string[][];
  expect(rows).toHaveLength(501);
  expect(new Set(rows.map((row) => row.length))).toEqual(new Set([12]));
  expect(text).toContain('"Portland, Lents"');
  expect(text).toContain('Cañon City');
});
