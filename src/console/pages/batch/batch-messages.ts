import { CORRECTABLE } from '../../../batch/core/tally.ts';
import { REFUSED_STATES } from '../../../batch/steps/batch-index.ts';
import { EVIDENCE_MESSAGES, REASON_MESSAGES, ROW_MESSAGES, type StateMessages } from '../../../delivery/messages.ts';
import type { RecordState } from '../../../delivery/outcome.ts';
import { hasEnvelopes } from '../../../formats/reader.ts';
import type { Answered } from '../../../http/contract/contract.ts';
import type { SendingStop } from '../../../http/views/stops.ts';
import type { Problem } from '../../../kernel/problem.ts';
import { capital } from '../../../kernel/text.ts';
import { ofOtherRows } from '../../../mapping/groups/map-group.ts';
import { shownProblem } from '../../../mapping/values/fault.ts';
import {
  answerMessage,
  BATCH_MESSAGES,
  CANCELLED,
  CANCELLING,
  finishedMessage,
  leftOut,
  SHOWN_ORDER,
  WAITING_FOR_DECISION,
  WAITING_FOR_UPSTREAM,
} from '../../messages.ts';
import { lookOfRow } from '../../parts/bar.tsx';
import { countOf, exactTime, inText, type Look, lookOf } from '../../parts/basics.tsx';
import { rowName } from '../../parts/row-link.tsx';

/** As `GET …/batches/{id}` answers. */
export type ShownBatch = Answered<'GET /v1/batches/{id}'>;
/** What its words are made of. */
type Facts = Omit<ShownBatch, 'links' | 'stops' | 'cost'> & { stops?: readonly SendingStop[] };
type ShownRow = Answered<'GET /v1/batches/{id}/rows'>['rows'][number];

export const isOpen = ({ state }: Pick<ShownBatch, 'state'>): boolean => state === 'reading' || state === 'delivering';

/** What it is called: its file, or whose messages share it. */
export const nameOf = ({
  fileName,
  messages,
  receivedAt,
  batchId,
}: Pick<ShownBatch, 'fileName' | 'messages' | 'receivedAt' | 'batchId'>): string =>
  messages === null ? (fileName ?? batchId) : `Messages of ${receivedAt.slice(0, 10)}`;

/** Rows of a state that still need a person; corrected rows that were delivered do not count. */
export const unresolved = (
  { rowStates, resolvedStates }: Pick<ShownBatch, 'rowStates' | 'resolvedStates'>,
  state: RecordState,
): number => (rowStates[state] ?? 0) - (resolvedStates[state] ?? 0);

const refusedRows = (summary: Facts): number =>
  REFUSED_STATES.reduce((sum, state) => sum + unresolved(summary, state), 0);

/** A batch whose open rows all wait for a person is not "under way". */
export function stateMessage(summary: Facts): StateMessages {
  const states = Object.keys(summary.rowStates) as RecordState[];
  const onlyHeld = states.includes('held') && !states.some((state) => lookOfRow(state) === 'wait');
  if (summary.state === 'delivering' && onlyHeld) return WAITING_FOR_DECISION;
  if (summary.state === 'unreadable') return BATCH_MESSAGES.unreadable;
  if (summary.cancelledAt !== null) return summary.state === 'settled' ? CANCELLED : CANCELLING;
  if (summary.state === 'delivering' && isHalted(summary)) return WAITING_FOR_UPSTREAM;
  if (summary.state !== 'settled') return BATCH_MESSAGES[summary.state];
  const { dryRun: isDryRun, rowStates } = summary;
  return finishedMessage({ refused: refusedRows(summary), isDryRun, rowStates });
}

/** Something stops the sending, nothing is on its way, and something waits for that. Pure. */
export function isHalted({
  stops = [],
  rowStates,
}: {
  stops?: readonly SendingStop[];
  rowStates: Partial<Record<RecordState, number>>;
}): boolean {
  const count = (...states: RecordState[]): number => states.reduce((sum, each) => sum + (rowStates[each] ?? 0), 0);
  // What is in line behind another row goes on by itself, unless the whole channel is stopped.
  const waiting = stops.some(({ scac }) => scac === null) ? count('queued') : 0;
  return stops.length > 0 && count('sending') === 0 && waiting + count('waiting', 'unknown') > 0;
}

export const stateLook = (words: StateMessages): Look => lookOf(words.tone, words === WAITING_FOR_DECISION);

