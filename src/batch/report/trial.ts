/**
 * Corrected rows, mapped as an upload of them would be, under the numbers that they have in their batch: which of them
 * are ready to be sent. Whole groups or nothing of them. Pure.
 */
import { locatedReader } from '../../formats/record-reader.ts';
import { bytesInMemory } from '../../formats/slices.ts';
import type { Problem } from '../../kernel/problem.ts';
import type { CompiledMapping } from '../../mapping/compile/compile.ts';
import { mapSlices } from '../../mapping/compile/map-file.ts';
import { type MappedRow, rowsOf, type ScacRule } from '../core/run.ts';

/** Corrected rows as a file. @property records numbers of its records in the batch; null: it only comes along. */
export interface WrittenRows {
  bytes: Uint8Array<ArrayBuffer>;
  records: readonly (number | null)[];
}

export interface Trial {
  rows: ReadonlyMap<number, MappedRow>;
  /** What is wrong with the file as a whole. */
  fileProblems: readonly Problem[];
}

export async function tryRows(
  mapping: CompiledMapping,
  rule: ScacRule,
  { bytes, records }: WrittenRows,
): Promise<Trial> {
  const rows = new Map<number, MappedRow>();
  const fileProblems: Problem[] = [];
  // Messages name rows by number: those of the batch, which the page shows, not those of the file of corrections.
  const reader = locatedReader(mapping.reader, (position) => ({
    ...position,
    record: records[position.record - 1] ?? -position.record,
  }));
  for await (const step of mapSlices(mapping, { source: bytesInMemory(bytes), reader })) {
    if (step.outcome === 'unreadable') fileProblems.push(...step.problems);
    else if (step.outcome === 'ends_early') fileProblems.push(step.problem);
    else for (const row of rowsOf(step.records, rule, mapping)) rows.set(row.position.record, row);
  }
  return { rows, fileProblems };
}

/** The row with the requests of a row's group, or the row itself. */
export const leadOf = ({ group, record }: { group: number | null; record: number }): number => group ?? record;

/** What became of a corrected row on a try. @property errors none, and its whole group has none: it can be sent. */
interface TriedRow {
  record: number;
  isReady: boolean;
  errors: Problem[];
}

/** @param rows of the file, each with the group it came in. @param by columns of the key; none: rows form no groups. */
export function triedRows(
  { rows: mapped, fileProblems }: Trial,
  rows: readonly { record: number; group: number | null }[],
  by: readonly string[],
): TriedRow[] {
  const errorsOf = (record: number): Problem[] => [...(mapped.get(record)?.problems ?? []), ...fileProblems];
  const nowLead = (record: number): number => leadOf({ group: mapped.get(record)?.group ?? null, record });
  const now = Map.groupBy(rows, ({ record }) => nowLead(record));
  return [...Map.groupBy(rows, leadOf).values()].flatMap((group) => {
    const [first] = group;
    const isOne = group.every(({ record }) => nowLead(record) === nowLead(first?.record ?? 0));
    const isWhole = by.length === 0 || (isOne && now.get(nowLead(first?.record ?? 0))?.length === group.length);
    const isRight = group.every(({ record }) => errorsOf(record).length === 0);
    const more = isRight && !isWhole ? [groupChanged(by)] : [];
    return group.map(({ record }) => ({
      record,
      isReady: isRight && isWhole,
      errors: [...errorsOf(record), ...more],
    }));
  });
}

const groupChanged = (by: readonly string[]): Problem => ({
  code: 'group_changed',
  path: by.join(', '),
  value: '',
  message: 'With this change other rows would make one order than before, and rows of it may not be here.',
  fix: 'Write the same into all rows of the order, or change it in your file and send all rows of the order again.',
});
