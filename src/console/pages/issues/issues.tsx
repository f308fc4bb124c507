/** `/console/issues`: what failed alike, over all batches; and one of them, with what can be done about it. */

import type { FC } from 'hono/jsx';
import type { IssueLine, IssueView, NextActor } from '../../../http/ops/views/issue.ts';
import { spokenPath } from '../../../mapping/values/fault.ts';
import type { IssueState } from '../../../ops/index/issues.ts';
import type { Values } from '../../actions.ts';
import type { Page } from '../../page.ts';
import { CursorPager, countOf, Fact, Facts, inText, type Look, Note, State, Time } from '../../parts/basics.tsx';
import { Crumbs } from '../../parts/crumbs.tsx';
import { cursorIn, type Filter, Filters, filtersSet, withoutList } from '../../parts/filters.tsx';
import { Names } from '../../parts/links.tsx';
import { Spoken } from '../../parts/spoken.tsx';
import { Table } from '../../parts/table.tsx';
import type { ConsolePages } from '../../routes.ts';
import { ISSUE_ACTIONS } from './issue-actions.ts';
import { BatchesOfIssue, Changes, IssueRows, ROWS_SHOWN } from './issue-tables.tsx';
import { sentPage } from './resubmit.tsx';

const STATES: Record<IssueState, { label: string; look: Look; meaning: string }> = {
  open: { label: 'Open', look: 'bad', meaning: 'Somebody should look at it.' },
  acknowledged: { label: 'Acknowledged', look: 'wait', meaning: 'Somebody looks after it.' },
  muted: { label: 'Muted', look: 'done', meaning: 'It needs nobody before its time.' },
  resolved: { label: 'Resolved', look: 'good', meaning: 'No batch has rows of it any more.' },
};

const NEXT_ACTORS: Record<NextActor, string> = {
  partner: 'Partner',
  operator: 'Operator',
  author: "Mapping's author",
};

export const nextActorText = ({ nextActor, list }: Pick<IssueLine, 'nextActor' | 'list'>): string =>
  list === null ? NEXT_ACTORS[nextActor] : 'Operator (code list)';

const FILTERS: readonly Filter[] = [
  { name: 'search', label: 'Text' },
  { name: 'partner', label: 'Partner' },
  { name: 'mapping', label: 'Mapping' },
  { name: 'code', label: 'Code' },
  {
    name: 'state',
    label: 'State',
    kind: 'choice',
    of: {
      '': 'All but resolved',
      ...Object.fromEntries(Object.entries(STATES).map(([name, { label }]) => [name, label])),
    },
  },
  { name: 'sort', label: 'Sort by', kind: 'choice', of: { '': 'Last seen', rows: 'Most rows' } },
];

async function issuesPage(page: Page): Promise<Response> {
  const filters = filtersSet(
    page,
    FILTERS.map(({ name }) => name),
  );
  const found = await page.api.call('GET /v1/ops/issues', {
    query: { ...filters, limit: ROWS_SHOWN, cursor: page.query('cursor') },
  });
  if (!found.ok)
    return withoutList(page, { title: 'Issues', nav: 'issues', path: '/issues', filters: FILTERS }, found.error);
  return page.show({
    title: 'Issues',
    nav: 'issues',
    isWide: true,
    body: (
      <>
        <div class="heading">
          <h1>Issues</h1>
        </div>
        <p class="quiet">
          Rows that failed alike are one issue, whatever file they came in. An issue resolves by itself when no row of
          it is left, and opens again when it comes back.
        </p>
        <Filters page={page} path="/issues" filters={FILTERS} />
        <IssueTable
          page={page}
          issues={found.value.issues}
          empty={
            Object.keys(filters).length > 0
              ? 'No issue is like that. Change the filter, or clear it.'
              : 'Nothing fails: every row was delivered, is on its way, or was put right.'
          }
        />
        <CursorPager
          page={page}
          path="/issues"
          filters={filters}
          next={cursorIn(found.value.next)}
          nextLabel="Show more issues"
        />
      </>
    ),
  });
}

export const IssueTable: FC<{ page: Page; issues: readonly IssueLine[]; empty: string }> = ({
  page,
  issues,
  empty,
}) => (
  <Table
    caption="Issues"
    columns={[
      { label: 'What', kind: 'title' },
      { label: 'Rows', kind: 'number' },
      { label: 'Partners' },
      { label: 'Whose turn', kind: 'word' },
      { label: 'Since', kind: 'word', isMinor: true },
      { label: 'Last seen', kind: 'word', isMinor: true },
      { label: 'State', kind: 'word' },
    ]}
    rows={issues.map((issue) => {
      const href = page.at(`/issues/${issue.id}`);
      return {
        href,
        cells: [
          <a href={href}>
            <Spoken text={issue.title} />
          </a>,
          inText(issue.rows),
          <Names page={page} names={issue.partners} of="partner" most={NAMES_SHOWN} />,
          issue.state === 'resolved' ? '' : nextActorText(issue),
          <Time at={issue.firstSeen} />,
          <Time at={issue.lastSeen} />,
          <IssueStateText issue={issue} />,
        ],
      };
    })}
    empty={empty}
  />
);

