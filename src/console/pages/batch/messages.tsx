/** `/console/batches/{id}/messages`: the messages that share a batch, and the page of each. */
import type { FC } from 'hono/jsx';
import { kindsFor } from '../../../batch/acknowledgment/file.ts';
import type { StateMessages } from '../../../delivery/messages.ts';
import { hasEnvelopes } from '../../../formats/reader.ts';
import type { Answered, RouteName } from '../../../http/contract/contract.ts';
import { BATCH_MESSAGES } from '../../messages.ts';
import type { Page } from '../../page.ts';
import { StackedBar, segmentsOf } from '../../parts/bar.tsx';
import {
  bytesText,
  CursorPager,
  countOf,
  Fact,
  Facts,
  inText,
  lookOf,
  Note,
  State,
  Time,
} from '../../parts/basics.tsx';
import { cursorIn } from '../../parts/filters.tsx';
import { MappingLink } from '../../parts/links.tsx';
import { Table } from '../../parts/table.tsx';
import type { ConsolePages } from '../../routes.ts';
import { downloaded } from './batch.tsx';
import { countIn, emptyText, type ShownBatch } from './batch-messages.ts';
import { findRows, Rows } from './batch-rows.tsx';

const DOWNLOADS = ['acknowledgment', 'source'] as const;
const PARTS = ['', '/rows', '/acknowledgment', '/source'] as const;

export const messagePages: ConsolePages = {
  get: {
    '/batches/:id/messages': messagesPage,
    '/batches/:id/messages/:message': messagePage,
    ...Object.fromEntries(
      DOWNLOADS.map((name) => [`/batches/:id/messages/:message/${name}`, (page: Page) => download(page, name)]),
    ),
  },
  reads: [
    'GET /v1/ops/batches/{id}/messages',
    'GET /v1/batches/{id}/messages',
    ...PARTS.flatMap(
      (part) =>
        [`GET /v1/ops/batches/{id}/messages/{message}${part}`, `GET /v1/messages/{id}/{message}${part}`] as const,
    ),
  ],
};

/** Below the batches of all partners for an operator, a thing of its own for a partner. */
const routeOf = <Part extends '' | '/rows' | '/acknowledgment' | '/source'>(page: Page, part: Part) =>
  page.isOps
    ? (`GET /v1/ops/batches/{id}/messages/{message}${part}` as const)
    : (`GET /v1/messages/{id}/{message}${part}` as const);

const pathOf = (page: Page) => {
  const { id = '', message = '' } = page.context.req.param() as Record<string, string | undefined>;
  return { id, message };
};

const download = async (page: Page, name: (typeof DOWNLOADS)[number]): Promise<Response> => {
  const route: RouteName = routeOf(page, `/${name}`);
  const { kind } = page.context.req.query();
  return downloaded(page, await page.api.answer(route, { path: pathOf(page), query: { kind } }));
};

const MESSAGE_STATES: Record<string, StateMessages> = {
  ...BATCH_MESSAGES,
  waiting: { label: 'In line', tone: 'busy', meaning: 'It is read after those that came before it.' },
  read: { label: 'Read', tone: 'good', meaning: 'Every row of it is read.' },
};

const stateOf = (state: string): StateMessages =>
  MESSAGE_STATES[state] ?? { label: state, tone: 'quiet', meaning: 'A newer release says so.' };

async function messagesPage(page: Page): Promise<Response> {
  const batchId = page.context.req.param('id') ?? '';
  const path = `/batches/${encodeURIComponent(batchId)}/messages`;
  const after = page.query('after');
  const found = await page.api.call(page.own('GET /v1/batches/{id}/messages'), {
    path: { id: batchId },
    query: { after, limit: MESSAGES_PER_PAGE },
  });
  if (!found.ok) return page.refuse(found.error);
  const { messages, next } = found.value;
  const cursor = cursorIn(next, 'after');
  return page.show({
    title: 'Messages of a batch',
    nav: 'batches',
    isWide: true,
    body: (
      <>
        <Crumbs page={page} batchId={batchId} />
        <h1>Messages</h1>
        <Table
          caption="Messages that share the batch, oldest first"
          columns={[
            { label: 'Message', kind: 'main' },
            { label: 'Received', kind: 'word' },
            { label: 'Size', kind: 'number' },
            { label: 'Rows', kind: 'number' },
            { label: 'State', kind: 'word' },
            { label: 'Why', kind: 'line' },
          ]}
          rows={messages.map((each) => {
            const href = page.at(`${path}/${each.message}`);
            const words = stateOf(each.state);
            return {
              href,
              cells: [
                <>
                  <a href={href}>Message {each.message}</a> <span class="quiet">{each.fileName}</span>
                </>,
                <Time at={each.receivedAt} />,
                bytesText(each.bytes),
                each.records === null ? '' : inText(each.records),
                <State look={lookOf(words.tone)} title={words.meaning}>
                  {words.label}
                </State>,
                each.problems[0]?.message ?? '',
              ],
            };
          })}
          empty="No messages share this batch: it is of one upload."
        />
        <CursorPager page={page} path={path} name="after" next={cursor} nextLabel="Later messages" />
      </>
    ),
  });
}

