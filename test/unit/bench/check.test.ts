import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  checkMemory,
  checkTable,
  type MemoryResult,
  memoryTable,
  transformTable,
} from '../../../scripts/bench/check.ts';
import { peakOfProcess } from '../../../scripts/bench/memory.ts';
import {
  cpuMsOf,
  descendantsOf,
  forgetPeakOf,
  hasProcessFiles,
  peakBytesIn,
  peakBytesOf,
  residentBytesOf,
} from '../../../scripts/bench/processes.ts';

const MB = 1024 * 1024;
const transform = (ratio: number) => ({
  kind: 'csv' as const,
  rows: 20_000,
  bytes: 2 * MB,
  bodies: 19_800,
  oursPerSecond: 120_000,
  theirsPerSecond: 8_000,
  ratios: [ratio - 1, ratio, ratio + 1],
  ratio,
});
const memory = (moreBytes: number): MemoryResult => ({
  subject: 'bridge',
  kind: 'json',
  small: { bytes: 10 * MB, peakBytes: 200 * MB },
  large: { bytes: 100 * MB, peakBytes: 200 * MB + moreBytes },
});

describe('the bounds', () => {
  it('hold at 64 MB', () => {
    expect(checkMemory(memory(64 * MB)).holds).toBe(true);
    expect(checkMemory(memory(-5 * MB)).holds).toBe(true);
  });
  it('do not hold beyond', () => {
    expect(checkMemory(memory(64 * MB + 1)).holds).toBe(false);
  });
});

it('says in a table what was compared and what failed', () => {
  expect(transformTable([transform(15)])).toBe(
    [
      'file    rows  size  Transload rows/s  csv-parse + JSONata rows/s   ratio   least    most',
      '----  ------  ----  ----------------  --------------------------  ------  ------  ------',
      'csv   20,000  2 MB           120,000                       8,000  15.0 x  14.0 x  16.0 x',
    ].join('\n'),
  );
  expect(memoryTable([memory(70 * MB)])).toContain(
    'bridge, dry run  json       10 MB  200 MB      100 MB  270 MB  70 MB',
  );
  const [head, , ...lines] = checkTable([checkMemory(memory(5 * MB)), checkMemory(memory(70 * MB))]).split('\n');
  expect([head, ...lines].map((line) => line?.replace(/ {2,}/g, ' | '))).toEqual([
    'check | measured | wanted',
    'memory, bridge, json | 5 MB more | at most 64 MB more | holds',
    'memory, bridge, json | 70 MB more | at most 64 MB more | FAILS',
  ]);
});

describe('what the system knows of a process', () => {
  it('is the largest resident set, in bytes', () => {
    expect(peakBytesIn('Name:\tnode\nVmPeak:\t  900 kB\nVmHWM:\t   1234 kB\nVmRSS:\t  99 kB\n')).toBe(1_234 * 1_024);
    expect(peakBytesIn('Name:\tkthreadd\n')).toBeUndefined();
  });

  it.runIf(hasProcessFiles())('is nothing where a command broke off: it did not read what is measured', async () => {
    const folder = join(import.meta.dirname, '../../../scripts');
    const measured = (script: string) =>
      peakOfProcess(['--import', join(folder, 'bench/peak-at-exit.ts'), join(folder, script)], 1);
    await expect(measured('nothing.ts')).rejects.toThrow('ended with 1');
  });
  it.runIf(hasProcessFiles())('is asked of running processes only', () => {
    expect(peakBytesOf(process.pid)).toBeGreaterThan(MB);
    forgetPeakOf(process.pid);
    expect(peakBytesOf(process.pid)).toBeGreaterThan(MB);
    expect(peakBytesOf(0)).toBeUndefined();
    const { user, system } = process.cpuUsage();
    expect(Math.abs(cpuMsOf(process.pid) - (user + system) / 1_000)).toBeLessThan(1_000);
    expect(Math.abs(residentBytesOf(process.pid) - process.memoryUsage.rss())).toBeLessThan(64 * MB);
    expect(() => cpuMsOf(0)).toThrow();
    expect(() => residentBytesOf(0)).toThrow();
    expect(descendantsOf(process.ppid)).toContain(process.pid);
    expect(descendantsOf(process.pid)).not.toContain(process.pid);
  });
});
