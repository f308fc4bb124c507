/** A dense table; on a phone each row becomes a list entry. A row may open to a detail below it. */
import type { Child, FC } from 'hono/jsx';
import { Empty } from './basics.tsx';

/**
 * @property kind `main` is what the row is about: it leads on a phone; `word` never breaks; `line` is cut where its line
 * ends.
 */
export interface Column {
  label: string;
  kind?: 'main' | 'number' | 'word' | 'text' | 'line';
}

/** @property href what Enter opens. detail: shown below the row while it is open. */
export interface TableRow {
  id?: string;
  href?: string;
  cells: readonly Child[];
  detail?: Child;
}

export const Table: FC<{ caption: string; columns: readonly Column[]; rows: readonly TableRow[]; empty?: Child }> = ({
  caption,
  columns,
  rows,
  empty = 'Nothing here yet.',
}) =>
  rows.length === 0 ? (
    <Empty>{empty}</Empty>
  ) : (
    <section class="scroll" aria-label={caption}>
      <table class="list">
        <caption class="only-read">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ label, kind }) => (
              <th scope="col" class={kind === 'number' ? 'number' : ''}>
                {label === '' ? <span class="only-read">Actions</span> : label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Row row={row} columns={columns} />
          ))}
        </tbody>
      </table>
    </section>
  );

const CLASSES = { main: 'main', number: 'number', word: 'whole-word', text: '', line: 'line' } as const;

const Row: FC<{ row: TableRow; columns: readonly Column[] }> = ({ row: { id, href, cells, detail }, columns }) => (
  <>
    <tr id={id} data-row={href ?? ''} class={detail === undefined ? '' : 'opened'}>
      {columns.map(({ label, kind }, index) => (
        <td class={CLASSES[kind ?? 'text']} data-name={label}>
          {cells[index]}
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
