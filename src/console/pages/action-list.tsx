/** `/console/actions`: what operators did with requests that did not arrive; and one bulk action with its set and progress. */
import type { FC } from 'hono/jsx';
import type { Answered } from '../../http/contract/contract.ts';
import { action } from '../actions.ts';
import type { Page } from '../page.ts';
import { lookOfRow, NO_ROWS, StackedBar, segmentsOf, segmentsText } from '../parts/bar.tsx';
import { CursorPager, countOf, Fact, Facts, Id, inText, type Look, State, Time } from '../parts/basics.tsx';
import { Crumbs } from '../parts/crumbs.tsx';
import { cursorIn, type Filter, Filters, filtersSet } from '../parts/filters.tsx';
import { PartnerLink } from '../parts/links.tsx';
import { rowHref } from '../parts/row-link.tsx';
import { Table } from '../parts/table.tsx';
import type { ConsolePages } from '../routes.ts';
import { DeadLetterBadge, deadLetterHref, subjectText } from './holds/dead-letter-parts.tsx';
import { DECISION_TEXTS } from './holds/hold-actions.tsx';

type ListedAction = Answered<'GET /v1/ops/actions'>['actions'][number];
type ActionState = ListedAction['state'];

const stop = action({
  name: 'stop-action',
  route: 'POST /v1/ops/actions/{id}/cancel',
  role: 'operator',
  title: () => 'Stop the action',
  explain: 'What is done stays done. The rest stays as it is, and can be done by another action.',
  fields: [{ name: 'id', label: 'Action', kind: 'hidden', isRequired: true }],
  button: 'Stop it',
  isDangerous: true,
  call: ({ id = '' }) => ({ path: { id } }),
  done: (_, { id }, page) => ({ goTo: page.at(`/actions/${id}`) }),
});

export const actionPages: ConsolePages = {
  get: { '/actions': listPage, '/actions/:id': actionPage },
  reads: ['GET /v1/ops/actions', 'GET /v1/ops/actions/{id}', 'GET /v1/ops/actions/{id}/requests'],
  actions: [stop],
};

const ACTION_STATES: Record<ActionState, [look: Look, label: string]> = {
  running: ['wait', 'Under way'],
  cancelling: ['wait', 'Stopping'],
  cancelled: ['done', 'Stopped'],
  done: ['good', 'Done'],
  not_begun: ['done', 'Never began'],
};

const FILTERS: readonly Filter[] = [
  { name: 'partner', label: 'Partner' },
  {
    name: 'action',
    label: 'What',
    kind: 'choice',
    of: { '': 'Anything', replay: 'Sent again', decisions: 'Decided about many', decision: 'Decided about one' },
  },
];

const whatText = ({ action, decision, requests }: Pick<ListedAction, 'action' | 'decision' | 'requests'>): string => {
  if (action === 'replay' || decision === null) return `Send ${countOf(requests, 'request')} again`;
  return action === 'decision' ? DECISION_TEXTS[decision].button : DECISION_TEXTS[decision].many(requests);
};

const ActionStateShown: FC<{ state: ActionState }> = ({ state }) => {
  const [look, label] = ACTION_STATES[state];
  return <State look={look}>{label}</State>;
};

async function listPage(page: Page): Promise<Response> {
  const filters = filtersSet(
    page,
    FILTERS.map(({ name }) => name),
  );
  const cursor = page.query('cursor');
  const found = await page.api.call('GET /v1/ops/actions', {
    query: {
      ...filters,
      cursor,
    },
  });
  if (!found.ok) return page.refuse(found.error);
  const next = cursorIn(found.value.next);
  return page.show({
    title: 'Actions',
    nav: 'actions',
    isWide: true,
    body: (
      <>
        <div class="heading">
          <div>
            <h1>Actions</h1>
            <p class="quiet">What people did with requests that did not arrive: who, why, and how far it is.</p>
          </div>
        </div>
        <Filters page={page} path="/actions" filters={FILTERS} />
        <Table
          caption="Actions, newest first"
          columns={[
            { label: 'What', kind: 'main' },
            { label: 'State', kind: 'word' },
            { label: 'Rows', kind: 'word' },
            { label: 'Partner', kind: 'word' },
            { label: 'By', kind: 'word' },
            { label: 'Why' },
            { label: 'When', kind: 'word' },
          ]}
          rows={found.value.actions.map((action) => {
            const href = hrefOf(page, action);
            return {
              href,
              cells: [
                <a href={href}>{whatText(action)}</a>,
                <ActionStateShown state={action.state} />,
                `${inText(action.done)}/${inText(action.requests)}`,
                action.partner === null ? 'several' : <PartnerLink page={page} name={action.partner} />,
                action.name,
                action.why,
                <Time at={action.begunAt} />,
              ],
            };
          })}
          empty={
            Object.keys(filters).length > 0
              ? 'No action is like that. Change the filter, or clear it.'
              : 'Nobody has sent anything again or decided anything yet. What you do on Holds appears here.'
          }
        />
        <CursorPager page={page} path="/actions" filters={filters} next={next} nextLabel="Show older actions" />
      </>
    ),
  });
}

