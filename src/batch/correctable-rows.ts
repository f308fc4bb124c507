/** Numbers of the rows to correct, in order. */
import { rowsInOrder } from './rows-in-order.ts';
import type { BatchRow } from './summary.ts';

export interface CorrectableRows {
  /** Rows to correct after a record number, in order. */
  rows(after: number, limit: number): Promise<BatchRow[]>;
}

export async function* numbersInOrder(port: CorrectableRows): AsyncGenerator<number, undefined> {
  for await (const { record } of rowsInOrder(port.rows)) yield record;
  return undefined;
}