/** Ours: a screen or two. */
const MESSAGES_PER_PAGE = 50;

const Crumbs: FC<{ page: Page; batchId: string; message?: boolean }> = ({ page, batchId, message = false }) => (
  <p class="crumbs">
    <a href={page.at('/batches')}>Batches</a> › <a href={page.at(`/batches/${batchId}`)}>Batch</a>
    {message ? (
      <>
        {' '}
        › <a href={page.at(`/batches/${batchId}/messages`)}>Messages</a>
      </>
    ) : null}
  </p>
);

type ShownMessage = Answered<'GET /v1/messages/{id}/{message}'>;

async function messagePage(page: Page): Promise<Response> {
  const at = pathOf(page);
  const { id: batchId, message } = at;
  const found = await page.api.call(routeOf(page, ''), { path: at });
  if (!found.ok) return page.refuse(found.error);
  const rows = await findRows(page, {
    batchId,
    list: (query) => page.api.call(routeOf(page, '/rows'), { path: at, query }),
    states: null,
  });
  if (!rows.ok) return page.refuse(rows.error);
  const shown = found.value;
  const words = stateOf(shown.state);
  const path = `/batches/${batchId}/messages/${message}`;
  const name = shown.fileName ?? `Message ${message}`;
  return page.show({
    title: `${name} – ${words.label}`,
    nav: 'batches',
    isWide: true,
    body: (
      <>
        <Crumbs page={page} batchId={batchId} message />
        <div class="heading">
          <div>
            <h1>{name}</h1>
            <p>
              <State look={lookOf(words.tone)} title={words.meaning}>
                {words.label}
              </State>{' '}
              <span class="quiet">· {countOf(shown.rowCount, 'row')}</span>
            </p>
          </div>
          <div class="actions">
            {(isAnswered(shown) && shown.format !== null ? kindsFor({ format: shown.format }) : []).map((kind) => (
              <a class="button" href={page.at(`${path}/acknowledgment`, { kind })} download>
                Download its {kind}
              </a>
            ))}
            <a class="button" href={page.at(`${path}/source`)} download>
              Download it as received
            </a>
          </div>
        </div>
        {shown.rowCount === 0 ? null : <StackedBar segments={segmentsOf(shown.rowStates)} />}
        <Facts>
          <Fact name="Mapping">
            <MappingLink page={page} name={shown.mapping} />
          </Fact>
          <Fact name="Size">{bytesText(shown.bytes)}</Fact>
          <Fact name="Received">
            <Time at={shown.receivedAt} />
          </Fact>
        </Facts>
        {shown.notes.map((note) => (
          <Note look="wait">{note}</Note>
        ))}
        {shown.problems.map((problem) => (
          <Note look="bad">
            <p>
              {problem.message} <code>{problem.code}</code>
            </p>
            <p>{problem.fix}</p>
          </Note>
        ))}
        <Rows
          page={page}
          path={path}
          found={rows.value}
          title="Rows"
          total={countIn({ rowStates: shown.rowStates, rows: shown.rowCount }, rows.value.states)}
          empty={
            shown.rowCount === 0 ? `${emptyText({ state: shown.state as ShownBatch['state'], messages: null })}.` : null
          }
        />
      </>
    ),
  });
}

/** Interchanges alone are acknowledged, once they are read. */
const isAnswered = ({ state, format }: ShownMessage): boolean =>
  hasEnvelopes(format) && state !== 'reading' && state !== 'unreadable';
