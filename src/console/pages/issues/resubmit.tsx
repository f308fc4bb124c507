/** The rows of an issue under the mapping of now: what would be sent, and the batches that were made of them. */
import type { FC } from 'hono/jsx';
import type { Done } from '../../../http/contract/contract.ts';
import type { IssueView } from '../../../http/ops/views/issue.ts';
import type { ResubmitPlanView } from '../../../http/ops/views/resubmit.ts';
import { BATCH_ID_FORM } from '../../../kernel/ids.ts';
import { RESUBMIT_BATCHES_MAX } from '../../../kernel/limits.ts';
import { capital } from '../../../kernel/text.ts';
import { action, type Outcome, type PlanMessages, WHY } from '../../actions.ts';
import type { Page } from '../../page.ts';
import { StackedBar, segmentsOf, segmentsText } from '../../parts/bar.tsx';
import { countOf, Id, inText, Note, State } from '../../parts/basics.tsx';
import { Crumbs } from '../../parts/crumbs.tsx';
import { rowName, rowWhere } from '../../parts/row-link.tsx';
import { Table } from '../../parts/table.tsx';
import type { ShownBatch } from '../batch/batch-messages.ts';
import { batchTitle } from '../batches.tsx';

export const resubmitAction = action({
  name: 'resubmit-issue',
  route: 'POST /v1/ops/issues/{id}/resubmit',
  role: 'operator',
  title: () => 'Send the rows again, read with the mapping as it is now',
  explain:
    'The rows are read again as they were sent. Those that the mapping now takes become a new batch of their partner; once they are delivered, the old rows are resolved.',
  fields: [{ name: 'id', label: 'Issue', kind: 'hidden', isRequired: true }, WHY],
  button: 'Send the rows',
  call: ({ id = '', why, confirm }) => ({
    path: { id },
    body: { why, ...(confirm === undefined ? {} : { confirm }) },
  }),
  plan: (answer, _, page) => planMessages(page, answer),
  plansAtOnce: true,
  done: (answer, _, page) => sentOutcome(answer, page),
});

/** What of it was not taken is said before anything else: nothing keeps it. */
function sentOutcome({ issue, batches }: Done<'POST /v1/ops/issues/{id}/resubmit'>, page: Page): Outcome {
  const taken = batches.flatMap(({ batchId }) => (batchId === null ? [] : [batchId]));
  const sent = sentPath(page, issue, taken);
  const refused = batches.flatMap(({ partner, rows, problem }) =>
    problem === null ? [] : [{ partner, rows, problem }],
  );
  if (refused.length === 0) return { goTo: sent };
  const rows = refused.reduce((sum, each) => sum + each.rows, 0);
  return {
    title: `${countOf(rows, 'row')} not sent`,
    lines: [
      ...refused.map(({ partner, rows, problem: { title, detail, fix } }) =>
        [`${countOf(rows, 'row')} of ${partner}: ${title}.`, detail, fix].join(' '),
      ),
      ...(taken.length === 0 ? [] : [`The others are on their way, as ${countOf(taken.length, 'batch', 'batches')}.`]),
    ],
    ...(taken.length === 0 ? {} : { next: { label: 'See what was sent', href: sent } }),
    back: page.at(`/issues/${issue}`),
  };
}

/** The page of what was made of an issue's rows. */
export const sentPath = (page: Page, issue: string, batches: readonly string[]): string =>
  page.at(`/issues/${issue}/sent`, { batches: batches.join(',') });

/** Files named where several are left for the same reason. */
const LEFT_NAMED = 3;

function leftLines(left: ResubmitPlanView['left']): string[] {
  const names = new Map<string, string[]>();
  for (const { fileName, batchId, problem } of left)
    names.set(problem.detail, [...(names.get(problem.detail) ?? []), fileName ?? batchId]);
  return [...names].map(([why, all]) => {
    const more = all.length - LEFT_NAMED;
    return `Not from ${all.slice(0, LEFT_NAMED).join(', ')}${more > 0 ? ` and ${countOf(more, 'other')}` : ''}: ${why}`;
  });
}

