/** Rows that another mapping would map otherwise: how many, and what differs in each. */
import type { FC } from 'hono/jsx';
import { inText, Note } from './basics.tsx';
import { ShownValue, Where } from './differences.tsx';
import { Table } from './table.tsx';
import { leafDifferences } from './value-leaves.ts';

export interface DifferingRow {
  record: number;
  line: number;
  differences: readonly { path: string; before: string; after: string }[];
}

/** @property apart rows that replace one of another batch, which the mapping alone does not decide. */
export interface ComparedCounts {
  rows: number;
  same: number;
  different: number;
  apart?: number;
}

/** Places shown of a row. Ours: all of them are in the document that differs. */
const PATHS_SHOWN = 6;

export const Counts: FC<{ counts: ComparedCounts }> = ({ counts: { rows, same, different, apart } }) => (
  <ul class="tiles">
    {(
      [
        [rows, 'Rows'],
        [same, 'The same'],
        [different, 'Different'],
        ...(apart === undefined ? [] : [[apart, 'Corrections, not compared'] as const]),
      ] as const
    ).map(([count, label]) => (
      <li class="tile">
        <b>{inText(count)}</b> {label}
      </li>
    ))}
  </ul>
);

export const DifferingRows: FC<{ different: readonly DifferingRow[]; total: number; none?: string }> = ({
  different,
  total,
  none = 'Every row becomes exactly the same under this version.',
}) =>
  total === 0 ? (
    <Note look="good">{none}</Note>
  ) : (
    <>
      <Table
        caption="Rows that would differ"
        columns={[{ label: 'Row', kind: 'main' }, { label: 'Line', kind: 'number' }, { label: 'What differs' }]}
        rows={different.map(({ record, line, differences }) => ({
          cells: [inText(record), inText(line), <RowDifferences differences={differences} />],
        }))}
      />
      {total > different.length ? (
        <p class="quiet">
          {inText(different.length)} of {inText(total)} rows that differ are listed.
        </p>
      ) : null}
    </>
  );

const RowDifferences: FC<{ differences: DifferingRow['differences'] }> = ({ differences }) => {
  const parts = differences.flatMap(({ path, before, after }) =>
    leafDifferences(path, valueIn(before), valueIn(after)),
  );
  return (
    <>
      {parts.slice(0, PATHS_SHOWN).map(({ path, from, to }) => (
        <div>
          <Where path={path} />: <ShownValue value={from} none="nothing" /> → <ShownValue value={to} none="nothing" />
        </div>
      ))}
      {parts.length > PATHS_SHOWN ? <div class="quiet">and {parts.length - PATHS_SHOWN} more</div> : null}
    </>
  );
};

/** As the API writes them: JSON, or `nothing`. */
function valueIn(text: string): unknown {
  if (text === 'nothing') return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return value === null ? undefined : value;
  } catch {
    return text;
  }
}
