/** A bug in the mapping of one record: that record is invalid, its neighbours are mapped, and no slice is stuck. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type MappedRow, runSlice } from '../../../src/batch/core/run.ts';
import { csvStart } from '../../../src/formats/csv/checkpoint.ts';
import { ok } from '../../../src/kernel/result.ts';
import type { CompiledMapping } from '../../../src/mapping/compile/compile.ts';
import { aMapping } from './samples.ts';

const logged = vi.fn();
beforeEach(() => {
  vi.spyOn(console, 'error').mockImplementation(logged);
});
afterEach(() => {
  vi.restoreAllMocks();
  logged.mockReset();
});

/** Throws for records that hold `boom`, as a bug would. */
function withBug(mapping: CompiledMapping): CompiledMapping {
  return {
    ...mapping,
    bind(columns) {
      const bound = mapping.bind(columns);
      if (!bound.ok) return bound;
      return ok({
        ...bound.value,
        map(fields, lists = []) {
          const rows = lists.flat().map((row) => row.fields);
          if ([fields, ...rows].some((cells) => cells.includes('boom')))
            throw new TypeError('planned: undefined has no length');
          return bound.value.map(fields, lists);
        },
      });
    },
  };
}

function rowsOf(mapping: CompiledMapping, text: string): MappedRow[] {
  const slice = { bytes: new TextEncoder().encode(text), atEnd: true, checkpoint: csvStart };
  const ran = runSlice(withBug(mapping), { scac: 'ABCD', allowed: ['ABCD'] }, slice);
  if (ran.outcome !== 'rows') throw new Error(`the slice ended as ${ran.outcome}`);
  expect(ran.finished).toBe(true);
  return ran.rows;
}

const ROWS = 'Load,Code,At\nL1,X3,2026-03-02 08:15\nL2,boom,2026-03-02 08:15\nL3,X3,2026-03-02 08:15\n';
const said = ({ state, problems }: MappedRow): [string | null, string[]] => [state, problems.map(({ code }) => code)];

describe('a bug that one record brings out', () => {
  it('costs that record alone', () => {
    const rows = rowsOf(aMapping(), ROWS);
    expect(rows.map(said)).toEqual([
      [null, []],
      ['invalid', ['mapping_failed']],
      [null, []],
    ]);
    expect(rows.map(({ requests }) => requests.length)).toEqual([1, 0, 1]);
  });

  it('costs its group of rows alone', () => {
    const rows = rowsOf(aMapping('group: { by: [Load] }'), ROWS.replace('L3', 'L2'));
    expect(rows.map(said)).toEqual([
      [null, []],
      ['invalid', ['mapping_failed']],
      ['invalid', ['mapping_failed']],
    ]);
    expect(rows.map(({ requests }) => requests.length)).toEqual([1, 0, 0]);
  });

  it('is told to the operator with its record and cause, to the partner without', () => {
    const [, row] = rowsOf(aMapping(), ROWS);
    expect(logged.mock.calls.join()).toMatch(/mapping_failed.*record 2: planned: undefined has no length/);
    expect(JSON.stringify(row)).not.toContain('planned');
  });
});
