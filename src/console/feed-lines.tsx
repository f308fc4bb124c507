/** One gap or poll of a feed, for a person. */
import type { FC } from 'hono/jsx';
import type { ShownFeed } from '../http/pages/views.ts';
import { CLOSED_WORDS, LOST_WORDS, POLL_WORDS } from './order-words.ts';
import { shortTime } from './row-line.tsx';

type WholeFeed = Extract<ShownFeed, { polls: unknown }>;

export const GapLine: FC<{ gap: WholeFeed['gaps']['shown'][number] }> = ({ gap }) => (
  <li class="row">
    <div class="where">
      <b>Poll {gap.poll}</b>
    </div>
    <div class="what">
      <p>
        <span class={`state tone-${gap.closedAt === null ? 'attention' : 'good'}`}>
          {gap.closedAt === null ? 'Open' : 'Closed'}
        </span>
        {`: ${LOST_WORDS[gap.why]}`}
      </p>
      <p class="quiet">
        {gap.since === null ? '' : `changes since ${shortTime(gap.since)} may be missing`}
        {gap.closedAt === null ? '' : ` · closed ${shortTime(gap.closedAt)}, ${CLOSED_WORDS[gap.closedBy ?? 'repair']}`}
      </p>
    </div>
  </li>
);

export const PollLine: FC<{ poll: WholeFeed['polls'][number] }> = ({ poll }) => {
  const words = POLL_WORDS[poll.state];
  const facts = [
    ...(poll.startedAt === null ? [] : [shortTime(poll.startedAt)]),
    ...(poll.status === null ? [] : [`status ${poll.status}`]),
    ...(poll.bytes === null ? [] : [`${poll.bytes.toLocaleString('en-US')} bytes`]),
    ...(poll.state === 'read' ? [`${poll.entries} entries, ${poll.news} of them news`] : []),
  ];
  return (
    <li class="row">
      <div class="where">
        <b>Poll {poll.poll}</b>
      </div>
      <div class="what">
        <p>
          <span class={`state tone-${words.tone}`}>{words.label}</span>
          {poll.detail === null ? '' : `: ${poll.detail}`}
        </p>
        <p class="quiet">{facts.join(' · ')}</p>
        {poll.unfit === 0 ? null : (
          <p class="fix">
            {poll.unfit === 1 ? 'One entry' : `${poll.unfit.toLocaleString('en-US')} entries`} did not fit the mapping
            of answers and {poll.unfit === 1 ? 'is' : 'are'} not in the log.
          </p>
        )}
      </div>
    </li>
  );
};