/** `226 rows, 218 done`; while the file is read there may be more. */
export function progressText({
  rows,
  rowStates,
  state,
  messages,
  dryRun: isDryRun,
}: Pick<ShownBatch, 'rows' | 'rowStates' | 'state' | 'messages' | 'dryRun'>): string {
  if (rows === 0) return emptyText({ state, messages });
  const waiting = Object.entries(rowStates).reduce(
    (sum, [each, count = 0]) => sum + (['wait', 'held'].includes(lookOfRow(each as RecordState)) ? count : 0),
    0,
  );
  const soFar = state === 'reading' ? ' so far' : '';
  if (waiting === 0 && state === 'settled' && isDryRun)
    return `${inText(rowStates.valid ?? 0)} of ${countOf(rows, 'row')} valid`;
  if (waiting === 0 && state === 'settled')
    return leftOut(rowStates) ?? `${inText(rowStates.delivered ?? 0)} of ${countOf(rows, 'row')} delivered`;
  return `${inText(rows - waiting)} of ${countOf(rows, 'row')}${soFar} ${rows === 1 ? 'is' : 'are'} done`;
}

export function emptyText({ state, messages }: Pick<ShownBatch, 'state' | 'messages'>): string {
  if (state === 'reading' || state === 'delivering') return 'No row has been read yet';
  if (state === 'unreadable') return 'No row could be read';
  return messages === null ? 'The file has a header and no rows' : 'None of the messages has a row';
}

const STOP_MESSAGES: Record<SendingStop['why'], string> = {
  failures: 'Waiting for the receiving system',
  redirects: 'Waiting: the receiving system points to another address',
  credentials_refused: 'Waiting: the receiving system does not accept the operator’s sign-in',
  channel_refused: 'Waiting: the receiving system refuses everything',
  scacs_parked: 'Waiting: the receiving system accepts none of the SCACs',
  not_onboarded: 'Waiting: the receiving system does not accept this SCAC yet',
};

/** `Waiting for the receiving system since 2026-03-02 14:02, next try 14:32:10 UTC`; '': nothing stops it. */
export const stopText = (stops: readonly SendingStop[]): string =>
  stops
    .map(({ why, scac, since, nextTry }) => {
      const whose = scac === null ? '' : ` (${scac})`;
      return `${STOP_MESSAGES[why]}${whose} since ${minute(since)}, next try ${nextTry.slice(11, 19)} UTC`;
    })
    .join('. ');

/** `next try 14:32:10 UTC`: of the first of them that is tried. */
export const nextTryText = (stops: readonly SendingStop[]): string => {
  const first = stops.map(({ nextTry }) => nextTry).sort()[0];
  return first === undefined ? '' : `next try ${first.slice(11, 19)} UTC`;
};

/** `2026-03-02 14:02` */
export const minute = (time: string): string => exactTime(time).slice(0, '2026-03-02 14:02'.length);

const NEEDS_EYES: readonly RecordState[] = ['invalid', 'rejected', 'dead', 'held', 'unknown', 'waiting'];

/** Without a filter the page shows the rows that need a person; null: all. */
export const defaultStates = (summary: Facts): readonly RecordState[] | null => {
  const pressing = NEEDS_EYES.filter((state) => unresolved(summary, state) > 0);
  return pressing.length > 0 ? pressing : null;
};

export const statesOf = ({ rowStates }: Pick<ShownBatch, 'rowStates'>): RecordState[] =>
  SHOWN_ORDER.filter((state) => (rowStates[state] ?? 0) > 0);

export const countIn = (
  { rowStates, rows }: Pick<Facts, 'rowStates' | 'rows'>,
  states: readonly string[] | null,
): number =>
  states === null
    ? rows
    : states.reduce((sum, state) => sum + ((rowStates as Partial<Record<string, number>>)[state] ?? 0), 0);

/** How many of them were corrected since. */
export const resolvedIn = (
  { resolvedStates, resolved }: Pick<Facts, 'resolvedStates' | 'resolved'>,
  states: readonly string[] | null,
): number => (states === null ? resolved : countIn({ rowStates: resolvedStates, rows: resolved }, states));

/* What may be done with it. */

/** Interchanges have an acknowledgment, once; messages have one each. */
export const isAcknowledged = ({ format, state, messages, sentAgainFrom }: Facts): boolean =>
  messages === null && sentAgainFrom === null && hasEnvelopes(format) && state !== 'reading' && state !== 'unreadable';

const wrongRows = (summary: Facts): number =>
  summary.state === 'unreadable' ? 0 : CORRECTABLE.reduce((sum, each) => sum + unresolved(summary, each), 0);

/** Rows that can be had as a file of their own: sets stand in their interchange. */
export const toCorrect = (summary: Facts): number => (hasEnvelopes(summary.format) ? 0 : wrongRows(summary));

/** Rows that can be mended in a page, and are sent from there: messages come by programs, and of a dry run nothing is sent. */
export const toFix = (summary: Facts): number => (summary.messages !== null || summary.dryRun ? 0 : wrongRows(summary));

/** Something of it ended without being delivered, and could be sent again. */
export const mayRetry = ({ requestStates, dryRun }: Facts): boolean =>
  !dryRun &&
  ['rejected', 'dead', 'cancelled'].some(
    (state) => ((requestStates as Partial<Record<string, number>>)[state] ?? 0) > 0,
  );

