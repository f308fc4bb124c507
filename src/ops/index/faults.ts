/** What went wrong in the bridge itself, counted by the minute over all isolates. */
import { MINUTE_MS } from '../../kernel/clock.ts';
import { type LogLevel, log, messageOf } from '../../kernel/log.ts';
import { ok, type Result } from '../../kernel/result.ts';
import { type DirectoryUnavailable, directoryReached } from '../directory/directory.ts';
import { FAULTS_RETENTION_MS, FAULTS_WRITTEN_MS } from './limits.ts';

/** Answers of 5xx, as the log names them. */
const ANSWER_FAULTS = [
  'request_failed',
  'configuration_refused',
  'platform_unavailable',
  'stored_data_newer',
  'deploy_under_way',
];
const WAKE_UP_FAULT = /_wake_up_failed$|_round_failed$|^batch_not_created$|^replay_step_failed$/;

/** Pure. */
export const faultKind = (event: string): 'answer' | 'wake_up' | 'other' =>
  ANSWER_FAULTS.includes(event) ? 'answer' : WAKE_UP_FAULT.test(event) ? 'wake_up' : 'other';

export interface FaultCount {
  event: string;
  count: number;
}

export type Faults = ReturnType<typeof faultsIn>;

export const faultsIn = (database: D1Database) => ({
  /** Whether the database answers at all. */
  ask: (): Promise<unknown> => database.prepare('SELECT 1').first(),
  since: (sinceMs: number): Promise<Result<FaultCount[], DirectoryUnavailable>> =>
    directoryReached(async () => {
      const sql = 'SELECT event, sum(count) AS count FROM fault_minute WHERE minute >= ? GROUP BY event ORDER BY event';
      const found = await database
        .prepare(sql)
        .bind(Math.floor(sinceMs / MINUTE_MS))
        .all<FaultCount>();
      return ok(found.results);
    }),
});

/** @property later keeps the isolate alive until it is written. */
interface FaultCounterPorts {
  database: () => D1Database;
  later: (work: Promise<unknown>) => void;
  nowMs: () => number;
}

/**
 * Counts errors that are logged, and those answers that are none but are 5xx. An isolate writes once in ten seconds at most:
 * a flood costs no more than that, and its end is written with the next one. Never throws and never logs.
 */
export function faultCounter({ database, later, nowMs }: FaultCounterPorts): (level: LogLevel, event: string) => void {
  const counted = new Map<string, number>();
  let writtenMs = Number.NEGATIVE_INFINITY;
  const write = async (counts: readonly FaultCount[], minute: number): Promise<void> => {
    const sql = `INSERT INTO fault_minute VALUES (?, ?, ?) ON CONFLICT (minute, event) DO UPDATE SET count = count + excluded.count`;
    const to = database();
    await to.batch(counts.map(({ event, count }) => to.prepare(sql).bind(minute, event, count)));
  };
  return (level, event) => {
    if (level !== 'error' && !ANSWER_FAULTS.includes(event)) return;
    counted.set(event, (counted.get(event) ?? 0) + 1);
    const atMs = nowMs();
    if (atMs - writtenMs < FAULTS_WRITTEN_MS) return;
    writtenMs = atMs;
    const counts = [...counted].map(([name, count]) => ({ event: name, count }));
    counted.clear();
    try {
      // Where the directory is what fails, they are lost: the log has them.
      later(write(counts, Math.floor(atMs / MINUTE_MS)).catch(() => undefined));
    } catch {
      // Nothing is under way that could wait for it.
    }
  };
}

/** Never throws: the next run repeats it. */
export async function sweepFaults(database: D1Database, nowMs: number): Promise<void> {
  const before = Math.floor((nowMs - FAULTS_RETENTION_MS) / MINUTE_MS);
  try {
    await database.prepare('DELETE FROM fault_minute WHERE minute < ?').bind(before).run();
  } catch (thrown) {
    log('warn', 'faults_not_swept', { detail: messageOf(thrown) });
  }
}
