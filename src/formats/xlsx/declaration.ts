/** The `source:` block of a mapping document for workbooks: which sheet is read, and where its rows begin. */
import * as z from 'zod';
import { type CsvSource, columnFaults, columnNames, csvSource } from '../csv/declaration.ts';
import { SHEETS_MAX } from './limits.ts';

/** Rows before the first one that is read; the same limit as for lines before a CSV file. */
const HEADER_ROW_MAX = 1_001;
/** Excel specifications and limits. */
const SHEET_NAME_CHARACTERS_MAX = 31;

const xlsxSourceShape = z.strictObject({
  format: z.literal('xlsx'),
  sheet: z
    .union([
      z.string().trim().min(1, 'the name of a sheet').max(SHEET_NAME_CHARACTERS_MAX),
      z
        .int()
        .min(1, 'sheets are counted from 1')
        .max(SHEETS_MAX, `at most ${SHEETS_MAX}; a name made of digits needs quotes`),
    ])
    .default(1)
    .describe('Name of the sheet, or its number from 1 in the order of the tabs, hidden ones counted.'),
  header: z.boolean().default(true).describe('Whether the first row that is read names the columns.'),
  headerRow: z
    .int()
    .min(1, 'rows are counted from 1')
    .max(HEADER_ROW_MAX)
    .default(1)
    .describe(
      'Row with the column names, from 1; without a header, the first row of all. Rows before it are passed over.',
    ),
  columns: columnNames.optional().describe('Column names from column A on, when the sheet has no header.'),
  dates: z
    .enum(['shown', 'whole'])
    .default('shown')
    .describe('shown: dates and times as far as their cells show them; whole: always the date with its time.'),
});

export const xlsxSource = xlsxSourceShape.superRefine((source, context) => {
  const needed = 'a sheet without header needs its column names here, from column A on';
  for (const message of columnFaults(source, needed)) context.addIssue({ code: 'custom', path: ['columns'], message });
});

/** The block with all defaults filled in. */
export type XlsxSource = z.output<typeof xlsxSource>;

/**
 * A cell that holds a date or a time → its text in the form that its column has; undefined: that form cannot hold all of it.
 * @property hasDate, hasTime what the cell holds of both.
 */
export type MomentText = (cell: { localMs: number; hasDate: boolean; hasTime: boolean }) => string | undefined;

/**
 * Which sheet of a workbook is read, and how it is written as the text that the mapping's own reader reads.
 * @property comment a row whose first cell begins with it is no record; undefined: there are no comments.
 * @property isDeclared the mapping asks for a workbook: whatever cannot be opened as one is a broken workbook.
 * @property isMarked that text begins with a byte-order mark of UTF-8, since the mapping declares another encoding.
 * @property moments by name of the column; of other columns dates are `2026-03-02`, `2026-03-02 08:15:00`, `08:15:00`.
 */
export interface SheetReading extends Pick<XlsxSource, 'sheet' | 'header' | 'headerRow' | 'dates'> {
  columns?: readonly string[] | undefined;
  comment?: string | undefined;
  delimiter: string;
  quote: string;
  isDeclared: boolean;
  isMarked: boolean;
  moments: ReadonlyMap<string, MomentText>;
}

/** Whether a row with this text in its first cell is a comment. */
export const isComment = ({ comment }: Pick<SheetReading, 'comment'>, text: string): boolean =>
  comment !== undefined && text.startsWith(comment);

const NO_MOMENTS: ReadonlyMap<string, MomentText> = new Map();

export const sheetOfXlsx = (source: XlsxSource): SheetReading => ({
  ...source,
  delimiter: ',',
  quote: '"',
  isDeclared: true,
  isMarked: false,
  moments: NO_MOMENTS,
});

/** A mapping of CSV takes the same table as a workbook: its first sheet, whose cells become what the CSV file would say. */
export const sheetOfCsv = (source: CsvSource, moments: SheetReading['moments']): SheetReading => ({
  sheet: 1,
  header: source.header,
  headerRow: source.skipLines + 1,
  columns: source.columns,
  comment: source.comment,
  dates: 'shown',
  delimiter: source.delimiter,
  quote: source.quote,
  isDeclared: false,
  isMarked: source.encoding !== 'utf-8',
  moments,
});

/** The sheet as CSV: the form that is read, shown in examples, and sent back corrected. */
export const sheetAsCsv = ({ header, headerRow, columns }: XlsxSource): CsvSource =>
  csvSource.parse({ format: 'csv', header, skipLines: headerRow - 1, ...(columns === undefined ? {} : { columns }) });
