/** The rows of what was sent, in columns that add up to them. Pure. */
import type { BatchSummary } from '../../src/batch/report/summary.ts';
import type { RecordState } from '../../src/delivery/outcome.ts';
import { columns } from '../frame/command.ts';

/** Every state is in exactly one column, so that a line adds up to its rows. */
const COLUMN_OF: Record<RecordState, string> = {
  delivered: 'delivered',
  coalesced: 'delivered',
  duplicate: 'sent before',
  rejected: 'refused',
  dead: 'refused',
  cancelled: 'refused',
  invalid: 'to correct',
  skipped: 'skipped',
  valid: 'open',
  queued: 'open',
  sending: 'open',
  waiting: 'open',
  unknown: 'open',
  held: 'open',
};
/** `open` is shown where there is any. */
const COLUMNS = ['delivered', 'sent before', 'refused', 'to correct', 'skipped', 'open'];

export type Counted = Pick<BatchSummary, 'rows' | 'rowStates'>;

function countsOf(batches: readonly Counted[]): Map<string, number> {
  const counts = new Map(COLUMNS.map((column) => [column, 0]));
  for (const { rowStates } of batches) {
    for (const [state, count] of Object.entries(rowStates)) {
      const column = COLUMN_OF[state as RecordState];
      counts.set(column, (counts.get(column) ?? 0) + count);
    }
  }
  return counts;
}

/** A line for each group, and one for all. @param titles of the columns before the counts. @param totals below all but the first of them. */
function countsTable<T extends Counted>(
  titles: readonly string[],
  groups: readonly { cells: readonly string[]; batches: readonly T[] }[],
  totals: readonly string[] = titles.slice(1).map(() => ''),
): string[] {
  const all = groups.flatMap(({ batches }) => batches);
  const shown = COLUMNS.filter((column) => column !== 'open' || (countsOf(all).get(column) ?? 0) > 0);
  const line = (cells: readonly string[], batches: readonly T[]): string[] => {
    const counts = countsOf(batches);
    const rows = batches.reduce((sum, batch) => sum + batch.rows, 0);
    return [...cells, String(rows), ...shown.map((column) => String(counts.get(column) ?? 0))];
  };
  const lines = groups.map(({ cells, batches }) => line(cells, batches));
  const total = line(['all', ...totals], all);
  return columns([[...titles, 'rows', ...shown], ...lines, total]);
}

const FORMAT_NAMES: Readonly<Record<string, string>> = {
  csv: 'CSV',
  json: 'JSON',
  ndjson: 'JSON lines',
  fixed: 'Fixed width',
  xml: 'XML',
  xlsx: 'Excel',
  x12: 'X12',
  edifact: 'EDIFACT',
};

export function tableByFormat<T extends Counted & Pick<BatchSummary, 'format'>>(batches: readonly T[]): string[] {
  const groups = [...Map.groupBy(batches, ({ format }) => format ?? '')].map(([format, those]) => ({
    cells: [FORMAT_NAMES[format] ?? format, String(those.length)],
    batches: those,
  }));
  return countsTable(['format', 'files'], groups, [String(batches.length)]);
}

export const tableByFile = <T extends Counted & Pick<BatchSummary, 'mapping' | 'state'>>(
  batches: readonly T[],
): string[] =>
  countsTable(
    ['mapping', 'state'],
    batches.map((batch) => ({ cells: [batch.mapping, batch.state], batches: [batch] })),
  );
