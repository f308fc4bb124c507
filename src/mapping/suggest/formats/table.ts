/** Text with delimiters → its rows, leniently, while the delimiter is still being looked for; and where its header is. Pure. */

import { HEAD_ROWS_MAX, TITLE_LINES_MAX } from '../limits.ts';
import { nameTerms } from '../names.ts';
import { isTotal } from '../shape.ts';
import type { Confidence } from '../suggestion.ts';
import { ROLES } from '../terms.ts';

/** `to`: offset after its line end. */
export interface TextRow {
  cells: string[];
  to: number;
  /** It begins in this line of the text, from 0. */
  line: number;
}

/** @param quote '' where cells are never quoted. @returns rows that are not blank. */
export function splitRows(text: string, delimiter: string, quote: string, rowsMax: number): TextRow[] {
  const rows: TextRow[] = [];
  let at = 0;
  let line = 0;
  while (at < text.length && rows.length < rowsMax) {
    const row = splitRow(text, at, delimiter, quote);
    if (row.cells.length > 1 || row.cells[0]?.trim() !== '') rows.push({ cells: row.cells, to: row.to, line });
    line += row.lines;
    at = row.to;
  }
  return rows;
}

function splitRow(
  text: string,
  from: number,
  delimiter: string,
  quote: string,
): { cells: string[]; to: number; lines: number } {
  const cells: string[] = [];
  let cell = '';
  let at = from;
  let lines = 1;
  let isFresh = true;
  for (;;) {
    const character = text[at];
    if (character === undefined) break;
    if (isFresh && quote !== '' && character === quote) {
      const end = closingQuote(text, at + 1, quote);
      const inner = text.slice(at + 1, end);
      lines += countLines(inner);
      cell += inner.replaceAll(quote + quote, quote);
      at = end + 1;
      isFresh = false;
    } else if (text.startsWith(delimiter, at)) {
      cells.push(cell);
      cell = '';
      isFresh = true;
      at += delimiter.length;
    } else if (character === '\n' || character === '\r') {
      at += character === '\r' && text[at + 1] === '\n' ? 2 : 1;
      break;
    } else {
      cell += character;
      isFresh = isFresh && character === ' ';
      at += 1;
    }
  }
  cells.push(cell);
  return { cells, to: at, lines };
}

function closingQuote(text: string, from: number, quote: string): number {
  let at = text.indexOf(quote, from);
  while (at !== -1 && text[at + 1] === quote) at = text.indexOf(quote, at + 2);
  return at === -1 ? text.length : at;
}

const countLines = (text: string): number => text.split(/\r\n|\n|\r/).length - 1;

/* Where the table begins, and whether its first row names the columns. */

export interface Opening {
  /** Rows before the table: titles, dates. */
  titles: number;
  hasHeader: boolean;
  confidence: Confidence;
  reason: string;
}

/** The commonest number of cells. */
export function usualWidth(rows: readonly TextRow[]): { width: number; share: number } {
  const widths = new Map<number, number>();
  for (const { cells } of rows) widths.set(cells.length, (widths.get(cells.length) ?? 0) + 1);
  const [width, times] = [...widths].reduce((best, each) => (each[1] > best[1] ? each : best), [0, 0]);
  return { width, share: rows.length === 0 ? 0 : times / rows.length };
}

const NUMERIC = /^[+-]?\d[\d.,: /-]*%?$/;
const hasValueForm = (cell: string): boolean => NUMERIC.test(cell.trim());

/** All words of roles: a cell made of them is a name of a column. */
const ROLE_NAMES: ReadonlySet<string> = new Set(
  Object.values(ROLES).flatMap(({ says }) => says.split(';').map((name) => nameTerms(name).join(' '))),
);
const isRoleName = (cell: string): boolean => ROLE_NAMES.has(nameTerms(cell).join(' '));

export function openingOf(rows: readonly TextRow[]): Opening {
  const looked = rows.slice(0, HEAD_ROWS_MAX);
  const { width } = usualWidth(looked);
  const first = looked.findIndex(
    ({ cells }) => filledIn(cells) >= Math.max(2, Math.ceil(width * 0.6)) || cells.length === width,
  );
  const titles = Math.min(Math.max(0, titlesBefore(looked, first, width)), TITLE_LINES_MAX);
  const header = looked[titles]?.cells ?? [];
  const below = looked.slice(titles + 1).filter(({ cells }) => !isTotal(cells[0] ?? ''));
  return { titles, ...headerOf(header, below) };
}

const filledIn = (cells: readonly string[]): number => cells.filter((cell) => cell.trim() !== '').length;

/** In a sheet every row has all cells: a title is a row of which nearly all are empty. */
function titlesBefore(rows: readonly TextRow[], first: number, width: number): number {
  let at = Math.max(0, first);
  while (at < rows.length - 1 && at < TITLE_LINES_MAX) {
    const cells = rows[at]?.cells ?? [];
    const next = rows[at + 1]?.cells ?? [];
    if (width < 3 || filledIn(cells) >= Math.min(3, width * 0.5) || filledIn(next) < filledIn(cells)) break;
    at += 1;
  }
  return at;
}

function headerOf(header: readonly string[], below: readonly TextRow[]): Omit<Opening, 'titles'> {
  const names = header.map((cell) => cell.trim());
  const filled = names.filter(Boolean);
  const known = filled.filter(isRoleName);
  const isTwice = new Set(filled).size < filled.length;
  const numeric = names.find(hasValueForm);
  if (filled.length === 0) return { hasHeader: false, confidence: 'unsure', reason: 'The first row is empty.' };
  if (numeric !== undefined && known.length < 2) {
    return {
      hasHeader: false,
      confidence: isTwice || known.length === 0 ? 'likely' : 'unsure',
      reason: `The first row has ${numeric}, which is a value, not a name.`,
    };
  }
  const contrast = names.findIndex((name, index) => name !== '' && valuesBelow(below, index));
  if (known.length >= 2 || (known.length === 1 && contrast !== -1)) {
    const reason = `The first row has names of columns: ${known.slice(0, 3).join(', ')}.`;
    return { hasHeader: true, confidence: 'sure', reason };
  }
  if (contrast !== -1) {
    return { hasHeader: true, confidence: 'likely', reason: `"${names[contrast]}" stands above numbers or dates.` };
  }
  const isRepeated = names.some(
    (name, index) => name !== '' && below.some(({ cells }) => cells[index]?.trim() === name),
  );
  if (isRepeated || isTwice) {
    return { hasHeader: false, confidence: 'unsure', reason: 'The first row looks like the others.' };
  }
  return { hasHeader: true, confidence: 'unsure', reason: 'Nothing shows whether the first row has names or values.' };
}

function valuesBelow(below: readonly TextRow[], index: number): boolean {
  const cells = below.map((row) => row.cells[index]?.trim() ?? '').filter(Boolean);
  return cells.length > 0 && cells.filter(hasValueForm).length >= cells.length * 0.9;
}
