/** `/console/feeds`: whose orders are followed, how far, what was lost and what is asked for again; and the actions on it. */
import type { FC } from 'hono/jsx';
import { FEED_POLLS_SHOWN } from '../../../feed/limits.ts';
import type { Answered } from '../../../http/contract/contract.ts';
import { FEED_MESSAGES, POLL_MESSAGES, statusText } from '../../messages.ts';
import type { Page } from '../../page.ts';
import { bytesText, countOf, Empty, Fact, Facts, inText, lookOf, Note, State, Time } from '../../parts/basics.tsx';
import { Crumbs } from '../../parts/crumbs.tsx';
import { PartnerLink } from '../../parts/links.tsx';
import { Table, type TableRow } from '../../parts/table.tsx';
import type { ConsolePages } from '../../routes.ts';
import { GapTable } from '../orders/order-known.tsx';
import { FEED_ACTIONS } from './feed-actions.ts';

export type ShownFeed = Answered<'GET /v1/ops/feeds'>['feeds'][number];
/** One that could be reached. */
type WholeFeed = ShownFeed & Omit<Required<ShownFeed>, 'detail'>;
type Poll = WholeFeed['polls'][number];

export const feedPages: ConsolePages = {
  get: { '/feeds': feedsPage, '/feeds/:partner': feedPage },
  reads: ['GET /v1/ops/feeds', 'GET /v1/ops/feeds/{name}', 'GET /v1/ops/partners/{name}/feed', 'GET /v1/ops/health'],
  actions: FEED_ACTIONS,
};

const isWhole = (feed: ShownFeed): feed is WholeFeed => 'polls' in feed;

const FeedState: FC<{ state: ShownFeed['state'] }> = ({ state }) => {
  const { label, tone, meaning } = FEED_MESSAGES[state];
  return (
    <State look={lookOf(tone)} title={meaning}>
      {label}
    </State>
  );
};

async function feedsPage(page: Page): Promise<Response> {
  const found = await page.api.call('GET /v1/ops/feeds');
  if (!found.ok) return page.refuse(found.error);
  const { feeds } = found.value;
  const troubled = feeds.filter(({ state }) => state !== 'ok' && state !== 'starting').length;
  return page.show({
    title: troubled === 0 ? 'Order feeds' : `Order feeds – ${troubled} ${troubled === 1 ? 'needs' : 'need'} attention`,
    nav: 'feeds',
    isWide: true,
    body: (
      <>
        <div class="heading">
          <h1>Order feeds</h1>
          {page.mayActAs('operator') ? (
            <a class="button" href={page.at('/do/set-feed', { from: page.at('/feeds') })}>
              Set a feed…
            </a>
          ) : null}
        </div>
        <p>
          A feed asks the receiving system regularly what became of a partner’s orders. Each time it asks is a poll; the
          answer has the statuses that are new since the one before.
        </p>
        <Table
          caption="Order feeds"
          columns={[
            { label: 'Partner', kind: 'main' },
            { label: 'State', kind: 'words' },
            { label: 'Last poll' },
            { label: 'Next poll' },
            { label: 'Open orders', kind: 'number' },
            { label: 'Lost answers', kind: 'number' },
            { label: 'To look up', kind: 'number' },
            { label: 'Channel' },
          ]}
          rows={feeds.map((feed) => feedRow(page, feed))}
          empty="No feed is set in this environment. Without one nobody learns what becomes of an order after it was taken."
        />
      </>
    ),
  });
}

function feedRow(page: Page, feed: ShownFeed): TableRow {
  const href = page.at(`/feeds/${encodeURIComponent(feed.partner)}`);
  const whole = isWhole(feed) ? feed : null;
  const numbers = whole === null ? ['', '', ''] : [whole.orders.open, whole.gaps.open, whole.repair.left].map(inText);
  return {
    href,
    cells: [
      <a href={href}>{feed.partner}</a>,
      <FeedState state={feed.state} />,
      whole === null ? '' : <Time at={whole.cursor?.at ?? null} />,
      whole === null ? '' : <Time at={whole.nextPoll} />,
      ...numbers,
      <a href={page.at(`/channels/${encodeURIComponent(feed.channel)}`)}>{feed.channel}</a>,
    ],
  };
}

