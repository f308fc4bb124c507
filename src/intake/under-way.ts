/**
 * What a partner has under way, and how many new loads and orders its batches may call in a minute: what one partner sends
 * must not become everybody's wait. What is accepted is never lost by it, it waits. Of the register's storage, and exact.
 */
import type { Granted } from '../batch/core/pacing.ts';
import { MINUTE_MS } from '../kernel/clock.ts';
import { NEW_SUBJECTS_SAVED_MS_MAX } from './limits.ts';

/** @property left of what may be called, at this moment. */
interface Allowance {
  left: number;
  atMs: number;
}

const ROWS = 'under-way-rows/';
const ALLOWANCE = 'new-subjects-left';

/** Of large files: small ones are counted as files. */
export const rowsUnderWay = (kv: SyncKvStorage): number => {
  let sum = 0;
  for (const [, rows] of kv.list<number>({ prefix: ROWS })) sum += rows;
  return sum;
};

export const noteRows = (kv: SyncKvStorage, batchId: string, rows: number): void => kv.put(ROWS + batchId, rows);

/** Idempotent. */
export const forgetRows = (kv: SyncKvStorage, batchId: string): void => void kv.delete(ROWS + batchId);

/**
 * What a minute allows comes evenly: all at its beginning would be everybody's wait. Half of what can be saved is granted at
 * least, or all that is wanted, so that a batch does not ask for each one.
 */
export function grantSubjects(kv: SyncKvStorage, wanted: number, mostPerMinute: number, nowMs: number): Granted {
  const perMs = mostPerMinute / MINUTE_MS;
  const most = Math.max(1, perMs * NEW_SUBJECTS_SAVED_MS_MAX);
  const last = kv.get<Allowance>(ALLOWANCE);
  const isKnown = last !== undefined && nowMs >= last.atMs;
  const left = isKnown ? Math.min(most, last.left + (nowMs - last.atMs) * perMs) : most;
  const least = Math.min(wanted, Math.ceil(most / 2));
  if (left < least) return { subjects: 0, waitMs: Math.ceil((least - left) / perMs) };
  const subjects = Math.min(wanted, Math.floor(left));
  if (subjects > 0) kv.put(ALLOWANCE, { left: left - subjects, atMs: nowMs });
  return { subjects, waitMs: 0 };
}
