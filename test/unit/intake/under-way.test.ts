/** What a partner has under way, and how many new loads and orders it may call in a minute. */
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
  const asked = (wanted: number, nowMs: number) => grantSubjects(kv, wanted, 500, nowMs);

  it('are granted up to the number of a minute, exactly, whoever asks; then it says when to ask again', () => {
    const granted = [200, 200, 200, 200].map((wanted, at) => asked(wanted, at * 1_000));
    expect(granted.map(({ subjects }) => subjects)).toEqual([200, 200, 100, 0]);
    expect(granted.map(({ waitMs }) => waitMs)).toEqual([0, 0, 0, MINUTE - 3_000]);
  });

  it('are granted anew when the minute is over, and never more than that, in any minute that it counts', () => {
    let sum = 0;
    for (let nowMs = 0; nowMs < 10 * MINUTE; nowMs += 1_000) sum += asked(200, nowMs).subjects;
    expect(sum).toBe(10 * 500);
  });

  it('are not refused for ever by a clock that went back', () => {
    asked(500, 10 * MINUTE);
    expect(asked(200, MINUTE).subjects).toBe(200);
  });

  it('that nobody wants cost nothing', () => {
    asked(0, 0);
    expect(asked(500, 1).subjects).toBe(500);
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
