import { Buffer } from 'node:buffer';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { type JsonCheckpoint, jsonStart, ndjsonStart } from '../../../../src/formats/json/checkpoint.ts';
import { jsonSource } from '../../../../src/formats/json/declaration.ts';
import { jsonSlices } from '../../../../src/formats/json/document.ts';
import { ndjsonSlices } from '../../../../src/formats/json/lines.ts';
import { FILES } from './hostile-files.ts';
import { problemsOf, readJson, readNdjson } from './reading.ts';

/** Time allowed for 64 KB of anything, in ms: quadratic work takes seconds, a busy machine some tens of ms. */
const TIME_MS_MAX = 200;

describe('64 KB of anything', { timeout: 60_000 }, () => {
  it.each(FILES)('ends in records or problems: %s', (_, file, path) => {
    for (const read of [readJson(file, path), readNdjson(file)]) {
      expect(problemsOf(read).length + read.records.length).toBeGreaterThan(0);
    }
  });

  it(`is read in ${TIME_MS_MAX} ms`, () => {
    // In a process of its own: the test runner rewrites imports, which makes short functions several times slower.
    const printed = execFileSync(process.execPath, [join(import.meta.dirname, 'hostile-files.ts')], {
      encoding: 'utf8',
    });
    const times = JSON.parse(printed) as [string, ...number[]][];
    expect(times).toHaveLength(FILES.length);
    expect(times.filter(([, ...each]) => each.some((timeMs) => !(timeMs < TIME_MS_MAX)))).toEqual([]);
  });
});

describe('a slice of very many values', () => {
  const source = jsonSource.parse({ format: 'json' });
  const items: JsonCheckpoint = { ...jsonStart, stage: 'item_or_end', found: true };

  it.each(['1,', '{},', '{"a":1},', '{"a":[1,1,1,1]},'])('is given in parts: %s', (row) => {
    const bytes = Buffer.alloc(row.length * 400_000, row);
    const read = jsonSlices(source)(items, bytes, false);
    if (read.outcome !== 'records') throw new Error(read.outcome);
    const each = 1 + (row.match(/[1]/g) ?? []).length - (row.startsWith('1') ? 1 : 0) + (row.includes('[') ? 1 : 0);
    expect(read.records).toHaveLength(Math.ceil(100_000 / each));
    expect(read).toMatchObject({ finished: false, endProblem: null });
    expect(read.checkpoint.byte).toBe(read.records.length * row.length - 1);
    const next = jsonSlices(source)(read.checkpoint, bytes.subarray(read.checkpoint.byte), false);
    expect(next).toMatchObject({ outcome: 'records', records: { length: read.records.length } });
  });

  it('is given in parts as lines too', () => {
    const read = ndjsonSlices()(ndjsonStart, Buffer.alloc(600_000, '1\n'), true);
    expect(read).toMatchObject({ outcome: 'records', records: { length: 100_000 }, finished: false });
  });
});

describe('a file of 40 MB', { timeout: 60_000 }, () => {
  const MEGABYTE = 1_024 * 1_024;
  const row = '{"load":"123","status":"X3","stop":{"city":"Joliet","sequence":1.10},"references":["a","b"]},\n';
  /** Two slices of the same row over and over, so that the file need not exist. */
  const rows = Buffer.alloc(row.length * Math.ceil((2 * MEGABYTE) / row.length), row);
  const end = Buffer.from('{}]');

  it('is read in the memory of a slice', () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const source = jsonSource.parse({ format: 'json' });
    const heaps: number[] = [];
    let checkpoint: JsonCheckpoint = { ...jsonStart, stage: 'item_or_end', found: true };
    let finished = false;
    for (let slices = 1; !finished; slices++) {
      const phase = checkpoint.byte % row.length;
      const atEnd = checkpoint.byte > 40 * MEGABYTE;
      const bytes = atEnd
        ? Buffer.concat([rows.subarray(phase, 3 * row.length), end])
        : rows.subarray(phase, phase + MEGABYTE);
      const read = jsonSlices(source)(checkpoint, bytes, atEnd);
      if (read.outcome !== 'records') throw new Error(JSON.stringify(read));
      expect(read.records.every(({ problem }) => problem === undefined)).toBe(true);
      expect(read.endProblem).toBeNull();
      ({ checkpoint, finished } = read);
      if (slices % 6 === 0 || finished) {
        collect();
        heaps.push(process.memoryUsage().heapUsed);
      }
    }
    expect(checkpoint.byte).toBe((checkpoint.record - 1) * row.length + end.length);
    expect(checkpoint.byte).toBeGreaterThan(40 * MEGABYTE);
    expect(JSON.stringify(checkpoint).length).toBeLessThan(300);
    expect(heaps.length).toBeGreaterThan(5);
    expect(Math.max(...heaps) - heaps[0]!).toBeLessThan(8 * MEGABYTE);
  });
});
