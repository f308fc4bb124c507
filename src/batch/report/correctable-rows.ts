import { rowsInOrder } from './rows-in-order.ts';
import type { BatchRow } from './summary.ts';

export interface CorrectableRows {
  /** Rows of these states after a record number, in order. */
  rows(after: number, limit: number): Promise<BatchRow[]>;
}

/** Without those in whose place another one was delivered. */
export async function* rowsToCorrect(port: CorrectableRows): AsyncGenerator<BatchRow, undefined> {
  for await (const row of rowsInOrder(port.rows)) if (row.replacedBy === null) yield row;
  return undefined;
}

export async function* numbersInOrder(port: CorrectableRows): AsyncGenerator<number, undefined> {
  for await (const { record } of rowsToCorrect(port)) yield record;
  return undefined;
}
