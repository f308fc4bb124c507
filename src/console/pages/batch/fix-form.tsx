/** The form of `/console/batches/{id}/fix`: each wrong row with its wrong cells as fields, and what is wrong beside them. */

import type { FC } from 'hono/jsx';
import { leadOf } from '../../../batch/report/trial.ts';
import { REASON_MESSAGES } from '../../../delivery/messages.ts';
import type { Answered, Planned } from '../../../http/contract/contract.ts';
import type { Problem } from '../../../kernel/problem.ts';
import { capital } from '../../../kernel/text.ts';
import { ofOtherRows } from '../../../mapping/groups/map-group.ts';
import { spokenColumn } from '../../../mapping/values/element-names.ts';
import { spokenPath, spokenTexts } from '../../../mapping/values/fault.ts';
import type { Values } from '../../actions.ts';
import type { ApiProblem } from '../../api.ts';
import type { Page } from '../../page.ts';
import { CsrfField, countOf, inText, type Look, State } from '../../parts/basics.tsx';
import { OtherRows, rowWhere } from '../../parts/row-link.tsx';
import { Spoken } from '../../parts/spoken.tsx';
import { Table, type TableRow } from '../../parts/table.tsx';
import { rowState } from './batch-messages.ts';

export type CellProblem = FixRow['errors'][number];

type Cell = NonNullable<FixRow['cells']>[number];
export type FixRow = Answered<'GET /v1/batches/{id}/correctable'>['rows'][number];
export type TriedAnswer = Planned<'POST /v1/batches/{id}/corrections'>;

/** What the fields hold, by `record.place of the cell`. tried: by record. */
export interface Edited {
  form?: Values;
  tried?: Map<number, TriedAnswer['rows'][number]>;
  problem?: ApiProblem;
}

export const fieldName = (record: number, at: number): string => `cell.${record}.${at}`;

interface FormProps {
  page: Page;
  batchId: string;
  after: string;
  rows: readonly FixRow[];
  edited: Edited;
  /** They come from a table, which a spreadsheet can hold. */
  isTable: boolean;
  hasFile: boolean;
}

export const FixForm: FC<FormProps> = ({ page, batchId, after, rows, edited, isTable, hasFile }) => {
  const { tried = new Map() } = edited;
  const counts = countsOf(rows, tried);
  const shared = sharedValues(rows, edited.form);
  const toEdit = new Set(page.query('edit').split(',').map(Number));
  return (
    <form
      method="post"
      action={page.at(`/batches/${batchId}/fix`)}
      data-fix
      data-by-link={page.isLink ? '' : undefined}
      data-live={page.at(`/batches/${batchId}/fix/live`)}
    >
      <CsrfField page={page} />
      <input type="hidden" name="after" value={after} />
      <p>
        <span role="status" data-fix-status>
          {statusText(counts)}
        </span>
        <span class="quiet">
          {' '}
          {counts.unit === 'order'
            ? 'Several rows make one order: it is sent as a whole, with the rows that are right. Orders that you do not change stay as they are.'
            : 'Rows that you do not change stay as they are.'}
          {rows.some(({ errors }) => errors.some(({ code }) => code === 'code_unknown'))
            ? ' Is a value right as it is? Ask the operator to accept this value; its row waits until then.'
            : ''}
        </span>
      </p>
      <Table
        caption="Rows to fix"
        columns={[
          { label: 'Row', kind: 'word' },
          { label: 'What to change', kind: 'main' },
          { label: 'State', kind: 'word' },
        ]}
        rows={rows.map((row) =>
          fixLine(page, {
            row,
            tried: tried.get(row.record),
            form: edited.form,
            shared,
            isWhole: toEdit.has(row.record),
          }),
        )}
      />
      <p class="actions">
        <button class="primary" type="submit" name="step" value="send" data-fix-send disabled={counts.ready === 0}>
          {sendText(counts)}
        </button>
        <button type="submit" name="step" value="check">
          Check my changes
        </button>
        {hasFile ? (
          <a class="button" href={page.at(`/batches/${batchId}/corrections`, isTable ? { form: 'xlsx' } : {})} download>
            {isTable ? 'Download these rows for Excel' : 'Download these rows as a file'}
          </a>
        ) : null}
      </p>
    </form>
  );
};

