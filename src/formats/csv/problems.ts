/**
 * What can be wrong with a CSV file or one of its records: facts first, then the messages for people.
 *
 * Columns and lines count from 1, bytes from 0. The `line` and `byte` of a fact point at the fault itself; the record's
 * own position says where the record is.
 */
import { ELSE_CONTACT, quoteValue } from '../../kernel/problem.ts';
import type { Encoding } from '../encoding.ts';
import type { FileLook } from '../magic.ts';
import {
  describedBy,
  type EmptyFile,
  type EncodingDisagrees,
  emptyFile,
  encodingDisagrees,
  exportAs,
  type Message,
  type MessagesOf,
  otherFormat,
  withVisibleNul,
} from '../problems.ts';

/** A column by number, and by name if the name is known ('' if not). */
export interface ColumnRef {
  number: number;
  name: string;
}

/** The file as a whole cannot be read: nothing of it is sent. A header can also show the problems of a record. */
export type CsvFileProblem =
  | EmptyFile
  | { code: 'not_csv'; looksLike: FileLook }
  | EncodingDisagrees
  | { code: 'header_too_large'; bytesMax: number }
  /** `columns`: how many the found delimiter gives; null when the file itself names its delimiter. */
  | { code: 'wrong_delimiter'; declared: string; found: string; columns: number | null; line: number; text: string }
  | { code: 'duplicate_header'; name: string; columns: number[]; line: number };

/** `text_after_quote`: a closed cell continues. `quote_in_text`: a quote inside a cell that did not begin with one. */
type BadQuote = 'text_after_quote' | 'quote_in_text';

/** One record cannot be used: its neighbours are not affected. */
export type CsvRecordProblem =
  | { code: 'ragged_row'; wanted: number; found: number; missing: ColumnRef | null; surplus: string }
  | { code: 'too_many_columns'; found: number; columnsMax: number }
  | { code: 'cell_too_large'; column: ColumnRef; bytes: number; bytesMax: number; byte: number; text: string }
  | { code: 'record_too_large'; column: ColumnRef; bytes: number; bytesMax: number; byte: number }
  | { code: 'unclosed_quote'; column: ColumnRef; line: number; byte: number; text: string }
  | { code: 'bad_quote'; found: BadQuote; column: ColumnRef; line: number; byte: number; text: string }
  /** `found`: it is whole text in this one. */
  | {
      code: 'bad_encoding';
      encoding: Encoding;
      found: 'utf-8' | null;
      column: ColumnRef;
      byte: number;
      hex: string;
      text: string;
    }
  | { code: 'nul_character'; column: ColumnRef; byte: number; text: string };

export type CsvProblem = CsvFileProblem | CsvRecordProblem;

const SHORTEN = 'Shorten the cell. If it holds the rows that follow it, a closing quote is missing.';

const MESSAGES: MessagesOf<CsvProblem> = {
  empty_file: emptyFile(
    'it has no line that could be a header or a record',
    ' A file with a header and no rows is accepted.',
  ),
  not_csv: otherFormat('CSV text', 'the rows as delimited text'),
  encoding_disagrees: (fact) => encodingDisagrees(fact),
  header_too_large: ({ bytesMax }) => ({
    message: `The header does not end within the first ${bytesMax} bytes of the file.`,
    fix: 'Check the line ends and the quotes at the start of the file, and that the header stands where it always does.',
  }),
  wrong_delimiter: (fact) => delimiterMessage(fact),
  duplicate_header: ({ name, columns, line }) => ({
    path: name,
    value: name,
    message: `The header in line ${line} gives the name ${JSON.stringify(quoteValue(name))} to columns ${columnList(columns)}.`,
    fix: 'Give every column a name of its own; a column nobody reads may have no name.',
  }),
  ragged_row: (fact) => raggedMessage(fact),
  too_many_columns: ({ found, columnsMax }) => ({
    value: `${found} columns`,
    message: `The line has ${found} columns; at most ${columnsMax} are read.`,
    fix: 'Export only the columns that are needed, and check that the delimiter is the declared one.',
  }),
  cell_too_large: ({ column, bytes, bytesMax, byte, text }) => ({
    path: pathOf(column),
    value: text,
    message: `The cell has ${bytes} bytes, at most ${bytesMax} are read; ${columnName(column)} begins at byte ${byte} of the file.`,
    fix: SHORTEN,
  }),
  record_too_large: ({ column, bytes, bytesMax, byte }) => ({
    path: pathOf(column),
    value: `${bytes} bytes`,
    message: `The row has ${bytes} bytes, at most ${bytesMax} are read; ${columnName(column)} begins at byte ${byte} of the file and does not end within them.`,
    fix: SHORTEN,
  }),
  unclosed_quote: ({ column, line, byte, text }) => ({
    path: pathOf(column),
    value: text,
    message: `A quote opens ${columnName(column)} in line ${line}, at byte ${byte} of the file and is never closed.`,
    fix: 'Close the quote, or double it if it belongs to the text of a quoted cell.',
  }),
  bad_quote: ({ found, column, line, byte, text }) => ({
    path: pathOf(column),
    value: text,
    message:
      found === 'text_after_quote'
        ? `${columnName(column)}, quoted in line ${line}, at byte ${byte} of the file, goes on after its closing quote.`
        : `${columnName(column)} holds a quote in line ${line}, at byte ${byte} of the file but is not enclosed in quotes.`,
    fix: `Enclose the whole cell in quotes and double every quote inside it. ${ELSE_CONTACT}`,
  }),
  bad_encoding: ({ column, encoding, found, byte, hex, text }) => ({
    path: pathOf(column),
    value: text,
    message:
      found === null
        ? `${columnName(column)} holds bytes that are not ${encoding}: ${hex} at byte ${byte} of the file.`
        : `${columnName(column)} has letters beyond ASCII as utf-8 writes them (${hex} at byte ${byte} of the file), but agreed is ${encoding}.`,
    fix: exportAs(encoding),
  }),
  nul_character: ({ column, byte, text }) => ({
    path: pathOf(column),
    value: withVisibleNul(text),
    message: `${columnName(column)} holds a NUL character at byte ${byte} of the file.`,
    fix: 'Remove the NUL character (code 0) from the cell and send the row again.',
  }),
};

