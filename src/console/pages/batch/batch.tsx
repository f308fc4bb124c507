/** `/console/batches/{id}`: one batch, live: its state in words, what failed alike, what can be done, and its rows. */
import type { FC } from 'hono/jsx';
import { kindsFor } from '../../../batch/acknowledgment/file.ts';
import type { ApiProblem } from '../../api.ts';
import type { Page } from '../../page.ts';
import {
  bytesText,
  countOf,
  dollarsText,
  Fact,
  Facts,
  Id,
  inText,
  Note,
  State,
  Time,
  Unbroken,
} from '../../parts/basics.tsx';
import { MappingLink, PartnerLink } from '../../parts/links.tsx';
import type { ConsolePages } from '../../routes.ts';
import { ArrivedFrom } from './arrived-from.tsx';
import { BATCH_ACTIONS } from './batch-actions.ts';
import { Issues } from './batch-issues.tsx';
import { batchEvents, liveAddress } from './batch-live.ts';
import {
  countIn,
  defaultStates,
  emptyText,
  isAcknowledged,
  isOpen,
  mayCancel,
  mayRetry,
  minute,
  nameOf,
  progressText,
  resolvedIn,
  rowStateMessage,
  type ShownBatch,
  stateLook,
  stateMessage,
  statesOf,
  toCorrect,
  toFix,
} from './batch-messages.ts';
import { LiveNotes, Progress } from './batch-progress.tsx';
import { findRows, isByState, Rows, type RowsFound } from './batch-rows.tsx';

const DOWNLOADS = ['report.csv', 'report.json', 'corrections', 'source', 'acknowledgment'] as const;

const PARTS = ['', '/rows', '/rows/{record}', '/issues', ...DOWNLOADS.map((name) => `/${name}` as const)] as const;
const READS = PARTS.flatMap((part) => [`GET /v1/ops/batches/{id}${part}`, `GET /v1/batches/{id}${part}`] as const);

export const batchPages: ConsolePages = {
  get: {
    '/batches/:id': batchPage,
    '/batches/:id/events': batchEvents,
    ...Object.fromEntries(DOWNLOADS.map((name) => [`/batches/:id/${name}`, (page: Page) => download(page, name)])),
  },
  reads: READS,
  actions: BATCH_ACTIONS,
};

async function batchPage(page: Page): Promise<Response> {
  const batchId = page.context.req.param('id') ?? '';
  const path = { id: batchId };
  const found = await page.api.call(page.own('GET /v1/batches/{id}'), { path });
  if (!found.ok) return (await elsewhere(page, found.error)) ?? page.refuse(found.error);
  const batch = found.value;
  const [rows, issues] = await Promise.all([
    findRows(page, {
      batchId,
      list: (query) => page.api.call(page.own('GET /v1/batches/{id}/rows'), { path, query }),
      states: defaultStates(batch),
    }),
    batch.state === 'reading' || defaultStates(batch) === null
      ? null
      : page.api.call(page.own('GET /v1/batches/{id}/issues'), { path }),
  ]);
  if (!rows.ok) return page.refuse(rows.error);
  const { states } = rows.value;
  const records = rows.value.rows.map(({ record }) => record);
  const listening = { records, states, count: isByState(page) ? countIn(batch, states) : null };
  return page.show({
    title: `${nameOf(batch)} – ${stateMessage(batch).label}`,
    nav: 'batches',
    isWide: true,
    live: isOpen(batch)
      ? { address: liveAddress(page, batchId, listening), notes: <LiveNotes page={page} batch={batch} /> }
      : null,
    body: (
      <>
        <div data-part="state">
          <Heading page={page} batch={batch} />
          <ArrivedFrom page={page} />
          <Progress page={page} batch={batch} states={states} />
          <BatchFacts page={page} batch={batch} />
          <FileProblems batch={batch} />
          {issues?.ok ? <Issues page={page} batch={batch} answer={issues.value} /> : null}
        </div>
        <div data-part="rows">
          <BatchRows page={page} batch={batch} found={rows.value} />
        </div>
      </>
    ),
  });
}

/** A link may not say the environment: the batch may be in another one of the operator's. */
async function elsewhere(page: Page, { status }: ApiProblem): Promise<Response | null> {
  if (!page.isOps || status !== 404 || page.query('environment') !== '') return null;
  for (const environment of page.environments.filter((name) => name !== page.environment)) {
    const { path } = page.context.req;
    const asked = { path: { id: page.context.req.param('id') ?? '' }, query: { environment } };
    const found = await page.api.call('GET /v1/ops/batches/{id}', asked);
    if (found.ok) return page.goTo(page.at(path.replace('/console', ''), { ...page.context.req.query(), environment }));
  }
  return null;
}

