/** `/console/batches`: what came in, newest first. */
import type { FC } from 'hono/jsx';
import type { StateMessages } from '../../delivery/messages.ts';
import type { RecordState } from '../../delivery/outcome.ts';
import type { Answered } from '../../http/contract/contract.ts';
import type { BatchLine } from '../../http/ops/views/batch.ts';
import {
  BATCH_MESSAGES,
  CANCELLED,
  CANCELLING,
  finishedMessage,
  STUCK,
  WAITING_FOR_DECISION,
  WAITING_FOR_UPSTREAM,
} from '../messages.ts';
import type { Page } from '../page.ts';
import { lookOfRow, NO_ROWS, StackedBar, segmentsListed, segmentsText } from '../parts/bar.tsx';
import { bytesText, CursorPager, countOf, dollarsText, inText, lookOf, State, Time } from '../parts/basics.tsx';
import { cursorIn, type Filter, Filters, filtersSet } from '../parts/filters.tsx';
import { MappingLink, PartnerLink } from '../parts/links.tsx';
import { Table, type TableRow } from '../parts/table.tsx';
import type { ConsolePages } from '../routes.ts';
import { isHalted, nextTryText } from './batch/batch-messages.ts';

type PartnersLine = Answered<'GET /v1/batches'>['batches'][number];
/** As `GET /v1/batches` lists them for a partner; operators see more of each. */
export type ListedBatch = Omit<PartnersLine, 'sha256' | 'links'> & Partial<Omit<BatchLine, keyof PartnersLine>>;

export const batchListPages: ConsolePages = {
  get: { '/batches': batchesPage },
  reads: ['GET /v1/ops/batches', 'GET /v1/batches'],
};

const NEEDS = {
  '': 'Anything',
  'held,refused,unreadable,trouble': 'Needs somebody',
  held: 'Rows held for a decision',
  refused: 'Rows not delivered',
  unreadable: 'File not readable',
  trouble: 'Does not get on',
};
const STATES = {
  '': 'Any state',
  reading: 'Reading',
  delivering: 'Delivering',
  settled: 'Finished',
  unreadable: 'Not readable',
};

const FILTERS: readonly Filter[] = [
  { name: 'fileName', label: 'File name' },
  { name: 'partner', label: 'Partner' },
  { name: 'mapping', label: 'Mapping' },
  { name: 'needs', label: 'What', kind: 'choice', of: NEEDS },
  { name: 'state', label: 'State', kind: 'choice', of: STATES },
  { name: 'from', label: 'From (UTC)', kind: 'date' },
  { name: 'to', label: 'Before (UTC)', kind: 'date' },
];
/** A partner has few kinds of files: one is found by its name. */
const OWN_FILTERS = FILTERS.filter(({ name }) => name === 'fileName');

async function batchesPage(page: Page): Promise<Response> {
  const offered = page.isOps ? FILTERS : OWN_FILTERS;
  const filters = filtersSet(
    page,
    offered.map(({ name }) => name),
  );
  const cursorName = page.isOps ? 'cursor' : 'before';
  const found = await page.api.call(page.own('GET /v1/batches'), {
    query: {
      ...filters,
      [cursorName]: page.query(cursorName),
    },
  });
  if (!found.ok) return page.refuse(found.error);
  const { batches, next } = found.value;
  const cursor = cursorIn(next, cursorName);
  const isFiltered = Object.keys(filters).length > 0;
  return page.show({
    title: 'Batches',
    nav: 'batches',
    isWide: true,
    body: (
      <>
        <div class="heading">
          <h1>Batches</h1>
          {page.isOps ? null : (
            <a class="button primary" href={page.at('/upload')}>
              Send a file
            </a>
          )}
        </div>
        {page.isOps || isFiltered || batches.length > 0 ? (
          <Filters page={page} path="/batches" filters={offered} />
        ) : null}
        <BatchTable
          page={page}
          batches={batches}
          empty={
            isFiltered
              ? next === null
                ? 'No batch is like that. Change the filter, or clear it.'
                : 'None of the newest is like that. Look at older ones.'
              : 'Nothing was sent yet. A file that is uploaded is a batch, and appears here.'
          }
        />
        <CursorPager
          page={page}
          path="/batches"
          filters={filters}
          name={cursorName}
          next={cursor}
          nextLabel="Show older batches"
        />
      </>
    ),
  });
}