async function feedPage(page: Page): Promise<Response> {
  const partner = page.context.req.param('partner') ?? '';
  const found = await page.api.call('GET /v1/ops/feeds/{name}', { path: { name: partner } });
  if (!found.ok) return found.error.code === 'no_feed' ? noFeed(page, partner) : page.refuse(found.error);
  const feed = found.value;
  const { label, meaning } = FEED_MESSAGES[feed.state];
  return page.show({
    title: `${partner} – feed: ${label}`,
    nav: 'feeds',
    body: (
      <>
        <Crumbs to={[['Order feeds', page.at('/feeds')]]} />
        <div class="heading">
          <h1>
            Feed of <PartnerLink page={page} name={partner} />
          </h1>
          <Buttons page={page} partner={partner} />
        </div>
        <p>
          <FeedState state={feed.state} /> {meaning}
        </p>
        {'detail' in feed ? <Note look="bad">{feed.detail}</Note> : null}
        {isWhole(feed) ? <Troubles page={page} feed={feed} /> : null}
        <FeedFacts page={page} feed={feed} />
        {isWhole(feed) ? <Details page={page} feed={feed} /> : null}
      </>
    ),
  });
}

const noFeed = (page: Page, partner: string): Response =>
  page.show({
    title: `${partner} – no feed`,
    nav: 'feeds',
    status: 404,
    body: (
      <>
        <Crumbs to={[['Order feeds', page.at('/feeds')]]} />
        <h1>Feed of {partner}</h1>
        <Empty>
          <p>No feed follows the orders of {partner} in this environment.</p>
          {page.mayActAs('operator') ? (
            <a
              class="button primary"
              href={page.at('/do/set-feed', { partner, from: page.at(`/feeds/${encodeURIComponent(partner)}`) })}
            >
              Set a feed…
            </a>
          ) : null}
        </Empty>
      </>
    ),
  });

const Buttons: FC<{ page: Page; partner: string }> = ({ page, partner }) => {
  if (!page.mayActAs('operator')) return null;
  const values = { partner, from: page.at(`/feeds/${encodeURIComponent(partner)}`) };
  return (
    <div class="actions">
      <a class="button" href={page.at('/do/feed-poll', values)}>
        Poll now…
      </a>
      <a class="button" href={page.at('/do/feed-repair', values)}>
        Look up orders…
      </a>
      <a class="button" href={page.at('/do/set-feed', values)}>
        Change the feed…
      </a>
    </div>
  );
};

const Troubles: FC<{ page: Page; feed: WholeFeed }> = ({ page, feed: { trouble, unread, repair: left, polls } }) => {
  const unfit = left.unfit + polls.reduce((sum, poll) => sum + poll.unfit, 0);
  const mapping = <a href={page.at('/answer-mappings')}>how answers are read</a>;
  return (
    <>
      {trouble === null ? null : (
        <Note look="bad">
          Since <Time at={trouble.at} /> it cannot poll: {trouble.detail}
        </Note>
      )}
      {unread.unreadable === 0 ? null : (
        <Note look="bad">
          {countOf(unread.unreadable, 'stored answer')} could not be read. Correct {mapping}, then read{' '}
          {unread.unreadable === 1 ? 'it' : 'them'} again below.
        </Note>
      )}
      {unfit === 0 ? null : (
        <Note look="wait">
          {countOf(unfit, 'status', 'statuses')} of the latest answers {unfit === 1 ? 'was' : 'were'} not understood and{' '}
          {unfit === 1 ? 'is' : 'are'} not recorded. Look at the samples below, correct {mapping}, then read the poll
          again.
        </Note>
      )}
    </>
  );
};

