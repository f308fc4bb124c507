/** Tables of the page of an issue: the batches that have it, its rows, and what was said about it. */
import type { FC } from 'hono/jsx';
import type { Answered } from '../../../http/contract/contract.ts';
import type { IssueView } from '../../../http/ops/views/issue.ts';
import { capital } from '../../../kernel/text.ts';
import type { Page } from '../../page.ts';
import { CursorPager, Id, inText, Time } from '../../parts/basics.tsx';
import { cursorIn } from '../../parts/filters.tsx';
import { MappingLink, PartnerLink } from '../../parts/links.tsx';
import { rowOf } from '../../parts/row-link.tsx';
import { Table } from '../../parts/table.tsx';
import { sentPath } from './resubmit.tsx';

export const BatchesOfIssue: FC<{ page: Page; issue: IssueView }> = ({ page, issue }) => (
  <>
    <Table
      caption="Batches with rows of this issue, oldest first"
      columns={[
        { label: 'File', kind: 'main' },
        { label: 'Partner', kind: 'word' },
        { label: 'Mapping' },
        { label: 'Rows', kind: 'number' },
        { label: 'First rows' },
        { label: 'Last seen', kind: 'word' },
      ]}
      rows={issue.ofBatches.map((batch) => {
        const href = page.at(`/batches/${batch.batchId}`);
        return {
          href,
          cells: [
            <a href={href}>{batch.fileName ?? 'Messages'}</a>,
            <PartnerLink page={page} name={batch.partner} />,
            <MappingLink page={page} name={batch.mapping} />,
            inText(batch.rows),
            <Examples page={page} batchId={batch.batchId} examples={batch.examples} />,
            <Time at={batch.lastSeen} />,
          ],
        };
      })}
      empty="No batch has rows of it any more."
    />
    {issue.batches > issue.ofBatches.length ? (
      <p class="quiet">
        {inText(issue.ofBatches.length)} of {inText(issue.batches)} batches are shown; the download has the rows of all.
      </p>
    ) : null}
  </>
);

const Examples: FC<{ page: Page; batchId: string; examples: IssueView['ofBatches'][number]['examples'] }> = ({
  page,
  batchId,
  examples,
}) => (
  <>
    {examples.map(({ record, subject }, index) => (
      <>
        {index === 0 ? '' : ', '}
        <a href={page.at(`/batches/${batchId}`, { state: 'all', after: record - 1 })}>row {inText(record)}</a>
        {subject === null ? '' : ` (${subject.replace(/^(?:load|order):/, '')})`}
      </>
    ))}
  </>
);

/** Issues on a page of their list, and rows on a page of one. Ours: two screens. */
export const ROWS_SHOWN = 20;

type RowsAnswer = Answered<'GET /v1/ops/issues/{id}/rows'>;

/** As their batches have them now, whatever the numbers above say. */
export const IssueRows: FC<{ page: Page; id: string; answer: RowsAnswer }> = ({ page, id, answer: { rows, next } }) => {
  const cursor = cursorIn(next);
  return rows.length === 0 ? null : (
    <section>
      <h2>Rows</h2>
      <Table
        caption="Rows of this issue, of all batches"
        columns={[
          { label: 'Row', kind: 'main' },
          { label: 'Partner', kind: 'word' },
          { label: 'Load or order', kind: 'word' },
          { label: 'Value' },
        ]}
        rows={rows.map(({ batchId, partner, record, fileName, subject, problems }) => {
          const href = page.at(`/batches/${batchId}`, { state: 'all', after: record - 1 });
          return {
            href,
            cells: [
              <a href={href}>{capital(rowOf({ record, fileName }))}</a>,
              <PartnerLink page={page} name={partner} />,
              subject?.replace(/^(?:load|order):/, '') ?? '',
              problems[0] === undefined ? '' : <span class="value">{problems[0].value}</span>,
            ],
          };
        })}
      />
      <CursorPager page={page} path={`/issues/${id}`} next={cursor} nextLabel="Show more rows" />
    </section>
  );
};

const CHANGE_MESSAGES = {
  acknowledged: 'Acknowledged',
  muted: 'Muted',
  reopened: 'Opened again',
  resubmitted: 'Rows sent once the mapping was mended',
} as const;

export const Changes: FC<{ page: Page; issue: IssueView }> = ({ page, issue: { changes, id } }) =>
  changes.length === 0 ? (
    <p class="quiet">
      Issue <Id id={id} />
    </p>
  ) : (
    <section>
      <h2>What was said about it</h2>
      <Table
        caption="What was said about it, newest first"
        columns={[{ label: 'When', kind: 'word' }, { label: 'What', kind: 'main' }, { label: 'Who' }, { label: 'Why' }]}
        rows={changes.map(({ at, what, until, batches, by, why }) => ({
          cells: [
            <Time at={at} />,
            <>
              {batches.length === 0 ? (
                CHANGE_MESSAGES[what]
              ) : (
                <a
                  href={sentPath(
                    page,
                    id,
                    batches.map(({ batchId }) => batchId),
                  )}
                >
                  {CHANGE_MESSAGES[what]}
                </a>
              )}
              {until === null ? null : (
                <>
                  {' until '}
                  <Time at={until} isExact />
                </>
              )}
            </>,
            by,
            why,
          ],
        }))}
      />
      <p class="quiet">
        Issue <Id id={id} />
      </p>
    </section>
  );