function planMessages(page: Page, plan: ResubmitPlanView): PlanMessages {
  const { rows, requests, stillWrong, leftOut, left, isCut, batches, confirm } = plan;
  const count = Object.values(requests).reduce((sum, each) => sum + each, 0);
  const isUnchanged = batches.length > 0 && batches.every(({ isChanged }) => !isChanged);
  return {
    lines: [
      rows === 0
        ? 'None of these rows would be sent.'
        : `${countOf(rows, 'row')} would be sent, as ${countOf(count, 'request')}.`,
      ...(isUnchanged ? ['The mapping is the one that these rows were read under: nothing has changed for them.'] : []),
      ...(stillWrong > 0 ? [`${countOf(stillWrong, 'row')} would still be wrong, and stay as they are.`] : []),
      ...(leftOut > 0
        ? [`${countOf(leftOut, 'row')} may have arrived, or are on their way again: they are left alone.`]
        : []),
      ...leftLines(left),
      ...(isCut
        ? [
            rows === 0
              ? 'There are more rows or batches than one request looks at.'
              : 'There are more than are sent at once. Come back for the others when these are sent.',
          ]
        : []),
    ],
    button: `Send ${countOf(rows, 'row')}`,
    isEmpty: rows === 0,
    confirm: { confirm },
    look: rows === 0 ? 'bad' : 'wait',
    detail: <PlanTables page={page} plan={plan} />,
  };
}

const PlanTables: FC<{ page: Page; plan: ResubmitPlanView }> = ({
  page,
  plan: { batches, examples, rows, wrong, stillWrong },
}) => (
  <>
    {batches.length === 0 ? null : (
      <Table
        caption="Batches with such rows"
        columns={[
          { label: 'File', kind: 'main' },
          { label: 'Partner', kind: 'word' },
          { label: 'Mapping' },
          { label: 'Would be sent', kind: 'number' },
          { label: 'Still wrong', kind: 'number' },
        ]}
        rows={batches.map(({ batchId, fileName, partner, mapping, rows, stillWrong: wrongRows }) => ({
          cells: [
            <a href={page.at(`/batches/${batchId}`)}>{fileName ?? 'Messages'}</a>,
            partner,
            mapping,
            inText(rows),
            inText(wrongRows),
          ],
        }))}
      />
    )}
    {examples.length === 0 ? null : (
      <section>
        <h2>What they become{examples.length < rows ? `: the first ${examples.length} of ${inText(rows)}` : ''}</h2>
        {examples.map(({ record, line, place, requests }, at) => (
          <details open={at === 0}>
            <summary>
              {capital(rowName(record))}:{' '}
              {requests.map(({ subject }) => subject.replace(/^(?:load|order):/, '')).join(', ')}{' '}
              <span class="quiet">({rowWhere({ line, ...(place === null ? {} : { place }) })})</span>
            </summary>
            <pre>{requests.map(({ body }) => JSON.stringify(body, null, 2)).join('\n')}</pre>
          </details>
        ))}
      </section>
    )}
    {wrong.length === 0 ? null : (
      <section>
        <h2>Still wrong</h2>
        <Table
          caption="Rows that would still be wrong"
          columns={[{ label: 'Row', kind: 'word' }, { label: 'Where' }, { label: 'What is wrong', kind: 'main' }]}
          rows={wrong.map(({ batchId, record, line, place, problem }) => ({
            cells: [
              <a href={page.at(`/batches/${batchId}`, { state: 'all', after: record - 1 })}>
                {capital(rowName(record))}
              </a>,
              rowWhere({ line, ...(place === null ? {} : { place }) }),
              problem === null ? 'The mapping passes such rows over.' : problem.message,
            ],
          }))}
        />
        {stillWrong > wrong.length ? (
          <p class="quiet">
            The first {inText(wrong.length)} of {inText(stillWrong)}.
          </p>
        ) : null}
      </section>
    )}
  </>
);

/** How often the page loads itself again while a batch is open, in ms. Ours: a small batch takes seconds. */
const RELOAD_MS = 3_000;

