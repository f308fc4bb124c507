import { describe, expect, it } from 'vitest';
import { againstTable, checkRatio, ediLines, transformLines } from '../../../scripts/bench/against.ts';
import { readArguments } from '../../../scripts/bench/arguments.ts';
import { spreadOf, timesFaster } from '../../../scripts/bench/spread.ts';
import { NotRun } from '../../../scripts/frame/command.ts';

describe('of several rounds', () => {
  it('the middle one counts, with the least and the most beside it', () => {
    expect(spreadOf([3, 1, 9, 2])).toEqual({ median: 2.5, least: 1, most: 9 });
  });
  it('only what ran in the same round is compared', () => {
    expect(timesFaster([100, 400, 200], [50, 200, 400])).toEqual({ median: 2, least: 0.5, most: 2 });
  });
});

describe('a line next to another commit', () => {
  it('holds at the floor and fails below it', () => {
    expect(checkRatio('edi', spreadOf([0.95]), 0.95).holds).toBe(true);
    expect(checkRatio('edi', spreadOf([0.949]), 0.95)).toEqual({
      name: 'new/old, edi',
      measured: '0.95 x',
      wanted: 'at least 0.95 x',
      holds: false,
    });
  });
  it('is a row of the table, or a sentence where it cannot be compared', () => {
    const [oldMs, newMs, ratio] = [spreadOf([100]), spreadOf([80]), spreadOf([1.25, 1.3, 1.2])];
    const compared = { line: 'edi, x12, 10 MB', bytes: 10 * 1024 * 1024, oldMs, newMs, ratio };
    const lines = againstTable([compared, { line: 'edi, edifact', incomparable: 'there is no edi-ours.ts' }]).split(
      '\n',
    );
    expect(lines.map((line) => line.replace(/ {2,}/g, ' | '))).toEqual([
      'line | size | old MB/s | new MB/s | new/old | least | most',
      expect.stringMatching(/^-/),
      'edi, x12, 10 MB | 10 MB | 100.0 | 125.0 | 1.25 x | 1.20 x | 1.30 x',
      'edi, edifact cannot be compared: there is no edi-ours.ts',
    ]);
  });
  it('is one of each file, small interchanges among them', () => {
    const names = [...transformLines({ rows: 500, seed: 1 }), ...ediLines({ megabytes: 50, seed: 1 })].map(
      ({ name }) => name,
    );
    expect(names).toEqual([
      'transform, csv, 500 rows',
      'transform, json, 500 rows',
      ...['x12', 'edifact'].flatMap((kind) => [1, 10, 50].map((size) => `edi, ${kind}, ${size} MB`)),
    ]);
    expect(ediLines({ megabytes: 1, seed: 1 })).toHaveLength(2);
  });
});

describe('a bench is asked for', () => {
  it('every part, unless some are named', () => {
    expect(readArguments([]).parts).toEqual(['transform', 'edi', 'memory', 'delivery', 'cost', 'steady', 'pages']);
    expect(readArguments(['--part', 'edi', '--part', 'transform']).parts).toEqual(['transform', 'edi']);
    expect(readArguments([])).toMatchObject({ rounds: 5, rowsPerLoad: 20, against: undefined });
  });
  it('as many loads as each part needs, or as are wanted', () => {
    expect(readArguments([]).loads).toEqual({ delivery: 1_000, cost: 100, steady: 1_000 });
    expect(readArguments(['--loads', '50']).loads).toEqual({ delivery: 50, cost: 50, steady: 50 });
  });
  it('quickly: small, without what takes long, unless more is wanted', () => {
    expect(readArguments(['--quick'])).toMatchObject({
      parts: ['transform', 'edi', 'delivery', 'cost', 'pages'],
      rounds: 3,
      rows: 5_000,
      megabytes: 2,
      lines: ['memory, 0 ms'],
      isRenewed: false,
    });
    expect(readArguments(['--quick', '--part', 'steady', '--loads', '7', '--renew'])).toMatchObject({
      parts: ['steady'],
      loads: { steady: 7 },
      isRenewed: true,
    });
  });
  it('nine rounds next to another commit, without memory, and a floor', () => {
    const wanted = readArguments(['--against', 'HEAD~3']);
    expect(wanted).toMatchObject({
      against: 'HEAD~3',
      rounds: 9,
      floor: 0.95,
      parts: ['transform', 'edi', 'delivery'],
    });
    expect(readArguments(['--against', 'main', '--floor', '1.2', '--rounds', '3'])).toMatchObject({
      floor: 1.2,
      rounds: 3,
    });
  });
  it.each([
    [
      ['--part', 'speed'],
      'There is no part "speed". There are: transform, edi, memory, delivery, cost, steady, pages.',
    ],
    [
      ['--part', 'memory', '--against', 'main'],
      'There is no part "memory" to compare. There are: transform, edi, delivery.',
    ],
    [['--loads', '0'], '--loads: a whole number of 1 or more is wanted, not "0"'],
    [['--rows-per-load', 'x'], '--rows-per-load: a whole number of 1 or more is wanted, not "x"'],
    [['--against', 'main', '--renew'], '--quick and --renew are for this checkout alone: leave --against out.'],
    [['--floor', 'low'], '--floor takes a number above 0.'],
  ])('%j is refused', (args, message) => {
    expect(() => readArguments(args)).toThrow(new NotRun(message));
  });
});
