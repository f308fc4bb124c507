/** How far the sheet of a workbook was read, which is CSV by then. */
import type { CsvCheckpoint } from '../csv/checkpoint.ts';

export interface XlsxCheckpoint extends CsvCheckpoint {
  /** Line breaks inside the cells read so far, by which line and row differ. */
  breaks: number;
}
