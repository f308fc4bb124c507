/**
 * Makes one record of a sample file, or the rows of one group, out of what the document asks for.
 *
 * What it returns is meant to map; whether it does is for whoever writes the file to see.
 */
import { columnsOf, type Draft, type DraftGroup, rotated } from './sample-draft.ts';
import type { CellTexts } from './sample-leaf.ts';
import type { Composing, Turn } from './sample-questions.ts';
import { composeRecord, fillDraft } from './sample-record.ts';
import { notSkipped, type Scenario } from './sample-scenarios.ts';

/** Rows of every second group; the others have one more. */
const GROUP_ROWS_LEAST = 2;

export function composeGroup(composing: Composing, scenario: Scenario, turn: Turn): DraftGroup | undefined {
  const first = composeRecord(composing, scenario, { ...turn, fixed: absentCells(composing) });
  if (first === undefined) return undefined;
  const rows = [first.draft];
  if (composing.parts.group !== undefined) {
    const own = ownColumns(composing);
    const fixed = new Map([...first.draft.cells].filter(([column]) => !own.has(column)));
    const perRow = { ...first.reading, leaves: first.reading.leaves.filter((leaf) => leaf.perRow) };
    const demands = notSkipped(composing.parts);
    for (let row = 1; row < GROUP_ROWS_LEAST + (turn.number % 2); row += 1) {
      const given = { turn: turn.turn + row, number: turn.number + row, fixed };
      const draft = fillDraft(composing, { reading: perRow, demands }, given);
      if (draft !== undefined) rows.push(draft);
    }
  }
  return rows.map((draft) => withUnread(composing, draft, turn.turn));
}

/** Columns that no row may fill, because the file does not have them. */
function absentCells({ mapping, columns }: Composing): CellTexts {
  if (columns === undefined) return new Map();
  return new Map(columnsOf(mapping.shape).flatMap((column) => (columns.includes(column) ? [] : [[column, '']])));
}

/** Columns that may differ from row to row of a group; in the others all rows say the same. */
function ownColumns({ mapping, parts }: Composing): ReadonlySet<string> {
  const columns = columnsOf(mapping.shape);
  const bound = mapping.bind(columns);
  const [one, other] = [columns.map(() => '1'), columns.map(() => '2')];
  const shared = bound.ok ? bound.value.group?.differing(one, other).map(({ column }) => column.trim()) : [];
  const kept = new Set([...(shared ?? []), ...(parts.group?.by ?? []).map((column) => column.trim())]);
  return new Set(columns.filter((column) => !kept.has(column)));
}

/** Columns of the file that the mapping does not read hold what they hold in an example. */
function withUnread({ mapping, columns = [], examples }: Composing, draft: Draft, turn: number): Draft {
  const read = new Set(columnsOf(mapping.shape));
  const shown = rotated(examples.drafts, turn);
  const unread = columns.flatMap((column) => {
    const text = read.has(column) ? undefined : shown.flatMap(({ cells }) => cells.get(column) ?? [])[0];
    return text === undefined ? [] : [[column, text] as const];
  });
  return { ...draft, cells: new Map([...draft.cells, ...unread]) };
}
