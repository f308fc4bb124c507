/** What is news of a batch, and when: marks of what partners were told, and what follows from where it stands. Pure. */
import type { BatchSummary } from '../report/summary.ts';
import type { BatchProgress, NotificationCheckpoint, NotificationCheckpoints } from './progress.ts';
import type { Tally } from './row.ts';
import type { BatchTicket } from './ticket.ts';
import { isMoving } from './watch.ts';

/* What partners are told of a batch. */

export const BATCH_NOTIFICATIONS = ['batch.settled', 'batch.held', 'acknowledgment.ready'] as const;
export type BatchNotificationType = (typeof BATCH_NOTIFICATIONS)[number];

/**
 * @property key with the type it names the event among all of a partner: a repeat bears the same. atMs when it came to be. data
 * counts and links: never what stands in a row, never a secret.
 */
export interface Notification<Type extends string = string> {
  type: Type;
  key: readonly (string | number)[];
  atMs: number;
  data: Record<string, unknown>;
}

/** Where news is told: a port of the caller. Idempotent by the event's key; stored when it returns. */
export interface NotificationPort<Type extends string = string> {
  notify(events: readonly Notification<Type>[]): Promise<void>;
}

interface BatchFacts {
  ticket: BatchTicket;
  progress: BatchProgress;
  tally: Tally;
}

/** @returns the marks as they are to be kept; the same object where nothing is new. */
export function noteNotifications(
  facts: BatchFacts,
  checkpointsOf: NotificationCheckpoints,
  nowMs: number,
): NotificationCheckpoints {
  const acknowledged = noteAcknowledged(facts, checkpointsOf, nowMs);
  const held = noteHeld(facts, checkpointsOf, nowMs);
  const settled = noteSettled(facts.progress, checkpointsOf);
  if (acknowledged === checkpointsOf.acknowledged && held === checkpointsOf.held && settled === checkpointsOf.settled)
    return checkpointsOf;
  return { ...(acknowledged && { acknowledged }), ...(held && { held }), ...(settled && { settled }) };
}

/** The end is known by its time: the number of an opening also grows where only the register is told anew. */
function noteSettled(
  { state, settledAtMs, opening = 0 }: BatchProgress,
  { settled }: NotificationCheckpoints,
): NotificationCheckpoint | undefined {
  if (settledAtMs === null || (state !== 'settled' && state !== 'unreadable')) return settled;
  return settled?.atMs === settledAtMs ? settled : { number: opening, atMs: settledAtMs, isTold: false };
}

/** Told once for the same held ones, however often others come and go: only more of them are news. */
function noteHeld(
  { progress, tally }: BatchFacts,
  { held: was }: NotificationCheckpoints,
  nowMs: number,
): NotificationCheckpoints['held'] {
  const requests = tally.requests.held ?? 0;
  const held = was !== undefined && requests < was.requests ? fewer(was, requests) : was;
  if (requests <= (held?.requests ?? 0) || isGoingOn(progress) || isMoving(tally)) return held;
  return { number: (held?.number ?? 0) + 1, atMs: nowMs, isTold: false, requests };
}

/** What was not told of more than are left is told anew of these. */
const fewer = (held: NonNullable<NotificationCheckpoints['held']>, requests: number) => ({
  ...held,
  requests: held.isTold ? requests : 0,
  isTold: true,
});

const isGoingOn = ({ state, withdrawal, retrying }: BatchProgress): boolean =>
  state !== 'delivering' || withdrawal !== undefined || retrying === true;

/** Messages that share a batch have acknowledgments of their own. */
function noteAcknowledged({ ticket, progress }: BatchFacts, { acknowledged }: NotificationCheckpoints, nowMs: number) {
  const isReady = progress.state !== 'reading' && progress.state !== 'unreadable' && progress.message === undefined;
  if (acknowledged !== undefined || !isReady || !isAcknowledged(ticket)) return acknowledged;
  return { number: 0, atMs: nowMs, isTold: false };
}

/** Its format has acknowledgments. */
export const isAcknowledged = (ticket: Pick<BatchTicket, 'format'> | undefined): boolean =>
  ticket?.format === 'x12' || ticket?.format === 'edifact';

const KINDS = { acknowledged: 'acknowledgment.ready', held: 'batch.held', settled: 'batch.settled' } as const;
type NotificationKind = keyof typeof KINDS;

/** What is to be told, in the order in which it came about. What is held no more, or was opened again, is no news any more. */
export function dueNotifications(
  { acknowledged, held, settled }: NotificationCheckpoints,
  { settledAtMs }: BatchProgress,
): NotificationKind[] {
  const due: NotificationKind[] = [];
  if (acknowledged?.isTold === false) due.push('acknowledged');
  if (held?.isTold === false && settledAtMs === null) due.push('held');
  if (settled?.isTold === false && settled.atMs === settledAtMs) due.push('settled');
  return due;
}

export function notificationOf(
  kind: NotificationKind,
  checkpointOf: NotificationCheckpoint,
  summary: BatchSummary,
): Notification<BatchNotificationType> {
  const { batchId } = summary;
  const self = `/v1/batches/${batchId}`;
  const acknowledgment = kind === 'acknowledged' ? { acknowledgment: `${self}/acknowledgment` } : {};
  return {
    type: KINDS[kind],
    key: [batchId, checkpointOf.number],
    atMs: checkpointOf.atMs,
    data: {
      batchId,
      environment: summary.environment,
      mapping: summary.mapping,
      format: summary.format,
      sha256: summary.sha256,
      dryRun: summary.dryRun,
      state: summary.state,
      receivedAt: summary.receivedAt,
      settledAt: summary.settledAt,
      cancelledAt: summary.cancelledAt,
      messages: summary.messages,
      rows: summary.rows,
      rowStates: summary.rowStates,
      requests: summary.requests,
      requestStates: summary.requestStates,
      links: { self, rows: `${self}/rows`, reportJson: `${self}/report.json`, ...acknowledgment },
    },
  };
}

/** A message of a shared batch, all rows of which are known. */
export function messageNotifications(
  { batchId, environment, mapping, format }: BatchTicket,
  { message, sha256, records }: { message: number; sha256: string; records: number | null },
  atMs: number,
): Notification<BatchNotificationType> {
  const self = `/v1/messages/${batchId}/${message}`;
  const links = {
    self,
    rows: `${self}/rows`,
    acknowledgment: `${self}/acknowledgment`,
    batch: `/v1/batches/${batchId}`,
  };
  return {
    type: 'acknowledgment.ready',
    key: [batchId, 'message', message],
    atMs,
    data: { batchId, message, environment, mapping, format: format ?? null, sha256, rows: records ?? 0, links },
  };
}
