/** For operators: the order feeds of an environment, their status and the actions on them. */
import type { FC } from 'hono/jsx';
import type { FeedsPageView, ShownFeed } from '../http/pages/views.ts';
import { NOTE_CHARACTERS_MAX } from '../kernel/limits.ts';
import { document, Entry, Environments, Fact, inText, OPS_PAGES, opsPath, State } from './frame.tsx';
import { CLOSED_MESSAGES, FEED_MESSAGES, LOST_MESSAGES, POLL_MESSAGES } from './messages.ts';
import { shortTime } from './row-line.tsx';

type WholeFeed = Extract<ShownFeed, { polls: unknown }>;

const GapLine: FC<{ gap: WholeFeed['gaps']['shown'][number] }> = ({ gap }) => (
  <Entry head={`Poll ${gap.poll}`}>
    <p>
      <span class={`state tone-${gap.closedAt === null ? 'attention' : 'good'}`}>
        {gap.closedAt === null ? 'Open' : 'Closed'}
      </span>
      {`: ${LOST_MESSAGES[gap.why]}`}
    </p>
    <p class="quiet">
      {gap.since === null ? '' : `changes since ${shortTime(gap.since)} may be missing`}
      {gap.closedAt === null
        ? ''
        : ` · closed ${shortTime(gap.closedAt)}, ${CLOSED_MESSAGES[gap.closedBy ?? 'repair']}`}
    </p>
  </Entry>
);

const PollLine: FC<{ poll: WholeFeed['polls'][number] }> = ({ poll }) => {
  const words = POLL_MESSAGES[poll.state];
  const facts = [
    ...(poll.startedAt === null ? [] : [shortTime(poll.startedAt)]),
    ...(poll.status === null ? [] : [`status ${poll.status}`]),
    ...(poll.bytes === null ? [] : [`${inText(poll.bytes)} bytes`]),
    ...(poll.state === 'read' ? [`${poll.entries} entries, ${poll.news} of them news`] : []),
  ];
  return (
    <Entry head={`Poll ${poll.poll}`}>
      <p>
        <State words={words} />
        {poll.detail === null ? '' : `: ${poll.detail}`}
      </p>
      <p class="quiet">{facts.join(' · ')}</p>
      {poll.unfit === 0 ? null : (
        <p class="fix">
          {poll.unfit === 1 ? 'One entry' : `${inText(poll.unfit)} entries`} did not fit the mapping of answers and{' '}
          {poll.unfit === 1 ? 'is' : 'are'} not in the log.
        </p>
      )}
    </Entry>
  );
};

const DONE_MESSAGES = {
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
              {view.done.partner}: {DONE_MESSAGES[view.done.action]}
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
  const words = FEED_MESSAGES[feed.state];
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
        {'polls' in feed ? <PhaseLine feed={feed} /> : null}
      </dl>
      {'detail' in feed ? <p class="fix">{feed.detail}</p> : null}
      {'polls' in feed ? <Details feed={feed} /> : null}
      {view.mayAct && 'polls' in feed ? <Actions partner={feed.partner} environment={view.environment} /> : null}
    </section>
  );
};

const PhaseLine: FC<{ feed: WholeFeed }> = ({
  feed: { cursor, nextPoll, pollMinutes, lastEvent, orders, unread, repair, gaps },
}) => (
  <>
    <Fact name="Next poll">
      {shortTime(nextPoll ?? '')}, every {inText(pollMinutes)} min
    </Fact>
    <Fact name="Last one in the log">
      {cursor === null ? 'none yet' : `poll ${cursor.poll}, ${shortTime(cursor.at ?? '')}`}
    </Fact>
    <Fact name="Last event of the log">{lastEvent === 0 ? 'none yet' : inText(lastEvent)}</Fact>
    <Fact name="Open orders">{inText(orders.open)}</Fact>
    <Fact name="Gaps">
      {inText(gaps.open)} open, {inText(gaps.closed)} closed
    </Fact>
    <Fact name="Answers not in the log">{inText(unread.waiting + unread.unreadable)}</Fact>
    {repair.left === 0 ? null : (
      <Fact name="Repair">
        {inText(repair.left)} orders left, {inText(repair.failing)} of them asked for in vain so far
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
        {unread.unreadable === 1 ? 'One stored answer' : `${inText(unread.unreadable)} stored answers`} could not be
        read. Correct how answers are read, then read them again.
      </p>
    )}
    {repair.failures.map(({ orderRef, failure, tries }) => (
      <p class="quiet">
        {orderRef}: {failure} ({tries === 1 ? 'once' : `${inText(tries)} times`})
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
  count === 0 ? 'No poll yet' : count === 1 ? 'The last poll' : `The last ${inText(count)} polls`;