async function download(page: Page, name: (typeof DOWNLOADS)[number]): Promise<Response> {
  const { kind, form } = page.context.req.query();
  const asked = { path: { id: page.context.req.param('id') ?? '' }, query: { kind, form } };
  return downloaded(page, await page.api.answer(page.own(`GET /v1/batches/{id}/${name}`), asked));
}

export async function downloaded(page: Page, answer: Response): Promise<Response> {
  return answer.ok ? answer : page.refuse({ ...(await answer.json<ApiProblem>()), status: answer.status });
}

const Heading: FC<{ page: Page; batch: ShownBatch }> = ({ page, batch }) => {
  const words = stateMessage(batch);
  return (
    <>
      <p class="crumbs">
        <a href={page.at('/batches')}>Batches</a>
      </p>
      <div class="heading">
        <div>
          <h1>{nameOf(batch)}</h1>
          <p class={isOpen(batch) ? 'follows' : ''}>
            <State look={stateLook(words)} live="state" title={words.meaning}>
              {words.label}
            </State>{' '}
            <span class="quiet">
              · <span data-live="progress">{progressText(batch)}</span>
            </span>
          </p>
        </div>
        <Buttons page={page} batch={batch} />
      </div>
    </>
  );
};

const Buttons: FC<{ page: Page; batch: ShownBatch }> = ({ page, batch }) => {
  const { batchId } = batch;
  const from = page.at(`/batches/${batchId}`);
  const mayAct = page.isOps ? page.mayActAs('operator') : !page.isLink;
  const doing = (name: string): string =>
    page.at(`/do/${name}${page.isOps ? '-batch' : '-own-batch'}`, { batch: batchId, from });
  const [fixable, correctable] = batch.bytesDeletedAt === null ? [toFix(batch), toCorrect(batch)] : [0, 0];
  const isComparable =
    page.isOps &&
    !batch.dryRun &&
    batch.sentAgainFrom === null &&
    batch.state !== 'reading' &&
    batch.state !== 'unreadable';
  return (
    <div class="actions">
      {fixable > 0 && !page.isOps ? (
        <a class="button primary" href={page.at(`/batches/${batchId}/fix`)}>
          Fix {countOf(fixable, 'row')}
        </a>
      ) : null}
      {correctable > 0 ? (
        <a class="button" href={page.at(`/batches/${batchId}/corrections`)} download>
          Download {batch.dryRun ? countOf(correctable, 'wrong row') : `${countOf(correctable, 'row')} not delivered`}
        </a>
      ) : null}
      {mayAct && mayRetry(batch) ? (
        <a class="button" href={doing('retry')}>
          Send again…
        </a>
      ) : null}
      {mayAct && mayCancel(batch) ? (
        <a class="button" href={doing('cancel')}>
          Cancel…
        </a>
      ) : null}
      {isComparable && batch.bytesDeletedAt === null ? (
        <a class="button" href={page.at(`/batches/${batchId}/rerun`)}>
          Compare with another version…
        </a>
      ) : null}
      {batch.bytesDeletedAt === null ? <Downloads page={page} batch={batch} /> : null}
    </div>
  );
};

const Downloads: FC<{ page: Page; batch: ShownBatch }> = ({ page, batch }) => {
  const { format } = batch;
  const kinds = format !== null && isAcknowledged(batch) ? kindsFor({ format }) : [];
  const links: { name: string; label: string; kind?: string }[] = [
    { name: 'report.csv', label: 'Report (CSV)' },
    { name: 'report.json', label: 'Report (JSON)' },
    ...kinds.map((kind) => ({ name: 'acknowledgment', label: `Acknowledgment (${kind})`, kind })),
    ...(batch.messages === null ? [{ name: 'source', label: 'The file as received' }] : []),
  ];
  return (
    <details class="menu">
      <summary class="button">Download</summary>
      <ul>
        {links.map(({ name, label, kind }) => (
          <li>
            <a href={page.at(`/batches/${batch.batchId}/${name}`, { kind })} download>
              {label}
            </a>
          </li>
        ))}
      </ul>
    </details>
  );
};

