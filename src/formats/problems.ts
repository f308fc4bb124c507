/**
 * What can be wrong with a file or one of its records: facts first, then the messages for people.
 *
 * Columns and lines count from 1, bytes from 0. The `line` and `byte` of a fact point at the fault itself; the record's
 * own position says where the record is.
 */
import { ELSE_CONTACT, type Problem, quotePath, quoteValue } from '../kernel/problem.ts';
import type { Encoding } from './encoding.ts';
import { type FileLook, MAGIC_MESSAGES } from './magic.ts';

/** A column by number, and by name if the name is known ('' if not). */
export interface ColumnRef {
  number: number;
  name: string;
}

/** How the bytes contradict the declared encoding. */
export type EncodingEvidence = 'utf_8_sequences' | 'nul_bytes' | 'no_nul_bytes' | 'bad_sequence';

/** `text_after_quote`: a closed cell continues. `quote_in_text`: a quote inside a cell that did not begin with one. */
export type BadQuote = 'text_after_quote' | 'quote_in_text';

/** The file as a whole cannot be read: nothing of it is sent. A header can also show the problems of a record. */
export type FileProblem =
  | { code: 'empty_file'; bytes: number }
  | { code: 'not_csv'; looksLike: FileLook }
  | {
      code: 'encoding_disagrees';
      declared: Encoding;
      found: Encoding | null;
      evidence: EncodingEvidence;
      byte: number;
      hex: string;
    }
  | { code: 'header_too_large'; bytesMax: number }
  /** `columns`: how many the found delimiter gives; null when the file itself names its delimiter. */
  | { code: 'wrong_delimiter'; declared: string; found: string; columns: number | null; line: number; text: string }
  | { code: 'duplicate_header'; name: string; columns: number[]; line: number };

/** One record cannot be used: its neighbours are not affected. */
export type RecordProblem =
  | { code: 'ragged_row'; wanted: number; found: number; missing: ColumnRef | null; surplus: string }
  | { code: 'too_many_columns'; found: number; columnsMax: number }
  | { code: 'cell_too_large'; column: ColumnRef; bytes: number; bytesMax: number; byte: number; text: string }
  | { code: 'record_too_large'; column: ColumnRef; bytes: number; bytesMax: number; byte: number }
  | { code: 'unclosed_quote'; column: ColumnRef; line: number; byte: number; text: string }
  | { code: 'bad_quote'; found: BadQuote; column: ColumnRef; line: number; byte: number; text: string }
  | { code: 'bad_encoding'; encoding: Encoding; column: ColumnRef; byte: number; hex: string; text: string }
  | { code: 'nul_character'; column: ColumnRef; byte: number; text: string };

export type FormatProblem = FileProblem | RecordProblem;

type MessageTable = Pick<Problem, 'path' | 'value' | 'message' | 'fix'>;

/** The problem as a message: location, received value, what was expected and how to fix it. */
export function describeFormatProblem(problem: FormatProblem): Problem {
  const words = messageFor(problem);
  return { code: problem.code, ...words, path: quotePath(words.path), value: quoteValue(words.value) };
}

function messageFor(problem: FormatProblem): MessageTable {
  switch (problem.code) {
    case 'empty_file':
    case 'not_csv':
    case 'encoding_disagrees':
    case 'header_too_large':
    case 'wrong_delimiter':
    case 'duplicate_header':
      return fileMessage(problem);
    case 'ragged_row':
      return raggedMessage(problem);
    case 'too_many_columns':
      return {
        path: '',
        value: `${problem.found} columns`,
        message: `The line has ${problem.found} columns; at most ${problem.columnsMax} are read.`,
        fix: 'Export only the columns that the mapping uses, and check that the delimiter is the declared one.',
      };
    case 'cell_too_large':
    case 'record_too_large':
      return sizeMessage(problem);
    case 'unclosed_quote':
    case 'bad_quote':
      return quoteMessage(problem);
    case 'bad_encoding':
      return {
        path: pathOf(problem.column),
        value: problem.text,
        message: `${columnMessage(problem.column)} holds bytes that are not ${problem.encoding}: ${problem.hex} at byte ${problem.byte} of the file.`,
        fix: `Export the file as ${problem.encoding}. ${ELSE_CONTACT}`,
      };
    case 'nul_character':
      return {
        path: pathOf(problem.column),
        value: problem.text.replaceAll('\0', '\\0'),
        message: `${columnMessage(problem.column)} holds a NUL character at byte ${problem.byte} of the file.`,
        fix: 'Remove the NUL character (code 0) from the cell and send the row again.',
      };
  }
}

function fileMessage(problem: FileProblem): MessageTable {
  switch (problem.code) {
    case 'empty_file':
      return {
        path: '',
        value: `${problem.bytes} bytes`,
        message: 'The file is empty: it has no line that could be a header or a record.',
        fix: 'Check the export and send the file again. A file with a header and no rows is accepted.',
      };
    case 'not_csv':
      return {
        path: '',
        value: problem.looksLike,
        message: `The file is not CSV text. It looks like ${MAGIC_MESSAGES[problem.looksLike]}.`,
        fix: 'Send the rows as delimited text, or choose a mapping made for this kind of file.',
      };
    case 'encoding_disagrees':
      return encodingMessage(problem);
    case 'header_too_large':
      return {
        path: '',
        value: '',
        message: `The header does not end within the first ${problem.bytesMax} bytes of the file.`,
        fix: 'Check the line ends and the quotes at the start of the file, and that the header stands where it always does.',
      };
    case 'wrong_delimiter':
      return delimiterProblemMessage(problem);
    case 'duplicate_header':
      return {
        path: problem.name,
        value: problem.name,
        message: `The header in line ${problem.line} gives the name ${JSON.stringify(quoteValue(problem.name))} to columns ${columnList(problem.columns)}.`,
        fix: 'Give every column a name of its own; a column nobody reads may have no name.',
      };
  }
}

