/**
 * A report as CSV: the original columns, then ours. Pure.
 * A cell that a spreadsheet would run as a formula gets a leading `'`, also if it already has one, so that it can be
 * taken off again; plain numbers such as -5 stay as they are.
 */

import { ANOMALY_CODES } from '../../delivery/events/anomalies.ts';
import { type AnomalyMessages, REASON_MESSAGES, ROW_MESSAGES } from '../../delivery/messages.ts';
import { differenceMessage, isMergeRefusal } from '../../delivery/orders/merge-messages.ts';
import { followedState, type RecordState } from '../../delivery/outcome.ts';
import type { Problem } from '../../kernel/problem.ts';
import { shownPath, withoutList } from '../../mapping/values/fault.ts';
import type { ReportRecord } from './report.ts';
import { asSentence, type BatchRow, type BatchSummary, intoKey, type RowRequest, requestMessage } from './summary.ts';

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
  '_effect',
  '_requests',
  '_into',
  '_file',
  '_group',
  '_replaces',
  '_generation',
  '_evidence',
  '_place',
  '_change',
  '_action',
  '_warning',
  '_warning_words',
  '_looked_up',
  '_replaced_by',
] as const;

/** Some spreadsheets ignore blanks, line breaks and byte order marks before a formula. */
const FORMULA_START = /^'*(?:[\t\r\0]|\s*[=+\-@＝＋－＠])/;
const PLAIN_NUMBER = /^[+-]?\d+([.,]\d+)?$/;

/** The file's columns without those added by an earlier report: they appear once, with current values. */
export const ownColumns = (columns: readonly string[]): string[] =>
  columns.filter((column) => !(RESULT_COLUMNS as readonly string[]).includes(column.trim()));

export const neutralised = (text: string): string =>
  FORMULA_START.test(text) && !PLAIN_NUMBER.test(text) ? `'${text}` : text;

/** Always quoted. */
export const csvCell = (text: string): string => `"${neutralised(text).replaceAll('"', '""')}"`;

export const csvLine = (cells: readonly string[]): string => `${cells.map(csvCell).join(',')}\r\n`;

/** A spreadsheet recognises UTF-8 by this alone. */
export const BYTE_ORDER_MARK = '\ufeff';

export const headerLine = (columns: readonly string[]): string => csvLine([...columns, ...RESULT_COLUMNS]);

/** A ragged row is cut or padded to the header's width, so that the result columns line up. */
export function recordLine(batchId: string, { columns, fields, row }: ReportRecord): string {
  const originals = columns.map((_, index) => fields[index] ?? '');
  return csvLine([...originals, ...resultCells(batchId, row)]);
}

type ResultColumn = (typeof RESULT_COLUMNS)[number];

/** By name, so that an added column is filled everywhere or empty, and never shifts its neighbours. */
const inColumns = (cells: Partial<Record<ResultColumn, string>>): string[] =>
  RESULT_COLUMNS.map((column) => cells[column] ?? '');

function resultCells(batchId: string, row: BatchRow): string[] {
  const reported = notifyingRequest(row);
  return inColumns({
    _batch: batchId,
    _record: String(row.record),
    _line: String(row.position.line),
    _state: row.state,
    _status: reported?.status == null ? '' : String(reported.status),
    _attempts: reported ? String(reported.attempts) : '',
    _code: both(joined(row.errors, 'code'), codeOf(reported)),
    _column: row.errors.map(shownPath).join(' | '),
    _value: joined(row.errors, 'value'),
    _problem: both(row.errors.map(({ message }) => withoutList(message)).join(' | '), problemOf(reported)),
    _fix: both(joined(row.errors, 'fix'), fixOf(row, reported)),
    _answer: reported?.answer ?? '',
    _possible_duplicate: row.requests.some(({ possibleDuplicate }) => possibleDuplicate) ? 'yes' : '',
    _effect: effectOf(reported),
    _requests: requestsText(batchId, row.requests),
    _into: row.requests.map(intoKey).filter(Boolean).join(' | '),
    _file: row.position.file ?? '',
    _group: row.group === null ? '' : String(row.group),
    _replaces: row.replaces ?? '',
    _generation: reported ? String(reported.generation) : '',
    _evidence: reported?.evidence ?? '',
    _place: row.position.place ?? '',
    _change: row.requests.flatMap(({ diff }) => (diff === null ? [] : [differenceMessage(diff)])).join(' | '),
    _action: row.requests.flatMap(({ action }) => action ?? []).join(' | '),
    _warning: [...new Set(warningsOf(row).map(({ code }) => code))].join(' | '),
    _warning_words: warningsOf(row)
      .map(({ message, fix }) => `${message} ${fix}`)
      .join(' | '),
    _looked_up: row.lookedUp.map(({ words }) => words).join(' | '),
    _replaced_by: row.replacedBy === null ? '' : `${row.replacedBy.batchId}/${row.replacedBy.record}`,
  });
}

