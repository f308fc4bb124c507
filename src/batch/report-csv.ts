/**
 * A report as CSV: the original columns, then ours. Pure.
 *
 * A cell that a spreadsheet would run as a formula gets a leading `'`; plain numbers such as -5 stay as they are.
 */
import type { Problem } from '../kernel/problem.ts';
import type { ReportRecord } from './report.ts';
import type { BatchRow, BatchSummary, RowRequest } from './summary.ts';

/** Names of the result columns. `_batch,_record` say which row a corrected upload replaces. */
export const RESULT_COLUMNS = [
  '_batch',
  '_record',
  '_line',
  '_state',
  '_status',
  '_attempts',
  '_code',
  '_column',
  '_value',
  '_problem',
  '_fix',
  '_answer',
  '_possible_duplicate',
] as const;

const FORMULA_START = /^[=+\-@\t\r\0＝＋－＠]/;
const PLAIN_NUMBER = /^[+-]?\d+([.,]\d+)?$/;

/** Always quoted. */
export function csvCell(text: string): string {
  const safe = FORMULA_START.test(text) && !PLAIN_NUMBER.test(text) ? `'${text}` : text;
  return `"${safe.replaceAll('"', '""')}"`;
}

export const csvLine = (cells: readonly string[]): string => `${cells.map(csvCell).join(',')}\r\n`;

export const headerLine = (columns: readonly string[]): string => csvLine([...columns, ...RESULT_COLUMNS]);

/** A ragged row is cut or filled to the header's width, so that the result columns stand where they belong. */
export function recordLine(batchId: string, { columns, fields, row }: ReportRecord): string {
  const originals = columns.map((_, index) => fields[index] ?? '');
  return csvLine([...originals, ...resultCells(batchId, row)]);
}

function resultCells(batchId: string, row: BatchRow): string[] {
  const told = tellingRequest(row.requests);
  return [
    batchId,
    String(row.record),
    String(row.position.line),
    row.state,
    told?.status == null ? '' : String(told.status),
    told ? String(told.attempts) : '',
    joined(row.errors, 'code') || (told?.reason ?? ''),
    joined(row.errors, 'path'),
    joined(row.errors, 'value'),
    joined(row.errors, 'message'),
    joined(row.errors, 'fix'),
    told?.answer ?? '',
    row.requests.some(({ possibleDuplicate }) => possibleDuplicate) ? 'yes' : '',
  ];
}

/** The request the row's state comes from: the first that is not delivered, else the first. */
const tellingRequest = (requests: readonly RowRequest[]): RowRequest | undefined =>
  requests.find(({ state }) => state !== 'delivered') ?? requests[0];

const joined = (problems: readonly Problem[], part: 'code' | 'path' | 'value' | 'message' | 'fix'): string =>
  problems.map((problem) => problem[part]).join(' | ');

/** The report of a file that could not be read: no original columns are known, only why. */
export function unreadableReport(summary: BatchSummary): string {
  const lines = summary.problems.map(({ code, path, value, message, fix, position }) =>
    csvLine([
      summary.batchId,
      '',
      String(position?.line ?? ''),
      summary.state,
      '',
      '',
      code,
      path,
      value,
      message,
      fix,
      '',
      '',
    ]),
  );
  return headerLine([]) + lines.join('');
}
