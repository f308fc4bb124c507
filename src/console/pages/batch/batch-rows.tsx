/** The rows of a batch or a message: filters in the address, one line per row, and one of them opened. */

import type { FC } from 'hono/jsx';
import type { RecordState } from '../../../delivery/outcome.ts';
import type { Answered } from '../../../http/contract/contract.ts';
import type { RowDetail } from '../../../http/views/row-detail.ts';
import { ROW_PARAMETERS } from '../../../http/views/rows.ts';
import type { SendingStop } from '../../../http/views/stops.ts';
import { err, ok, type Result } from '../../../kernel/result.ts';
import type { ApiProblem } from '../../api.ts';
import { BATCH_PAGE_ROWS } from '../../limits.ts';
import { SHOWN_ORDER } from '../../messages.ts';
import type { Page } from '../../page.ts';
import { countOf, inText, Pager, State, Unbroken } from '../../parts/basics.tsx';
import { cursorIn, type Filter, Filters, filtersSet } from '../../parts/filters.tsx';
import { OtherRows, rowWhere } from '../../parts/row-link.tsx';
import { Spoken } from '../../parts/spoken.tsx';
import { Table, type TableRow } from '../../parts/table.tsx';
import { rowState, rowStateMessage, rowText } from './batch-messages.ts';
import { RowDetails, whatText } from './batch-row.tsx';

export type RowsAnswer = Answered<'GET /v1/batches/{id}/rows'>;
type ListedRow = RowsAnswer['rows'][number];

/** @property states shown; null: all. detail: of the row that is open. isAround: rows from that one on, whatever their state. */
export interface RowsFound extends RowsAnswer {
  states: readonly string[] | null;
  detail: RowDetail | null;
  isAround: boolean;
}

/** What rows are chosen by: see `ROW_PARAMETERS`. */
type RowQuery = Readonly<Record<string, string | number>>;

/** @property list asks for rows; states without a choice of the person; null: all. */
interface RowsWanted {
  batchId: string;
  list(query: RowQuery): Promise<Result<RowsAnswer, ApiProblem>>;
  states: readonly RecordState[] | null;
}

const FILTER_NAMES = ROW_PARAMETERS.filter((name) => !['after', 'before', 'limit'].includes(name));

/** What the person asked for, without the row that is open. */
const chosen = (page: Page): Record<string, string> => filtersSet(page, [...FILTER_NAMES, 'after', 'before']);

export async function findRows(
  page: Page,
  { batchId, list, states }: RowsWanted,
): Promise<Result<RowsFound, ApiProblem>> {
  const record = Number(page.query('row')) || null;
  const asked = chosen(page);
  const isFiltered = FILTER_NAMES.some((name) => asked[name] !== undefined);
  const isPlain = Object.keys(asked).length === 0;
  const shown = asked.state === 'all' ? null : (asked.state?.split(',') ?? (isFiltered ? null : states));
  const find = (where: Record<string, string>) => list({ ...where, limit: BATCH_PAGE_ROWS });
  const [listed, detail] = await Promise.all([
    find({ ...asked, state: shown?.join(',') ?? '' }),
    record === null
      ? null
      : page.api.call(page.own('GET /v1/batches/{id}/rows/{record}'), { path: { id: batchId, record } }),
  ]);
  if (!listed.ok) return err(listed.error);
  const opened = detail === null ? null : detail.ok ? detail.value : null;
  if (detail !== null && !detail.ok && detail.error.status !== 404) return err(detail.error);
  const isThere = opened === null || listed.value.rows.some((row) => row.record === opened.record);
  if (isThere || !isPlain || opened === null)
    return ok({ ...listed.value, states: shown, detail: opened, isAround: false });
  const around = await find({ after: String(opened.record - 1) });
  return around.ok ? ok({ ...around.value, states: null, detail: opened, isAround: true }) : err(around.error);
}

const BY_STATE = Object.fromEntries(SHOWN_ORDER.map((state) => [state, rowStateMessage(state).label]));