/** What is wrong with a row, and what to do. That it waits for others of its group, its state says. */
export function problemText(problem: Pick<Problem, 'code' | 'message' | 'fix' | 'path'>): string {
  if (ofOtherRows(problem) !== null) return '';
  const { message, fix } = spokenTexts(problem);
  return `${message} ${fix}`;
}

/** Where a value departs from the wanted form: in a cell of its own one sees that. */
const WHERE_IN_VALUE = /: at (?:character|byte) \d.*$/s;

/** Which cells a problem marks, each with what is said beneath it. Pure. */
export function cellNotes(problem: CellProblem, cells: readonly Cell[]): { at: number; text: string }[] {
  const textOf = (at: number): string => cells[at]?.text ?? '';
  // What is empty beside something that is not, is not at fault.
  const filled = problem.cells.filter((at) => textOf(at).trim() !== '');
  const [first = 0, ...others] = filled.length === 0 ? problem.cells : filled;
  const name = cellName(cells[first]?.column ?? '', first);
  return [
    { at: first, text: cellText(problem, textOf(first)) },
    ...others.map((at) => ({ at, text: `Read together with ${name}: change whichever is wrong.` })),
  ];
}

/** Beneath a cell: short, and of the cell alone. What is to be done with a file has no place there. */
function cellText({ code, message, path }: Pick<Problem, 'code' | 'message' | 'path'>, text: string): string {
  if (code === 'time_zone_missing') return zoneText(text.trim(), isCoded(path));
  return spokenTexts({ message, path, fix: '' }).message.replace(WHERE_IN_VALUE, '.');
}

/** The message alone does not say what belongs into the cell. In X12, zones are codes of the standard. */
function zoneText(text: string, isCode: boolean): string {
  const said = text === 'LT' ? '“LT” is local time: it' : `“${text}”`;
  const why = text === '' ? 'The time has no time zone.' : `${said} names no time zone.`;
  return isCode
    ? `${why} Write the code of that of the place, such as CT.`
    : `${why} Write that of the place as the other rows have it, such as America/Chicago, -06:00 or CT.`;
}
const isCoded = (path: string): boolean => path.split(', ').some((each) => spokenColumn(each) !== each);

interface Counts {
  unit: 'row' | 'order';
  ready: number;
  left: number;
}

/** Of rows, or of the orders that they make. */
export function countsOf(rows: readonly FixRow[], tried: ReadonlyMap<number, { isReady: boolean }>): Counts {
  const leads = new Set(rows.map(leadOf));
  const ready = [...leads].filter((lead) => tried.get(lead)?.isReady).length;
  return { unit: leads.size < rows.length ? 'order' : 'row', ready, left: leads.size - ready };
}

/** On the button. */
export const sendText = ({ ready, unit }: Counts): string =>
  ready === 0 ? `Send corrected ${unit}s` : `Send ${countOf(ready, `corrected ${unit}`)}`;

export const statusText = ({ unit, ready, left }: Counts): string =>
  unit === 'order'
    ? `${countOf(ready, 'order')} ready, ${inText(left)} to go.`
    : `${inText(ready)} ready, ${inText(left)} to go.`;

/** What a row is at now; one with nothing wrong goes along with its order. */
export function lineState(row: FixRow, tried: { isReady: boolean; errors: readonly Problem[] } | undefined): LineState {
  if (tried?.isReady) return { look: 'good', label: 'Ready' };
  const { look, label } = rowState({ state: row.state, errors: [...(tried?.errors ?? row.errors)] });
  return { look, label: tried !== undefined && look === 'bad' ? 'Still wrong' : label };
}

interface LineState {
  look: Look;
  label: string;
}

