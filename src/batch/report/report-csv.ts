/**
 * A report as CSV: the original columns, then ours. Pure.
 *
 * A cell that a spreadsheet would run as a formula gets a leading `'`, also where it has one already, so that it can be taken off
 * again; plain numbers such as -5 stay as they are.
 */

import type { SurpriseWords } from '../../delivery/events/surprise-words.ts';
import { SURPRISE_CODES } from '../../delivery/events/surprises.ts';
import { isMergeRefusal } from '../../delivery/orders/merge/refusal.ts';
import { differenceWords } from '../../delivery/orders/merge/shown.ts';
import { followedState, type RecordState } from '../../delivery/outcome.ts';
import { REASON_WORDS, ROW_WORDS } from '../../delivery/words.ts';
import type { Problem } from '../../kernel/problem.ts';
import type { ReportRecord } from './report.ts';
import { intoKey, intoWords, requestWords } from './request-words.ts';
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

/** Some spreadsheets pass over blanks, line breaks and byte order marks in front of a formula. */
const FORMULA_START = /^'*(?:[\t\r\0]|\s*[=+\-@＝＋－＠])/;
const PLAIN_NUMBER = /^[+-]?\d+([.,]\d+)?$/;

/** The columns of a file without those that an earlier report gave it: they stand once, with what is true now. */
export const ownColumns = (columns: readonly string[]): string[] =>
  columns.filter((column) => !(RESULT_COLUMNS as readonly string[]).includes(column.trim()));

export const neutralised = (text: string): string =>
  FORMULA_START.test(text) && !PLAIN_NUMBER.test(text) ? `'${text}` : text;

/** Always quoted. */
export const csvCell = (text: string): string => `"${neutralised(text).replaceAll('"', '""')}"`;

export const csvLine = (cells: readonly string[]): string => `${cells.map(csvCell).join(',')}\r\n`;

/** A spreadsheet reads a file as UTF-8 by this mark alone. */
export const BYTE_ORDER_MARK = '\ufeff';

export const headerLine = (columns: readonly string[]): string => csvLine([...columns, ...RESULT_COLUMNS]);

/** A ragged row is cut or filled to the header's width, so that the result columns stand where they belong. */
export function recordLine(batchId: string, { columns, fields, row }: ReportRecord): string {
  const originals = columns.map((_, index) => fields[index] ?? '');
  return csvLine([...originals, ...resultCells(batchId, row)]);
}

type ResultColumn = (typeof RESULT_COLUMNS)[number];

/** By name, so that a column that is added is filled everywhere or stays empty, and never shifts its neighbours. */
const inColumns = (cells: Partial<Record<ResultColumn, string>>): string[] =>
  RESULT_COLUMNS.map((column) => cells[column] ?? '');

function resultCells(batchId: string, row: BatchRow): string[] {
  const told = tellingRequest(row);
  return inColumns({
    _batch: batchId,
    _record: String(row.record),
    _line: String(row.position.line),
    _state: row.state,
    _status: told?.status == null ? '' : String(told.status),
    _attempts: told ? String(told.attempts) : '',
    _code: both(joined(row.errors, 'code'), codeOf(told)),
    _column: joined(row.errors, 'path'),
    _value: joined(row.errors, 'value'),
    _problem: both(joined(row.errors, 'message'), problemOf(told)),
    _fix: both(joined(row.errors, 'fix'), fixOf(row, told)),
    _answer: told?.answer ?? '',
    _possible_duplicate: row.requests.some(({ possibleDuplicate }) => possibleDuplicate) ? 'yes' : '',
    _effect: effectOf(told),
    _requests: requestsInWords(batchId, row.requests),
    _into: row.requests.map(intoKey).filter(Boolean).join(' | '),
    _file: row.position.file ?? '',
    _group: row.group === null ? '' : String(row.group),
    _replaces: row.replaces ?? '',
    _generation: told ? String(told.generation) : '',
    _evidence: told?.evidence ?? '',
    _place: row.position.place ?? '',
    _change: row.requests.flatMap(({ diff }) => (diff === null ? [] : [differenceWords(diff)])).join(' | '),
    _action: row.requests.flatMap(({ action }) => action ?? []).join(' | '),
    _warning: [...new Set(warningsOf(row).map(({ code }) => code))].join(' | '),
    _warning_words: warningsOf(row)
      .map(({ message, fix }) => `${message} ${fix}`)
      .join(' | '),
    _looked_up: row.lookedUp.map(({ words }) => words).join(' | '),
    _replaced_by: row.replacedBy === null ? '' : `${row.replacedBy.batchId}/${row.replacedBy.record}`,
  });
}

/** What is wrong in a row, and what became of the requests it has all the same. */
const both = (wrong: string, told: string): string => [wrong, told].filter(Boolean).join(' | ');

const warningsOf = ({ requests }: BatchRow): SurpriseWords[] => requests.flatMap(({ warnings }) => warnings);

/** The request that the row takes its state from. */
const tellingRequest = ({ state, requests }: BatchRow): RowRequest | undefined =>
  requests.find((request) => followedState(request.state, request.intoState) === state) ?? requests[0];

const codeOf = (told: RowRequest | undefined): string =>
  told?.reason ?? (told && isRejected(told) ? 'refused_by_upstream' : '');

function problemOf(told: RowRequest | undefined): string {
  if (told === undefined) return '';
  if (told.reason !== null) {
    return isMergeRefusal(told.reason) && told.answer !== null ? told.answer : REASON_WORDS[told.reason];
  }
  return isRejected(told) ? `The receiving system refused it with status ${told.status ?? 'unknown'}.` : '';
}

const isRejected = ({ state, intoState }: RowRequest): boolean => followedState(state, intoState) === 'rejected';

/** States in which there is something to know or to do. */
const UNSETTLED: ReadonlySet<RecordState> = new Set(['rejected', 'dead', 'held', 'waiting', 'unknown']);
/** What was odd about a row that was refused for it says what to correct. */
function fixOf({ state, requests }: BatchRow, told: RowRequest | undefined): string {
  if (!UNSETTLED.has(state)) return '';
  const refused = requests.filter(({ reason }) => SURPRISE_CODES.some((code) => code === reason));
  if (told === undefined || !refused.includes(told)) return ROW_WORDS[state].meaning;
  return refused.flatMap(({ warnings }) => warnings.map(({ fix }) => fix)).join(' ');
}

/** A row of several events has several fates; `_state` shows the most pressing one. One that went by itself needs no words. */
function requestsInWords(batchId: string, requests: readonly RowRequest[]): string {
  if (requests.length === 1 && requests[0]?.into === null) return '';
  const inWords = (request: RowRequest): string => {
    const into = intoWords(request, batchId);
    return `${requestWords(request).what}: ${request.state}${into === null ? '' : ` (${into})`}`;
  };
  return requests.map(inWords).join(' | ');
}

/** For what was given up: whether it may have been applied after all. */
const effectOf = (told: RowRequest | undefined): string =>
  told?.outcome === 'unknown' ? 'may have arrived' : told?.outcome === 'not_applied' ? 'not applied' : '';

const joined = (problems: readonly Problem[], part: 'code' | 'path' | 'value' | 'message' | 'fix'): string =>
  problems.map((problem) => problem[part]).join(' | ');

/** A file that could not be read, in the place of its rows: why, below the result columns alone. @param columns of the report. */
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

/** The report of an upload that could not be read: no original columns are known, only why. */
export const unreadableReport = ({ batchId, problems }: BatchSummary): string =>
  headerLine([]) + unreadableLines(batchId, [], problems);
