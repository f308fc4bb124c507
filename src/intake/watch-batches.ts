/** A register's rounds: ensures the alarms of open batches, and deletes what is past its retention. */

import { deleteFiles } from '../batch/steps/ending.ts';
import { type Clock, scaledMs } from '../kernel/clock.ts';
import { BATCH_ID_FORM, batchIdTimeMs } from '../kernel/ids.ts';
import { inLanes } from '../kernel/lanes.ts';
import {
  BATCH_PAUSE_MS,
  BATCH_RETENTION_MS,
  CLAIM_RETENTION_MS,
  SWEEP_BATCHES_MAX,
  SWEEP_CALLS_MAX,
  SWEEP_MS,
  UNCLAIMED_RETENTION_MS,
  WATCH_BATCHES_MAX,
  WATCH_REGISTER_MS,
} from '../kernel/limits.ts';
import { log, messageOf } from '../kernel/log.ts';
import { batchPrefix, filesPrefix, type PartnerScope } from '../kernel/names.ts';
import { forgetOldInterchanges } from './interchanges.ts';
import type { RollingBatches } from './rolling-batches.ts';

/* When a register calls its open batches, and when it looks for what is past its retention. */

interface Rounds {
  /** When open batches are called next, and after which one: its seq. */
  watch: { dueMs: number; after: number };
  /** When stored files are searched next, and after which one. */
  sweep: { dueMs: number; after: string };
}

const due = <After>(waitMs: number, after: After, clock: Clock): { dueMs: number; after: After } => ({
  dueMs: clock.nowMs() + scaledMs(waitMs, clock),
  after,
});

export const firstRounds = (clock: Clock): Rounds => ({
  watch: due(WATCH_REGISTER_MS, 0, clock),
  sweep: due(SWEEP_MS, '', clock),
});

/** @param last seq of the last batch called, if there are more; null: all were called. */
export const afterWatch = (rounds: Rounds, last: number | null, clock: Clock): Rounds => ({
  ...rounds,
  watch: last === null ? due(WATCH_REGISTER_MS, 0, clock) : due(BATCH_PAUSE_MS, last, clock),
});

/** @param last where it stopped, if there are more; null: it reached the end. */
export const afterSweep = (rounds: Rounds, last: string | null, clock: Clock): Rounds => ({
  ...rounds,
  sweep: last === null ? due(SWEEP_MS, '', clock) : due(WATCH_REGISTER_MS, last, clock),
});

/** @param hasOpen batches. @returns when the next of the two is due. */
export const nextRoundMs = ({ watch, sweep }: Rounds, hasOpen: boolean): number =>
  hasOpen ? Math.min(watch.dueMs, sweep.dueMs) : sweep.dueMs;

/*
 * Deletes stored files of a partner that no batch in the register claims: the upload broke off, or the batch has ended.
 * Bounded per run and resumable; ids sort by time, so a run ends at the first one that is too young.
 */

interface SweepPort {
  files: Pick<R2Bucket, 'list' | 'delete'>;
  /** Which of these are in the register. */
  known(batchIds: readonly string[]): ReadonlySet<string>;
  clock: Clock;
}

interface SweepPlan {
  unclaimed: string[];
  /** Where the run stopped; null: at the end, or at what is too young. */
  last: string | null;
}

/** Pure. @param found ids of stored batches, oldest first; isAll: there are no more after them. */
export function sweepPlan(
  found: readonly string[],
  isAll: boolean,
  known: SweepPort['known'],
  clock: Clock,
): SweepPlan {
  const bornBeforeMs = clock.nowMs() - scaledMs(UNCLAIMED_RETENTION_MS, clock);
  const old = found.filter((batchId) => batchIdTimeMs(batchId) < bornBeforeMs);
  const claimed = known(old);
  const unclaimed = old.filter((batchId) => !claimed.has(batchId));
  const now = unclaimed.slice(0, SWEEP_CALLS_MAX);
  if (now.length < unclaimed.length) return { unclaimed: now, last: now.at(-1) ?? null };
  return { unclaimed, last: isAll || old.length < found.length ? null : (old.at(-1) ?? null) };
}

/** @param after id after which the run begins; empty: at the start. @returns where the next one begins; null: done. */
export async function sweepUnclaimed(port: SweepPort, scope: PartnerScope, after: string): Promise<string | null> {
  const prefix = filesPrefix(scope);
  const page = await port.files.list({
    prefix,
    delimiter: '/',
    limit: SWEEP_BATCHES_MAX,
    ...(after === '' ? {} : { startAfter: behind(batchPrefix(scope, after)) }),
  });
  const found = page.delimitedPrefixes
    .map((path) => path.slice(prefix.length, -1))
    .filter((batchId) => BATCH_ID_FORM.test(batchId) && batchId > after)
    .sort();
  const plan = sweepPlan(found, !page.truncated, port.known, port.clock);
  for (const batchId of plan.unclaimed) await deleteFiles(port.files, batchPrefix(scope, batchId));
  return plan.last;
}

/** Sorts after every key with this prefix: `0` follows `/`. */
const behind = (prefix: string): string => `${prefix.slice(0, -1)}0`;

/** What a register needs of a batch it watches. */
interface WatchedBatch {
  /** Ensures the alarm. */
  watch(): Promise<'known' | 'unknown'>;
}

