/** Limits of a CSV file. Exceeding one costs one record, except before the first record is known. */

/** Bytes at the start that are checked: a byte-order mark, any signature, enough letters to tell UTF-16. Our choice. */
const SNIFF_BYTES = 1_024;

/**
 * Bytes of one record, and of everything up to the end of the header. Status rows are below 1 KiB; a missing quote is
 * found after reading this much, not the whole file. Our choice.
 */
const RECORD_BYTES_MAX = 2 * 1_024 * 1_024;

/**
 * Bytes of one cell as written, without its outer quotes. No field of the target interfaces comes near; a longer cell
 * is a quote that was closed far too late. Our choice.
 */
const CELL_BYTES_MAX = 64 * 1_024;

/** Columns of a file at most. The widest carrier layouts have some 200. Our choice. */
const COLUMNS_MAX = 1_000;

export const CSV_LIMITS = {
  sniffBytes: SNIFF_BYTES,
  recordBytesMax: RECORD_BYTES_MAX,
  cellBytesMax: CELL_BYTES_MAX,
  columnsMax: COLUMNS_MAX,
};
export type CsvLimits = typeof CSV_LIMITS;

/** Bytes after the longest record that a decision can need: a line end or a delimiter of four 4-byte characters. */
export const LOOKAHEAD_BYTES = 64;

/** A slice of this many bytes is never answered with `more`. */
export const CSV_SLICE_BYTES_ENOUGH = RECORD_BYTES_MAX + LOOKAHEAD_BYTES;