/** A row's problems, and the outcome of the requests it has all the same. */
const both = (wrong: string, reported: string): string => [wrong, reported].filter(Boolean).join(' | ');

const warningsOf = ({ requests }: BatchRow): AnomalyMessages[] => requests.flatMap(({ warnings }) => warnings);

/** The request that decides the row's state, also where it travels in another one. */
export const decidingRequest = ({ state, requests }: Pick<BatchRow, 'state' | 'requests'>): RowRequest | undefined =>
  requests.find((request) => followedState(request.state, request.intoState) === state);

const notifyingRequest = (row: BatchRow): RowRequest | undefined => decidingRequest(row) ?? row.requests[0];

const codeOf = (reported: RowRequest | undefined): string =>
  reported?.reason ?? (reported && isRejected(reported) ? 'refused_by_upstream' : '');

function problemOf(reported: RowRequest | undefined): string {
  if (reported === undefined) return '';
  if (reported.reason !== null) {
    return isMergeRefusal(reported.reason) && reported.answer !== null
      ? reported.answer
      : REASON_MESSAGES[reported.reason];
  }
  return isRejected(reported) ? `The receiving system refused it with status ${reported.status ?? 'unknown'}.` : '';
}

const isRejected = ({ state, intoState }: RowRequest): boolean => followedState(state, intoState) === 'rejected';

/** States that need attention or explanation. */
const UNSETTLED: ReadonlySet<RecordState> = new Set(['rejected', 'dead', 'held', 'waiting', 'unknown']);
/** For a row refused for an anomaly, the anomaly says what to correct. */
function fixOf({ state, requests }: BatchRow, reported: RowRequest | undefined): string {
  if (!UNSETTLED.has(state)) return '';
  const refused = requests.filter(({ reason }) => ANOMALY_CODES.some((code) => code === reason));
  if (reported === undefined || !refused.includes(reported)) return ROW_MESSAGES[state].meaning;
  return refused.flatMap(({ warnings }) => warnings.map(({ fix }) => fix)).join(' ');
}

/**
 * The requests of a row may have several outcomes; `_state` shows the most pressing one. A single request that
 * travelled by itself needs no text.
 */
function requestsText(batchId: string, requests: readonly RowRequest[]): string {
  if (requests.length === 1 && requests[0]?.into === null) return '';
  const inText = (request: RowRequest): string => {
    const into = asSentence(request, batchId);
    return `${requestMessage(request).what}: ${request.state}${into === null ? '' : ` (${into})`}`;
  };
  return requests.map(inText).join(' | ');
}

/** For a request given up: whether it may have been applied after all. */
const effectOf = (reported: RowRequest | undefined): string =>
  reported?.outcome === 'unknown' ? 'may have arrived' : reported?.outcome === 'not_applied' ? 'not applied' : '';

const joined = (problems: readonly Problem[], part: 'code' | 'value' | 'fix'): string =>
  problems.map((problem) => problem[part]).join(' | ');

/**
 * A file that could not be read, in place of its rows: why, in the result columns only. @param columns of the report.
 */
export const unreadableLines = (batchId: string, columns: readonly string[], problems: readonly Problem[]): string =>
  problems
    .map(({ code, path, value, message, fix, position, file }) =>
      csvLine([
        ...columns.map(() => ''),
        ...inColumns({
          _batch: batchId,
          _line: String(position?.line ?? ''),
          _state: 'unreadable',
          _code: code,
          _column: path,
          _value: value,
          _problem: message,
          _fix: fix,
          _file: file ?? '',
        }),
      ]),
    )
    .join('');

/** The report of an unreadable upload: the reason only, no original columns. */
export const unreadableReport = ({ batchId, problems }: BatchSummary): string =>
  headerLine([]) + unreadableLines(batchId, [], problems);
