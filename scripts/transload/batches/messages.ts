/** What the command says of batches. Pure. */

import { ROW_MESSAGES } from '../../../src/delivery/messages.ts';
import type { RecordState } from '../../../src/delivery/outcome.ts';
import type { Answered } from '../../../src/http/contract/contract.ts';
import { visible } from '../../frame/command.ts';
import { bar, type Paint } from '../terminal.ts';

/** States in which nothing is left to do by anybody. */
const WELL: ReadonlySet<string> = new Set<RecordState>(['delivered', 'duplicate', 'coalesced', 'skipped', 'valid']);
/** States from which nothing moves by itself. */
const RESTING: ReadonlySet<string> = new Set<RecordState>([
  ...(WELL as ReadonlySet<RecordState>),
  'held',
  'rejected',
  'dead',
  'cancelled',
  'invalid',
]);

export type ShownBatch = Answered<'GET /v1/batches/{id}'>;
export type ShownRow = Answered<'GET /v1/batches/{id}/rows'>['rows'][number];
type Counts = Partial<Record<RecordState, number>>;

const countsOf = (states: Counts): [RecordState, number][] =>
  (Object.keys(ROW_MESSAGES) as RecordState[]).flatMap((state) => {
    const count = states[state] ?? 0;
    return count === 0 ? [] : [[state, count]];
  });

/** Settled, unreadable, or nothing left but what a person decides. */
export const isOver = ({ state, rowStates }: Pick<ShownBatch, 'state' | 'rowStates'>): boolean =>
  state === 'settled' ||
  state === 'unreadable' ||
  (state === 'delivering' && countsOf(rowStates).every(([row]) => row !== 'coalesced' && RESTING.has(row)));

/** Every row arrived or was left out on purpose; corrected ones count as arrived. */
export function isWell({ state, rowStates, resolvedStates, problems }: ShownBatch): boolean {
  if (state === 'unreadable' || problems.length > 0) return false;
  return countsOf(rowStates).every(([row, count]) => WELL.has(row) || count <= (resolvedStates[row] ?? 0));
}

const toneOf: Record<(typeof ROW_MESSAGES)[RecordState]['tone'], keyof Paint> = {
  good: 'good',
  busy: 'attention',
  attention: 'attention',
  bad: 'bad',
  quiet: 'dim',
};

/** e.g. `51 delivered, 7 to correct` */
export const countsLine = (states: Counts, paint?: Paint): string =>
  countsOf(states)
    .map(([state, count]) => {
      const { label, tone } = ROW_MESSAGES[state];
      const text = `${count} ${label.toLowerCase()}`;
      return paint === undefined ? text : paint[toneOf[tone]](text);
    })
    .join(', ') || 'no rows yet';

/** While it is read, the bar is of its bytes; then of its rows. */
export function progressLine(batch: ShownBatch): string {
  const { state, bytesRead, bytes, contentBytes, rows, rowStates } = batch;
  const resting = countsOf(rowStates).reduce((sum, [row, count]) => sum + (RESTING.has(row) ? count : 0), 0);
  const part = state === 'reading' ? bytesRead / Math.max(1, contentBytes ?? bytes) : resting / Math.max(1, rows);
  return `${bar(part)}  ${state === 'reading' ? 'reading' : 'sending'}: ${countsLine(rowStates)}`;
}

export function summaryLines(batch: ShownBatch, paint: Paint): string {
  const { batchId, fileName, mapping, rows, state, problems, notes, resolved } = batch;
  const name = fileName === null ? batchId : `${fileName} (${batchId})`;
  const head = `${paint.bold(visible(name))}, ${visible(mapping)}: ${state}, ${rows} ${rows === 1 ? 'row' : 'rows'}`;
  const counts = rows === 0 ? '' : `: ${countsLine(batch.rowStates, paint)}`;
  return [
    `${head}${counts}${resolved === 0 ? '' : `, ${resolved} of them corrected since`}.`,
    ...problems.map(({ code, message, fix }) => `  ${paint.bad(code)}: ${visible(`${message}\n    ${fix}`)}`),
    ...notes.map((note) => `  ${visible(note)}`),
    '',
  ].join('\n');
}

/** Rows that did not arrive: what is wrong, and what to do. What stands in files and answers steers no terminal. */
export function wrongRowLines(rows: readonly ShownRow[], paint: Paint): string[] {
  return rows.flatMap((row) => {
    const at = `  Row ${row.record} (line ${row.position.line})`;
    const problems = row.errors.map(
      ({ code, path, message, fix }) =>
        `${at} ${paint.bad(code)}${visible(`${path === '' ? '' : ` in ${path}`}: ${message}\n    ${fix}`)}`,
    );
    const refusals = row.requests
      .filter(({ state }) => !WELL.has(state))
      .map(({ state, status, answer }) => {
        const label = paint.bad(ROW_MESSAGES[state as RecordState]?.label ?? state);
        return `${at} ${label}${status == null ? '' : `, status ${status}`}${answer ? `: ${visible(answer)}` : ''}`;
      });
    return [...problems, ...refusals];
  });
}
