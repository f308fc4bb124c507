/**
 * The page of one batch: what it is, its progress, and every row that needs a person. Plain text; nothing is decided
 * here.
 */
import type { FC } from 'hono/jsx';
import { CORRECTABLE } from '../batch/core/tally.ts';
import type { BatchSummary } from '../batch/report/summary.ts';
import { REFUSED_STATES } from '../batch/steps/batch-index.ts';
import { ROW_MESSAGES, type StateMessages } from '../delivery/messages.ts';
import type { RecordState } from '../delivery/outcome.ts';
import { hasEnvelopes } from '../formats/reader.ts';
import type { BatchPageView } from '../http/pages/views.ts';
import { document, Fact, inText, LinkLine, pagesOf } from './frame.tsx';
import {
  BATCH_MESSAGES,
  CANCELLED,
  CANCELLING,
  finishedMessage,
  SHOWN_ORDER,
  WAITING_FOR_DECISION,
} from './messages.ts';
import { RowLine, shortTime } from './row-line.tsx';

export const OPEN: ReadonlySet<RecordState> = new Set(['queued', 'sending', 'waiting', 'unknown', 'coalesced']);
const NEEDS_EYES: readonly RecordState[] = ['invalid', 'rejected', 'dead', 'held', 'unknown', 'waiting'];

export function batchPage(view: BatchPageView): string {
  const { summary } = view;
  const live = summary.state === 'reading' || summary.state === 'delivering';
  return document({
    title: titleOf(summary) ?? summary.batchId,
    environment: summary.environment,
    links: pagesOf(view.reader),
    live,
    body: (
      <main data-batch={summary.batchId} data-state={summary.state}>
        <Heading summary={summary} />
        <Progress summary={summary} />
        <Counts summary={summary} shown={view.shown} />
        {summary.problems.length > 0 ? <FileProblems summary={summary} /> : null}
        {summary.state === 'unreadable' ? null : <Rows view={view} />}
      </main>
    ),
  });
}

const Heading: FC<{ summary: BatchSummary }> = ({ summary }) => (
  <section class="heading">
    <h1>{titleOf(summary) ?? 'Upload'}</h1>
    <p class="id">{summary.batchId}</p>
    <dl class="facts">
      <Fact name="Mapping">{summary.mapping}</Fact>
      <Fact name="SCAC">{summary.scac ?? 'from each row'}</Fact>
      <Fact name="Size">
        {summary.contentBytes === null
          ? bytesText(summary.bytes)
          : `${bytesText(summary.bytes)}, ${bytesText(summary.contentBytes)} unpacked`}
      </Fact>
      {summary.files === null ? null : <Fact name="Files">{summary.files.length}</Fact>}
      {summary.messages === null ? null : <Fact name="Messages">{inText(summary.messages)}</Fact>}
      <Fact name="Received">{shortTime(summary.receivedAt)}</Fact>
      {summary.cancelledAt === null ? null : <Fact name="Cancelled">{shortTime(summary.cancelledAt)}</Fact>}
      {summary.settledAt === null ? null : <Fact name="Finished">{shortTime(summary.settledAt)}</Fact>}
      {summary.bytesDeletedAt === null ? null : (
        <Fact name="File deleted">{shortTime(summary.bytesDeletedAt)}, 90 days after its last row was decided</Fact>
      )}
      {summary.dryRun ? <Fact name="Dry run">nothing is sent</Fact> : null}
      {summary.forced ? <Fact name="Forced">new work on request</Fact> : null}
    </dl>
    {summary.notes.map((note) => (
      <p class="fix">{note}</p>
    ))}
    {summary.bytesDeletedAt === null ? <Downloads summary={summary} /> : null}
  </section>
);

