/** For operators: the order feeds of an environment, how each stands, and what may be asked of it. */
import type { FC } from 'hono/jsx';
import type { FeedsPageView, ShownFeed } from '../http/pages/views.ts';
import { NOTE_CHARACTERS_MAX } from '../kernel/limits.ts';
import { Fact } from './fact.tsx';
import { GapLine, PollLine } from './feed-lines.tsx';
import { document, Environments, OPS_PAGES } from './frame.tsx';
import { FEED_WORDS } from './order-words.ts';
import { opsPath } from './paths.ts';
import { shortTime } from './row-line.tsx';

const DONE_WORDS = {
  poll: 'The next poll is made now; its answer is here in a moment.',
  repair: 'Every open order is asked for now, one after the other.',
} as const;

export const feedsPage = (view: FeedsPageView): string =>
  document({
    title: 'Order feeds',
    environment: view.environment,
    links: OPS_PAGES(view.environment),
    body: (
      <main>
        <section class="heading">
          <h1>Order feeds</h1>
          <Environments pathOf={(name) => opsPath('feeds', name)} {...view} />
          {view.done === null ? null : (
            <p class="fix">
              {view.done.partner}: {DONE_WORDS[view.done.action]}
            </p>
          )}
        </section>
        {view.feeds.length > 0 ? null : <p class="empty">No feed is set in this environment.</p>}
        {view.feeds.map((feed) => (
          <Feed feed={feed} view={view} />
        ))}
      </main>
    ),
  });

const Feed: FC<{ feed: ShownFeed; view: FeedsPageView }> = ({ feed, view }) => {
  const words = FEED_WORDS[feed.state];
  return (
    <section class="card" data-feed={feed.partner}>
      <h2>{feed.partner}</h2>
      <p>
        <strong class={`tone-${words.tone}`}>{words.label}</strong> {words.meaning}
      </p>
      <dl class="facts">
        <Fact name="Partner and client id">
          {feed.partnerId} / {feed.clientId}
        </Fact>
        <Fact name="Channel">
          {feed.channel}, as {feed.scac}
        </Fact>
        {'polls' in feed ? <Standing feed={feed} /> : null}
      </dl>
      {'detail' in feed ? <p class="fix">{feed.detail}</p> : null}
      {'polls' in feed ? <Details feed={feed} /> : null}
      {view.mayAct && 'polls' in feed ? <Actions partner={feed.partner} environment={view.environment} /> : null}
    </section>
  );
};

type WholeFeed = Extract<ShownFeed, { polls: unknown }>;

const Standing: FC<{ feed: WholeFeed }> = ({
  feed: { cursor, nextPoll, pollMinutes, lastEvent, orders, unread, repair, gaps },
}) => (
  <>
    <Fact name="Next poll">
      {shortTime(nextPoll ?? '')}, every {inWords(pollMinutes)} min
    </Fact>
    <Fact name="Last one in the log">
      {cursor === null ? 'none yet' : `poll ${cursor.poll}, ${shortTime(cursor.at ?? '')}`}
    </Fact>
    <Fact name="Last event of the log">{lastEvent === 0 ? 'none yet' : inWords(lastEvent)}</Fact>
    <Fact name="Open orders">{inWords(orders.open)}</Fact>
    <Fact name="Gaps">
      {inWords(gaps.open)} open, {inWords(gaps.closed)} closed
    </Fact>
    <Fact name="Answers not in the log">{inWords(unread.waiting + unread.unreadable)}</Fact>
    {repair.left === 0 ? null : (
      <Fact name="Repair">
        {inWords(repair.left)} orders left, {inWords(repair.failing)} of them asked for in vain so far
      </Fact>
    )}
  </>
);

const Details: FC<{ feed: WholeFeed }> = ({ feed: { trouble, repair, gaps, polls, unread } }) => (
  <>
    {trouble === null ? null : (
      <p class="fix">
        {shortTime(trouble.at ?? '')}: {trouble.detail}
      </p>
    )}
    {unread.unreadable === 0 ? null : (
      <p class="fix">
        {unread.unreadable === 1 ? 'One stored answer' : `${inWords(unread.unreadable)} stored answers`} could not be
        read. Correct how answers are read, then read them again.
      </p>
    )}
    {repair.failures.map(({ orderRef, failure, tries }) => (
      <p class="quiet">
        {orderRef}: {failure} ({tries === 1 ? 'once' : `${inWords(tries)} times`})
      </p>
    ))}
    {gaps.shown.length === 0 ? null : (
      <details open={gaps.open > 0}>
        <summary>Gaps</summary>
        <ol class="rows">
          {gaps.shown.map((gap) => (
            <GapLine gap={gap} />
          ))}
        </ol>
      </details>
    )}
    <details>
      <summary>{pollsTitle(polls.length)}</summary>
      <ol class="rows">
        {polls.map((poll) => (
          <PollLine poll={poll} />
        ))}
      </ol>
    </details>
  </>
);

const Actions: FC<{ partner: string; environment: string }> = ({ partner, environment }) => {
  const path = (action: string): string => opsPath(`feeds/${encodeURIComponent(partner)}/${action}`, environment);
  return (
    <form class="search" method="post" action={path('poll')}>
      <label>
        Why
        <input name="why" required maxlength={NOTE_CHARACTERS_MAX} autocomplete="off" />
      </label>
      <button type="submit">Poll now</button>
      <button type="submit" formaction={path('repair')}>
        Ask for every open order
      </button>
    </form>
  );
};

const pollsTitle = (count: number): string =>
  count === 0 ? 'No poll yet' : count === 1 ? 'The last poll' : `The last ${inWords(count)} polls`;

const inWords = (count: number): string => count.toLocaleString('en-US');
