/** A register's rounds: open batches are asked whether their alarm is set, and what has outlived its time is deleted. */

import { type Clock, scaledMs } from '../kernel/clock.ts';
import { inLanes } from '../kernel/lanes.ts';
import { BATCH_LIFE_MS, CLAIM_LIFE_MS, SWEEP_CALLS_MAX, SWEEP_MS, WATCH_BATCHES_MAX } from '../kernel/limits.ts';
import { log, messageOf } from '../kernel/log.ts';
import type { PartnerScope } from '../kernel/names.ts';
import { forgetOldInterchanges } from './interchanges.ts';
import { PLACED_IN } from './rolls.ts';
import { afterSweep, afterWatch, firstRounds, nextRoundMs, type Rounds } from './rounds.ts';
import { type SweepPort, sweepUnclaimed } from './sweep.ts';

/** What a register needs of a batch it watches. */
export interface WatchedBatch {
  /** Arms an alarm that was lost. */
  watch(): Promise<'known' | 'unknown'>;
}

export interface WatchPort {
  scope: PartnerScope;
  sql: SqlStorage;
  files: SweepPort['files'];
  batch(batchId: string): WatchedBatch;
  clock: Clock;
}

type BatchEntry = { seq: number; batch_id: string };

/** @returns when it is to be called again, in ms of the clock. */
export async function watchBatches(port: WatchPort): Promise<number> {
  const { scope, sql, files, clock } = port;
  const kept = roundsOf(sql);
  if (kept === undefined) keepRounds(sql, firstRounds(clock));
  let rounds = kept ?? firstRounds(clock);
  if (clock.nowMs() >= rounds.watch.dueMs) {
    rounds = afterWatch(rounds, await askOpen(port, rounds.watch.after), clock);
    keepRounds(sql, rounds);
  }
  if (clock.nowMs() >= rounds.sweep.dueMs) {
    forgetClaims(sql, clock.nowMs(), clock);
    await askOld(port);
    const known = (batchIds: readonly string[]) => knownOf(sql, batchIds);
    rounds = afterSweep(rounds, await sweepUnclaimed({ files, known, clock }, scope, rounds.sweep.after), clock);
    keepRounds(sql, rounds);
  }
  return nextRoundMs(rounds, openBehind(sql, 0, 1).length > 0);
}

/** Claims whose life has ended. */
export function forgetClaims(sql: SqlStorage, nowMs: number, clock: Clock): void {
  const endedMs = nowMs - scaledMs(CLAIM_LIFE_MS, clock);
  sql.exec('DELETE FROM claim WHERE claimed_at_ms < ?', endedMs);
  sql.exec('DELETE FROM idempotency WHERE claimed_at_ms < ?', endedMs);
  forgetOldInterchanges(sql, nowMs, clock);
}

/** All traces of a batch that is gone, but for the audit. */
export function forgetBatch(sql: SqlStorage, batchId: string): void {
  for (const table of ['claim', 'idempotency', 'own_control', 'interchange'])
    sql.exec(`DELETE FROM ${table} WHERE batch_id = ?1 OR batch_id IN ${PLACED_IN}`, batchId);
  sql.exec('DELETE FROM message WHERE batch_id = ? AND part IS NULL', batchId);
  for (const table of ['batch', 'roll']) sql.exec(`DELETE FROM ${table} WHERE batch_id = ?`, batchId);
}

/** @returns seq of the last one asked where there may be more behind it. */
async function askOpen(port: WatchPort, after: number): Promise<number | null> {
  const open = openBehind(port.sql, after, WATCH_BATCHES_MAX);
  await ask(port, open);
  return open.length < WATCH_BATCHES_MAX ? null : (open.at(-1)?.seq ?? null);
}

/** Batches past their life by more than a sweep: they have lost their alarm, or are gone already. */
async function askOld(port: WatchPort): Promise<void> {
  const { sql, clock } = port;
  const bornBeforeMs = clock.nowMs() - scaledMs(BATCH_LIFE_MS + SWEEP_MS, clock);
  const query = `SELECT seq, batch_id FROM (SELECT seq, batch_id, ticket FROM batch WHERE state <> 'open' ORDER BY seq LIMIT ?2)
                 WHERE ticket->>'receivedAtMs' < ?1`;
  const old = sql.exec<BatchEntry>(query, bornBeforeMs, SWEEP_CALLS_MAX).toArray();
  for (const batchId of await ask(port, old)) forgetBatch(sql, batchId);
}

/** One that cannot be reached costs no other its turn. @returns those of them that are gone. */
async function ask(port: WatchPort, batches: readonly BatchEntry[]): Promise<string[]> {
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
