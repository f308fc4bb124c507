/** The data that the console's pages show. Types only. */
import type { BatchRow, BatchSummary } from '../../batch/report/summary.ts';
import type { Reader } from '../edge/reader.ts';

export interface BatchPageView {
  reader: Reader;
  summary: BatchSummary;
  rows: BatchRow[];
  /** The states shown; null: all. */
  shown: readonly string[] | null;
  /** Address of the next page of rows, if there is one. */
  nextPage: string | null;
}