/** `/console/issues/{id}/sent?batches=…` */
export async function sentPage(page: Page): Promise<Response> {
  const id = page.context.req.param('id') ?? '';
  const ids = page
    .query('batches')
    .split(',')
    .filter((each) => BATCH_ID_FORM.test(each));
  const found = await page.api.call('GET /v1/ops/issues/{id}', { path: { id } });
  if (!found.ok) return page.refuse(found.error);
  const batches: ShownBatch[] = [];
  for (const batchId of ids.slice(0, RESUBMIT_BATCHES_MAX)) {
    const batch = await page.api.call('GET /v1/ops/batches/{id}', { path: { id: batchId } });
    if (!batch.ok) return page.refuse(batch.error);
    batches.push(batch.value);
  }
  const rows = batches.reduce((sum, batch) => sum + sentRows(batch), 0);
  const isOpen = batches.some(({ state }) => state === 'reading' || state === 'delivering');
  const isWaiting = isOpen || (found.value.state !== 'resolved' && batches.some(isDelivered));
  return page.show({
    title: `${countOf(rows, 'row')} sent – ${found.value.title}`,
    nav: 'issues',
    isWide: true,
    body: (
      <>
        <Crumbs
          to={[
            ['Issues', page.at('/issues')],
            [found.value.title, page.at(`/issues/${id}`)],
          ]}
        />
        <div class="heading">
          <h1>{countOf(rows, 'row')} sent</h1>
          {isWaiting ? (
            <div class="actions" data-reload={RELOAD_MS}>
              <a class="button" href={sentPath(page, id, ids)}>
                Look again
              </a>
            </div>
          ) : null}
        </div>
        <WhatIsLeft page={page} issue={found.value} isOpen={isOpen} />
        <SentBatches page={page} batches={batches} />
      </>
    ),
  });
}

/** Of a set, records that are not of the issue only come along. */
const sentRows = ({ rows, rowStates, sentAgainFrom }: ShownBatch): number =>
  sentAgainFrom === null ? rows : rows - (rowStates.skipped ?? 0);

const isDelivered = (batch: ShownBatch): boolean =>
  sentRows(batch) > 0 && batch.rowStates.delivered === sentRows(batch);

const WhatIsLeft: FC<{ page: Page; issue: IssueView; isOpen: boolean }> = ({ page, issue, isOpen }) =>
  issue.state === 'resolved' ? (
    <Note look="good">The issue is resolved: no row of it is left.</Note>
  ) : (
    <Note look="wait">
      <p>
        {isOpen ? 'They are on their way. ' : ''}
        {countOf(issue.rows, 'row')} of the issue {issue.rows === 1 ? 'is' : 'are'} not delivered so far; the count
        follows within seconds. <a href={page.at(`/issues/${issue.id}`)}>See what is left</a>
      </p>
    </Note>
  );

const SentBatches: FC<{ page: Page; batches: readonly ShownBatch[] }> = ({ page, batches }) => (
  <Table
    caption="Batches made of these rows"
    columns={[
      { label: 'File', kind: 'main' },
      { label: 'Partner', kind: 'word' },
      { label: 'Rows', kind: 'number' },
      { label: 'How far', kind: 'word' },
      { label: 'Batch', kind: 'word' },
    ]}
    rows={batches.map((batch) => {
      const href = page.at(`/batches/${batch.batchId}`);
      const segments = segmentsOf(batch.rowStates, batch.resolvedStates);
      const look = segments.bad > 0 ? 'bad' : segments.held > 0 ? 'held' : isDelivered(batch) ? 'good' : 'wait';
      return {
        href,
        cells: [
          <a href={href}>{batchTitle(batch)}</a>,
          batch.partner,
          inText(sentRows(batch)),
          <>
            <StackedBar segments={segments} isSmall />{' '}
            <State look={look}>{batch.rows === 0 ? 'being read' : segmentsText(segments)}</State>
          </>,
          <Id id={batch.batchId} href={href} />,
        ],
      };
    })}
    empty="The address names no batch."
  />
);