const Downloads: FC<{ summary: BatchSummary }> = ({ summary }) => (
  <p class="links">
    <a href={`/console/batches/${summary.batchId}/report.csv`}>Report (CSV)</a>
    <a href={`/console/batches/${summary.batchId}/report.json`}>Report (JSON)</a>
    {isAcknowledged(summary) ? <a href={`/console/batches/${summary.batchId}/acknowledgment`}>Acknowledgment</a> : null}
    {hasCorrectable(summary) ? (
      <a href={`/console/batches/${summary.batchId}/corrections`}>Rows to correct, to send again</a>
    ) : null}
    {summary.messages === null ? <a href={`/console/batches/${summary.batchId}/source`}>The file as received</a> : null}
  </p>
);

const titleOf = ({ fileName, messages, receivedAt }: BatchSummary): string | null =>
  messages === null ? fileName : `Messages of ${receivedAt.slice(0, 10)}`;

/** Interchanges have an acknowledgment, and are corrected in the system that sends them; messages have one each. */
const isAcknowledged = ({ format, state, messages }: BatchSummary): boolean =>
  messages === null && hasEnvelopes(format) && state !== 'reading' && state !== 'unreadable';

const hasCorrectable = (summary: BatchSummary): boolean =>
  summary.state !== 'unreadable' &&
  !hasEnvelopes(summary.format) &&
  CORRECTABLE.some((each) => unresolved(summary, each) > 0);

/** Rows of a state that still need a person; corrected rows that were delivered do not count. */
const unresolved = ({ rowStates, resolvedStates }: BatchSummary, state: RecordState): number =>
  (rowStates[state] ?? 0) - (resolvedStates[state] ?? 0);

const Progress: FC<{ summary: BatchSummary }> = ({ summary }) => {
  const words = batchMessage(summary);
  const done = doneRows(summary);
  return (
    <section class="progress">
      <p>
        <strong class={`tone-${words.tone}`} data-live="state">
          {words.label}
        </strong>{' '}
        <span data-live="meaning">{words.meaning}</span>
      </p>
      {summary.state === 'unreadable' || (summary.state === 'settled' && summary.rows === 0) ? null : (
        <>
          <progress max={Math.max(1, summary.rows)} value={done} data-live="progress" />
          <p class="quiet" data-live="progressText">
            {progressText(summary)}
          </p>
        </>
      )}
    </section>
  );
};

/** A batch whose open rows all wait for a person is not "under way". */
function batchMessage(summary: BatchSummary): StateMessages {
  const states = Object.keys(summary.rowStates) as RecordState[];
  const onlyHeld = states.includes('held') && !states.some((state) => OPEN.has(state));
  if (summary.state === 'delivering' && onlyHeld) return WAITING_FOR_DECISION;
  if (summary.state === 'unreadable') return BATCH_MESSAGES.unreadable;
  if (summary.cancelledAt !== null) return summary.state === 'settled' ? CANCELLED : CANCELLING;
  if (summary.state !== 'settled') return BATCH_MESSAGES[summary.state];
  return finishedMessage(
    REFUSED_STATES.reduce((sum, state) => sum + unresolved(summary, state), 0),
    summary.dryRun,
  );
}

export const doneRows = (summary: BatchSummary): number =>
  Object.entries(summary.rowStates).reduce(
    (sum, [state, count]) => sum + (OPEN.has(state as RecordState) || state === 'held' ? 0 : (count ?? 0)),
    0,
  );

export function progressText(summary: BatchSummary): string {
  const done = doneRows(summary);
  if (summary.rows === 0) return 'No rows so far';
  if (summary.state === 'reading') return `${inText(done)} of ${rowsText(summary.rows)} read so far are done`;
  if (done === summary.rows) return summary.rows === 1 ? 'The one row is done' : `All ${rowsText(done)} are done`;
  return `${inText(done)} of ${rowsText(summary.rows)} are done`;
}

const rowsText = (count: number): string => `${inText(count)} ${count === 1 ? 'row' : 'rows'}`;

