/** Limits of a CSV file. Exceeding one costs one record, except before the first record is known. */

export interface CsvLimits {
  /** Bytes at the start that are checked before anything is read. */
  sniffBytes: number;
  /** Bytes of one record, and of everything up to the end of the header. */
  recordBytesMax: number;
  /** Bytes of one cell as written, without its outer quotes. */
  cellBytesMax: number;
  columnsMax: number;
}

/** 1 KiB: holds a byte-order mark, any signature, and enough letters to tell UTF-16 from single bytes. Our choice. */
const SNIFF_BYTES = 1_024;

/** 2 MiB: status rows are below 1 KiB; a missing quote is then found after reading this much, not the whole file. Our choice. */
const RECORD_BYTES_MAX = 2 * 1_024 * 1_024;

/**
 * 64 KiB: no field of the target interfaces comes near; a longer cell is a quote that was closed far too late. Our
 * choice.
 */
const CELL_BYTES_MAX = 64 * 1_024;

/** 1,000 columns: the widest carrier layouts have some 200. Our choice. */
const COLUMNS_MAX = 1_000;

export const CSV_LIMITS: CsvLimits = {
  sniffBytes: SNIFF_BYTES,
  recordBytesMax: RECORD_BYTES_MAX,
  cellBytesMax: CELL_BYTES_MAX,
  columnsMax: COLUMNS_MAX,
};

/** Bytes after the longest record that a decision can need: a line end or a delimiter of four 4-byte characters. */
export const LOOKAHEAD_BYTES = 64;

/** A slice of this many bytes is never answered with `more`. */
export const CSV_SLICE_BYTES_ENOUGH = RECORD_BYTES_MAX + LOOKAHEAD_BYTES;
