/** Writes the records of a sample as CSV, the way the `source` of a mapping declares its files. */
import type { CsvSource } from '../formats/csv/declaration.ts';
import { textCodec } from '../formats/encoding.ts';
import type { Draft } from './sample-draft.ts';

/** Whether a cell of such a file can hold this text: the encoding has its letters, and without quotes no mark can be hidden. */
export function csvWrites(source: CsvSource, text: string): boolean {
  const { encoding, quote, delimiter, comment, trim } = source;
  if (textCodec(encoding).fromText(text) === null || text.includes('\0')) return false;
  if (trim && text !== text.trim()) return false;
  if (quote !== '') return true;
  const isComment = comment !== undefined && text.startsWith(comment);
  return !isComment && !holdsMark(text, delimiter);
}

/** Half a delimiter at the end of a cell would join the one behind it. */
const holdsMark = (text: string, delimiter: string): boolean =>
  [...delimiter, '\r', '\n'].some((mark) => text.includes(mark));

/** @param columns of the file in order; @param title stands where the file has room for words. */
export function csvText(
  source: CsvSource,
  { columns, rows, title }: { columns: readonly string[]; rows: readonly Draft[]; title: string },
): string {
  const write = (cells: readonly string[]): string =>
    cells.map((cell, index) => cellText(source, cell, index === 0, cells.length === 1)).join(source.delimiter);
  const lines = [
    ...Array.from({ length: source.skipLines }, (_, index) => (index === 0 ? title : '-')),
    ...(source.comment === undefined ? [] : [`${source.comment} ${title}`]),
    ...(source.header ? [write(columns)] : []),
    ...rows.map(({ cells }) => write(columns.map((column) => cells.get(column) ?? ''))),
  ];
  // Programs that write UTF-16 put the mark in front, and others look for it.
  const mark = source.encoding.startsWith('utf-16') ? '\ufeff' : '';
  return `${mark}${lines.join('\n')}\n`;
}

/** A line by which some programs name the delimiter. */
const DELIMITER_LINE = /^sep=/i;

function cellText(source: CsvSource, text: string, isFirst: boolean, isOnly: boolean): string {
  const { quote, delimiter, comment } = source;
  if (quote === '') return text;
  const opens = isFirst && ((comment !== undefined && text.startsWith(comment)) || DELIMITER_LINE.test(text));
  // Alone in its line an empty cell would be no record, and a delimiter of another kind would look like this file's.
  const isQuoted = isOnly || opens || text.includes(quote) || holdsMark(text, delimiter);
  return isQuoted ? quote + text.replaceAll(quote, () => quote + quote) + quote : text;
}