const Counts: FC<{ summary: BatchSummary; shown: readonly string[] | null }> = ({ summary, shown }) => {
  const page = `/console/batches/${summary.batchId}`;
  const states = SHOWN_ORDER.filter((state) => (summary.rowStates[state] ?? 0) > 0);
  if (states.length === 0) return null;
  return (
    <nav class="counts" aria-label="Rows by state" data-live="counts">
      <a href={`${page}?state=all`} class={shown === null ? 'count here' : 'count'}>
        <b>{inText(summary.rows)}</b> All rows
      </a>
      {summary.resolved === 0 ? null : (
        <span class="count tone-good" title="In their place, corrected rows of later uploads were delivered.">
          <b>{inText(summary.resolved)}</b> Corrected
        </span>
      )}
      {states.map((state) => (
        <a
          href={`${page}?state=${state}`}
          class={`count tone-${ROW_MESSAGES[state].tone}${shown?.length === 1 && shown[0] === state ? ' here' : ''}`}
          title={ROW_MESSAGES[state].meaning}
        >
          <b data-count={state}>{inText(summary.rowStates[state] ?? 0)}</b> {ROW_MESSAGES[state].label}
        </a>
      ))}
    </nav>
  );
};

const FileProblems: FC<{ summary: BatchSummary }> = ({ summary }) => (
  <section>
    <h2>{problemsTitle(summary)}</h2>
    <ul class="problems">
      {summary.problems.map((problem) => (
        <li>
          <p>
            {problem.file === undefined ? null : <span class="quiet">{problem.file} </span>}
            {problem.path === '' ? null : <b>{problem.path}: </b>}
            <strong>{problem.message}</strong> <code>{problem.code}</code>
            {problem.position === undefined ? null : <span class="quiet"> line {problem.position.line}</span>}
          </p>
          {problem.value === '' ? null : (
            <p>
              Found: <code class="value">{problem.value}</code>
            </p>
          )}
          <p class="fix">{problem.fix}</p>
        </li>
      ))}
    </ul>
  </section>
);

function problemsTitle({ state, files, messages }: BatchSummary): string {
  if (files !== null || messages !== null) return 'What could not be read';
  return state === 'unreadable' ? 'Why the file could not be read' : 'The file breaks off';
}

/** Without a filter the page shows the rows that need a person. */
export const defaultStates = (summary: BatchSummary): readonly RecordState[] | null => {
  const pressing = NEEDS_EYES.filter((state) => unresolved(summary, state) > 0);
  return pressing.length > 0 ? pressing : null;
};

const Rows: FC<{ view: BatchPageView }> = ({ view }) => (
  <section>
    <h2>{rowsTitle(view)}</h2>
    {view.rows.length === 0 ? (
      <p class="empty">{view.summary.rows === 0 ? emptyText(view.summary) : 'No row is in this state.'}</p>
    ) : (
      <ol class="rows">
        {view.rows.map((row) => (
          <RowLine row={row} batchId={view.summary.batchId} reader={view.reader} />
        ))}
      </ol>
    )}
    <LinkLine href={view.nextPage}>Next rows</LinkLine>
  </section>
);

const emptyText = (summary: BatchSummary): string =>
  summary.state !== 'settled'
    ? 'No row has been read yet.'
    : summary.messages === null
      ? 'The file has a header and no rows.'
      : 'None of the messages has a row.';

function rowsTitle({ shown, summary }: BatchPageView): string {
  if (shown === null) return 'All rows';
  const [only, ...others] = shown as RecordState[];
  if (only !== undefined && others.length === 0) {
    return `${ROW_MESSAGES[only].label} · ${rowsText(summary.rowStates[only] ?? 0)}`;
  }
  const isDefault = defaultStates(summary)?.join() === shown.join();
  if (!isDefault) return `Rows: ${(shown as RecordState[]).map((state) => ROW_MESSAGES[state].label).join(', ')}`;
  return summary.state === 'settled' ? 'Rows that were not delivered' : 'Rows that need attention';
}

export function bytesText(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(1)} KB`;
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}