/** @param isAllAnyway what is shown without a choice is all of them: no row needs attention, or one is looked for. */
const filtersOf = (isAllAnyway: boolean): readonly Filter[] => [
  {
    ...{ name: 'state', label: 'State', kind: 'choice' },
    of: isAllAnyway ? { '': 'All rows', ...BY_STATE } : { '': 'Needs attention', all: 'All rows', ...BY_STATE },
  },
  { name: 'text', label: 'Text, load or order' },
  { name: 'code', label: 'Code' },
];

/**
 * @param path of the page, below `/console`. empty: what is said where the batch has no row at all. total: rows that have
 * the states shown.
 */
export const Rows: FC<{
  page: Page;
  path: string;
  found: RowsFound;
  title: string;
  empty: string | null;
  total: number;
  /** How many of these were corrected since. */
  resolved?: number;
  /** What keeps the batch from being sent. */
  stops?: readonly SendingStop[];
  /** Their states change while one looks: they keep the room of the longest. */
  isLive?: boolean;
}> = ({ page, path, found, title, empty, total, resolved = 0, stops = [], isLive = false }) => {
  const { rows, next, previous, detail, isAround } = found;
  const asked = chosen(page);
  const isAllAnyway = found.states === null && asked.state !== 'all';
  const hasRequests = rows.some(({ requests }) => requests.length > 0);
  const { after: _, before: __, ...filters } = asked;
  const to = (place: Record<string, string>): string =>
    page.at(path, { ...filters, ...(isAround ? { state: 'all' } : {}), ...place });
  const [nextAfter, previousBefore] = [cursorIn(next, 'after'), cursorIn(previous, 'before')];
  const ofCause = ['column', 'value', 'status'].filter((name) => filters[name] !== undefined);
  return (
    <section aria-label="Rows" id="rows" class={isLive ? 'steady' : ''}>
      <div class="heading">
        <h2>{title}</h2>
        {ofCause.length === 0 ? null : (
          <p>
            {ofCause.join() === 'status' && filters.text === undefined
              ? `Only rows that were answered with status ${filters.status}.`
              : 'Only rows of one cause.'}{' '}
            <a href={page.at(path)}>Show the others, too</a>
          </p>
        )}
      </div>
      {empty === null ? <Filters page={page} path={path} filters={filtersOf(isAllAnyway)} keep={ofCause} /> : null}
      <Table
        caption="Rows, in the order of the file"
        columns={[
          { label: 'Row', kind: 'number' },
          { label: 'Where', kind: 'word', isMinor: true },
          ...(hasRequests
            ? [
                { label: 'Load or order', kind: 'main' as const },
                { label: 'What', kind: 'line' as const, isMinor: true },
              ]
            : [{ label: 'Found', kind: 'word' as const }]),
          { label: 'State', kind: 'word' },
          { label: 'Why', kind: 'line' },
        ]}
        rows={rows.map((row) => rowLine(page, { path, row, asked, detail, hasRequests, stops }))}
        empty={empty ?? 'No row is like that. Change the filter, or clear it.'}
        steady={isLive}
      />
      <Pager
        first={asked.after === undefined && asked.before === undefined ? null : to({})}
        previous={previousBefore === null ? null : to({ before: previousBefore })}
        next={nextAfter === null ? null : to({ after: nextAfter })}
        previousLabel="Earlier rows"
        nextLabel={rows.length === 0 ? 'Look further' : 'Next rows'}
        shown={rangeText(rows, isByState(page) ? { total, resolved } : null)}
      />
    </section>
  );
};

/** `Rows 61 to 100 of the file; 400 rows in all like this, 2 of them corrected since`. @param all null: not known. */
export function rangeText(
  rows: readonly Pick<ListedRow, 'record'>[],
  all: { total: number; resolved: number } | null,
): string {
  const [first, last] = [rows[0], rows.at(-1)];
  if (first === undefined || last === undefined) return '';
  const range = `Rows ${inText(first.record)} to ${inText(last.record)} of the file`;
  if (all === null) return range;
  const corrected = all.resolved === 0 ? '' : `, ${inText(all.resolved)} of them corrected since`;
  return `${range}; ${countOf(all.total, 'row')} in all like this${corrected}`;
}

