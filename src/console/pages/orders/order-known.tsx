/** How far the statuses of an order are known: what its feed has asked for, its gaps, and what an end consumer may see. */
import type { FC } from 'hono/jsx';
import type { FollowedOrderView } from '../../../http/views/followed-order.ts';
import type { OrderView, TracksView } from '../../../http/views/order.ts';
import type { Result } from '../../../kernel/result.ts';
import type { ApiProblem } from '../../api.ts';
import { BOOKED_MESSAGES, CLOSED_MESSAGES, LOST_MESSAGES, orderStatusText } from '../../messages.ts';
import type { Page } from '../../page.ts';
import { countOf, Fact, Facts, lookOf, Note, State, Time } from '../../parts/basics.tsx';
import { Table } from '../../parts/table.tsx';

/** The address of this page, to come back to. */
export const here = (page: Page): string => `${page.context.req.path}${new URL(page.context.req.url).search}`;

export const locationText = ({ city, state, postalCode, country }: OrderView['statuses'][number]['place']): string =>
  [city, state, postalCode, country].filter((part) => part !== undefined && part !== '').join(', ');

type Found<Value> = Result<Value, ApiProblem>;

/** When the receiving system is asked again, for this order alone or for all that changed: whichever comes first. */
function nextRequestAt({ nextPoll, repair }: Pick<FollowedOrderView, 'nextPoll' | 'repair'>): string | null {
  const own = repair?.nextAt ?? null;
  return own === null || (nextPoll !== null && nextPoll < own) ? nextPoll : own;
}

/** What may be missing in its statuses, and why: read before them. */
export const FeedWarnings: FC<{ page: Page; order: OrderView; partner: string; feed: FollowedOrderView }> = ({
  page,
  order: { orderRef },
  partner,
  feed,
}) => {
  const { state, trouble, repair, gaps } = feed;
  const open = state === null ? [] : gaps.filter(({ closedAt }) => closedAt === null);
  return (
    <>
      {open.length > 0 || repair !== null ? (
        <Note look="wait">
          {open.length === 0 ? null : (
            <p>
              {countOf(open.length, 'answer')} {open.length === 1 ? 'was' : 'were'} lost. A status of this order may be
              missing until the receiving system has been asked again.
            </p>
          )}
          {repair === null ? null : <Repair repair={repair} at={nextRequestAt(feed)} />}
          {repair !== null && page.mayActAs('operator') ? (
            <p class="actions">
              <a class="button" href={page.at('/do/feed-skip', { partner, orderRef, from: here(page) })}>
                Stop looking it up…
              </a>
            </p>
          ) : null}
        </Note>
      ) : null}
      {trouble === null ? null : (
        <Note look="bad">
          The receiving system cannot be asked for statuses
          {trouble.at === null ? (
            ''
          ) : (
            <>
              {' '}
              since <Time at={trouble.at} />
            </>
          )}
          : {trouble.detail}
        </Note>
      )}
    </>
  );
};

/** `status 500` is how the feed writes that an answer with that number came. */
function failedText(tries: number, failure: string | null): string {
  const times = countOf(tries, 'time');
  const [, status] = /^status (\d{3})$/.exec(failure ?? '') ?? [];
  if (status !== undefined) return `The receiving system answered with an error (${status}) ${times}.`;
  return `There was no answer that could be used ${times}: ${failure ?? 'none came'}.`;
}

interface RepairProps {
  repair: NonNullable<FollowedOrderView['repair']>;
  at: string | null;
}

const Repair: FC<RepairProps> = ({ repair: { tries, failure }, at }) => (
  <p>
    That is being done.{' '}
    {at === null ? (
      ''
    ) : (
      <>
        It is asked again <Time at={at} />.{' '}
      </>
    )}
    {tries === 0 ? '' : failedText(tries, failure)}
  </p>
);

