/** How a row is named everywhere, where it is in its file, and where it is shown: on the page of its batch. */
import type { Child, FC } from 'hono/jsx';
import type { Position, Problem } from '../../kernel/problem.ts';
import { ofOtherRows } from '../../mapping/groups/map-group.ts';
import type { Page } from '../page.ts';
import { inText } from './basics.tsx';

interface RowLocation {
  batchId: string;
  record: number;
}

/** `row 14`: counted without the header, as the API counts. */
export const rowName = (record: number): string => `row ${inText(record)}`;

/** `line 15`, `events.csv, line 15`, `ISA 000000201, GS 201, ST 0001, segment 6 (AT7)`: what a person looks for in the file. */
export const rowWhere = ({ file, line, place }: Pick<Position, 'line' | 'file' | 'place'>): string =>
  `${file === undefined ? '' : `${file}, `}${place ?? `line ${inText(line)}`}`;

/** `row 14 of events.csv`: among rows of several files. Messages have no file. */
export const rowOf = ({ record, fileName }: { record: number; fileName: string | null }): string =>
  fileName === null ? rowName(record) : `${rowName(record)} of ${fileName}`;

export const rowHref = (page: Page, { batchId, record }: RowLocation): string =>
  page.at(`/batches/${batchId}`, { state: 'all', after: record - 1, row: record });

/** `row 14 of batch b_01m8a…ddchf`: the batch is shortened in the middle. */
export const rowInBatch = ({ batchId, record }: RowLocation): string =>
  `${rowName(record)} of batch ${batchId.slice(0, 7)}…${batchId.slice(-5)}`;

/** The whole batch is on hover. */
export const RowLink: FC<{ page: Page; row: RowLocation }> = ({ page, row }) => (
  <a href={rowHref(page, row)} title={row.batchId}>
    {rowInBatch(row)}
  </a>
);

/** What a group says of other rows of it, each of those at fault a link. children: said where it is about none. */
export const OtherRows: FC<{
  problem: Pick<Problem, 'code' | 'message'>;
  to: (record: number) => string;
  children?: Child;
}> = ({ problem, to, children }) => {
  const said = ofOtherRows(problem);
  if (said === null) return <>{children}</>;
  return (
    <>
      {said.before}
      {said.rows.map((record, at) => (
        <>
          {at === 0 ? '' : ', '}
          <a href={to(record)}>{inText(record)}</a>
        </>
      ))}
      {said.after}
    </>
  );
};
