/** What is news of a batch, and when: marks of what partners were told, and what follows from where it stands. Pure. */

import type { BatchSummary } from '../report/summary.ts';
import type { BatchNewsType, NewsEvent } from './news-event.ts';
import type { BatchProgress, NewsMark, NewsMarks } from './progress.ts';
import type { Tally } from './row.ts';
import type { BatchTicket } from './ticket.ts';
import { isMoving } from './watch.ts';

interface BatchFacts {
  ticket: BatchTicket;
  progress: BatchProgress;
  tally: Tally;
}

/** @returns the marks as they are to be kept; the same object where nothing is new. */
export function noteNews(facts: BatchFacts, marks: NewsMarks, nowMs: number): NewsMarks {
  const acknowledged = noteAcknowledged(facts, marks, nowMs);
  const held = noteHeld(facts, marks, nowMs);
  const settled = noteSettled(facts.progress, marks);
  if (acknowledged === marks.acknowledged && held === marks.held && settled === marks.settled) return marks;
  return { ...(acknowledged && { acknowledged }), ...(held && { held }), ...(settled && { settled }) };
}

/** The end is known by its time: the number of an opening also grows where only the register is told anew. */
function noteSettled({ state, settledAtMs, opening = 0 }: BatchProgress, { settled }: NewsMarks): NewsMark | undefined {
  if (settledAtMs === null || (state !== 'settled' && state !== 'unreadable')) return settled;
  return settled?.atMs === settledAtMs ? settled : { number: opening, atMs: settledAtMs, isTold: false };
}

/** Told once for the same held ones, however often others come and go: only more of them are news. */
function noteHeld({ progress, tally }: BatchFacts, { held: was }: NewsMarks, nowMs: number): NewsMarks['held'] {
  const requests = tally.requests.held ?? 0;
  const held = was !== undefined && requests < was.requests ? fewer(was, requests) : was;
  if (requests <= (held?.requests ?? 0) || isGoingOn(progress) || isMoving(tally)) return held;
  return { number: (held?.number ?? 0) + 1, atMs: nowMs, isTold: false, requests };
}

/** What was not told of more than are left is told anew of these. */
const fewer = (held: NonNullable<NewsMarks['held']>, requests: number) => ({
  ...held,
  requests: held.isTold ? requests : 0,
  isTold: true,
});

const isGoingOn = ({ state, withdrawal, retrying }: BatchProgress): boolean =>
  state !== 'delivering' || withdrawal !== undefined || retrying === true;

/** Messages that share a batch have acknowledgments of their own. */
function noteAcknowledged({ ticket, progress }: BatchFacts, { acknowledged }: NewsMarks, nowMs: number) {
  const isReady = progress.state !== 'reading' && progress.state !== 'unreadable' && progress.message === undefined;
  if (acknowledged !== undefined || !isReady || !isAcknowledged(ticket)) return acknowledged;
  return { number: 0, atMs: nowMs, isTold: false };
}

/** Its format has acknowledgments. */
export const isAcknowledged = (ticket: Pick<BatchTicket, 'format'> | undefined): boolean =>
  ticket?.format === 'x12' || ticket?.format === 'edifact';

export const KINDS = { acknowledged: 'acknowledgment.ready', held: 'batch.held', settled: 'batch.settled' } as const;
export type NewsKind = keyof typeof KINDS;

/** What is to be told, in the order in which it came about. What is held no more, or was opened again, is no news any more. */
export function dueNews({ acknowledged, held, settled }: NewsMarks, { settledAtMs }: BatchProgress): NewsKind[] {
  const due: NewsKind[] = [];
  if (acknowledged?.isTold === false) due.push('acknowledged');
  if (held?.isTold === false && settledAtMs === null) due.push('held');
  if (settled?.isTold === false && settled.atMs === settledAtMs) due.push('settled');
  return due;
}

export function newsEvent(kind: NewsKind, mark: NewsMark, summary: BatchSummary): NewsEvent<BatchNewsType> {
  const { batchId } = summary;
  const self = `/v1/batches/${batchId}`;
  const acknowledgment = kind === 'acknowledged' ? { acknowledgment: `${self}/acknowledgment` } : {};
  return {
    type: KINDS[kind],
    key: [batchId, mark.number],
    atMs: mark.atMs,
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
export function messageNews(
  { batchId, environment, mapping, format }: BatchTicket,
  { message, sha256, records }: { message: number; sha256: string; records: number | null },
  atMs: number,
): NewsEvent<BatchNewsType> {
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