/** How far its statuses are known: what the feed has asked for, and where it may have missed one. */
export const Known: FC<{ page: Page; order: OrderView; partner: string; feed: Found<FollowedOrderView> }> = ({
  page,
  order: { orderRef },
  partner,
  feed,
}) => {
  if (!feed.ok) {
    const isNone = feed.error.code === 'no_feed';
    return (
      <section>
        <h2>How complete the statuses are</h2>
        {isNone ? (
          <p>No feed follows this order: only what is sent from here is known.</p>
        ) : (
          <Note look="bad">
            {feed.error.detail} <code>{feed.error.code}</code>
          </Note>
        )}
      </section>
    );
  }
  const { state, cursor, repair, gaps, registeredAt } = feed.value;
  const booked = state === null ? null : BOOKED_MESSAGES[state];
  return (
    <section>
      <div class="heading">
        <h2>How complete the statuses are</h2>
        {page.isOps ? <a href={page.at(`/feeds/${encodeURIComponent(partner)}`)}>Show its feed</a> : null}
      </div>
      {booked === null ? (
        <p>The order feed does not follow this order: the receiving system is not asked for its statuses.</p>
      ) : (
        <>
          <Facts>
            <Fact name="The order is">
              <State look={lookOf(booked.tone)} title={booked.meaning}>
                {booked.label}
              </State>
            </Fact>
            <Fact name="Last asked">{cursor === null ? 'not yet' : <Time at={cursor.at} />}</Fact>
            <Fact name="Asked again">
              <Time at={nextRequestAt(feed.value)} />
            </Fact>
            {registeredAt === null ? null : (
              <Fact name="Followed since">
                <Time at={registeredAt} />
              </Fact>
            )}
          </Facts>
          {gaps.length === 0 ? null : (
            <details class="more">
              <summary>
                Show {countOf(gaps.length, 'answer')} that {gaps.length === 1 ? 'was' : 'were'} lost
              </summary>
              <GapTable gaps={gaps} />
            </details>
          )}
        </>
      )}
      {page.mayActAs('operator') && repair === null ? (
        <p>
          <a class="button" href={page.at('/do/feed-repair', { partner, orderRefs: orderRef, from: here(page) })}>
            Look up this order…
          </a>
        </p>
      ) : null}
    </section>
  );
};

export const GapTable: FC<{ gaps: FollowedOrderView['gaps'] }> = ({ gaps }) => (
  <Table
    caption="Lost answers"
    columns={[
      { label: 'Poll', kind: 'main' },
      { label: 'State' },
      { label: 'Why' },
      { label: 'May be missing from', kind: 'word' },
      { label: 'Lost', kind: 'word' },
      { label: 'Made up for' },
    ]}
    rows={gaps.map(({ poll, why, since, lostAt, closedAt, closedBy }) => ({
      cells: [
        `Poll ${poll}`,
        <State look={closedAt === null ? 'wait' : 'good'}>{closedAt === null ? 'Open' : 'Made up for'}</State>,
        LOST_MESSAGES[why],
        since === null ? '' : <Time at={since} isExact />,
        lostAt === null ? '' : <Time at={lostAt} />,
        closedAt === null ? (
          ''
        ) : (
          <>
            <Time at={closedAt} /> {CLOSED_MESSAGES[closedBy ?? 'repair']}
          </>
        ),
      ],
    }))}
  />
);

/** What an end consumer may see: asked for only when somebody wants it, since it costs a call. */
export const Tracks: FC<{ tracks: Found<TracksView> | null; href: (more?: object) => string }> = ({ tracks, href }) => (
  <section>
    <h2>What an end consumer may see</h2>
    {tracks === null ? (
      <p>
        <a class="button" href={href({ tracks: 'show' })}>
          Ask the receiving system
        </a>
      </p>
    ) : tracks.ok ? (
      <TrackTable tracks={tracks.value} />
    ) : (
      <Note look="wait">
        {tracks.error.detail} {tracks.error.fix} (<code>{tracks.error.code}</code>)
      </Note>
    )}
    {tracks === null ? null : (
      <p>
        <a class="button" href={href({ tracks: 'show' })}>
          Ask again
        </a>
      </p>
    )}
  </section>
);

const TrackTable: FC<{ tracks: TracksView }> = ({ tracks: { source, asOf, tracks, trouble } }) => (
  <>
    <p>
      {source === 'upstream' ? 'From the receiving system' : 'From the feed, since the receiving system did not answer'}
      {asOf === null ? (
        ''
      ) : (
        <>
          , as of <Time at={asOf} />
        </>
      )}
      {trouble === null ? null : (
        <>
          {' '}
          (<code>{trouble.code}</code>)
        </>
      )}
      .
    </p>
    {trouble === null || trouble.detail === '' ? null : (
      <details class="more">
        <summary>Show what came instead</summary>
        <pre>{trouble.detail}</pre>
      </details>
    )}
    <Table
      caption="Tracks"
      columns={[{ label: 'Status', kind: 'main' }, { label: 'When', kind: 'word' }, { label: 'Where' }]}
      rows={tracks.map(({ code, at, place }) => ({
        cells: [orderStatusText(code), at === null ? '' : <Time at={at} isExact />, locationText(place)],
      }))}
      empty="Nothing that an end consumer may see."
    />
  </>
);
