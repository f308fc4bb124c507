/** `/console/loads/{loadNumber}`: what happened to a load, when it was sent, and what is late or odd about it. */
import type { FC } from 'hono/jsx';
import { BYTE_ORDER_MARK } from '../../../batch/report/report-csv.ts';
import { EVIDENCE_MESSAGES, REASON_MESSAGES, ROW_MESSAGES } from '../../../delivery/messages.ts';
import { followedState } from '../../../delivery/outcome.ts';
import { isFinal } from '../../../delivery/states.ts';
import type { LoadCountsView, LoadEventView, LoadView } from '../../../http/views/load.ts';
import { eventMessage, withEventNames } from '../../event-messages.ts';
import { SHOWN_ORDER } from '../../messages.ts';
import type { Page } from '../../page.ts';
import { lookOfRow } from '../../parts/bar.tsx';
import { countOf, Empty, Fact, Facts, inText, Note, Pager, State, Time } from '../../parts/basics.tsx';
import { Calls, Refused } from '../../parts/calls.tsx';
import { cursorIn } from '../../parts/filters.tsx';
import { PartnerLink } from '../../parts/links.tsx';
import { asFile, EraseLink, RECORD_FILE, RecordLink } from '../../parts/record-link.tsx';
import { RouteMap, type StopEvent, stopsAmong, thinned } from '../../parts/route-map.tsx';
import { RowLink, rowHref, rowName } from '../../parts/row-link.tsx';
import { Table, type TableRow } from '../../parts/table.tsx';
import type { ConsolePages } from '../../routes.ts';
import { EventTime } from './event-time.tsx';
import { loadChoice } from './load-choice.tsx';

export const loadPages: ConsolePages = {
  get: { '/loads/:loadNumber': loadPage, '/loads/:loadNumber/events.csv': loadCsv },
  reads: ['GET /v1/ops/loads/{loadNumber}', 'GET /v1/loads/{loadNumber}'],
};

/** Events on a page of the timeline. Ours: a typical load fits, and a page stays light. */
const EVENTS_SHOWN = 50;
/** Events that the map is drawn from, in one call. Ours: a day of positions every few minutes. */
const MAP_EVENTS = 200;
/** Positions drawn and listed. Ours: more would be one thick line. */
const MAP_POINTS = 40;

/** Where a load of this number is: the API says so where there are several. */
const whose = (page: Page) => ({ scac: page.query('scac'), ...(page.isOps ? { partner: page.query('partner') } : {}) });

const LOAD = 'GET /v1/loads/{loadNumber}';

async function loadPage(page: Page): Promise<Response> {
  const loadNumber = page.context.req.param('loadNumber') ?? '';
  const order = page.query('order');
  const path = { loadNumber };
  const found = await page.api.call(page.own(LOAD), {
    path,
    query: { ...whose(page), order, limit: EVENTS_SHOWN, cursor: page.query('cursor') },
  });
  if (!found.ok)
    return found.error.code === 'load_ambiguous' ? loadChoice(page, found.error) : page.refuse(found.error);
  const load = found.value;
  const isFirst = page.query('cursor') === '';
  const hasMap = isFirst && (load.counts?.positions ?? 0) > 0;
  const mapped = hasMap
    ? await page.api.call(page.own(LOAD), {
        path,
        query: { ...whose(page), scac: load.scac, order: 'event', limit: MAP_EVENTS },
      })
    : null;
  return page.show({
    title: `Load ${loadNumber}`,
    nav: 'orders',
    body: (
      <>
        <Heading page={page} load={load} />
        {load.counts === null ? null : <Anomalies counts={load.counts} notes={load.notes} />}
        {mapped?.ok === true ? <Positions load={mapped.value} total={load.counts?.positions ?? 0} /> : null}
        <Timeline page={page} load={load} isFirst={isFirst} />
      </>
    ),
  });
}

/** For a spreadsheet, which without the mark reads letters beyond ASCII wrongly; the API's own file has none. */
async function loadCsv(page: Page): Promise<Response> {
  const answer = await page.api.answer(page.own(LOAD), {
    path: { loadNumber: `${page.context.req.param('loadNumber') ?? ''}.csv` },
    query: { ...whose(page), order: page.query('order') },
  });
  if (!answer.ok) return asFile(page, answer);
  const headers = new Headers(answer.headers);
  for (const name of ['Content-Length', 'ETag']) headers.delete(name);
  return new Response(new Blob([BYTE_ORDER_MARK, await answer.arrayBuffer()]), { headers });
}