/** Nothing but the state was asked for: of that the number is known. */
export const isByState = (page: Page): boolean =>
  FILTER_NAMES.every((name) => name === 'state' || page.query(name) === '');

interface Line {
  path: string;
  row: ListedRow;
  asked: Record<string, string>;
  detail: RowDetail | null;
  hasRequests: boolean;
  stops: readonly SendingStop[];
}

function rowLine(page: Page, { path, row, asked, detail, hasRequests, stops }: Line): TableRow {
  const { record, position } = row;
  const isOpened = detail?.record === record;
  const close = page.at(path, asked);
  const href = isOpened ? close : `${page.at(path, { ...asked, row: record })}#row-${record}`;
  const words = rowState(row);
  const text = rowText(row, stops);
  const where = rowWhere(position);
  const to = (other: number): string => `${page.at(path, { state: 'all', after: other - 1, row: other })}#row-${other}`;
  return {
    id: `row-${record}`,
    href,
    cells: [
      <a
        href={href}
        aria-expanded={isOpened ? 'true' : 'false'}
        aria-label={`Row ${inText(record)}, ${isOpened ? 'close' : 'open'}`}
      >
        {inText(record)}
      </a>,
      <span title={where}>{endOf(where)}</span>,
      ...(hasRequests ? [<Subject page={page} row={row} />, <What row={row} />] : [<FoundValue row={row} />]),
      <State look={words.look} title={words.meaning}>
        {words.label}
      </State>,
      text === '' ? (
        ''
      ) : (
        <span title={text}>
          <OtherRows problem={{ code: row.errors[0]?.code ?? '', message: text }} to={to}>
            <Spoken text={text} />
          </OtherRows>
        </span>
      ),
    ],
    ...(isOpened ? { detail: <RowDetails page={page} row={detail} close={close} stops={stops} /> } : {}),
  };
}

/** Ours: one line, with room for why. */
const WHERE_CHARACTERS = 26;
const SUBJECT_CHARACTERS = 30;
const FOUND_CHARACTERS = 24;

const cut = (text: string, characters: number): string =>
  text.length <= characters ? text : `${text.slice(0, characters - 1)}…`;

/** What tells a row from others is at the end of where it is: `ISA 1, GS 2, ST 3, segment 4` → `… ST 3, segment 4`. Pure. */
export function endOf(where: string): string {
  const parts = where.split(', ');
  let from = parts.length - 1;
  while (from > 0 && parts.slice(from - 1).join(', ').length <= WHERE_CHARACTERS) from -= 1;
  const end = parts.slice(from).join(', ');
  return from === 0 ? end : `… ${end}`;
}

/** What is wrong, as the file has it: of a row that never became a request nothing else is known. */
const FoundValue: FC<{ row: ListedRow }> = ({ row: { errors } }) => {
  const value = errors.find((problem) => problem.value !== '')?.value ?? '';
  return value === '' ? null : (
    <span class="value" title={value}>
      {cut(value, FOUND_CHARACTERS)}
    </span>
  );
};

/** Whoever came by an upload link sees no loads and no orders. */
const Subject: FC<{ page: Page; row: ListedRow }> = ({ page, row: { requests } }) => {
  const [first] = requests;
  if (first === undefined) return null;
  const name = first.subject.slice(first.subject.indexOf(':') + 1);
  const text = <Unbroken text={cut(name, SUBJECT_CHARACTERS)} />;
  return page.isLink ? (
    <span title={name}>{text}</span>
  ) : (
    <a href={first.links.console} title={name}>
      {text}
    </a>
  );
};

/** On hover, and in the opened row: a line has no room for it. */
const OF_ITS_ZONE = / (?:UTC|[+-]\d\d:\d\d)$/;

const What: FC<{ row: ListedRow }> = ({ row }) => {
  const [first, ...others] = row.requests;
  if (first === undefined) return <FoundValue row={row} />;
  const text = whatText(first);
  return (
    <span class="quiet" title={text}>
      <Unbroken text={text.replace(OF_ITS_ZONE, '')} />
      {others.length === 0 ? '' : ` and ${inText(others.length)} more`}
    </span>
  );
};
