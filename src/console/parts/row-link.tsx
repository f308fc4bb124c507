/** Where a row is: on the page of its batch. */
import type { FC } from 'hono/jsx';
import type { Page } from '../page.ts';

interface RowLocation {
  batchId: string;
  record: number;
}

export const rowHref = (page: Page, { batchId, record }: RowLocation): string =>
  page.at(`/batches/${batchId}`, { state: 'all', after: record - 1, row: record });

/** The batch is shortened in the middle; the whole is on hover. */
export const RowLink: FC<{ page: Page; row: RowLocation }> = ({ page, row }) => (
  <a href={rowHref(page, row)} title={row.batchId}>
    {`row ${row.record} of batch ${row.batchId.slice(0, 7)}…${row.batchId.slice(-5)}`}
  </a>
);