export const describeCsvProblem = describedBy(MESSAGES);

function delimiterMessage({ columns, line, text, ...fact }: CsvFileProblem & { code: 'wrong_delimiter' }): Message {
  const declared = delimiterName(fact.declared);
  const found = delimiterName(fact.found);
  return {
    value: text,
    message:
      columns === null
        ? `Line ${line} says that the delimiter is the ${found}; agreed is the ${declared}.`
        : `Line ${line} is not divided by the declared ${declared}; the ${found} divides it into ${columns} columns.`,
    fix: `Export the file with the ${declared}. ${ELSE_CONTACT}`,
  };
}

function raggedMessage(fact: CsvRecordProblem & { code: 'ragged_row' }): Message {
  const { wanted, found, missing, surplus } = fact;
  const counts = `The row has ${cellCount(found)} where ${cellCount(wanted)} ${wanted === 1 ? 'is' : 'are'} wanted`;
  if (missing !== null) {
    return {
      path: pathOf(missing),
      value: cellCount(found),
      message: `${counts}; the first one missing is ${columnName(missing)}.`,
      fix: 'Write every column in every row, empty ones too, and enclose a cell that holds a line break in quotes.',
    };
  }
  if (surplus === '') {
    const isShort = found < wanted;
    return {
      path: `column ${Math.min(wanted, found) + 1}`,
      value: cellCount(found),
      message: isShort
        ? `${counts}: the rows before it end with the delimiter, and this one does not.`
        : `${counts}; the last one is empty. Most likely a cell holds the delimiter without quotes, and all cells after it are one column too far.`,
      fix: isShort
        ? 'Write every row in one way. If a cell is missing, write it, empty too.'
        : 'Enclose a cell that holds the delimiter in quotes, such as "1,234". If every row ends with the delimiter, end the header with it, too.',
    };
  }
  return {
    path: `column ${wanted + 1}`,
    value: surplus,
    message: `${counts}; the first cell too many with text in it is ${JSON.stringify(quoteValue(surplus))}.`,
    fix: 'Enclose a cell that holds the delimiter in quotes, or remove what stands after the last column.',
  };
}

const DELIMITER_NAMES = new Map([
  [',', 'comma (,)'],
  [';', 'semicolon (;)'],
  ['\t', 'tab'],
  ['|', 'pipe (|)'],
]);

const delimiterName = (delimiter: string): string =>
  DELIMITER_NAMES.get(delimiter) ?? `delimiter ${JSON.stringify(delimiter)}`;

const cellCount = (cells: number): string => (cells === 1 ? '1 cell' : `${cells} cells`);

/** How many columns of one name are listed; the others are counted. Ours: enough to repair a header. */
const COLUMNS_LISTED_MAX = 10;

function columnList(columns: readonly number[]): string {
  const listed = columns.slice(0, COLUMNS_LISTED_MAX).join(' and ');
  return columns.length <= COLUMNS_LISTED_MAX ? listed : `${listed} and ${columns.length - COLUMNS_LISTED_MAX} more`;
}

const pathOf = ({ name, number }: ColumnRef): string => (name === '' ? `column ${number}` : name);

const columnName = ({ name, number }: ColumnRef): string =>
  name === '' ? `Column ${number}` : `Column ${number} (${quoteValue(name)})`;
