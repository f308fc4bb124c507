/** What the demo shows adds up: each line to its rows, and the last line to all. */
import { expect, it } from 'vitest';
import { type Counted, tableByFile, tableByFormat } from '../../../scripts/demo/table.ts';
import { ROW_MESSAGES } from '../../../src/delivery/messages.ts';
import type { RecordState } from '../../../src/delivery/outcome.ts';

const STATES = Object.keys(ROW_MESSAGES) as RecordState[];
const batch = (mapping: string, format: 'csv' | 'x12', rowStates: Counted['rowStates']) => ({
  ...{ mapping, format, rowStates, state: 'settled' as const },
  rows: Object.values(rowStates).reduce((sum, count) => sum + count, 0),
});
const BATCHES = [
  batch('carrier-status-csv', 'csv', { delivered: 51, rejected: 1, invalid: 7, skipped: 1 }),
  batch('x12-204', 'x12', { delivered: 17, duplicate: 22, invalid: 5 }),
  batch('x12-214', 'x12', Object.fromEntries(STATES.map((state, at) => [state, at + 1]))),
];

const numbersIn = (line: string): number[] => (line.match(/(?<= )\d+/g) ?? []).map(Number);

it.each([
  ['format', tableByFormat(BATCHES), 1],
  ['file', tableByFile(BATCHES), 0],
] as const)('by %s', (_by, [head = '', ...lines], before) => {
  expect(head).toMatch(/rows +delivered +sent before +refused +to correct +skipped +open$/);
  const sums = lines.map((line) => numbersIn(line).slice(before));
  for (const [rows = 0, ...counts] of sums) expect(counts.reduce((sum, count) => sum + count, 0)).toBe(rows);
  const all = sums.at(-1) ?? [];
  expect(all).toEqual(all.map((_, at) => sums.slice(0, -1).reduce((sum, line) => sum + (line[at] ?? 0), 0)));
});

it('has no column for open rows where there are none', () => {
  expect(tableByFormat(BATCHES.slice(0, 2))[0]).not.toContain('open');
});