const FeedFacts: FC<{ page: Page; feed: ShownFeed }> = ({ page, feed }) => (
  <Facts>
    <Fact name="Partner id and client id">{`${feed.partnerId} / ${feed.clientId}`}</Fact>
    <Fact name="Channel">
      <a href={page.at(`/channels/${encodeURIComponent(feed.channel)}`)}>{feed.channel}</a>, as {feed.scac}
    </Fact>
    <Fact name="Polls every">{pollsText(feed)}</Fact>
    {isWhole(feed) ? (
      <>
        <Fact name="Last poll recorded">
          {feed.cursor === null ? (
            'none yet'
          ) : (
            <>
              poll {feed.cursor.poll}, <Time at={feed.cursor.at} />
            </>
          )}
        </Fact>
        <Fact name="Next poll">
          <Time at={feed.nextPoll} />
          {feed.trouble === null ? '' : ', as the last could not be made'}
        </Fact>
        <Fact name="Open orders">
          <a href={page.at('/orders', { partner: feed.partner })}>{inText(feed.orders.open)}</a>
        </Fact>
        <Fact name="Newest status change">{feed.lastEvent === 0 ? 'none yet' : `no. ${inText(feed.lastEvent)}`}</Fact>
        <Fact name="Lost answers">{`${inText(feed.gaps.open)} open, ${inText(feed.gaps.closed)} made up for`}</Fact>
        <Fact name="Answers not read yet">{inText(feed.unread.waiting + feed.unread.unreadable)}</Fact>
      </>
    ) : null}
  </Facts>
);

/** `30 minutes`; where waits are shortened, what it takes here: a poll every 30 s is no error there. */
function pollsText({ pollMinutes, pollSeconds }: Pick<ShownFeed, 'pollMinutes' | 'pollSeconds'>): string {
  const agreed = countOf(pollMinutes, 'minute');
  if (pollSeconds >= pollMinutes * 60) return agreed;
  const here =
    pollSeconds < 60 ? `${Number(pollSeconds.toPrecision(2))} s` : `${Number((pollSeconds / 60).toPrecision(2))} min`;
  return `${here} here, where waits are shortened; otherwise ${agreed}`;
}

/** '' where none is: a person asked for the orders. */
const lostText = (count: number): string =>
  count === 0 ? '' : `${countOf(count, 'answer was', 'answers were')} lost.`;

const Details: FC<{ page: Page; feed: WholeFeed }> = ({ page, feed }) => {
  const { repair: left, gaps, polls, partner } = feed;
  const unreadable = new Set(gaps.shown.filter(({ why }) => why === 'unreadable').map(({ poll }) => poll));
  const unread = gaps.shown.filter(({ why, closedBy }) => why === 'unreadable' && closedBy !== 'reread');
  return (
    <>
      {left.left === 0 ? null : (
        <section>
          <h2>{countOf(left.left, 'order')} to look up, one by one</h2>
          <p>
            {left.failing === 0
              ? `${lostText(gaps.open)} Each order that may be concerned, open or ended, is looked up in the receiving system.`
              : `The receiving system has not answered for ${left.failing === left.left ? 'any' : inText(left.failing)} of them so far. The look-ups go on by themselves.`}
          </p>
          {left.failures.length === 0 ? null : (
            <Table
              caption="Orders without an answer"
              columns={[
                { label: 'Order', kind: 'main' },
                { label: 'Tries', kind: 'number' },
                { label: 'Last answer' },
                { label: '' },
              ]}
              rows={left.failures.map((failure) => failureRow(page, partner, failure))}
            />
          )}
          {left.failures.length === 0 ? null : <Cut shown={left.failures.length} all={left.failing} />}
        </section>
      )}
      {left.unfit === 0 ? null : (
        <section>
          <h2>Statuses that were not understood, in answers about single orders</h2>
          <Samples samples={left.unfitSamples} />
        </section>
      )}
      {gaps.shown.length === 0 ? null : (
        <section>
          <h2>Lost answers</h2>
          <GapTable gaps={gaps.shown} />
          <Cut shown={gaps.shown.length} all={gaps.open + gaps.closed} />
          <Unread page={page} partner={partner} polls={unread.map(({ poll }) => poll)} />
        </section>
      )}
      <section>
        <div class="heading">
          <h2>Polls, newest first</h2>
          {page.mayActAs('operator') && polls.length > 0 ? (
            <a href={rereadHref(page, partner)}>Read the answer to an earlier poll again…</a>
          ) : null}
        </div>
        <Table
          caption="Polls"
          columns={[
            { label: 'Poll', kind: 'main' },
            { label: 'State' },
            { label: 'Begun', kind: 'word' },
            { label: 'Status', kind: 'number' },
            { label: 'Size', kind: 'word' },
            { label: 'Statuses', kind: 'number' },
            { label: 'New', kind: 'number' },
            { label: 'Not understood', kind: 'number' },
            { label: '' },
          ]}
          rows={polls.map((poll) => pollRow(page, partner, poll, unreadable.has(poll.poll)))}
          empty="It has not polled yet."
        />
        {polls.length < FEED_POLLS_SHOWN ? null : <p class="quiet">The {FEED_POLLS_SHOWN} newest.</p>}
      </section>
    </>
  );
};

