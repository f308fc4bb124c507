/** What a partner has under way, and how many new loads and orders it may call. */
import { beforeEach, describe, expect, it } from 'vitest';
import { forgetRows, grantSubjects, noteRows, rowsUnderWay } from '../../../src/intake/under-way.ts';

const MINUTE = 60_000;
let stored: Map<string, unknown>;
let kv: SyncKvStorage;
beforeEach(() => {
  stored = new Map();
  kv = {
    get: (key: string) => stored.get(key),
    put: (key: string, value: unknown) => void stored.set(key, value),
    delete: (key: string) => stored.delete(key),
    list: ({ prefix = '' } = {}) => [...stored].filter(([key]) => key.startsWith(prefix)),
  } as unknown as SyncKvStorage;
});

describe('new loads and orders', () => {
  /** Of 600 in a minute: 100 of ten seconds are saved. */
  const asked = (wanted: number, nowMs: number) => grantSubjects(kv, wanted, 600, nowMs);

  it('are granted as they were saved, whoever asks; then it says when half of that is there again', () => {
    const granted = [60, 60, 60].map((wanted) => asked(wanted, 0));
    expect(granted).toEqual([
      { subjects: 60, waitMs: 0 },
      { subjects: 0, waitMs: 1_000 },
      { subjects: 0, waitMs: 1_000 },
    ]);
    expect(asked(200, 1_000)).toEqual({ subjects: 50, waitMs: 0 });
    expect(asked(200, 1_000)).toEqual({ subjects: 0, waitMs: 5_000 });
  });

  it('come evenly: in no ten seconds more than twice what they allow, and of an hour what its minutes allow', () => {
    const grants: number[] = [];
    for (let nowMs = 0; nowMs < 60 * MINUTE; nowMs += 1_000) grants.push(asked(200, nowMs).subjects);
    const sum = (of: number[]) => of.reduce((before, each) => before + each, 0);
    expect(Math.max(...grants.map((_, at) => sum(grants.slice(at, at + 10))))).toBeLessThanOrEqual(200);
    expect(Math.abs(sum(grants) - 60 * 600)).toBeLessThanOrEqual(100);
  });

  it('come one by one where a minute allows fewer than six', () => {
    const one = (nowMs: number) => grantSubjects(kv, 200, 2, nowMs);
    expect([one(0), one(0), one(MINUTE / 2)].map(({ subjects }) => subjects)).toEqual([1, 0, 1]);
  });

  it('are not refused for ever by a clock that went back', () => {
    asked(100, 10 * MINUTE);
    expect(asked(100, MINUTE).subjects).toBe(100);
  });

  it('that nobody wants cost nothing', () => {
    asked(0, 0);
    expect(asked(100, 1).subjects).toBe(100);
  });
});

it('rows are counted for each batch, as it said last, until it has ended', () => {
  noteRows(kv, 'b_1', 10_000);
  noteRows(kv, 'b_2', 30_000);
  noteRows(kv, 'b_1', 20_000);
  grantSubjects(kv, 1, 500, 0);
  expect(rowsUnderWay(kv)).toBe(50_000);
  forgetRows(kv, 'b_2');
  forgetRows(kv, 'b_2');
  expect(rowsUnderWay(kv)).toBe(20_000);
});
