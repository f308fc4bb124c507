/**
 * `/console/batches/{id}/fix`: the wrong cells of the wrong rows as fields, checked as one types, and sent as corrections.
 * Everything goes through the API: the same check as of a file, and the same link from a row to the one it replaces.
 */
import type { FC } from 'hono/jsx';
import type { BodyOf } from '../../../http/contract/contract.ts';
import type { Values } from '../../actions.ts';
import type { ApiProblem } from '../../api.ts';
import { FIX_PAGE_ROWS } from '../../limits.ts';
import type { Page } from '../../page.ts';
import { countOf, Empty, inText, Note, Pager, shapeOf } from '../../parts/basics.tsx';
import { cursorIn } from '../../parts/filters.tsx';
import { rowHref } from '../../parts/row-link.tsx';
import type { ConsolePages } from '../../routes.ts';
import { nameOf, toFix } from './batch-messages.ts';
import {
  type CellProblem,
  cellNotes,
  countsOf,
  type Edited,
  FixForm,
  type FixRow,
  fieldName,
  fieldText,
  lineState,
  problemText,
  sendText,
  sharedKey,
  statusText,
  type TriedAnswer,
  typed,
  WrongRows,
} from './fix-form.tsx';

export const fixPages: ConsolePages = {
  get: { '/batches/:id/fix': (page) => showFix(page, {}) },
  post: { '/batches/:id/fix': takeFix, '/batches/:id/fix/live': checkLive },
  reads: ['GET /v1/batches/{id}', 'GET /v1/batches/{id}/correctable', 'POST /v1/batches/{id}/corrections'],
};

const idOf = (page: Page): string => page.context.req.param('id') ?? '';
const loadRows = (page: Page, after: string) =>
  page.api.call('GET /v1/batches/{id}/correctable', {
    path: { id: idOf(page) },
    query: {
      after,
      limit: FIX_PAGE_ROWS,
    },
  });

async function showFix(page: Page, edited: Edited): Promise<Response> {
  const batchId = idOf(page);
  const after = edited.form?.after ?? page.query('after');
  const batch = await page.api.call(page.own('GET /v1/batches/{id}'), { path: { id: batchId } });
  if (!batch.ok) return page.refuse(batch.error);
  if (page.isOps) return page.goTo(page.at(`/batches/${batchId}`));
  const found = await loadRows(page, after);
  if (!found.ok) return page.refuse(found.error);
  const { why, hasFile, rows, next } = found.value;
  const path = `/batches/${batchId}/fix`;
  const counts = countsOf(rows, new Map());
  const cursor = cursorIn(next, 'after');
  const isPart = cursor !== null || after !== '';
  return page.show({
    title: `${nameOf(batch.value)} – fix rows`,
    nav: 'batches',
    isWide: true,
    script: '/console/fix.js',
    status: edited.problem?.status ?? 200,
    body: (
      <>
        <p class="crumbs">
          <a href={page.at('/batches')}>Batches</a> › <a href={page.at(`/batches/${batchId}`)}>{nameOf(batch.value)}</a>
        </p>
        <h1>
          {rows.length === 0
            ? 'No row to fix here'
            : why === null
              ? headingOf(counts, isPart ? toFix(batch.value) : null)
              : 'Rows to correct'}
        </h1>
        {edited.problem === undefined ? null : (
          <div role="alert">
            <Note look="bad">
              <strong>{edited.problem.title}.</strong> {edited.problem.detail} {edited.problem.fix}
            </Note>
          </div>
        )}
        {why === null ? null : <NotHere page={page} why={why} batchId={batchId} hasFile={hasFile && rows.length > 0} />}
        {why !== null && rows.length > 0 ? (
          <WrongRows rows={rows} to={(record) => rowHref(page, { batchId, record })} />
        ) : null}
        {why === null && rows.length > 0 ? (
          <FixForm
            page={page}
            batchId={batchId}
            after={after}
            rows={rows}
            edited={edited}
            isTable={['csv', 'xlsx'].includes(batch.value.format ?? '')}
            hasFile={hasFile}
          />
        ) : null}
        {rows.length === 0 && why === null ? (
          <Empty>
            {cursor === null ? 'Every row that was wrong here has been corrected.' : 'These rows have been corrected.'}{' '}
            <a href={page.at(`/batches/${batchId}`)}>See the batch</a>
          </Empty>
        ) : null}
        <Pager
          first={after === '' ? null : page.at(path)}
          next={cursor === null ? null : page.at(path, { after: cursor })}
          nextLabel="More rows to fix"
        />
      </>
    ),
  });
}

/** @param all wrong rows of the batch, where the page has a part of them; null: it has all. */
function headingOf({ left, unit }: ReturnType<typeof countsOf>, all: number | null): string {
  if (all === null) return `Fix ${countOf(left, unit)}`;
  return unit === 'row' ? `Fix ${inText(left)} of ${countOf(all, 'row')}` : `Fix ${countOf(left, unit)} on this page`;
}