function hrefOf(page: Page, { actionId, batchId, record = 0, request = 0, partner }: ListedAction): string {
  if (batchId === undefined) return page.at(`/actions/${actionId}`);
  return deadLetterHref(page, { partner: partner ?? '', batchId, record, request });
}

/* One bulk action. */

type WholeAction = Answered<'GET /v1/ops/actions/{id}'>;
type Replay = Extract<WholeAction, { sentAgain: unknown }>;
type ReplayedBatch = Replay['batches'][number];
type RowCounts = typeof NO_ROWS;
type DecidedRequest = Answered<'GET /v1/ops/actions/{id}/requests'>['requests'][number];

/** How often the page of an action that is under way loads itself again, in ms. Ours: a step of it takes a second. */
const RELOAD_MS = 3_000;
/** Requests of an action per page. Ours: about two screens. */
const REQUESTS_SHOWN = 50;

async function actionPage(page: Page): Promise<Response> {
  const id = page.context.req.param('id') ?? '';
  const found = await page.api.call('GET /v1/ops/actions/{id}', { path: { id } });
  if (!found.ok) return page.refuse(found.error);
  const action = found.value;
  const isOpen = action.state === 'running' || action.state === 'cancelling';
  const title = whatText({ ...action, decision: action.action === 'replay' ? null : action.decision });
  const items =
    action.action === 'decisions'
      ? await page.api.call('GET /v1/ops/actions/{id}/requests', {
          path: { id },
          query: { from: page.query('from'), limit: REQUESTS_SHOWN },
        })
      : null;
  if (items !== null && !items.ok) return page.refuse(items.error);
  const isWaiting =
    isOpen || isUnderWay(action) || (items !== null && isSending(action) && items.value.requests.some(isGoing));
  return page.show({
    title: `${title}: ${ACTION_STATES[action.state][1].toLowerCase()}`,
    nav: 'actions',
    isWide: true,
    body: (
      <>
        <Crumbs to={[['Actions', page.at('/actions')]]} />
        <div class="heading">
          <h1>{title}</h1>
          {isWaiting ? (
            <div class="actions" data-reload={RELOAD_MS}>
              <a class="button" href={page.at(`/actions/${id}`)}>
                Look again
              </a>
              {page.mayActAs('operator') && action.state === 'running' ? (
                <a class="button danger" href={page.at('/do/stop-action', { id, from: page.at(`/actions/${id}`) })}>
                  Stop
                </a>
              ) : null}
            </div>
          ) : null}
        </div>
        <Progress page={page} action={action} />
        {action.action === 'decisions' ? null : (
          <Batches page={page} partner={action.partner} batches={action.batches} />
        )}
        {items === null ? null : (
          <Requests page={page} id={id} requests={items.value.requests} next={items.value.next} />
        )}
      </>
    ),
  });
}

/** What became of all that it sent again, as far as its batches were asked. */
const outcomeOf = (action: WholeAction): RowCounts =>
  action.action === 'decisions'
    ? NO_ROWS
    : action.batches.map(({ outcome }) => segmentsOf(outcome ?? {})).reduce(sumOf, NO_ROWS);

const sumOf = (one: RowCounts, other: RowCounts): RowCounts => ({
  good: one.good + other.good,
  bad: one.bad + other.bad,
  wait: one.wait + other.wait,
  held: one.held + other.held,
  done: one.done + other.done,
});

/** Some of what it sent again has no end yet. */
const isUnderWay = (action: WholeAction): boolean => outcomeOf(action).wait > 0;
const isGoing = ({ now }: DecidedRequest): boolean => now !== null && lookOfRow(now) === 'wait';

/** Its requests leave again: that it is done does not say that they arrived. */
const isSending = (action: WholeAction): boolean =>
  action.action === 'replay' || action.decision === 'send_again' || action.decision === 'create_again';

const Progress: FC<{ page: Page; action: WholeAction }> = ({ page, action }) => {
  const { state, requests, skipped, left, seconds, name, why, begunAt, endedAt, cancelledBy } = action;
  const done = action.action === 'replay' ? action.sentAgain : action.decided;
  const isOpen = state === 'running' || state === 'cancelling';
  return (
    <>
      <p role="status">
        <ActionStateShown state={state} /> {inText(done)} of {inText(requests)}{' '}
        {action.action === 'replay' ? 'sent again' : 'decided'}
        {skipped > 0 ? `, ${inText(skipped)} left alone` : ''}
        {left > 0 ? `, ${inText(left)} ${isOpen ? 'to go' : 'not done'}` : ''}
        {seconds === null || seconds === 0 ? '' : `, about ${countOf(seconds, 'second')} more`}.
      </p>
      {isOpen ? <progress max={Math.max(1, requests)} value={done + skipped} aria-label="How far it is" /> : null}
      <Outcome page={page} action={action} />
      <Facts>
        <Fact name="Partner">
          {action.partner === null ? 'several' : <PartnerLink page={page} name={action.partner} />}
        </Fact>
        <Fact name="By">{name}</Fact>
        <Fact name="Why">{why}</Fact>
        <Fact name="Begun">
          <Time at={begunAt} />
        </Fact>
        <Fact name="Ended">{endedAt === null ? 'not yet' : <Time at={endedAt} />}</Fact>
        {cancelledBy === null ? null : (
          <Fact name="Stopped by">
            {cancelledBy.name} <Time at={cancelledBy.at} />
          </Fact>
        )}
      </Facts>
    </>
  );
};