const addressOf = (page: Page, load: Pick<LoadView, 'loadNumber' | 'scac'>, more = {}, ending = ''): string =>
  page.at(`/loads/${encodeURIComponent(load.loadNumber)}${ending}`, { ...whose(page), scac: load.scac, ...more });

const Heading: FC<{ page: Page; load: LoadView }> = ({ page, load }) => (
  <>
    <div class="heading">
      <h1>Load {load.loadNumber}</h1>
      <p class="actions">
        <a class="button" href={addressOf(page, load, { order: load.order }, '/events.csv')}>
          Download all events (CSV)
        </a>
        <RecordLink page={page} href={addressOf(page, load, { partner: partnerOf(load) }, RECORD_FILE)} />
        <EraseLink
          page={page}
          action="erase-load"
          values={{ loadNumber: load.loadNumber, partner: partnerOf(load), scac: load.scac }}
        />
      </p>
    </div>
    <Facts>
      {page.isOps ? (
        <Fact name="Partner">
          <PartnerLink page={page} name={partnerOf(load)} />
        </Fact>
      ) : null}
      <Fact name="SCAC">{load.scac}</Fact>
      {load.counts === null ? null : <CountFacts counts={load.counts} />}
    </Facts>
    {load.counts === null ? null : (
      <p class="actions">
        {SHOWN_ORDER.map((state) => {
          const count = (load.counts?.states as Partial<Record<string, number>> | undefined)?.[state] ?? 0;
          return count === 0 ? null : (
            <State look={lookOfRow(state)} title={ROW_MESSAGES[state].meaning}>
              {`${inText(count)} ${ROW_MESSAGES[state].label.toLowerCase()}`}
            </State>
          );
        })}
      </p>
    )}
  </>
);

/** The API says it in the load's own address. */
const partnerOf = ({ links }: LoadView): string => new URL(links.self, 'http://api').searchParams.get('partner') ?? '';

const CountFacts: FC<{ counts: LoadCountsView }> = ({ counts }) => (
  <>
    <Fact name="Milestones">{inText(counts.milestones)}</Fact>
    <Fact name="Positions">{inText(counts.positions)}</Fact>
    {counts.firstEventAt === null ? null : (
      <Fact name="First event">
        <EventTime time={counts.firstEventAt} isShort />
      </Fact>
    )}
    {counts.lastEventAt === null ? null : (
      <Fact name="Last event">
        <EventTime time={counts.lastEventAt} isShort />
      </Fact>
    )}
  </>
);

const Anomalies: FC<{ counts: LoadCountsView; notes: readonly string[] }> = ({ counts, notes }) => {
  const { warned, late, possibleDuplicates } = counts;
  const lines = [
    ...notes,
    ...(warned === 0
      ? []
      : [`${countOf(warned, 'event')} ${warned === 1 ? 'contradicts' : 'contradict'} others of this load: see below.`]),
    ...(late === 0 ? [] : [`${countOf(late, 'event')} ${late === 1 ? 'was' : 'were'} sent late.`]),
    ...(possibleDuplicates === 0
      ? []
      : [
          `${countOf(possibleDuplicates, 'event')} may have arrived twice: ${possibleDuplicates === 1 ? 'it was' : 'they were'} sent again after no clear answer.`,
        ]),
  ];
  return lines.length === 0 ? null : (
    <Note look="wait">
      {lines.map((line) => (
        <p>{line}</p>
      ))}
    </Note>
  );
};

const Positions: FC<{ load: LoadView; total: number }> = ({ load, total }) => {
  const points = load.events.flatMap(({ time, position }) => {
    const atMs = time === null ? Number.NaN : Date.parse(time);
    return position === null || time === null || Number.isNaN(atMs) ? [] : [{ ...position, atMs, time }];
  });
  if (points.length === 0) return null;
  const shown = thinned(points, MAP_POINTS);
  const stops = stopsAmong(points, load.events.flatMap(stopEventOf));
  const from = points[0];
  const to = points.at(-1);
  return (
    <section>
      <h2>Where it was</h2>
      <RouteMap
        points={shown}
        stops={stops}
        title={`The way of load ${load.loadNumber}: ${countOf(points.length, 'position')}, ${countOf(stops.length, 'stop')}`}
      />
      <p class="quiet">
        North is up; the ring is the first position, the dot the last.
        {stops.length === 0 ? '' : ' A number is a stop, where the vehicle was at its first event.'}
        {points.length < total ? ` Drawn from the first ${inText(points.length)} of ${inText(total)} positions.` : ''}
      </p>
      {from === undefined || to === undefined ? null : (
        <details class="more">
          <summary>Show the positions as a table</summary>
          {stops.map(({ label, text }) => (
            <p>
              Stop {label}: {text}
            </p>
          ))}
          <Table
            caption={shown.length < points.length ? `${shown.length} of ${points.length} positions` : 'Positions'}
            columns={[{ label: 'Time', kind: 'main' }, { label: 'Latitude' }, { label: 'Longitude' }]}
            rows={shown.map(({ time, latitude, longitude }) => ({
              cells: [<EventTime time={time} isShort />, String(latitude), String(longitude)],
            }))}
          />
        </details>
      )}
    </section>
  );
};

