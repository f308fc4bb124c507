/**
 * The page of one load: every event that was sent for it, in order, with its outcome. Plain text; nothing is decided
 * here.
 */
import type { FC } from 'hono/jsx';
import { EVIDENCE_MESSAGES, ROW_MESSAGES } from '../delivery/messages.ts';
import { followedState } from '../delivery/outcome.ts';
import { loadPagePath, withParameters } from '../http/edge/reader.ts';
import type { LoadChoiceView } from '../http/pages/views.ts';
import type { LoadCountsView, LoadEventView, LoadPageView, RowLocationView } from '../http/views/load.ts';
import { document, Entry, Fact, inText, LinkLine, pagesOf, ReasonLine, State } from './frame.tsx';
import { SHOWN_ORDER } from './messages.ts';
import { shortTime, WarningLine } from './row-line.tsx';

export const loadPage = (view: LoadPageView): string =>
  document({
    title: `Load ${view.loadNumber}`,
    environment: view.environment,
    links: pagesOf(view.reader),
    body: (
      <main data-load={view.loadNumber}>
        <Heading view={view} />
        {view.counts === null ? null : <Counts counts={view.counts} />}
        <Events view={view} />
      </main>
    ),
  });

/** The person chooses which of several is meant. */
export const loadChoicePage = ({ loadNumber, reader, choices }: LoadChoiceView): string =>
  document({
    title: `Load ${loadNumber}`,
    environment: reader.environment,
    links: pagesOf(reader),
    body: (
      <main>
        <section class="heading">
          <h1>Load {loadNumber}</h1>
        </section>
        <p>This number stands under several {reader.isOps ? 'partners or SCACs' : 'SCACs'}. Which one is meant?</p>
        <p class="links">
          {choices.map(({ label, href }) => (
            <a href={href}>{label}</a>
          ))}
        </p>
      </main>
    ),
  });

const Heading: FC<{ view: LoadPageView }> = ({ view }) => (
  <section class="heading">
    <h1>Load {view.loadNumber}</h1>
    <dl class="facts">
      {view.reader.isOps ? <Fact name="Partner">{view.reader.partner}</Fact> : null}
      <Fact name="SCAC">{view.scac}</Fact>
      {view.counts === null ? null : <CountFacts counts={view.counts} />}
    </dl>
    {view.notes.map((note) => (
      <p class="fix">{note}</p>
    ))}
    <LinkLine href={loadPagePath(view.reader, view, '/events.csv')}>All events (CSV)</LinkLine>
  </section>
);

const CountFacts: FC<{ counts: LoadCountsView }> = ({ counts }) => (
  <>
    <Fact name="Milestones">{inText(counts.milestones)}</Fact>
    <Fact name="Positions">{inText(counts.positions)}</Fact>
    {counts.firstEventAt === null ? null : <Fact name="First event">{shortTime(counts.firstEventAt)}</Fact>}
    {counts.lastEventAt === null ? null : <Fact name="Last event">{shortTime(counts.lastEventAt)}</Fact>}
    {counts.warned === 0 ? null : <Fact name="Odd">{inText(counts.warned)}</Fact>}
    {counts.late === 0 ? null : <Fact name="Late">{inText(counts.late)}</Fact>}
    {counts.possibleDuplicates === 0 ? null : (
      <Fact name="Possible duplicates">{inText(counts.possibleDuplicates)}</Fact>
    )}
  </>
);

const Counts: FC<{ counts: LoadCountsView }> = ({ counts }) => {
  const { states } = counts;
  return (
    <div class="counts">
      {SHOWN_ORDER.flatMap((state) => {
        const count = (states as Partial<Record<string, number>>)[state] ?? 0;
        if (count === 0) return [];
        return [
          <div class={`count tone-${ROW_MESSAGES[state].tone}`} title={ROW_MESSAGES[state].meaning}>
            <b>{inText(count)}</b> {ROW_MESSAGES[state].label}
          </div>,
        ];
      })}
    </div>
  );
};

