/**
 * The first page: for operators what needs a person, then the newest batches; for a partner its own. Every filter is in
 * the address.
 */
import type { FC } from 'hono/jsx';
import type { StateMessages } from '../delivery/messages.ts';
import type { RecordState } from '../delivery/outcome.ts';
import { homePath } from '../http/edge/reader.ts';
import type { Alert } from '../http/ops/views/alerts.ts';
import type { BatchLine } from '../http/ops/views/batch.ts';
import type { HomePageView } from '../http/pages/views.ts';
import { bytesText, OPEN } from './batch-page.tsx';
import { document, Environments, inText, LinkLine, OPS_PAGES, PARTNER_PAGES } from './frame.tsx';
import {
  ALERT_MESSAGES,
  BATCH_MESSAGES,
  CANCELLED,
  CANCELLING,
  finishedMessage,
  STUCK,
  WAITING_FOR_DECISION,
} from './messages.ts';
import { shortTime } from './row-line.tsx';

export const homePage = (view: HomePageView): string =>
  document({
    title: view.ops === null ? 'Batches' : 'Home',
    environment: view.environment,
    links: view.ops === null ? PARTNER_PAGES : OPS_PAGES(view.environment),
    body: (
      <main class="wide">
        {view.ops === null ? null : (
          <Environments
            pathOf={(environment) => homePath({ environment })}
            environment={view.environment}
            environments={view.ops.environments}
          />
        )}
        {view.ops?.alerts == null ? null : <Alerts alerts={view.ops.alerts} />}
        <section>
          <h1>{isNarrowed(view) ? 'Batches that were looked for' : 'Newest batches'}</h1>
          <Filters view={view} />
          <Batches view={view} />
        </section>
      </main>
    ),
  });

const isNarrowed = ({ asked }: HomePageView): boolean => Object.keys(asked).length > 0;

const Alerts: FC<{ alerts: readonly Alert[] }> = ({ alerts }) => (
  <section>
    <h1>{alerts.length === 0 ? 'Nothing needs you' : 'Needs somebody'}</h1>
    <ol class="rows">
      {alerts.map((alert) => (
        <AlertLine alert={alert} />
      ))}
    </ol>
  </section>
);

const AlertLine: FC<{ alert: Alert }> = ({ alert: { code, about, since, detail, fix, links } }) => (
  <li class="row" data-alert={code}>
    <div class="where">
      <b>{about}</b>
      {since === null ? null : <span class="quiet">since {shortTime(since)}</span>}
    </div>
    <div class="what">
      <p>
        <span class={`state tone-${ALERT_MESSAGES[code].tone}`}>{ALERT_MESSAGES[code].label}</span> <code>{code}</code>
      </p>
      <p>{detail}</p>
      <p class="fix">{fix}</p>
      <LinkLine href={links.console}>Look at it</LinkLine>
    </div>
  </li>
);

const NEED_MESSAGES = {
  '': 'All',
  'held,refused,unreadable,trouble': 'Needs somebody',
  held: 'Rows held for a decision',
  refused: 'Rows not delivered',
  unreadable: 'File not readable',
  trouble: 'Does not get on',
} as const;
const STATE_MESSAGES = {
  '': 'All',
  reading: 'Reading',
  delivering: 'Delivering',
  settled: 'Finished',
  unreadable: 'Not readable',
} as const;

const Filters: FC<{ view: HomePageView }> = ({ view }) => (
  <details class="filters" open={isNarrowed(view)}>
    <summary>Look for batches</summary>
    <FilterForm view={view} />
  </details>
);

const FilterForm: FC<{ view: HomePageView }> = ({ view: { environment, asked, ops } }) => (
  <form class="search" method="get" action="/console">
    {ops === null ? null : (
      <>
        <input type="hidden" name="environment" value={environment} />
        <Choice name="partner" label="Partner" asked={asked} of={{ '': 'All', ...named(ops.partners) }} />
      </>
    )}
    <Choice name="needs" label="What" asked={asked} of={NEED_MESSAGES} />
    <Choice name="state" label="State" asked={asked} of={STATE_MESSAGES} />
    <Text name="fileName" label="File name" asked={asked} />
    <Text name="mapping" label="Mapping" asked={asked} />
    <Text name="from" label="From (UTC)" asked={asked} type="date" />
    <Text name="to" label="Before (UTC)" asked={asked} type="date" />
    <button type="submit">Show</button>
    {Object.keys(asked).length === 0 ? null : <a href={homePath(ops === null ? {} : { environment })}>Show all</a>}
  </form>
);