const NotHere: FC<{ page: Page; why: string; batchId: string; hasFile: boolean }> = ({
  page,
  why,
  batchId,
  hasFile,
}) => (
  <Note look="wait">
    <p>{why}</p>
    <p>
      {hasFile ? (
        <>
          <a href={page.at(`/batches/${batchId}/corrections`)} download>
            Download the rows to correct
          </a>
          , or see{' '}
        </>
      ) : (
        'See '
      )}
      <a href={page.at(`/batches/${batchId}`)}>why each was not delivered</a>.
    </p>
  </Note>
);

/** The rows whose cells differ from what they were, as the API takes them. Pure. */
export function changedRows(
  rows: readonly FixRow[],
  form: Values,
): { record: number; cells: Record<string, string> }[] {
  const same = new Map<string, string>();
  for (const { record, cells } of rows) {
    for (const [at, cell] of (cells ?? []).entries()) {
      const value = form[fieldName(record, at)];
      if (value !== undefined && form[`same.${record}.${at}`] !== undefined) same.set(sharedKey(cell), value);
    }
  }
  return rows.flatMap(({ record, cells, errors }) => {
    const wrong = new Set(errors.flatMap((each) => each.cells));
    const changes = (cells ?? []).flatMap((cell, at): [string, string][] => {
      const own = form[fieldName(record, at)];
      const isOwn = own !== undefined && own !== fieldText(cell.text);
      const value = isOwn ? own : wrong.has(at) ? same.get(sharedKey(cell)) : undefined;
      return value === undefined || value === cell.text ? [] : [[cell.column, value]];
    });
    return changes.length === 0 ? [] : [{ record, cells: Object.fromEntries(changes) }];
  });
}

async function changesIn(page: Page, form: Values) {
  const found = await loadRows(page, form.after ?? '');
  return found.ok ? { rows: found.value.rows, changed: changedRows(found.value.rows, form) } : { refused: found.error };
}

type Changed = BodyOf<typeof CORRECT>['rows'];
const CORRECT = 'POST /v1/batches/{id}/corrections';

const tryRows = (page: Page, rows: Changed) => page.api.plan(CORRECT, { path: { id: idOf(page) }, body: { rows } });
const sendRows = (page: Page, rows: Changed) => page.api.call(CORRECT, { path: { id: idOf(page) }, body: { rows } });

/** Without script: checks, or sends what is right. */
async function takeFix(page: Page, form: Values): Promise<Response> {
  if (page.isOps) return page.goTo(page.at(`/batches/${idOf(page)}`));
  const known = await changesIn(page, form);
  if ('refused' in known) return page.refuse(known.refused);
  if (known.changed.length === 0) return showFix(page, { form, problem: NOTHING_CHANGED });
  const sent = form.step === 'send' ? await sendRows(page, known.changed) : null;
  if (sent?.ok) return page.goTo(page.at(`/batches/${sent.value.batchId}`, { corrects: idOf(page) }));
  if (sent !== null && sent.error.code !== 'nothing_ready') return showFix(page, { form, problem: sent.error });
  const tried = await tryRows(page, known.changed);
  if (sent === null)
    return showFix(page, { form, ...(tried.ok ? { tried: byRecord(tried.value) } : { problem: tried.error }) });
  return showFix(page, { form, problem: NOTHING_READY, ...(tried.ok ? { tried: byRecord(tried.value) } : {}) });
}

const byRecord = ({ rows }: TriedAnswer) => new Map(rows.map((row) => [row.record, row]));

/** For the script, as one types: what is still wrong, by row and by cell. */
async function checkLive(page: Page, form: Values): Promise<Response> {
  const known = await changesIn(page, form);
  if ('refused' in known) return Response.json({ problem: known.refused.detail }, { status: known.refused.status });
  const { rows, changed } = known;
  const answer = changed.length === 0 ? null : await tryRows(page, changed);
  if (answer !== null && !answer.ok)
    return Response.json(
      { problem: `${answer.error.detail} ${answer.error.fix ?? ''}` },
      { status: answer.error.status },
    );
  const tried: ReturnType<typeof byRecord> = answer === null ? new Map() : byRecord(answer.value);
  const counts = countsOf(rows, tried);
  return Response.json({
    ready: counts.ready,
    status: statusText(counts),
    button: sendText(counts),
    rows: rows.map((row) => {
      const now = tried.get(row.record);
      const { look, label } = lineState(row, now);
      const left: readonly CellProblem[] = now?.errors ?? row.errors;
      return {
        record: row.record,
        label,
        look,
        shape: shapeOf(look),
        problems: left.flatMap((problem) =>
          problem.cells.length === 0
            ? [{ cells: [], text: problemText(problem) }]
            : cellNotes(problem, typed(row, form)).map(({ at, text }) => ({ cells: [at], text })),
        ),
      };
    }),
  });
}

const NOTHING_CHANGED: ApiProblem = {
  status: 400,
  code: 'nothing_changed',
  title: 'Nothing was changed yet',
  detail: 'Every cell is as it was. Nothing was sent.',
  fix: 'Change the cells that are marked, then check them.',
};

const NOTHING_READY: ApiProblem = {
  status: 422,
  code: 'nothing_ready',
  title: 'No row is ready',
  detail: 'Each of the changed rows still has something wrong. Nothing was sent.',
  fix: 'Beside each cell it says what is wrong.',
};
