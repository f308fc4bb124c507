/** A batch made again: its stored rows are held against those of the same files, row by row. */
import { Buffer } from 'node:buffer';
import { describe, expect, it } from 'vitest';
import { type RerunPort, type RerunRow, rerun } from '../../../src/batch/report/rerun.ts';
import type { BatchRow } from '../../../src/batch/report/summary.ts';
import { bytesInMemory } from '../../../src/formats/slices.ts';
import type { CompiledMapping } from '../../../src/mapping/compile/compile.ts';
import { aMapping, aProblem, aRow, aRowRequest } from './samples.ts';

const file = (...loads: string[]) => ({
  source: bytesInMemory(
    Buffer.from(['Load,Code,At', ...loads.map((load) => `${load},X3,2026-03-02 08:15`), ''].join('\n')),
  ),
  problems: [],
  answers: () => undefined,
});
const UNREADABLE = { ...file(), problems: [aProblem()] };

async function madeAgain(
  files: RerunPort['files'],
  stored: readonly BatchRow[],
  mapping = aMapping(),
): Promise<RerunRow[]> {
  const rows = async (after: number, limit: number) => stored.filter(({ record }) => record > after).slice(0, limit);
  const port = { files, mapping, rule: { scac: 'ABCD', allowed: ['ABCD'] }, orderPair: null, rows };
  return Array.fromAsync(rerun(port));
}

/** The rows of a batch, as its files make them. */
async function rowsOf(files: RerunPort['files']): Promise<BatchRow[]> {
  const made = await madeAgain(files, []);
  return made.map((row) => {
    if (row.compared !== 'different' || row.after === null) throw new Error('a row is made of nothing');
    return aRow(row.record, { requests: row.after.requests.map((request) => aRowRequest(request as object)) });
  });
}

const inShort = (rows: readonly RerunRow[]): string[] => rows.map(({ record, compared }) => `${record} ${compared}`);

/** With a reader that passes over a record. */
function without(record: number, mapping: CompiledMapping = aMapping()): CompiledMapping {
  const read: CompiledMapping['reader']['read'] = (...slice) => {
    const found = mapping.reader.read(...slice);
    if (found.outcome !== 'records') return found;
    return { ...found, records: found.records.filter(({ position }) => position.record !== record) };
  };
  return { ...mapping, reader: { ...mapping.reader, read } };
}

describe('a batch made again', () => {
  it('has the same rows through all of its files, also behind one that could not be read', async () => {
    const files = [file('L1', 'L2'), UNREADABLE, file('L3'), file('L4', 'L5')];
    const stored = await rowsOf(files);
    expect(stored.map(({ record }) => record)).toEqual([1, 2, 3, 4, 5]);
    expect(inShort(await madeAgain(files, stored))).toEqual(['1 same', '2 same', '3 same', '4 same', '5 same']);
  });

  it('has the same rows behind a file in which no row stands', async () => {
    const files = [file('L1'), file(), file('L2')];
    const stored = await rowsOf(files);
    expect(stored.map(({ record }) => record)).toEqual([1, 2]);
    expect(inShort(await madeAgain(files, stored))).toEqual(['1 same', '2 same']);
  });

  it('has none of the rows of a file that could not be used, though some of it can be read', async () => {
    const files = [{ ...file('L8', 'L9'), problems: [aProblem()] }, file('L1')];
    const stored = await rowsOf([file('L1')]);
    expect(inShort(await madeAgain(files, stored))).toEqual(['1 same']);
  });

  it('tells of a row that is not made any more in its place, and goes on with the next', async () => {
    const files = [file('L1', 'L2', 'L3')];
    const made = await madeAgain(files, await rowsOf(files), without(2));
    expect(inShort(made)).toEqual(['1 same', '2 different', '3 same']);
    expect(made[1]).toMatchObject({ line: 3, before: { requests: [{ kind: 'milestone' }] }, after: null });
  });

  it('tells of rows that it did not have, and of those behind the last that is made', async () => {
    const files = [file('L1', 'L2', 'L3')];
    const stored = await rowsOf(files);
    expect(inShort(await madeAgain(files, stored.slice(0, 2)))).toEqual(['1 same', '2 same', '3 different']);
    expect(inShort(await madeAgain([file('L1')], stored))).toEqual(['1 same', '2 different', '3 different']);
  });
});
