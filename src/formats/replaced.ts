/**
 * Rows that come back corrected: a report names each row by batch and number, and a file that brings these two back says
 * which row each of its own replaces. Pure.
 */

/** Names of the two columns, in reports and in files that bring them back. */
export const REPLACED_BATCH = '_batch';
export const REPLACED_RECORD = '_record';

/** The row that a record replaces, as written: nobody has looked yet whether there is such a row. */
export interface ReplacedRow {
  batch: string;
  record: string;
}

/** What a report writes before a cell that a spreadsheet would run as a formula, and before one that looks as if it had been. */
const NEUTRALISED = /^'(?='*(?:[\t\r\0]|\s*[=+\-@＝＋－＠]))/;

export interface ReplacedReader {
  read(fields: readonly string[]): { fields: readonly string[]; replaces?: ReplacedRow };
}

/** @returns how the records of a file with these columns are read; undefined where it brings no rows back. */
export function replacedReader(columns: readonly string[]): ReplacedReader | undefined {
  const batchAt = columns.findIndex((column) => column.trim() === REPLACED_BATCH);
  const recordAt = columns.findIndex((column) => column.trim() === REPLACED_RECORD);
  if (batchAt === -1 || recordAt === -1) return undefined;
  return {
    read(fields) {
      const batch = (fields[batchAt] ?? '').trim();
      const record = (fields[recordAt] ?? '').trim();
      const cells = fields.some((field) => NEUTRALISED.test(field))
        ? fields.map((field) => field.replace(NEUTRALISED, ''))
        : fields;
      return batch === '' && record === '' ? { fields: cells } : { fields: cells, replaces: { batch, record } };
    },
  };
}
