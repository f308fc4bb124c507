/**
 * Where a run kills: once behind each commit of a batch that reads a file. Pure.
 *
 * A run looks every few milliseconds, so it may come too late for one; that is left for the next file of the run.
 */
import type { Standing } from './batch-on-disk.ts';
import type { OrderFile } from './order-file.ts';

export interface Border {
  name: string;
  /** Whether the batch stands exactly there. */
  isAt(now: Pick<Standing, 'byte' | 'rows'>): boolean;
}

/** Staged rows that become requests in one commit, as src/batch/object/batch.ts has it. */
const PENDING_ROWS_PER_STEP = 2_000;

/**
 * The end of every slice. Where rows are staged to the end of the file, the last slice is one commit with the first groups
 * that become requests; when there are more of them, others follow.
 */
export function bordersOf({ borders, rows }: Pick<OrderFile, 'borders' | 'rows'>, isStaged: boolean): Border[] {
  const slices = borders.map((byte, index) => ({
    name: `slice ${index + 1}`,
    isAt: (now: { byte: number; rows: number }) => now.byte === byte && (!isStaged || now.rows === 0),
  }));
  if (!isStaged) return slices;
  const groups: Border[] = [
    { name: 'the first groups', isAt: ({ rows: known }) => known > 0 && known < rows.length },
    { name: 'the last groups', isAt: ({ rows: known }) => known === rows.length },
  ];
  return [...slices.slice(0, -1), ...groups.slice(rows.length > PENDING_ROWS_PER_STEP ? 0 : 1)];
}