const named = (names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, name]));

type TargetQuery = HomePageView['asked'];

const Choice: FC<{ name: string; label: string; asked: TargetQuery; of: Readonly<Record<string, string>> }> = ({
  name,
  label,
  asked,
  of,
}) => (
  <label>
    {label}
    <select name={name}>
      {Object.entries(of).map(([value, words]) => (
        <option value={value} selected={value === (asked[name] ?? '')}>
          {words}
        </option>
      ))}
    </select>
  </label>
);

const Text: FC<{ name: string; label: string; asked: TargetQuery; type?: string }> = ({
  name,
  label,
  asked,
  type = 'text',
}) => (
  <label>
    {label}
    <input name={name} type={type} value={asked[name] ?? ''} maxlength={200} autocomplete="off" />
  </label>
);

const Batches: FC<{ view: HomePageView }> = ({ view }) => {
  if (view.batches.length === 0) return <p class="empty">{emptyMessage(view)}</p>;
  const isOps = view.ops !== null;
  return (
    <>
      <table class="list">
        <thead>
          <tr>
            <th>File</th>
            {isOps ? <th>Partner</th> : null}
            <th>Mapping</th>
            <th>Received (UTC)</th>
            <th class="number">Rows</th>
            <th class="number">Delivered</th>
            <th>State</th>
          </tr>
        </thead>
        <tbody>
          {view.batches.map((batch) => (
            <Batch batch={batch} isOps={isOps} />
          ))}
        </tbody>
      </table>
      <LinkLine href={view.next}>Older batches</LinkLine>
    </>
  );
};

const emptyMessage = (view: HomePageView): string => {
  if (isNarrowed(view)) return 'No batch is like that.';
  return view.ops === null
    ? 'Nothing was sent yet. A file that is uploaded is a batch, and stands here.'
    : 'No partner has sent anything in this environment yet.';
};

const Batch: FC<{ batch: BatchLine; isOps: boolean }> = ({ batch, isOps }) => {
  const words = listedText(batch);
  return (
    <tr>
      <td class="file">
        <a href={batch.links.console}>{titleOf(batch)}</a>
        <span class="quiet">{bytesText(batch.bytes)}</span>
      </td>
      {isOps ? <td class="whole">{batch.partner}</td> : null}
      <td>{batch.mapping}</td>
      <td class="whole" title={batch.receivedAt}>
        {minuteOf(batch.receivedAt)}
      </td>
      <td class="number" data-name="rows">
        {inText(batch.rows)}
      </td>
      <td class="number" data-name="delivered">
        {inText(batch.rowStates.delivered ?? 0)}
      </td>
      <td class="whole">
        <span class={`state tone-${words.tone}`} title={words.meaning}>
          {words.label}
        </span>
      </td>
    </tr>
  );
};

/** `2026-03-02T08:00:59.000Z` → `2026-03-02 08:00` */
const minuteOf = (dateTime: string): string => dateTime.slice(0, 16).replace('T', ' ');

const titleOf = ({ fileName, messages, batchId }: BatchLine): string =>
  fileName ?? (messages === null ? batchId : `${inText(messages)} ${messages === 1 ? 'message' : 'messages'}`);

/** The state of the batch, as its page says it. */
function listedText({ state, trouble, held, refused, cancelled, dryRun, rowStates }: BatchLine): StateMessages {
  if (trouble !== null) return STUCK;
  switch (state) {
    case 'unreadable':
      return BATCH_MESSAGES.unreadable;
    case 'settled':
      return cancelled ? CANCELLED : finishedMessage(refused, dryRun);
    case 'reading':
    case 'delivering': {
      const isOpen = Object.keys(rowStates).some((each) => OPEN.has(each as RecordState));
      if (state === 'delivering' && held > 0 && !isOpen) return WAITING_FOR_DECISION;
      return cancelled ? CANCELLING : BATCH_MESSAGES[state];
    }
    default:
      return { label: state, tone: 'quiet', meaning: 'A newer release says so.' };
  }
}