const NAMES_SHOWN = 3;

const IssueStateText: FC<{ issue: Pick<IssueLine, 'state' | 'rowState' | 'decided' | 'reopened'> }> = ({
  issue: { state, rowState, decided, reopened },
}) => {
  const { label, look, meaning } = STATES[state];
  const came = state === 'open' && reopened > 0 ? ', came back' : '';
  return (
    <State
      look={state === 'open' && rowState === 'held' ? 'held' : look}
      title={`${meaning}${decided === null ? '' : ` ${decided.by ?? ''}: ${decided.why ?? ''}`}`}
    >
      {label}
      {came}
    </State>
  );
};

/* One issue. */

async function issuePage(page: Page): Promise<Response> {
  const id = page.context.req.param('id') ?? '';
  const found = await page.api.call('GET /v1/ops/issues/{id}', { path: { id } });
  if (!found.ok) return page.refuse(found.error);
  const issue = found.value;
  const rows = await page.api.call('GET /v1/ops/issues/{id}/rows', {
    path: { id },
    query: { limit: ROWS_SHOWN, cursor: page.query('cursor') },
  });
  return page.show({
    title: `${issue.title} – ${countOf(issue.rows, 'row')}`,
    nav: 'issues',
    isWide: true,
    body: (
      <>
        <Crumbs to={[['Issues', page.at('/issues')]]} />
        <div class="heading">
          <h1>
            <Spoken text={issue.title} />
          </h1>
          <IssueStateText issue={issue} />
        </div>
        <Cause page={page} issue={issue} />
        <section>
          <h2>Batches that have it</h2>
          <BatchesOfIssue page={page} issue={issue} />
        </section>
        {rows.ok ? (
          <IssueRows page={page} id={issue.id} answer={rows.value} />
        ) : (
          <Note look="bad">
            Its rows cannot be told at the moment: {rows.error.detail} <code>{rows.error.code}</code>
          </Note>
        )}
        <Changes page={page} issue={issue} />
      </>
    ),
  });
}

const Cause: FC<{ page: Page; issue: IssueView }> = ({ page, issue }) => (
  <>
    <Facts>
      <Fact name="Rows not delivered">{inText(issue.rows)}</Fact>
      <Fact name="Partners">
        <Names page={page} names={issue.partners} of="partner" none="none now" />
      </Fact>
      <Fact name="Mappings">
        <Names page={page} names={issue.mappings} of="mapping" none="none now" />
      </Fact>
      <Fact name="First seen">
        <Time at={issue.firstSeen} />
      </Fact>
      <Fact name="Last seen">
        <Time at={issue.lastSeen} />
      </Fact>
      {issue.reopened === 0 ? null : <Fact name="Came back">{countOf(issue.reopened, 'time')}</Fact>}
    </Facts>
    <div class="columns two">
      <section>
        <h2>Why</h2>
        <p>
          <Spoken text={issue.cause} />
        </p>
        {issue.path === null ? null : (
          <p>
            In{' '}
            <span class="value">
              <Spoken
                text={spokenPath({ code: issue.code, path: issue.path, fix: issue.fix }) || 'the row as a whole'}
              />
            </span>
            {issue.value === null ? null : (
              <>
                , the value <span class="value">{issue.value}</span>
              </>
            )}
          </p>
        )}
        {issue.answer === null ? null : (
          <>
            <h3>{issue.status === null ? 'The error' : `The answer, status ${issue.status}`}</h3>
            <pre>{issue.answer || '(empty)'}</pre>
          </>
        )}
        <p class="quiet">
          Code <code>{issue.code}</code>
        </p>
      </section>
      <section>
        <h2>What to do</h2>
        {issue.state === 'resolved' ? (
          <p>
            Nothing: no batch has rows of it any more, since <Time at={issue.resolvedAt} />.
          </p>
        ) : (
          <>
            <p>
              <strong>Whose turn: {nextActorText(issue)}</strong>
            </p>
            <p>{issue.action}</p>
            {issue.rowState === 'invalid' ? <p class="quiet">What its sender reads: {issue.fix}</p> : null}
            <IssueActions page={page} issue={issue} />
            <Decided issue={issue} />
          </>
        )}
      </section>
    </div>
  </>
);