const BatchFacts: FC<{ page: Page; batch: ShownBatch }> = ({ page, batch }) => (
  <>
    <Facts>
      {page.isOps ? (
        <Fact name="Partner">
          <PartnerLink page={page} name={batch.partner} />
        </Fact>
      ) : null}
      <Fact name="Mapping">
        <MappingLink page={page} name={batch.mapping} />
      </Fact>
      <Fact name="SCAC">{batch.scac ?? 'from each row'}</Fact>
      <Fact name="Size">
        {bytesText(batch.bytes)}
        {batch.contentBytes === null ? '' : `, ${bytesText(batch.contentBytes)} unpacked`}
      </Fact>
      {batch.files === null ? null : <Fact name="Files">{inText(batch.files.length)}</Fact>}
      {batch.messages === null ? null : (
        <Fact name="Messages">
          <a href={page.at(`/batches/${batch.batchId}/messages`)}>{inText(batch.messages)}</a>
        </Fact>
      )}
      <TimeFact name="Received" at={batch.receivedAt} />
      {batch.cancelledAt === null ? null : <TimeFact name="Cancelled" at={batch.cancelledAt} />}
      {batch.settledAt === null ? null : <TimeFact name="Finished" at={batch.settledAt} />}
      {batch.bytesDeletedAt === null ? null : (
        <Fact name="File deleted">
          <Time at={batch.bytesDeletedAt} />: 90 days after its last row was decided, or as an administrator asked
        </Fact>
      )}
      {batch.cost == null ? null : <Fact name="Cost">{dollarsText(batch.cost.dollars)}</Fact>}
      {batch.dryRun ? <Fact name="Dry run">nothing is sent</Fact> : null}
      {batch.sentAgainFrom === null ? null : (
        <Fact name={batch.corrected ? 'Corrected from' : 'Sent again from'}>
          <Id id={batch.sentAgainFrom} href={page.at(`/batches/${batch.sentAgainFrom}`)} />
        </Fact>
      )}
      {batch.forced ? <Fact name="Forced">new work on request</Fact> : null}
      <Fact name="Batch">
        <Id id={batch.batchId} />
      </Fact>
    </Facts>
    {batch.notes.map((note) => (
      <Note look="wait">{note}</Note>
    ))}
  </>
);

const TimeFact: FC<{ name: string; at: string }> = ({ name, at }) => (
  <Fact name={name}>
    <Time at={at} />
    <div class="quiet">
      <Unbroken text={minute(at)} /> UTC
    </div>
  </Fact>
);

const FileProblems: FC<{ batch: ShownBatch }> = ({ batch: { problems, state, files, messages } }) => {
  if (problems.length === 0) return null;
  const isPart = files !== null || messages !== null;
  const title = isPart
    ? 'What could not be read'
    : state === 'unreadable'
      ? 'Why the file could not be read'
      : 'The file breaks off';
  return (
    <section>
      <h2>{title}</h2>
      {alikeAmong(problems).map(([first, ...others]) => (
        <Note look="bad">
          <ProblemLine problem={first} />
          {first.value === '' ? null : (
            <p>
              Found <code class="value">{first.value}</code>
            </p>
          )}
          <p>{first.fix}</p>
          {others.length === 0 ? null : (
            <details>
              <summary>
                {countOf(others.length, 'more problem')} of the same kind
                {others.every(({ path }) => path !== '') ? `: ${others.map(({ path }) => path).join(', ')}` : ''}
              </summary>
              <ul>
                {others.map((problem) => (
                  <li>
                    <ProblemLine problem={problem} />
                  </li>
                ))}
              </ul>
            </details>
          )}
        </Note>
      ))}
    </section>
  );
};

type FileProblem = ShownBatch['problems'][number];

/** One box for what is wrong in the same way, in the order of the first of each. Pure. */
function alikeAmong(problems: readonly FileProblem[]): [FileProblem, ...FileProblem[]][] {
  const alike = new Map<string, [FileProblem, ...FileProblem[]]>();
  for (const problem of problems) {
    const key = `${problem.file ?? ''}\n${problem.code}`;
    const known = alike.get(key);
    if (known === undefined) alike.set(key, [problem]);
    else known.push(problem);
  }
  return [...alike.values()];
}

const ProblemLine: FC<{ problem: FileProblem }> = ({ problem: { file, path, message, code, position } }) => (
  <p>
    {file === undefined ? null : <span class="quiet">{file} </span>}
    {path === '' ? null : <strong>{path}: </strong>}
    {message} <code>{code}</code>
    {position === undefined ? null : <span class="quiet"> line {position.line}</span>}
  </p>
);

const BatchRows: FC<{ page: Page; batch: ShownBatch; found: RowsFound }> = ({ page, batch, found }) => {
  if (batch.state === 'unreadable') return null;
  const isEmpty = batch.rows === 0;
  return (
    <Rows
      page={page}
      path={`/batches/${batch.batchId}`}
      found={found}
      title={rowsTitle(batch, found.states)}
      empty={isEmpty ? `${emptyText(batch)}.` : null}
      stops={batch.stops}
      isLive={isOpen(batch)}
      total={countIn(batch, found.states)}
      resolved={resolvedIn(batch, found.states)}
    />
  );
};

function rowsTitle(batch: ShownBatch, states: readonly string[] | null): string {
  if (states === null) return 'Rows';
  if (batch.dryRun && states.join() === defaultStates(batch)?.join()) return 'Rows that are wrong';
  if (states.join() === defaultStates(batch)?.join())
    return batch.state === 'settled' ? 'Rows that were not delivered' : 'Rows that need attention';
  return `Rows: ${
    statesOf(batch)
      .filter((state) => states.includes(state))
      .map((state) => rowStateMessage(state).label)
      .join(', ') || 'none'
  }`;
}
