/**
 * A partner's own pages beside its files: `/console/interchanges` with their acknowledgments, `/console/order-events`, and
 * `/console/keys`. Each is a client of the API that the partner's programs use.
 */
import type { FC } from 'hono/jsx';
import type { Answered } from '../../../http/contract/contract.ts';
import { BATCH_MESSAGES, finishedMessage, orderStatusText } from '../../messages.ts';
import type { Page } from '../../page.ts';
import { CursorPager, Empty, Id, inText, type Look, lookOf, Note, State, Time } from '../../parts/basics.tsx';
import { cursorIn } from '../../parts/filters.tsx';
import { Table } from '../../parts/table.tsx';
import type { ConsolePages } from '../../routes.ts';
import { notificationPage, notificationsPage } from './notifications.tsx';
import { OWN_ACTIONS, type OwnKey } from './own-actions.ts';

export const ownPages: ConsolePages = {
  get: {
    '/interchanges': partnersOnly(interchangesPage),
    '/order-events': partnersOnly(orderEventsPage),
    '/keys': partnersOnly(keysPage),
    '/notifications': partnersOnly(notificationsPage),
    '/notifications/:target': partnersOnly(notificationPage),
  },
  reads: [
    'GET /v1/interchanges',
    'GET /v1/order-events',
    'GET /v1/keys',
    'GET /v1/webhooks',
    'GET /v1/webhooks/{target}',
    'GET /v1/webhooks/{target}/deliveries',
  ],
  actions: OWN_ACTIONS,
};

/** Operators have pages of their own for the same things. */
function partnersOnly(show: (page: Page) => Promise<Response>) {
  return async (page: Page): Promise<Response> => (page.isOps ? page.goTo(page.at('/')) : show(page));
}

/* What was sent in EDI, and how it was answered. */

async function interchangesPage(page: Page): Promise<Response> {
  const found = await page.api.call('GET /v1/interchanges', { query: { cursor: page.query('cursor') } });
  if (!found.ok) return page.refuse(found.error);
  const { interchanges, next } = found.value;
  return page.show({
    title: 'Acknowledgments',
    nav: 'interchanges',
    isWide: true,
    body: (
      <>
        <h1>Acknowledgments</h1>
        <p class="quiet">
          Each X12 or EDIFACT interchange of the last 30 days. Its acknowledgment says which sets (the documents in it)
          were accepted and which were not, before anything is delivered; the rows say what became of each. X12 is
          acknowledged by a 997, EDIFACT by a CONTRL; the page of the file has the 999, too.
        </p>
        <Table
          caption="Interchanges, newest first"
          columns={[
            { label: 'File', kind: 'main' },
            { label: 'Interchange' },
            { label: 'From' },
            { label: 'Received', kind: 'word' },
            { label: 'Rows', kind: 'number' },
            { label: 'State' },
            { label: 'Acknowledgment', kind: 'word' },
          ]}
          rows={interchanges.map((each) => {
            const at = `/batches/${each.batchId}${each.message === null ? '' : `/messages/${each.message}`}`;
            return {
              href: page.at(at),
              cells: [
                <a href={page.at(at)}>{each.fileName ?? `Interchange ${each.control}`}</a>,
                each.control,
                <span class="wraps">{each.sender}</span>,
                <Time at={each.receivedAt} />,
                each.rows === null ? '' : inText(each.rows),
                <InterchangeState of={each} />,
                each.state === 'reading' ? (
                  <span class="quiet">not yet</span>
                ) : each.state === 'unreadable' ? (
                  <span class="quiet">none: it was not readable</span>
                ) : (
                  <a href={page.at(`${at}/acknowledgment`)} download>
                    Download<span class="only-read"> that of {each.control}</span>
                  </a>
                ),
              ],
            };
          })}
          empty={
            <>
              {next === null ? 'No interchange came in the last 30 days.' : 'None of these is for your key.'}{' '}
              <a href={page.at('/upload')}>Send a file</a>
            </>
          }
        />
        <CursorPager
          page={page}
          path="/interchanges"
          next={cursorIn(next, 'cursor')}
          nextLabel="Earlier interchanges"
        />
      </>
    ),
  });
}

const InterchangeState: FC<{ of: Answered<'GET /v1/interchanges'>['interchanges'][number] }> = ({
  of: { state, refused },
}) => {
  if (state === null) return null;
  const { label, tone, meaning } =
    state === 'settled' && refused !== null
      ? finishedMessage({ refused, isDryRun: false, rowStates: null })
      : BATCH_MESSAGES[state];
  return (
    <State look={lookOf(tone)} title={meaning}>
      {label}
    </State>
  );
};

/* What happened to the orders. */

type OrderEvents = Answered<'GET /v1/order-events'>;

/** Events on a page. Ours. */
const EVENTS_SHOWN = 50;

