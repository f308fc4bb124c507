/**
 * What a partner has under way, and how many new loads and orders its batches may call in a minute: what one partner sends
 * must not become everybody's wait. What is accepted is never lost by it, it waits. Of the register's storage, and exact.
 */
import type { Granted } from '../batch/core/pacing.ts';
import { MINUTE_MS } from '../kernel/clock.ts';

interface Minute {
  startedMs: number;
  subjects: number;
}

const ROWS = 'under-way-rows/';
const MINUTE = 'new-subjects';

/** Of large files: small ones are counted as files. */
export const rowsUnderWay = (kv: SyncKvStorage): number => {
  let sum = 0;
  for (const [, rows] of kv.list<number>({ prefix: ROWS })) sum += rows;
  return sum;
};

export const noteRows = (kv: SyncKvStorage, batchId: string, rows: number): void => kv.put(ROWS + batchId, rows);

/** Idempotent. */
export const forgetRows = (kv: SyncKvStorage, batchId: string): void => void kv.delete(ROWS + batchId);

/** A minute begins with the first that asks after the last one's end. */
export function grantSubjects(kv: SyncKvStorage, wanted: number, mostPerMinute: number, nowMs: number): Granted {
  const last = kv.get<Minute>(MINUTE);
  const isOver = last === undefined || nowMs >= last.startedMs + MINUTE_MS || nowMs < last.startedMs;
  const minute = isOver ? { startedMs: nowMs, subjects: 0 } : last;
  const subjects = Math.min(wanted, Math.max(0, mostPerMinute - minute.subjects));
  if (subjects === 0) return { subjects, waitMs: minute.startedMs + MINUTE_MS - nowMs };
  kv.put(MINUTE, { ...minute, subjects: minute.subjects + subjects });
  return { subjects, waitMs: 0 };
}