export const BatchTable: FC<{ page: Page; batches: readonly ListedBatch[]; empty?: string }> = ({
  page,
  batches,
  empty = 'No batches yet.',
}) => (
  <Table
    caption="Batches, newest first"
    columns={[
      { label: 'File', kind: 'main' },
      ...(page.isOps ? [{ label: 'Partner', kind: 'word' as const }] : []),
      { label: 'Mapping', kind: 'word', isMinor: true },
      { label: 'Received', kind: 'word' },
      { label: 'Delivered', kind: 'word', isMinor: true },
      ...(page.isOps ? [{ label: 'Cost', kind: 'number' as const, isMinor: true }] : []),
      { label: 'State' },
    ]}
    rows={batches.map((batch) => batchRow(page, batch))}
    empty={empty}
  />
);

function batchRow(page: Page, batch: ListedBatch): TableRow {
  const href = page.at(`/batches/${batch.batchId}`);
  const words = listedText(batch);
  return {
    href,
    cells: [
      <a href={href} title={bytesText(batch.bytes ?? 0)}>
        {batchTitle(batch)}
      </a>,
      ...(page.isOps ? [<PartnerLink page={page} name={batch.partner} />] : []),
      <MappingLink page={page} name={batch.mapping} />,
      <Time at={batch.receivedAt} />,
      <RowsCell batch={batch} />,
      ...(page.isOps ? [batch.dollars == null ? '' : dollarsText(batch.dollars)] : []),
      <>
        <State look={lookOf(words.tone, words === WAITING_FOR_DECISION)} title={words.meaning}>
          {words.label}
        </State>
        {words === WAITING_FOR_UPSTREAM ? <div class="quiet">{nextTryText(batch.stops)}</div> : null}
      </>,
    ],
  };
}

const RowsCell: FC<{ batch: ListedBatch }> = ({ batch: { rows, rowStates, refused, dryRun } }) => {
  if (rows == null || rowStates == null) return null;
  const segments = segmentsListed(rowStates, refused ?? 0);
  return (
    <>
      <StackedBar segments={segments} isSmall isDryRun={dryRun} />
      <span class="quiet">
        {inText(segments.good)} of {inText(rows)}
        {dryRun ? ' valid' : ''}
      </span>
      {segments.done === 0 ? null : (
        <div class="quiet">{segmentsText({ ...NO_ROWS, done: segments.done }, dryRun)}</div>
      )}
    </>
  );
};

/** What it is called: its file, or how many messages share it. */
export const batchTitle = ({
  fileName,
  messages,
  batchId,
}: Pick<ListedBatch, 'fileName' | 'messages' | 'batchId'>): string =>
  fileName ?? (messages === null ? batchId : countOf(messages, 'message'));

/** The state of the batch, as its page says it. */
function listedText(batch: ListedBatch): StateMessages {
  const { state, dryRun } = batch;
  const [held, refused, cancelled] = [batch.held ?? 0, batch.refused ?? 0, batch.cancelled ?? false];
  if (batch.trouble != null) return STUCK;
  switch (state) {
    case 'unreadable':
      return BATCH_MESSAGES.unreadable;
    case 'settled':
      return cancelled ? CANCELLED : finishedMessage({ refused, isDryRun: dryRun, rowStates: batch.rowStates ?? null });
    case 'reading':
    case 'delivering': {
      const rowStates = batch.rowStates ?? {};
      const isOpen = Object.keys(rowStates).some((each) => lookOfRow(each as RecordState) === 'wait');
      if (state !== 'reading' && held > 0 && !isOpen) return WAITING_FOR_DECISION;
      if (cancelled) return CANCELLING;
      if (state !== 'reading' && isHalted({ stops: batch.stops, rowStates })) return WAITING_FOR_UPSTREAM;
      return BATCH_MESSAGES[state];
    }
    default:
      return { label: state, tone: 'quiet', meaning: 'A newer release says so.' };
  }
}