async function orderEventsPage(page: Page): Promise<Response> {
  const found = await page.api.call('GET /v1/order-events', {
    query: { newest: true, limit: EVENTS_SHOWN, before: page.query('before') },
  });
  const isFollowed = found.ok || found.error.code !== 'no_feed';
  if (!found.ok && isFollowed) return page.refuse(found.error);
  return page.show({
    title: 'Order events',
    nav: 'orderEvents',
    isWide: true,
    body: (
      <>
        <h1>Order events</h1>
        {found.ok ? (
          <Events page={page} {...found.value} />
        ) : (
          <Empty>
            Nobody follows your orders here yet. Ask the operator to set it up; what you send goes out all the same.
          </Empty>
        )}
      </>
    ),
  });
}

const whereText = ({ place }: OrderEvents['events'][number]): string =>
  [place?.city, place?.state, place?.country].filter((part) => (part ?? '') !== '').join(', ');

const Events: FC<{ page: Page } & Pick<OrderEvents, 'events' | 'next' | 'more'>> = ({ page, events, next, more }) => (
  <>
    <p class="quiet">What the receiving system says of your orders, the newest first.</p>
    <Table
      caption="Events, newest first"
      columns={[
        { label: 'Order', kind: 'main' },
        { label: 'What happened' },
        { label: 'When', kind: 'word' },
        { label: 'Where' },
        { label: 'Learned', kind: 'word' },
      ]}
      rows={events.map((event) => {
        const href = page.at(`/orders/${encodeURIComponent(event.orderRef.toWellFormed())}`);
        return {
          href,
          cells: [
            <a href={href}>{event.orderRef}</a>,
            <>
              {orderStatusText(event.code)}
              {event.corrects === null ? null : <span class="quiet"> in place of an earlier reading</span>}
            </>,
            <Time at={event.at} isExact />,
            whereText(event),
            <Time at={event.learnedAt} />,
          ],
        };
      })}
      empty="Nothing has happened yet. An event appears here as soon as the receiving system tells of one."
    />
    <CursorPager page={page} path="/order-events" name="before" next={more ? next : null} nextLabel="Earlier events" />
  </>
);

/* Its keys. */

const KEY_STATES: Record<OwnKey['state'], [label: string, look: Look, meaning: string]> = {
  live: ['Works', 'good', 'It is accepted.'],
  ending: ['Ends soon', 'wait', 'It works, and ends within two weeks: renew it.'],
  replaced: ['Renewed', 'wait', 'Another took its place; it works until its end.'],
  ended: ['Ended', 'done', 'Its time is over.'],
  revoked: ['Revoked', 'done', 'It was ended for good.'],
};

async function keysPage(page: Page): Promise<Response> {
  const found = await page.api.call('GET /v1/keys');
  if (!found.ok) return page.refuse(found.error);
  const { keys } = found.value;
  return page.show({
    title: 'Keys',
    nav: 'keys',
    isWide: true,
    body: (
      <>
        <div class="heading">
          <h1>Keys</h1>
          <a class="button" href={page.at('/do/make-own-key', { from: page.at('/keys') })}>
            Make a key…
          </a>
        </div>
        <p class="quiet">Your programs send a key with each request. A key itself is shown once, when it is made.</p>
        {keys.some(({ state }) => state === 'ending') ? (
          <Note look="wait">A key ends within two weeks. Renew it, and put the new one into your systems.</Note>
        ) : null}
        <Table
          caption="Your keys"
          columns={[
            { label: 'Key', kind: 'main' },
            { label: 'State', kind: 'word' },
            { label: 'Carriers' },
            { label: 'Kinds of file' },
            { label: 'Ends', kind: 'word' },
            { label: 'Last used', kind: 'word' },
            { label: '', kind: 'word' },
          ]}
          rows={keys.map((key) => ({ cells: keyCells(page, key) }))}
        />
      </>
    ),
  });
}

function keyCells(page: Page, key: OwnKey) {
  const [label, look, meaning] = KEY_STATES[key.state];
  const values = { keyId: key.keyId, from: page.at('/keys') };
  const works = key.mayChange && ['live', 'ending', 'replaced'].includes(key.state);
  return [
    <>
      <Id id={key.keyId} />
      {key.isThisOne ? <span class="quiet"> signed in with</span> : null}
    </>,
    <State look={look} title={meaning}>
      {label}
    </State>,
    key.scacs.join(', '),
    <span class="wraps">{key.mappings?.join(', ') ?? 'all'}</span>,
    key.expiresAt === null ? 'never' : <Time at={key.expiresAt} />,
    <Time at={key.lastUsedAt} />,
    works ? (
      <span class="actions">
        {key.state === 'replaced' ? null : <a href={page.at('/do/renew-own-key', values)}>Renew…</a>}{' '}
        <a href={page.at('/do/revoke-own-key', values)}>Revoke…</a>
      </span>
    ) : (
      ''
    ),
  ];
}