function stopEventOf({ stop, time, what, place }: LoadEventView): StopEvent[] {
  const atMs = time === null ? Number.NaN : Date.parse(time);
  if (stop === null || Number.isNaN(atMs)) return [];
  return [
    { stop, atMs, text: [what === null ? null : (eventMessage(what) ?? what), place].filter(Boolean).join(', ') },
  ];
}

const Timeline: FC<{ page: Page; load: LoadView; isFirst: boolean }> = ({ page, load, isFirst }) => {
  const isByEvent = load.order === 'event';
  const cursor = cursorIn(load.next);
  return (
    <section>
      <div class="heading">
        <h2>{isByEvent ? 'Events by their own time' : 'Events as they were sent'}</h2>
        <a href={addressOf(page, load, { order: isByEvent ? 'sent' : 'event' })}>
          {isByEvent ? 'Show in the order of sending' : 'Show by the time of the event'}
        </a>
      </div>
      {load.events.length === 0 ? (
        <Empty>There are no more events.</Empty>
      ) : (
        <Table
          caption="Events of the load"
          columns={[
            { label: 'Event', kind: 'main' },
            { label: 'When', kind: 'word' },
            { label: 'Where', kind: 'words', isMinor: true },
            { label: 'State' },
            { label: 'Sent', kind: 'word', isMinor: true },
          ]}
          rows={grouped(load.events).map((events) => timelineRow(page, events))}
        />
      )}
      <Pager
        first={isFirst ? null : addressOf(page, load, { order: load.order })}
        next={cursor === null ? null : addressOf(page, load, { order: load.order, cursor })}
        nextLabel="Next events"
      />
    </section>
  );
};

const stateOf = (event: LoadEventView) => followedState(event.state, event.into?.state ?? null);

/** Positions that follow each other and went the same way are one line: nobody reads forty of them. Pure. */
export function grouped(events: readonly LoadEventView[]): LoadEventView[][] {
  const groups: LoadEventView[][] = [];
  for (const event of events) {
    const last = groups.at(-1);
    const before = last?.at(-1);
    const isAlike =
      before !== undefined &&
      [before, event].every(
        ({ position, warnings, reason }) => position !== null && warnings.length === 0 && reason === null,
      ) &&
      stateOf(before) === stateOf(event) &&
      before.late === event.late &&
      before.possibleDuplicate === event.possibleDuplicate;
    if (isAlike) last?.push(event);
    else groups.push([event]);
  }
  return groups;
}

function timelineRow(page: Page, events: readonly LoadEventView[]): TableRow {
  const [event] = events;
  const last = events.at(-1);
  if (event === undefined || last === undefined) return { cells: [] };
  const state = stateOf(event);
  const isOne = events.length === 1;
  return {
    cells: [
      isOne ? <EventName event={event} /> : <strong>{countOf(events.length, 'position')}</strong>,
      event.time === null ? '' : <EventTime time={event.time} until={isOne ? null : last.time} />,
      isOne ? whereText(event) : `${whereText(event)} to ${whereText(last)}`,
      <State look={lookOfRow(state)} title={ROW_MESSAGES[state].meaning}>
        {ROW_MESSAGES[state].label}
      </State>,
      event.sentAt === null ? <span class="quiet">not sent</span> : <Time at={event.sentAt} />,
    ],
    detail: (
      <>
        {isOne ? <EventNotes page={page} event={event} /> : null}
        <details class="more">
          <summary>{isOne ? eventSummary(event) : 'Show each, with its row'}</summary>
          {isOne ? <EventDetail page={page} event={event} /> : <PositionList page={page} events={events} />}
        </details>
      </>
    ),
  };
}

