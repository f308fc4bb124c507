/**
 * Limits of a workbook. A ZIP has its directory at the end and cannot be read slice by slice, so all of it is bounded.
 */

/** 20 MiB: a million short rows. Larger exports are better sent as CSV, which is read slice by slice. Ours. */
export const WORKBOOK_BYTES_MAX = 20 * 1_024 * 1_024;
/** 32 MiB of XML: all of its texts are held in memory while the sheet is read. Ours. */
export const SHARED_STRINGS_BYTES_MAX = 32 * 1_024 * 1_024;
/** 256 MiB of XML: some fifteen seconds of parsing. Ours. */
export const SHEET_XML_BYTES_MAX = 256 * 1_024 * 1_024;
/** 256 MiB of text: one long shared string can be shown by every cell of a sheet. Ours. */
export const SHEET_TEXT_BYTES_MAX = 256 * 1_024 * 1_024;
/** 8 MiB for each of the small parts: list of sheets, relationships, styles. Ours. */
export const SMALL_PART_BYTES_MAX = 8 * 1_024 * 1_024;
/** Most bytes that may come out of a part for one that goes in. Ours: empty cells that only have a style come to 13. */
export const PART_RATIO_MAX = 300;
/** A small part may unpack to this much whatever the ratio. Ours. */
export const PART_FLOOR_BYTES = 1_024 * 1_024;
/** Rows and columns of a sheet (Excel specifications and limits). */
export const ROWS_MAX = 1_048_576;
export const COLUMNS_MAX = 16_384;
/** UTF-16 units of one row: four of the longest cells, and below the longest CSV record however they are written. Ours. */
export const ROW_UNITS_MAX = 128 * 1_024;
/**
 * UTF-16 units between two tags, or of one tag: the XML parser buffers them until it ends. Ours: a cell of Excel has
 * 32,767.
 */
export const XML_TOKEN_UNITS_MAX = 512 * 1_024;
/** Nesting of elements. Ours: the parts that are read have some ten levels. */
export const XML_DEPTH_MAX = 64;
/** UTF-16 units before the first element: declarations and comments fit, and a DOCTYPE would be there. Ours. */
export const XML_PROLOG_UNITS_MAX = 8 * 1_024;
/** Sheets whose names are listed when the wanted one is missing. Ours. */
export const SHEETS_LISTED_MAX = 20;
/** Sheets of a workbook. Ours: more are a mistake of the program that wrote it. */
export const SHEETS_MAX = 1_000;
/** Number formats and cell styles of a workbook (Excel specifications: 65,490 styles). */
export const STYLES_MAX = 65_536;
/** Bytes read from storage at once. Ours: twenty reads for the largest workbook. */
export const PART_READ_BYTES = 1_024 * 1_024;
/** Bytes given to the decompressor at once: a thousand times as many may come out in one piece. Ours. */
export const INFLATE_STEP_BYTES = 16 * 1_024;
/** UTF-16 units given to the XML parser at once: some hundred of the shortest rows, each as long as a row may be. Ours. */
export const XML_STEP_UNITS = 4 * 1_024;
/** UTF-16 units of CSV text written at once. Ours. */
export const CSV_STEP_UNITS = 64 * 1_024;
