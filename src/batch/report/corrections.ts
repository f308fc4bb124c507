/**
 * The rows of a batch that were not delivered, as a file of the kind that was sent: correct it, send it under the same
 * mapping, and each row replaces the one it comes from. Pure but for the ports passed in.
 *
 * CSV keeps the mapping's delimiter and quote and is UTF-8 with its mark, which every reader of ours goes by. JSON keeps
 * each record as it was written. Rows of a group stand or fall together, so that whole groups come out.
 */
import type { CsvSource } from '../../formats/csv/declaration.ts';
import { REPLACED_BATCH, REPLACED_RECORD } from '../../formats/replaced.ts';
import type { StoredBytes } from '../../formats/slices.ts';
import { CORRECTABLE } from '../core/tally.ts';
import { type CorrectableRows, rowsToCorrect } from './correctable-rows.ts';
import { cellsUnder, type ReportPort, reportColumns, reportParts } from './report.ts';
import { BYTE_ORDER_MARK, neutralised, ownColumns } from './report-csv.ts';
import type { BatchRow } from './summary.ts';

/** Why the row stands here, beside the two columns by which it is known again. */
const REASON_COLUMNS = ['_code', '_column', '_problem', '_fix'] as const;

/** @yields lines of text. Without a header the extra columns could not be told from the row's own, so there are none. */
export async function* csvCorrections(port: ReportPort, batchId: string, source: CsvSource): AsyncGenerator<string> {
  const columns = ownColumns(await reportColumns(port));
  const cellsOf = cellsUnder(columns);
  const line = (cells: readonly string[]): string =>
    `${cells.map((cell) => csvCell(cell, source)).join(source.delimiter)}\r\n`;
  yield BYTE_ORDER_MARK + '\r\n'.repeat(source.skipLines);
  if (source.header) yield line([...columns, REPLACED_BATCH, REPLACED_RECORD, ...REASON_COLUMNS]);
  for await (const part of reportParts(port)) {
    if (!('row' in part) || !CORRECTABLE.includes(part.row.state) || part.row.replacedBy !== null) continue;
    const cells = cellsOf(part);
    yield source.header
      ? line([...cells.map(neutralised), batchId, String(part.row.record), ...reasons(part.row)])
      : line(cells);
  }
}

/** Where cells are never quoted, what would end one cannot stand in it. */
function csvCell(text: string, { quote, delimiter }: CsvSource): string {
  if (quote !== '') return quote + text.replaceAll(quote, quote + quote) + quote;
  return text.replaceAll(delimiter, ' ').replace(/[\r\n]+/g, ' ');
}

function reasons({ errors, requests, state }: BatchRow): string[] {
  const told = requests.find((request) => request.state === state);
  const refused = [told?.reason ?? state, '', told?.answer ?? '', ''];
  if (errors.length === 0) return refused;
  // Of a row of several events some can be in error, and others refused.
  return (['code', 'path', 'message', 'fix'] as const).map((part, at) =>
    [...errors.map((error) => error[part]), ...(told === undefined ? [] : [refused[at] ?? ''])].join(' | '),
  );
}

export interface JsonPort extends CorrectableRows {
  files: readonly { source: StoredBytes }[];
  /** Which of the files a row stands in. */
  fileOf(row: BatchRow): number;
}

/** @param around `lines`: one record on each; else the member names around the array of records. */
export async function* jsonCorrections(
  port: JsonPort,
  batchId: string,
  around: 'lines' | readonly string[],
): AsyncGenerator<string> {
  const open = around === 'lines' ? '' : `${around.map((name) => `{${JSON.stringify(name)}:`).join('')}[\n`;
  const close = around === 'lines' ? '' : `\n]${'}'.repeat(around.length)}\n`;
  let between = '';
  yield open;
  for await (const row of rowsToCorrect(port)) {
    const text = await recordText(port, row);
    const named = text === undefined ? undefined : withPlace(text, batchId, row.record);
    if (named === undefined) continue; // not a JSON object: it cannot say which row it replaces, nor be read again
    yield between + named;
    between = around === 'lines' ? '\n' : ',\n';
  }
  yield around === 'lines' && between !== '' ? '\n' : close;
}

async function recordText(port: JsonPort, row: BatchRow): Promise<string | undefined> {
  const { byteFrom, byteTo } = row.position;
  const file = port.files[port.fileOf(row)];
  if (file === undefined || byteTo <= byteFrom) return undefined;
  const bytes = await file.source.read(byteFrom, byteTo - byteFrom);
  return new TextDecoder().decode(bytes);
}

/** A place it brought along from an earlier correction is replaced by its own. */
function withPlace(text: string, batchId: string, record: number): string | undefined {
  const trimmed = text.trim();
  if (!trimmed.startsWith('{') || !trimmed.endsWith('}')) return undefined;
  const rest = trimmed
    .slice(1)
    .replace(/^\s*"_batch"\s*:\s*"[^"]*"\s*,?/, '')
    .replace(/^\s*"_record"\s*:\s*\d+\s*,?/, '');
  const isEmpty = rest.trim() === '}';
  return `{"${REPLACED_BATCH}":${JSON.stringify(batchId)},"${REPLACED_RECORD}":${record}${isEmpty ? '' : ','}${rest.trimStart()}`;
}
