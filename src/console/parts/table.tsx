/**
 * A dense table; on a phone each row becomes a list entry. A row may open to a detail below it. A column in which no row
 * has anything is not drawn.
 */
import type { Child, FC } from 'hono/jsx';
import { Empty, Unbroken } from './basics.tsx';

/**
 * @property kind `main` is what the row is about: it leads on a phone; `title` is such a one that is a
 * sentence; `word` never breaks; `words` has room for a few in a line; `line` has two lines at most, the whole of it stands where the row opens; the last of a row is shown whole.
 */
interface Column {
  label: string;
  kind?: 'main' | 'title' | 'number' | 'word' | 'words' | 'text' | 'line';
  /** Not what one looks for first: in a long list it is shown on a phone once that is asked for. */
  isMinor?: boolean;
}

/** @property href what Enter opens. detail: shown below the row while it is open. */
export interface TableRow {
  id?: string;
  href?: string;
  cells: readonly Child[];
  detail?: Child;
}

/** What is seen although it has no text. */
const SEEN = /<(?:svg|input|select|img|progress)\b/;

/** Whether nothing of a cell is seen. */
function isBlank(cell: Child): boolean {
  if (cell === null || cell === undefined || typeof cell === 'boolean') return true;
  const html = String(cell);
  return !SEEN.test(html) && html.replace(/<[^>]*>/g, '').trim() === '';
}

/** Rows from which on a list is long on a phone. Ours: with all of their columns these are about three screens. */
const LONG_ROWS = 12;

/** @property steady every column is drawn: what stands in them may come while one looks. */
export const Table: FC<{
  caption: string;
  columns: readonly Column[];
  rows: readonly TableRow[];
  empty?: Child;
  steady?: boolean;
}> = ({ caption, columns, rows, empty = 'Nothing here yet.', steady = false }) => {
  if (rows.length === 0) return <Empty>{empty}</Empty>;
  const shown = columns.flatMap((column, at) =>
    steady || rows.some(({ cells }) => !isBlank(cells[at])) ? [{ ...column, at }] : [],
  );
  const isLong = rows.length >= LONG_ROWS && shown.some(({ isMinor }) => isMinor);
  return (
    <section class={isLong ? 'scroll long' : 'scroll'} aria-label={caption}>
      {isLong ? (
        <label class="more-facts">
          <input type="checkbox" /> More about each
        </label>
      ) : null}
      <table class="list">
        <caption class="only-read">{caption}</caption>
        <thead>
          <tr>
            {shown.map(({ label, kind }) => (
              <th scope="col" class={kind === 'number' ? 'number' : ''}>
                {label === '' ? <span class="only-read">Actions</span> : label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Row row={row} columns={shown} />
          ))}
        </tbody>
      </table>
    </section>
  );
};

const shownCell = (cell: Child): Child => (typeof cell === 'string' ? <Unbroken text={cell} /> : cell);

const CLASSES = {
  main: 'main',
  title: 'main title',
  number: 'number',
  word: 'whole-word',
  words: 'words',
  text: '',
  line: 'line',
} as const;

const Row: FC<{ row: TableRow; columns: readonly (Column & { at: number })[] }> = ({
  row: { id, href, cells, detail },
  columns,
}) => (
  <>
    <tr id={id} data-row={href ?? ''} class={detail === undefined ? '' : 'opened'}>
      {columns.map(({ label, kind = 'text', isMinor = false, at }) => (
        <td class={isMinor ? `${CLASSES[kind]} minor` : CLASSES[kind]} data-name={label}>
          {isBlank(cells[at]) ? null : kind === 'line' ? <div>{shownCell(cells[at])}</div> : shownCell(cells[at])}
        </td>
      ))}
    </tr>
    {detail === undefined ? null : (
      <tr class="detail">
        <td colspan={columns.length}>{detail}</td>
      </tr>
    )}
  </>
);