interface WatchPort {
  scope: PartnerScope;
  sql: SqlStorage;
  rolling: RollingBatches;
  files: SweepPort['files'];
  batch(batchId: string): WatchedBatch;
  clock: Clock;
}

type BatchEntry = { seq: number; batch_id: string };

/** @returns when to call it again, in ms of the clock. */
export async function watchBatches(port: WatchPort): Promise<number> {
  const { scope, sql, files, clock } = port;
  const kept = roundsOf(sql);
  if (kept === undefined) keepRounds(sql, firstRounds(clock));
  let rounds = kept ?? firstRounds(clock);
  if (clock.nowMs() >= rounds.watch.dueMs) {
    rounds = afterWatch(rounds, await queryOpen(port, rounds.watch.after), clock);
    keepRounds(sql, rounds);
  }
  if (clock.nowMs() >= rounds.sweep.dueMs) {
    forgetClaims(sql, clock.nowMs(), clock);
    await queryOld(port);
    const known = (batchIds: readonly string[]) => knownOf(sql, batchIds);
    rounds = afterSweep(rounds, await sweepUnclaimed({ files, known, clock }, scope, rounds.sweep.after), clock);
    keepRounds(sql, rounds);
  }
  return nextRoundMs(rounds, openBehind(sql, 0, 1).length > 0);
}

/** Deletes claims past their retention. */
export function forgetClaims(sql: SqlStorage, nowMs: number, clock: Clock): void {
  const endedMs = nowMs - scaledMs(CLAIM_RETENTION_MS, clock);
  sql.exec('DELETE FROM claim WHERE claimed_at_ms < ?', endedMs);
  sql.exec('DELETE FROM idempotency WHERE claimed_at_ms < ?', endedMs);
  forgetOldInterchanges(sql, nowMs, clock);
}

/** Deletes all traces of a deleted batch, but for the audit. */
export function forgetBatch(sql: SqlStorage, rolling: RollingBatches, batchId: string): void {
  const uploads = rolling.uploadsOf(batchId);
  for (const table of ['claim', 'idempotency', 'own_control', 'interchange', 'released'])
    sql.exec(`DELETE FROM ${table} WHERE batch_id IN (SELECT value FROM json_each(?))`, uploads);
  rolling.drop(batchId);
  sql.exec('DELETE FROM batch WHERE batch_id = ?', batchId);
}

/** @returns seq of the last one called, if there may be more. */
async function queryOpen(port: WatchPort, after: number): Promise<number | null> {
  const open = openBehind(port.sql, after, WATCH_BATCHES_MAX);
  await queryBatch(port, open);
  return open.length < WATCH_BATCHES_MAX ? null : (open.at(-1)?.seq ?? null);
}

/** Batches past their retention by more than a sweep: they have lost their alarm, or are already deleted. */
async function queryOld(port: WatchPort): Promise<void> {
  const { sql, rolling, clock } = port;
  const bornBeforeMs = clock.nowMs() - scaledMs(BATCH_RETENTION_MS + SWEEP_MS, clock);
  const query = `SELECT seq, batch_id FROM (SELECT seq, batch_id, ticket FROM batch WHERE state <> 'open' ORDER BY seq LIMIT ?2)
                 WHERE ticket->>'receivedAtMs' < ?1`;
  const old = sql.exec<BatchEntry>(query, bornBeforeMs, SWEEP_CALLS_MAX).toArray();
  for (const batchId of await queryBatch(port, old)) forgetBatch(sql, rolling, batchId);
}

/** One that cannot be reached does not hold up the others. @returns those that are deleted. */
async function queryBatch(port: WatchPort, batches: readonly BatchEntry[]): Promise<string[]> {
  const gone: string[] = [];
  await inLanes(batches, async ({ batch_id: batchId }) => {
    try {
      if ((await port.batch(batchId).watch()) === 'unknown') gone.push(batchId);
    } catch (thrown) {
      log('warn', 'batch_not_reached', { batchId, detail: messageOf(thrown) });
    }
  });
  return gone;
}

const openBehind = (sql: SqlStorage, after: number, limit: number): BatchEntry[] =>
  sql
    .exec<BatchEntry>(
      `SELECT seq, batch_id FROM batch WHERE state = 'open' AND seq > ? ORDER BY seq LIMIT ?`,
      after,
      limit,
    )
    .toArray();

function knownOf(sql: SqlStorage, batchIds: readonly string[]): Set<string> {
  const query = `SELECT batch_id FROM batch WHERE batch_id IN (SELECT value FROM json_each(?1))
                 UNION SELECT upload_id FROM message WHERE upload_id IN (SELECT value FROM json_each(?1))`;
  const rows = sql.exec<{ batch_id: string }>(query, JSON.stringify(batchIds)).toArray();
  return new Set(rows.map(({ batch_id }) => batch_id));
}

function roundsOf(sql: SqlStorage): Rounds | undefined {
  const row = sql.exec<{ json: string }>('SELECT json FROM rounds').toArray()[0];
  return row ? (JSON.parse(row.json) as Rounds) : undefined;
}

const keepRounds = (sql: SqlStorage, rounds: Rounds): void => {
  const query = 'INSERT INTO rounds (id, json) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET json = excluded.json';
  sql.exec(query, JSON.stringify(rounds));
};