const Events: FC<{ view: LoadPageView }> = ({ view }) => {
  const page = loadPagePath(view.reader, view);
  return (
    <section>
      <h2>{view.order === 'event' ? 'Events by their own time' : 'Events as they were sent'}</h2>
      {view.order === 'event' ? (
        <LinkLine href={`${page}&order=sent`}>In the order of sending</LinkLine>
      ) : (
        <LinkLine href={`${page}&order=event`}>By the time of the event</LinkLine>
      )}
      <ol class="rows">
        {view.events.map((event) => (
          <EventLine event={event} />
        ))}
      </ol>
      <LinkLine href={view.next && withParameters(page, nextOf(view.next))}>Next events</LinkLine>
    </section>
  );
};

/** The page continues where the API does. */
function nextOf(address: string): Record<string, string> {
  const { order = '', limit = '', cursor = '' } = Object.fromEntries(new URLSearchParams(address.split('?')[1]));
  return { order, limit, cursor };
}

const EventLine: FC<{ event: LoadEventView }> = ({ event }) => {
  const state = followedState(event.state, event.into?.state ?? null);
  const words = ROW_MESSAGES[state];
  return (
    <Entry head={event.what ?? event.kind} note={event.stop === null ? null : `stop ${event.stop}`}>
      <p>
        <State words={words} />
        {event.time === null ? null : ` · ${shortTime(event.time)}`}
        {event.place === null ? null : ` · ${event.place}`}
        {event.position === null ? null : ` · ${event.position.latitude}, ${event.position.longitude}`}
      </p>
      <p class="quiet">
        {[event.sentAt === null ? 'not sent' : `sent ${shortTime(event.sentAt)}`, ...factsOf(event)].join(' · ')}
      </p>
      <p class="quiet">
        From <RowLink place={event.from} />
        {event.into === null ? null : (
          <>
            {' '}
            · {event.state === 'duplicate' ? 'the same as' : 'travels with'} <RowLink place={event.into} />
          </>
        )}
      </p>
      <ReasonLine reason={event.reason} outcome={event.outcome} />
      {event.warnings.map((warning) => (
        <WarningLine warning={warning} />
      ))}
      {event.answer !== '' && state !== 'delivered' ? <code class="value">{event.answer}</code> : null}
      {event.tries.length === 0 ? null : <Tries event={event} />}
    </Entry>
  );
};

function factsOf(event: LoadEventView): string[] {
  return [
    ...(event.evidence === 'answer' || event.evidence === null
      ? []
      : [EVIDENCE_MESSAGES[event.evidence].replace(', ', '')]),
    ...(event.status === null ? [] : [`status ${event.status}`]),
    ...(event.attempts === 0 ? [] : [`${event.attempts} ${event.attempts === 1 ? 'attempt' : 'attempts'}`]),
    ...(event.possibleDuplicate ? ['possible duplicate'] : []),
    ...(event.late ? ['late'] : []),
    ...(event.from.generation === 1 ? [] : [`generation ${event.from.generation}`]),
    ...(event.nextAt === null ? [] : [`again at ${shortTime(event.nextAt)}`]),
    ...(event.waitsForLoadUntil === null ? [] : [`waits for its load until ${shortTime(event.waitsForLoadUntil)}`]),
  ];
}

const RowLink: FC<{ place: RowLocationView }> = ({ place }) => (
  <a href={place.links.console}>
    row {place.record} of batch {place.batchId}
  </a>
);

const Tries: FC<{ event: LoadEventView }> = ({ event }) => (
  <details>
    <summary class="quiet">
      {event.tries.length === event.attempts ? 'Every attempt' : `The last ${event.tries.length} attempts`}
    </summary>
    <ol class="tries">
      {event.tries.map((each) => (
        <li value={String(each.attempt)}>
          <span class="quiet">
            {each.startedAt === null ? '' : shortTime(each.startedAt)}
            {each.status === null ? '' : ` · status ${each.status}`}
            {each.latencyMs === null ? '' : ` · ${inText(each.latencyMs)} ms`}
            {each.effect === null ? ' · an answer is awaited' : ''}
          </span>
          {each.answer === '' ? null : <code class="value">{each.answer}</code>}
        </li>
      ))}
    </ol>
  </details>
);
