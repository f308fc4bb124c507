/** Bounds of suggesting a mapping: a sample is read whole, several times, while somebody waits. */

/** Largest sample that is read, in bytes. As much as a preview takes; of a larger file its first part is enough. */
export const SAMPLE_BYTES_MAX = 1024 * 1024;
/** Records that are looked at. More hardly change what is found, and each costs a pass over every column. */
export const SAMPLE_RECORDS_MAX = 20_000;
/** Columns that are looked at: a wide export has some hundred. */
export const SAMPLE_COLUMNS_MAX = 500;
/** Different values counted per column: enough to tell codes from free text. */
export const DISTINCT_MAX = 1_000;
/** Values shown of a column. */
export const SAMPLES_SHOWN_MAX = 5;
/** Longest value shown, in characters. */
export const VALUE_CHARACTERS_MAX = 80;
/** Words of a proposed code list: more are hardly codes. */
export const PROPOSED_CODES_MAX = 200;
/** Columns offered in place of one that is not sure: more are not read. */
export const OTHER_COLUMNS_MAX = 6;
/** Rows of the example in the document: enough to see it work. */
export const EXAMPLE_RECORDS_MAX = 3;
/** Longest example, in characters: the document stays readable. */
export const EXAMPLE_CHARACTERS_MAX = 8_000;
/** Rows in which the header and the delimiter are looked for. */
export const HEAD_ROWS_MAX = 200;
/** Lines above a header: titles and dates of reports. */
export const TITLE_LINES_MAX = 20;