/** What became of it: its requests arrived, or they did not, or they are still on their way. */
const Outcome: FC<{ page: Page; action: WholeAction }> = ({ page, action }) => {
  if (action.action === 'decisions')
    return isSending(action) ? <p class="quiet">What became of each of them stands beside it below.</p> : null;
  const segments = outcomeOf(action);
  const known = Object.values(segments).reduce((sum, count) => sum + count, 0);
  if (known === 0) return null;
  const open = segments.wait > 0;
  const look: Look = segments.bad > 0 ? 'bad' : segments.held > 0 ? 'held' : open ? 'wait' : 'good';
  const left = segments.bad + segments.held;
  return (
    <>
      <p role="status">
        What became of {known < action.sentAgain ? `the first ${inText(known)}` : 'them'}
        {open ? ' so far' : ''}: <State look={look}>{segmentsText(segments)}</State>
        {left === 0 ? null : (
          <>
            {' '}
            <a href={page.at(segments.bad > 0 ? '/letters' : '/holds', { partner: action.partner })}>
              Show what did not arrive
            </a>
          </>
        )}
      </p>
      <StackedBar segments={segments} />
    </>
  );
};

const BATCH_STATES: Readonly<Record<string, [look: Look, label: string]>> = {
  waiting: ['wait', 'Waiting'],
  running: ['wait', 'Under way'],
  done: ['good', 'Done'],
  refused: ['bad', 'Not begun'],
  cancelled: ['done', 'Stopped'],
};

const Batches: FC<{ page: Page; partner: string | null; batches: readonly ReplayedBatch[] }> = ({
  page,
  partner,
  batches,
}) => (
  <section>
    <h2>Its batches</h2>
    <Table
      caption="Batches of this action"
      columns={[
        { label: 'Batch', kind: 'main' },
        { label: 'State', kind: 'word' },
        { label: 'Chosen', kind: 'number' },
        { label: 'Sent again', kind: 'number' },
        { label: 'What became of it', kind: 'words' },
        { label: 'Left alone', kind: 'number' },
        { label: 'To go', kind: 'number' },
        { label: 'What is wrong' },
        { label: '', kind: 'word' },
      ]}
      rows={batches.map(({ batchId, state, requests, sentAgain, skipped, left, outcome, problem }) => {
        const became = segmentsOf(outcome ?? {});
        const [look, label] = BATCH_STATES[state] ?? ['wait', state];
        return {
          href: page.at(`/batches/${batchId}`),
          cells: [
            <Id id={batchId} href={page.at(`/batches/${batchId}`)} />,
            <State look={look}>{label}</State>,
            inText(requests),
            inText(sentAgain),
            outcome === null ? '' : segmentsText(became),
            inText(skipped),
            inText(left),
            problem === null ? '' : `${problem.detail}.`,
            outcome !== null && became.bad + became.held === 0 ? (
              ''
            ) : (
              <a href={page.at('/letters', { partner, batch: batchId })}>Show what did not arrive</a>
            ),
          ],
        };
      })}
    />
  </section>
);

const ITEM_STATES: Record<DecidedRequest['state'], [look: Look, label: string]> = {
  waiting: ['wait', 'Waiting'],
  decided: ['good', 'Decided'],
  skipped: ['done', 'Left alone'],
};

const Requests: FC<{ page: Page; id: string; requests: readonly DecidedRequest[]; next: string | null }> = ({
  page,
  id,
  requests,
  next,
}) => {
  const from = cursorIn(next, 'from');
  return (
    <section>
      <h2>Its requests</h2>
      <Table
        caption="Requests of this action, as they were fixed"
        columns={[
          { label: 'What', kind: 'main' },
          { label: 'State', kind: 'word' },
          { label: 'By now', kind: 'word' },
          { label: 'Why not' },
          { label: 'Row', kind: 'number' },
          { label: 'Partner', kind: 'word' },
        ]}
        rows={requests.map((request) => {
          const [look, label] = ITEM_STATES[request.state];
          const href = deadLetterHref(page, request);
          return {
            href,
            cells: [
              <a href={href}>{subjectText(request.subject)}</a>,
              <State look={look}>{label}</State>,
              request.now === null ? '' : <DeadLetterBadge state={request.now} />,
              request.problem?.detail ?? '',
              <a href={rowHref(page, request)}>{inText(request.record)}</a>,
              <PartnerLink page={page} name={request.partner} />,
            ],
          };
        })}
      />
      <CursorPager page={page} path={`/actions/${id}`} name="from" next={from} nextLabel="Show more requests" />
    </section>
  );
};