const EventName: FC<{ event: LoadEventView }> = ({ event: { what, kind, position } }) => {
  if (position !== null) return <strong>Position</strong>;
  const text = what === null ? null : eventMessage(what);
  return (
    <>
      <strong>{text ?? what ?? kind}</strong> {text === null ? null : <span class="quiet">{what}</span>}
    </>
  );
};

/** To about ten metres: the request below has all digits. */
const shortDegrees = (degrees: number): number => Math.round(degrees * 10_000) / 10_000;

const whereText = ({ stop, place, position }: LoadEventView): string =>
  [
    stop === null ? null : `stop ${stop}`,
    place,
    position === null ? null : `${shortDegrees(position.latitude)}, ${shortDegrees(position.longitude)}`,
  ]
    .filter((part) => part !== null)
    .join(' · ');

/** What somebody should know without opening anything. */
const EventNotes: FC<{ page: Page; event: LoadEventView }> = ({ page, event }) => (
  <>
    {event.reason === null ? null : (
      <p>
        {REASON_MESSAGES[event.reason]}
        {event.outcome === 'unknown' ? ' It may have arrived.' : ''} <code>{event.reason}</code>
      </p>
    )}
    {stateOf(event) === 'delivered' ? null : <Refused status={event.status} answer={event.answer ?? ''} />}
    <NextStep page={page} event={event} />
    {event.warnings.map(({ message, code, fix }) => (
      <Note look="wait">
        <strong>Odd: </strong>
        {withEventNames(message)} {fix} <span class="quiet">({code})</span>
      </Note>
    ))}
    {event.waitsForLoadUntil === null ? null : (
      <p>
        Waits until its load is known, <Time at={event.waitsForLoadUntil} isExact /> at the latest.
      </p>
    )}
  </>
);

/** What somebody can do about an event that did not arrive: its partner corrects the row, an operator decides. */
const NextStep: FC<{ page: Page; event: LoadEventView }> = ({ page, event }) => {
  const { batchId, record, request } = event.from;
  if (!['rejected', 'dead', 'held'].includes(stateOf(event))) return null;
  if (page.isOps)
    return (
      <p>
        <a href={page.at(`/holds/${batchId}/${record}/${request}`, { partner: page.query('partner') })}>
          See what can be done
        </a>
      </p>
    );
  return (
    <p>
      If the row is wrong, <a href={rowHref(page, event.from)}>see {rowName(record)}</a> and send it corrected. If it is
      right, ask the operator.
    </p>
  );
};

const eventSummary = (event: LoadEventView): string =>
  [
    event.attempts === 0
      ? isFinal(event.state)
        ? 'Not sent itself'
        : 'No attempt yet'
      : countOf(event.attempts, 'attempt'),
    ...(event.status === null ? [] : [`status ${event.status}`]),
    ...(event.late ? ['late'] : []),
    ...(event.possibleDuplicate ? ['may have arrived twice'] : []),
    ...(event.from.generation === 1 ? [] : [`sent ${event.from.generation} times`]),
    rowName(event.from.record),
  ].join(' · ');

const EventDetail: FC<{ page: Page; event: LoadEventView }> = ({ page, event }) => (
  <>
    <p>
      From <RowLink page={page} row={event.from} />
      {event.into === null ? null : (
        <>
          {event.state === 'duplicate' ? ', the same as ' : ', sent together with '}
          <RowLink page={page} row={event.into} />
        </>
      )}
      {event.evidence === null || event.evidence === 'answer' ? '' : EVIDENCE_MESSAGES[event.evidence]}
      {event.nextAt === null ? null : (
        <>
          {'. Next try '}
          <Time at={event.nextAt} />
        </>
      )}
      .
    </p>
    {event.tries.length === 0 ? null : (
      <>
        {event.tries.length < event.attempts ? <p class="quiet">{`The last ${event.tries.length} attempts`}</p> : null}
        <Calls calls={event.tries} />
      </>
    )}
    <h3>Request</h3>
    <pre>{JSON.stringify(event.body, null, 2)}</pre>
  </>
);

const PositionList: FC<{ page: Page; events: readonly LoadEventView[] }> = ({ page, events }) => (
  <ul>
    {events.map((event) => (
      <li>
        {event.time === null ? '' : <EventTime time={event.time} isShort />} · {whereText(event)} ·{' '}
        <a href={rowHref(page, event.from)}>{rowName(event.from.record)}</a>
      </li>
    ))}
  </ul>
);