/** How many rows have the same wrong value in the same column, and still have it. */
function sharedValues(rows: readonly FixRow[], form: Values | undefined): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { record, cells, errors } of rows) {
    for (const at of new Set(errors.flatMap((each) => each.cells))) {
      const cell = cells?.[at];
      if (cell !== undefined && isAsItWas(form, record, at, cell))
        counts.set(sharedKey(cell), (counts.get(sharedKey(cell)) ?? 0) + 1);
    }
  }
  return counts;
}

const isAsItWas = (form: Values | undefined, record: number, at: number, { text }: { text: string }): boolean =>
  (form?.[fieldName(record, at)] ?? fieldText(text)) === fieldText(text);

/** As a browser has it in a field: without breaks of lines. */
export const fieldText = (text: string): string => text.replace(/[\r\n]/g, '');

export const sharedKey = ({ column, text }: { column: string; text: string }): string => JSON.stringify([column, text]);

interface Line {
  row: FixRow;
  tried: TriedAnswer['rows'][number] | undefined;
  form: Values | undefined;
  shared: ReadonlyMap<string, number>;
  isWhole: boolean;
}

function fixLine(page: Page, line: Line): TableRow {
  const { row, tried } = line;
  const { record } = row;
  const state = lineState(row, tried);
  return {
    id: `fix-${record}`,
    cells: [
      <span class="fix-where">
        {inText(record)}
        <span class="quiet">, {whereOf(row)}</span>
      </span>,
      <div class="fix-row">
        <FixCells page={page} line={line} />
      </div>,
      <span data-fix-state={record}>
        <State look={state.look}>{state.label}</State>
      </span>,
    ],
  };
}

/** Cells that say which row it is. Ours: as many as a person needs to find it in the file. */
const NAMING_CELLS = 4;

const FixCells: FC<{ page: Page; line: Line }> = ({ page, line: { row, tried, form, shared, isWhole } }) => {
  const { record, cells, answer, reason } = row;
  if (cells === null)
    return (
      <>
        <p class="quiet">{row.why}</p>
        <p class="problem" data-fix-others={record}>
          {row.errors.map(problemText).join(' ')}
        </p>
      </>
    );
  const errors = tried === undefined ? row.errors : tried.errors;
  const wrong = [...row.errors, ...errors].flatMap((each) => each.cells);
  // What was typed stays in a field, whichever cell it is.
  const typedIn = [...cells.keys()].filter((at) => form?.[fieldName(record, at)] !== undefined);
  const fields = isWhole ? [...cells.keys()] : [...new Set([...wrong, ...typedIn])].sort((one, other) => one - other);
  const named = cells.filter(({ text }, at) => text !== '' && !fields.includes(at)).slice(0, NAMING_CELLS);
  const others = errors.filter((each) => each.cells.length === 0);
  const notes = errors.filter((each) => each.cells.length > 0).flatMap((each) => cellNotes(each, typed(row, form)));
  return (
    <>
      <p class="quiet">
        <Spoken text={named.map(({ column, text }, at) => `${cellName(column, at)} ${text}`).join(' · ')} />
      </p>
      <div class="fix-fields" data-fix-fields={record}>
        {fields.map((at) => {
          const cell = cells[at] ?? { column: '', text: '' };
          const own = isAsItWas(form, record, at, cell) ? 1 : 0;
          return (
            <FixField
              record={record}
              at={at}
              cell={cell}
              value={form?.[fieldName(record, at)]}
              notes={notes.filter((note) => note.at === at).map(({ text }) => text)}
              others={Math.max(0, (shared.get(sharedKey(cell)) ?? 0) - own)}
              isSame={form?.[`same.${record}.${at}`] !== undefined}
            />
          );
        })}
      </div>
      <p class="problem" data-fix-others={record}>
        {others.map(problemText).join(' ')}
      </p>
      {row.why === null ? null : <p class="quiet">{row.why}</p>}
      {reason === null && answer === null ? null : (
        <p>
          {reason === null ? '' : REASON_MESSAGES[reason]}{' '}
          {answer === null ? null : <span class="value">{answer}</span>}
        </p>
      )}
      {isWhole ? null : (
        <details class="more">
          <summary>Show the whole row</summary>
          <dl class="facts">
            {cells.map(({ column, text }, at) => (
              <div>
                <dt>{cellName(column, at)}</dt>
                <dd data-fix-cell={`${record}.${at}`}>{text}</dd>
              </div>
            ))}
          </dl>
          <a
            href={page.at(`/batches/${page.context.req.param('id') ?? ''}/fix`, {
              after: form?.after ?? page.query('after'),
              edit: record,
            })}
          >
            Change other cells of this row
          </a>
        </details>
      )}
    </>
  );
};

