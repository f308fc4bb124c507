/**
 * The rows of a sheet → lines of CSV: comma, double quotes, UTF-8. Line N is row N, as far as cells hold no line breaks. Pure.
 *
 * Rows before the header and rows without any text are empty lines. A row is as wide as the header, so that cells left empty
 * at its end are not missing; what stands beyond the header stays, and the CSV reader says so.
 */
import type { SheetRow } from './sheet-rows.ts';

export class CsvLines {
  readonly #firstRow: number;
  readonly #hasHeader: boolean;
  #columns: number;
  #row = 0;
  /** Whether there was any row with text. */
  hasRows = false;

  /** @param columns of a sheet without header; 0: the header says. */
  constructor({ firstRow, hasHeader, columns }: { firstRow: number; hasHeader: boolean; columns: number }) {
    this.#firstRow = firstRow;
    this.#hasHeader = hasHeader;
    this.#columns = columns;
  }

  /** @returns the line of the row, and the empty lines before it. */
  write({ row, texts }: SheetRow): string {
    if (row < this.#firstRow || texts.every((text) => text.trim() === '')) return '';
    const before = LINE_END.repeat(row - this.#row - 1);
    this.#row = row;
    const isHeader = this.#hasHeader && !this.hasRows;
    this.hasRows = true;
    if (!isHeader) return before + line(withoutBlankEnd(texts, this.#columns), this.#columns);
    const names = texts.map(oneLine);
    this.#columns = names.length;
    return before + line(names, names.length);
  }
}

/** Cells beyond the header that are only formatted hold nothing. */
const withoutBlankEnd = (texts: readonly string[], columns: number): readonly string[] =>
  texts.slice(0, Math.max(columns, texts.findLastIndex((text) => text.trim() !== '') + 1));

const LINE_END = '\r\n';
const MUST_BE_QUOTED = /[",\r\n]/;

/** The first cell is always quoted: nothing a file could begin with is then taken for another format or a delimiter line. */
function line(texts: readonly string[], columns: number): string {
  const cells = texts.map((text, index) => (index === 0 || MUST_BE_QUOTED.test(text) ? quoted(text) : text));
  return cells.join(',') + ','.repeat(Math.max(0, columns - texts.length)) + LINE_END;
}

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;

/** A heading that is broken for the eye is one name: its lines are joined by blanks. */
const oneLine = (text: string): string =>
  text
    .split(/[\r\n]+/)
    .map((part) => part.trim())
    .filter(Boolean)
    .join(' ');