export const mayCancel = (summary: Facts): boolean =>
  isOpen(summary) && !summary.dryRun && summary.cancelledAt === null;

/* One row. */

type RequestFacts = Pick<
  ShownRow['requests'][number],
  'state' | 'reason' | 'status' | 'answer' | 'nextAt' | 'kind' | 'evidence' | 'scac'
>;

/** @param stops what keeps its batch from being sent. */
export const rowText = (
  row: Omit<ShownRow, 'requests'> & { requests: readonly RequestFacts[] },
  stops: readonly SendingStop[] = [],
): string => {
  const [problem] = row.errors;
  if (row.replacedBy !== null)
    return `Corrected: row ${row.replacedBy.record} of a later upload was delivered in its place`;
  if (problem !== undefined) return shownProblem(problem);
  const pressing = row.requests.find(({ state }) => state === row.state) ?? row.requests[0];
  if (row.state === 'delivered') return deliveredText(row);
  return pressing === undefined
    ? row.group === null
      ? ''
      : `Together with row ${row.group}`
    : requestText(pressing, stops);
};

/** That it was delivered needs no reason, unless something else than its answer shows it. */
function deliveredText({ requests }: { requests: readonly RequestFacts[] }): string {
  const evidence = requests.find((each) => each.evidence !== null && each.evidence !== 'answer')?.evidence ?? 'answer';
  const how = EVIDENCE_MESSAGES[evidence].replace(/^[,;:]? ?/, '');
  return capital(how);
}

/** A failure of theirs that is tried again says so; every other status stands beside what was said. */
const statusText = (status: number, state: RequestFacts['state']): string =>
  status >= 500 && (state === 'waiting' || state === 'unknown')
    ? `The receiving system fails (${status})`
    : `Status ${status}`;

/**
 * How much later than a stop ends its requests come by themselves, in ms: then both are one try. Ours: they are spread
 * over some seconds, and what waits for longer waits for something else.
 */
const SAME_TRY_MS = 60_000;

/** When a request is tried again: where its channel or SCAC is stopped, when that is tried, as the page says above. Pure. */
export function nextTryOf(
  { nextAt, scac }: Pick<RequestFacts, 'nextAt' | 'scac'>,
  stops: readonly SendingStop[],
): string | null {
  const stop = stops
    .filter((each) => each.scac === null || each.scac === scac)
    .map(({ nextTry }) => nextTry)
    .sort()
    .at(-1);
  if (nextAt === null || stop === undefined) return nextAt;
  return Date.parse(nextAt) - Date.parse(stop) > SAME_TRY_MS ? nextAt : stop;
}

/** Why a request is where it is, as short as it can be said. */
export function requestText(
  { state, reason, status, answer, nextAt, kind, evidence, scac }: RequestFacts,
  stops: readonly SendingStop[] = [],
): string {
  const tryAt = nextTryOf({ nextAt, scac }, stops);
  const said = state === 'delivered' || answer === null ? '' : answerMessage(answer);
  const again =
    tryAt === null
      ? ''
      : `${kind === 'order.create' && state === 'unknown' ? 'Looked up' : 'Again'} at ${tryAt.slice(11, 19)} UTC`;
  const shown = said !== '' ? `“${said}”` : reason === null ? '' : REASON_MESSAGES[reason];
  const how = evidence === null ? '' : EVIDENCE_MESSAGES[evidence].replace(/^[,;:]? ?/, '');
  return [shown, status === null ? '' : statusText(status, state), how, again]
    .filter((part) => part !== '')
    .join(' · ');
}

export const rowStateMessage = (state: RecordState): StateMessages => ROW_MESSAGES[state];
export const rowLook = (state: RecordState): Look => lookOfRow(state);

/** A row's state as its list has it. Of a group, only the rows at fault are to be corrected: the others wait for them. */
export function rowState({ state, errors }: Pick<ShownRow, 'state' | 'errors'>): Omit<StateMessages, 'tone'> & {
  look: Look;
} {
  const waitsFor = rowsWaitedFor(errors);
  if (state !== 'invalid' || waitsFor === null) return { ...rowStateMessage(state), look: rowLook(state) };
  const [first = 0, second, ...others] = waitsFor;
  const one = second === undefined ? rowName(first) : `rows ${inText(first)} and ${inText(second)}`;
  return {
    look: 'wait',
    label: others.length > 0 ? 'Waits for its group' : `Waits for ${one}`,
    meaning:
      'Nothing is wrong in this row. It is sent with the others of its group, once those that are wrong are corrected.',
  };
}

/** The rows of its group that a row waits for, as many as are named; null: it is at fault itself. */
export function rowsWaitedFor(errors: readonly Pick<Problem, 'code' | 'message'>[]): readonly number[] | null {
  const of = errors.map(ofOtherRows);
  const rows = new Set(of.flatMap((each) => each?.rows ?? []));
  return rows.size === 0 || of.includes(null) ? null : [...rows];
}
