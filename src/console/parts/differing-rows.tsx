/** Rows that another mapping would map otherwise: how many, and what differs in each. */
import type { FC } from 'hono/jsx';
import { inText, Note } from './basics.tsx';
import { valueText } from './differences.tsx';
import { Table } from './table.tsx';

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
const PATHS_SHOWN = 4;

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

const RowDifferences: FC<{ differences: DifferingRow['differences'] }> = ({ differences }) => (
  <>
    {differences.slice(0, PATHS_SHOWN).map(({ path, before, after }) => (
      <div>
        <code>{path}</code>: <span class="value">{valueText(before)}</span> →{' '}
        <span class="value">{valueText(after)}</span>
      </div>
    ))}
    {differences.length > PATHS_SHOWN ? <div class="quiet">and {differences.length - PATHS_SHOWN} more</div> : null}
  </>
);