/** The cells with what stands in their fields. */
export const typed = ({ record, cells }: FixRow, form: Values | undefined): Cell[] =>
  (cells ?? []).map((cell, at) => ({ ...cell, text: form?.[fieldName(record, at)] ?? cell.text }));

/** Where a column is named by a code, plain words stand before it. */
const cellName = (column: string, at: number): string => (column === '' ? `column ${at + 1}` : spokenColumn(column));

interface FieldProps {
  record: number;
  at: number;
  cell: { column: string; text: string; charactersMax?: number };
  value: string | undefined;
  /** What is wrong with it; none: nothing. */
  notes: readonly string[];
  /** Other rows that have the same here. */
  others: number;
  isSame: boolean;
}

const FixField: FC<FieldProps> = ({ record, at, cell, value, notes, others, isSame }) => {
  const id = fieldName(record, at);
  return (
    <div class="field">
      <label for={id}>{cellName(cell.column, at)}</label>
      <input
        id={id}
        name={id}
        value={value ?? cell.text}
        data-fix-input={`${record}.${at}`}
        data-was={cell.text}
        data-column={cell.column}
        aria-invalid={notes.length > 0 ? 'true' : 'false'}
        aria-describedby={`${id}.problem`}
        maxlength={cell.charactersMax ?? 2_000}
        autocomplete="off"
        spellcheck={false}
      />
      <span class="hint problem" id={`${id}.problem`}>
        {notes.join(' ')}
      </span>
      {others === 0 && !isSame ? null : (
        <label class="same">
          <input type="checkbox" name={`same.${record}.${at}`} value="yes" checked={isSame} data-fix-same={id} /> The
          same for the <span data-fix-count>{countOf(others, 'other row')}</span>{' '}
          {cell.text === '' ? 'where it is empty' : `with “${cell.text}”`}
        </label>
      )}
    </div>
  );
};

const whereOf = ({ file, line, place }: FixRow): string =>
  rowWhere({ line, ...(file === null ? {} : { file }), ...(place === null ? {} : { place }) });

/** Where rows cannot be corrected here: each with its place, what is wrong there, and what to do. */
export const WrongRows: FC<{ rows: readonly FixRow[]; to: (record: number) => string }> = ({ rows, to }) => (
  <Table
    caption="Rows to correct"
    columns={[
      { label: 'Row', kind: 'main' },
      { label: 'Where' },
      { label: 'What is wrong' },
      { label: 'Received', kind: 'text' },
      { label: 'What to do' },
    ]}
    rows={rows.flatMap((row) => {
      const at = (
        <>
          {inText(row.record)}
          <span class="quiet wraps">, {whereOf(row)}</span>
        </>
      );
      if (row.errors.length === 0)
        return [
          { cells: [at, '', row.reason === null ? row.state : REASON_MESSAGES[row.reason], row.answer ?? '', ''] },
        ];
      return row.errors.map((problem) => ({
        cells: [
          at,
          <Spoken text={capital(spokenPath(problem))} />,
          <OtherRows problem={problem} to={to}>
            <Spoken text={spokenTexts(problem).message} />
          </OtherRows>,
          problem.value === '' ? <span class="quiet">nothing</span> : <span class="value">{problem.value}</span>,
          <Spoken text={spokenTexts(problem).fix} />,
        ],
      }));
    })}
  />
);
