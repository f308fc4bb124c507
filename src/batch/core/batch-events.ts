/** A batch's checkpoints and state in, the notifications that are due out. Pure; publishes nothing itself. */
import type { BatchSummary } from '../report/summary.ts';
import type { BatchProgress, NotificationCheckpoint, NotificationCheckpoints } from './progress.ts';
import type { Tally } from './row.ts';
import type { BatchTicket } from './ticket.ts';
import { isMoving } from './watch.ts';

export const BATCH_NOTIFICATIONS = ['batch.settled', 'batch.held', 'acknowledgment.ready'] as const;
export type BatchNotificationType = (typeof BATCH_NOTIFICATIONS)[number];

/**
 * @property key with the type, identifies the event among all of a partner: a repeat has the same one. atMs when it
 * happened.
 * data counts and links: never row contents, never a secret.
 */
export interface Notification<Type extends string = string> {
  type: Type;
  key: readonly (string | number)[];
  atMs: number;
  data: Record<string, unknown>;
}

/** Where notifications go: a port of the caller. Idempotent by the event's key; stored when it returns. */
export interface NotificationPort<Type extends string = string> {
  notify(events: readonly Notification<Type>[]): Promise<void>;
}

interface BatchFacts {
  ticket: BatchTicket;
  progress: BatchProgress;
  tally: Tally;
}

/** @returns the checkpoints to store; the same object if nothing changed. */
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

/** An end is identified by its time: the reopen count also grows when only the register is notified again. */
function noteSettled(
  { state, settledAtMs, opening = 0 }: BatchProgress,
  { settled }: NotificationCheckpoints,
): NotificationCheckpoint | undefined {
  if (settledAtMs === null || (state !== 'settled' && state !== 'unreadable')) return settled;
  return settled?.atMs === settledAtMs ? settled : { number: opening, atMs: settledAtMs, isTold: false };
}

/** Sent once for the same held requests, however they come and go: only a growing number is reported. */
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

/** Fewer are held now: lowers the count. A notification not sent yet is dropped, and made again for these. */
const fewer = (held: NonNullable<NotificationCheckpoints['held']>, requests: number) => ({
  ...held,
  requests: held.isTold ? requests : 0,
  isTold: true,
});

const isGoingOn = ({ state, withdrawal, retrying }: BatchProgress): boolean =>
  state !== 'delivering' || withdrawal !== undefined || retrying === true;

/** Messages in a rolling batch have acknowledgments of their own. */
function noteAcknowledged({ ticket, progress }: BatchFacts, { acknowledged }: NotificationCheckpoints, nowMs: number) {
  const isReady = progress.state !== 'reading' && progress.state !== 'unreadable' && progress.message === undefined;
  if (acknowledged !== undefined || !isReady || !isAcknowledged(ticket)) return acknowledged;
  return { number: 0, atMs: nowMs, isTold: false };
}

/** Whether its format has acknowledgments. Sets that are corrected or sent again were acknowledged as they came first. */
export const isAcknowledged = (ticket: Pick<BatchTicket, 'format' | 'again'> | undefined): boolean =>
  ticket?.again === undefined && (ticket?.format === 'x12' || ticket?.format === 'edifact');

const KINDS = { acknowledged: 'acknowledgment.ready', held: 'batch.held', settled: 'batch.settled' } as const;
type NotificationKind = keyof typeof KINDS;

/** The notifications to send, oldest first. Requests no longer held, and ends that were reopened, are dropped. */
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

/** For a message of a rolling batch, once all its rows are known. */
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