function encodingMessage(problem: FileProblem & { code: 'encoding_disagrees' }): MessageTable {
  const { declared, found, byte, hex } = problem;
  const seen = {
    utf_8_sequences: `its letters beyond ASCII are written as utf-8 writes them (${hex} at byte ${byte})`,
    nul_bytes: `the file has NUL bytes as ${found} has them, the first at byte ${byte}`,
    no_nul_bytes: 'the file has one byte per character',
    bad_sequence: `the header has bytes that are not ${declared} (${hex} at byte ${byte})`,
  }[problem.evidence];
  return {
    path: '',
    value: found ?? hex,
    message: `The mapping declares ${declared}, but ${seen}.`,
    fix: `Export the file as ${declared}. ${ELSE_CONTACT}`,
  };
}

function delimiterProblemMessage(problem: FileProblem & { code: 'wrong_delimiter' }): MessageTable {
  const declared = delimiterMessage(problem.declared);
  const found = delimiterMessage(problem.found);
  return {
    path: '',
    value: problem.text,
    message:
      problem.columns === null
        ? `Line ${problem.line} says that the delimiter is the ${found}; the mapping declares the ${declared}.`
        : `Line ${problem.line} is not divided by the declared ${declared}; the ${found} divides it into ${problem.columns} columns.`,
    fix: `Export the file with the ${declared}. ${ELSE_CONTACT}`,
  };
}

function raggedMessage(problem: RecordProblem & { code: 'ragged_row' }): MessageTable {
  const { wanted, found, missing, surplus } = problem;
  const counts = `The row has ${cellCount(found)} where ${cellCount(wanted)} ${wanted === 1 ? 'is' : 'are'} wanted`;
  if (missing !== null) {
    return {
      path: pathOf(missing),
      value: cellCount(found),
      message: `${counts}; the first one missing is ${columnMessage(missing)}.`,
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

function sizeMessage(problem: RecordProblem & { code: 'cell_too_large' | 'record_too_large' }): MessageTable {
  const { column, bytes, bytesMax, byte } = problem;
  const whole = problem.code === 'record_too_large';
  const start = `${columnMessage(column)} begins at byte ${byte} of the file`;
  return {
    path: pathOf(column),
    value: whole ? `${bytes} bytes` : problem.text,
    message: whole
      ? `The row has ${bytes} bytes, at most ${bytesMax} are read; ${start} and does not end within them.`
      : `The cell has ${bytes} bytes, at most ${bytesMax} are read; ${start}.`,
    fix: 'Shorten the cell. If it holds the rows that follow it, a closing quote is missing.',
  };
}

function quoteMessage(problem: RecordProblem & { code: 'unclosed_quote' | 'bad_quote' }): MessageTable {
  const { column, line, byte, text } = problem;
  const place = `in line ${line}, at byte ${byte} of the file`;
  if (problem.code === 'unclosed_quote') {
    return {
      path: pathOf(column),
      value: text,
      message: `A quote opens ${columnMessage(column)} ${place} and is never closed.`,
      fix: 'Close the quote, or double it if it belongs to the text of a quoted cell.',
    };
  }
  const message =
    problem.found === 'text_after_quote'
      ? `${columnMessage(column)}, quoted ${place}, goes on after its closing quote.`
      : `${columnMessage(column)} holds a quote ${place} but is not enclosed in quotes.`;
  return {
    path: pathOf(column),
    value: text,
    message,
    fix: `Enclose the whole cell in quotes and double every quote inside it. ${ELSE_CONTACT}`,
  };
}

const DELIMITER_NAMES = new Map([
  [',', 'comma (,)'],
  [';', 'semicolon (;)'],
  ['\t', 'tab'],
  ['|', 'pipe (|)'],
]);

function delimiterMessage(delimiter: string): string {
  return DELIMITER_NAMES.get(delimiter) ?? `delimiter ${JSON.stringify(delimiter)}`;
}

function cellCount(cells: number): string {
  return cells === 1 ? '1 cell' : `${cells} cells`;
}

/** How many columns of one name are listed; the others are counted. Ours: enough to repair a header. */
const COLUMNS_LISTED_MAX = 10;

function columnList(columns: readonly number[]): string {
  const listed = columns.slice(0, COLUMNS_LISTED_MAX).join(' and ');
  return columns.length <= COLUMNS_LISTED_MAX ? listed : `${listed} and ${columns.length - COLUMNS_LISTED_MAX} more`;
}

function pathOf(column: ColumnRef): string {
  return column.name === '' ? `column ${column.number}` : column.name;
}

function columnMessage(column: ColumnRef): string {
  return column.name === '' ? `Column ${column.number}` : `Column ${column.number} (${quoteValue(column.name)})`;
}