/** As the filters of holds say it: whoever decides sees which ones. */
const heldOf = ({ partners, reason, status }: IssueView) => ({
  ...(partners.length === 1 ? { partner: partners[0] } : {}),
  ...(reason === null ? {} : { reason }),
  ...(status === null ? {} : { status }),
});

const IssueActions: FC<{ page: Page; issue: IssueView }> = ({ page, issue }) => {
  const from = page.at(`/issues/${issue.id}`);
  const to = (action: string, parameters: Values = {}): string => page.at(`/do/${action}`, { ...parameters, from });
  const mayAct = page.mayActAs('operator');
  // Where the rows are wrong it is the partner's turn: sending them again would only have them refused again.
  const isPartners = issue.nextActor === 'partner' && issue.list === null;
  return (
    <p class="actions">
      {issue.rows > 0 && isPartners ? <DownloadRows page={page} issue={issue} isMain /> : null}
      {mayAct && issue.list !== null && issue.value !== null ? (
        <a
          class="button primary"
          href={to('edit-code-list', {
            name: issue.list,
            word: issue.value,
            issue: issue.id,
            rows: String(issue.rows),
          })}
        >
          Add to code list…
        </a>
      ) : null}
      {mayAct && issue.held > 0 ? (
        <a class="button primary" href={page.at('/holds', heldOf(issue))}>
          Decide {countOf(issue.held, 'held row')}
        </a>
      ) : null}
      {mayAct && issue.requests > issue.held
        ? issue.partners.map((partner) => (
            <a class={isPartners ? 'button' : 'button primary'} href={to('replay-issue', { id: issue.id, partner })}>
              {issue.partners.length === 1
                ? `Send all ${inText(issue.requests - issue.held)} again…`
                : `Send all of ${partner} again…`}
            </a>
          ))
        : null}
      {mayAct && issue.rows > 0 && (issue.rowState === 'invalid' || issue.rowState === 'rejected') ? (
        <a class="button" href={to('resubmit-issue', { id: issue.id })}>
          Send again, read with the mapping as it is now…
        </a>
      ) : null}
      {issue.rows > 0 && !isPartners ? <DownloadRows page={page} issue={issue} /> : null}
      {mayAct && issue.state === 'open' ? (
        <a class="button" href={to('acknowledge-issue', { id: issue.id })}>
          Acknowledge…
        </a>
      ) : null}
      {mayAct && issue.state !== 'muted' ? (
        <a class="button" href={to('mute-issue', { id: issue.id })}>
          Mute until…
        </a>
      ) : null}
      {mayAct && issue.state !== 'open' ? (
        <a class="button" href={to('reopen-issue', { id: issue.id })}>
          Open again…
        </a>
      ) : null}
    </p>
  );
};

const DownloadRows: FC<{ page: Page; issue: IssueView; isMain?: boolean }> = ({ page, issue, isMain = false }) => (
  <a class={isMain ? 'button primary' : 'button'} href={page.at(`/issues/${issue.id}/rows.csv`)} download>
    Download {countOf(issue.rows, 'row')}
  </a>
);

const Decided: FC<{ issue: IssueView }> = ({ issue: { decided, state } }) =>
  decided === null || state === 'open' ? null : (
    <Note look="wait">
      {STATES[state].label} by {decided.by} <Time at={decided.at} />
      {decided.until === null ? null : (
        <>
          , until <Time at={decided.until} isExact />
        </>
      )}
      : {decided.why}
    </Note>
  );

/** The API's file, for a link on a page. */
async function rowsCsv(page: Page): Promise<Response> {
  const id = page.context.req.param('id') ?? '';
  const query = { partner: page.query('partner') };
  const answer = await page.api.answer('GET /v1/ops/issues/{id}/rows.csv', { path: { id }, query });
  return answer.ok ? answer : page.refuse((await answer.json()) as Parameters<Page['refuse']>[0]);
}

export const issuePages: ConsolePages = {
  get: {
    '/issues': issuesPage,
    '/issues/:id': issuePage,
    '/issues/:id/rows.csv': rowsCsv,
    '/issues/:id/sent': sentPage,
  },
  reads: [
    'GET /v1/ops/issues',
    'GET /v1/ops/issues/{id}',
    'GET /v1/ops/issues/{id}/rows',
    'GET /v1/ops/issues/{id}/rows.csv',
    'GET /v1/ops/batches/{id}',
  ],
  actions: ISSUE_ACTIONS,
};