const Cut: FC<{ shown: number; all: number }> = ({ shown, all }) =>
  shown < all ? (
    <p class="quiet">
      {inText(shown)} of {inText(all)} are shown.
    </p>
  ) : null;

const rereadHref = (page: Page, partner: string, poll?: number): string =>
  page.at('/do/feed-reread', { partner, poll, from: page.at(`/feeds/${encodeURIComponent(partner)}`) });

/** Of answers that are stored and could not be read: their polls may be older than those that are shown. */
const Unread: FC<{ page: Page; partner: string; polls: readonly number[] }> = ({ page, partner, polls }) =>
  polls.length === 0 || !page.mayActAs('operator') ? null : (
    <ul>
      {polls.map((poll) => (
        <li>
          Poll {poll} was answered, and the answer could not be read.{' '}
          <a href={rereadHref(page, partner, poll)} aria-label={`Read the answer to poll ${poll} again`}>
            Read again…
          </a>
        </li>
      ))}
    </ul>
  );

function failureRow(page: Page, partner: string, failure: WholeFeed['repair']['failures'][number]): TableRow {
  const { orderRef, tries, failure: why } = failure;
  const href = page.at(`/orders/${encodeURIComponent(partner)}/${encodeURIComponent(orderRef.toWellFormed())}`);
  const from = page.at(`/feeds/${encodeURIComponent(partner)}`);
  return {
    href,
    cells: [
      <a href={href}>{orderRef}</a>,
      inText(tries),
      why.replace(/^status (\d+)$/, (_, status: string) => statusText(Number(status))),
      page.mayActAs('operator') ? (
        <a href={page.at('/do/feed-skip', { partner, orderRef, from })}>Stop looking it up…</a>
      ) : (
        ''
      ),
    ],
  };
}

/** @param isUnreadable its answer is stored whole, and was not understood. */
function pollRow(page: Page, partner: string, poll: Poll, isUnreadable: boolean): TableRow {
  const { label, tone } = POLL_MESSAGES[poll.state];
  const mayBeRead = isUnreadable || poll.unfit > 0 || poll.state === 'stored';
  const isRead = poll.state === 'read';
  return {
    cells: [
      `Poll ${poll.poll}`,
      <State look={lookOf(tone)}>{label}</State>,
      poll.startedAt === null ? '' : <Time at={poll.startedAt} />,
      poll.status ?? '',
      poll.bytes === null ? '' : bytesText(poll.bytes),
      isRead ? inText(poll.entries) : '',
      isRead ? inText(poll.news) : '',
      isRead ? inText(poll.unfit) : '',
      mayBeRead && page.mayActAs('operator') ? <a href={rereadHref(page, partner, poll.poll)}>Read again…</a> : '',
    ],
    ...(poll.detail === null && poll.unfit === 0
      ? {}
      : {
          detail: (
            <>
              {poll.detail === null ? null : <p class="quiet">What came: {poll.detail}</p>}
              {poll.unfit === 0 ? null : (
                <details class="more">
                  <summary>Show samples of what was not understood</summary>
                  <Samples samples={poll.unfitSamples} />
                </details>
              )}
            </>
          ),
        }),
  };
}

const Samples: FC<{ samples: unknown }> = ({ samples }) => <pre>{JSON.stringify(samples, null, 2)}</pre>;
