/** The `source:` block of a mapping document for CSV: how the partner's file is written. Nothing is guessed. */
import * as z from 'zod';
import { ENCODINGS, type TextCodec, textCodec } from '../encoding.ts';
import { CSV_LIMITS, type CsvLimits } from './limits.ts';

const LINE_BREAK = /[\r\n]/;
/** Spellings of a tab that YAML reads as plain letters: taken literally they would never be found in a file. */
const TAB_SPELLINGS: readonly string[] = ['\\t', 'tab', 'TAB', '\\tab'];
const PRINTABLE_ASCII = /^[\x20-\x7e]$/;

/** Of a table that may have no header. */
export const columnNames = z
  .array(z.string().trim().min(1, 'a column name'))
  .min(1, 'at least one column name')
  .max(CSV_LIMITS.columnsMax, `at most ${CSV_LIMITS.columnsMax} columns`);

/** @param needed what to say where there is neither a header nor this list. */
export function columnFaults(
  { header, columns }: { header: boolean; columns?: readonly string[] | undefined },
  needed: string,
): string[] {
  if (columns === undefined) return header ? [] : [needed];
  const faults = header ? ['column names come from the header: remove this list, or set header: false'] : [];
  const repeated = columns.find((name, index) => columns.indexOf(name) !== index);
  return repeated === undefined
    ? faults
    : [...faults, `each column name once: ${JSON.stringify(repeated)} stands here twice`];
}

const csvSourceShape = z.strictObject({
  format: z.literal('csv'),
  delimiter: z
    .string()
    .min(1, 'a delimiter of 1 to 4 characters, for example ";"')
    .max(4, 'a delimiter of 1 to 4 characters, for example ";"')
    .refine((text) => !LINE_BREAK.test(text), 'a delimiter without line breaks')
    .refine((text) => !TAB_SPELLINGS.includes(text), 'for a tab write "\\t" in double quotes')
    .default(',')
    .describe('What stands between two cells: "," ";" "\\t" "|" or any 1 to 4 characters.'),
  quote: z
    .string()
    .refine(
      (text) => text === '' || PRINTABLE_ASCII.test(text),
      'one ASCII character, or "" when cells are never quoted',
    )
    .default('"')
    .describe('What encloses a cell holding delimiters or line breaks; doubled inside it. "" turns quoting off.'),
  encoding: z.enum(ENCODINGS).default('utf-8'),
  header: z.boolean().default(true).describe('Whether the first line names the columns.'),
  columns: columnNames.optional().describe('Column names in file order, when the file has no header.'),
  skipLines: z.int().min(0).max(1_000).default(0).describe('Lines before the header, of any content.'),
  comment: z
    .string()
    .min(1, 'the characters that open a comment line, for example "#"')
    .max(8, 'at most 8 characters')
    .refine((text) => !LINE_BREAK.test(text), 'a comment mark without line breaks')
    .optional()
    .describe('Lines beginning with this are no records.'),
  trim: z.boolean().default(false).describe('Drops blanks and tabs around cells, also outside their quotes.'),
});

/** Schema of the block; every conflict between its settings is reported with its own path. */
export const csvSource = csvSourceShape.superRefine((source, context) => {
  const report = (path: string, message: string): void => context.addIssue({ code: 'custom', path: [path], message });
  for (const fault of columnFaults(source, 'a file without header needs its column names here, in file order')) {
    report('columns', fault);
  }
  if (source.quote !== '' && source.delimiter.includes(source.quote)) {
    report('quote', 'a quote that is not part of the delimiter');
  }
  const codec = textCodec(source.encoding);
  for (const name of ['delimiter', 'comment'] as const) {
    const text = source[name];
    if (text !== undefined && codec.fromText(text) === null)
      report(name, `characters that ${source.encoding} can write`);
  }
  const { comment } = source;
  if (comment === undefined) return;
  const cellStarts = [source.delimiter, source.quote].filter((text) => text !== '');
  if (cellStarts.some((start) => comment.startsWith(start))) {
    report('comment', 'a comment mark that begins neither with the delimiter nor with the quote');
  }
});

/** The block with all defaults filled in. */
export type CsvSource = z.output<typeof csvSource>;

/* A declaration converted to the units that the scanner compares. Pure. */

const SPACE = 0x20;
const TAB = 0x09;
/** A unit that no text contains: the quote character of a file without quoting. */
const NO_UNIT = -1;

export interface Dialect {
  delimiter: string;
  delimiterFirst: number;
  quote: number;
  /** What two quotes inside a quoted cell become: one of them. */
  quoteText: string;
  comment: string | null;
  trim: boolean;
  recordUnitsMax: number;
  cellUnitsMax: number;
  columnsMax: number;
}

/** Throws only when the declaration did not pass `csvSource`, which is a bug of the caller. */
export function dialectOf(source: CsvSource, codec: TextCodec, limits: CsvLimits): Dialect {
  const delimiter = codec.fromText(source.delimiter);
  const comment = source.comment === undefined ? null : codec.fromText(source.comment);
  if (delimiter === null) throw new Error(`delimiter cannot be written in ${source.encoding}`);
  return {
    delimiter,
    delimiterFirst: delimiter.charCodeAt(0),
    quote: source.quote === '' ? NO_UNIT : source.quote.charCodeAt(0),
    quoteText: source.quote,
    comment,
    trim: source.trim,
    recordUnitsMax: Math.floor(limits.recordBytesMax / codec.unitBytes),
    cellUnitsMax: Math.floor(limits.cellBytesMax / codec.unitBytes),
    columnsMax: limits.columnsMax,
  };
}

/** Blanks that `trim` removes; a delimiter that is itself a blank is not trimmed. */
export function isBlank(unit: number, dialect: Dialect): boolean {
  return (unit === SPACE || unit === TAB) && unit !== dialect.delimiterFirst;
}
