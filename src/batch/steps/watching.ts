/**
 * A Batch's watch over its loads and orders: ensures the alarms of those that are overdue. Every step can be repeated.
 */

import { type Clock, scaledMs } from '../../kernel/clock.ts';
import { WATCH_BATCH_MS, WATCH_PAUSE_MS_MAX, WATCH_REQUESTS_MAX } from '../../kernel/limits.ts';
import { log, messageOf } from '../../kernel/log.ts';
import { loadName, orderName } from '../../kernel/names.ts';
import { loadNumberOf, orderRefOf } from '../../mapping/request.ts';
import type { BatchCheckpoint, BatchProgress } from '../core/progress.ts';
import type { BatchTicket } from '../core/ticket.ts';
import {
  afterEnsuredAlarm,
  type EnsuredAlarm,
  firstPass,
  isMoving,
  lookAt,
  type WatchedRequest,
  type WatchPass,
} from '../core/watch.ts';
import type { ActionPort } from '../object/ports.ts';
import type { BatchStore } from '../store/batch-store.ts';
import { followedIn } from '../store/slice.ts';
import { callEach, isOrderSubject, type Subjects } from './dispatch.ts';

/* What a Batch stores of its watch over loads and orders. SQL only: nothing here decides. */

type EnsuredRow = { scac: string; subject: string; pokes: number; atMs: number; quietUntilMs: number };

export class WatchStore {
  readonly #sql: SqlStorage;
  readonly #store: Pick<BatchStore, 'requestsWithin'>;

  constructor(sql: SqlStorage, store: Pick<BatchStore, 'requestsWithin'>) {
    this.#sql = sql;
    this.#store = store;
  }

  pass(): WatchPass | undefined {
    const row = this.#sql.exec<{ pass: string }>('SELECT pass FROM watch').toArray()[0];
    return row ? (JSON.parse(row.pass) as WatchPass) : undefined;
  }

  keepPass(pass: WatchPass): void {
    const sql = 'INSERT INTO watch (id, pass) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET pass = excluded.pass';
    this.#sql.exec(sql, JSON.stringify(pass));
  }

  /** Requests after `after` up to `last`, in order. */
  requests(after: BatchCheckpoint, last: BatchCheckpoint, limit: number): WatchedRequest[] {
    const ensured = this.#ensured();
    return this.#store.requestsWithin(after, last, limit).map((stored) => {
      const { record, request, subject, scac } = stored;
      const told = { toldAtMs: stored.decided_at_ms, nextAtMs: stored.next_at_ms };
      const poked = ensured.get(subjectAt({ scac, subject })) ?? null;
      return { record, request, subject, scac, state: followedIn(stored), ...told, poked };
    });
  }

  /** Few subjects ever need it. */
  #ensured(): Map<string, EnsuredAlarm> {
    const sql = 'SELECT scac, subject, pokes, at_ms AS atMs, quiet_until_ms AS quietUntilMs FROM poked';
    const rows = this.#sql.exec<EnsuredRow>(sql).toArray();
    return new Map(rows.map(({ scac, subject, ...alarm }) => [subjectAt({ scac, subject }), alarm]));
  }

  storeEnsured(
    { scac, subject }: Pick<WatchedRequest, 'scac' | 'subject'>,
    { pokes, atMs, quietUntilMs }: EnsuredAlarm,
  ): void {
    const sql = 'INSERT OR REPLACE INTO poked (scac, subject, pokes, at_ms, quiet_until_ms) VALUES (?, ?, ?, ?, ?)';
    this.#sql.exec(sql, scac, subject, pokes, atMs, quietUntilMs);
  }

  /** The batch has ended: there is nothing to watch. */
  forget(): void {
    this.#sql.exec('DELETE FROM watch');
    this.#sql.exec('DELETE FROM poked');
  }
}

const subjectAt = ({ scac, subject }: Pick<WatchedRequest, 'scac' | 'subject'>): string =>
  JSON.stringify([scac, subject]);

interface WatchPort {
  watch: WatchStore;
  subjects: Subjects<'ensureAlarm'>;
  clock: Clock;
}

/** @returns ms to the next look. */
export async function watchStep(
  { created: born, store, subjects }: Pick<ActionPort, 'created' | 'store' | 'subjects'>,
  watch: WatchStore,
  clock: Clock,
): Promise<number> {
  const port = { watch, subjects, clock };
  const { ticket, progress } = born();
  const pass = passOf(port, progress);
  if (clock.nowMs() < pass.lookAtMs) return pass.lookAtMs - clock.nowMs();
  if (!isMoving(store.tally())) return scaledMs(WATCH_PAUSE_MS_MAX, clock);
  const page = watch.requests(pass.at, progress.handedOver, WATCH_REQUESTS_MAX);
  const look = lookAt(page, pass, progress.handedOverAtMs ?? ticket.receivedAtMs, clock);
  await callEach(look.overdue, (request) => wake(port, ticket, request));
  watch.keepPass(look.pass);
  return Math.max(0, look.pass.lookAtMs - clock.nowMs());
}

/** A retry reopens what was final. */
function passOf({ watch, clock }: WatchPort, progress: BatchProgress): WatchPass {
  const retriedAtMs = progress.retriedAtMs ?? null;
  const kept = watch.pass();
  if (kept !== undefined && kept.retriedAtMs === retriedAtMs) return kept;
  const fresh = firstPass(clock.nowMs() + scaledMs(WATCH_BATCH_MS, clock), retriedAtMs);
  watch.keepPass(fresh);
  return fresh;
}

/** One that cannot be reached does not hold up the others; it is tried again later. */
async function wake(
  { watch, subjects, clock }: WatchPort,
  ticket: BatchTicket,
  request: WatchedRequest,
): Promise<void> {
  const { subject, scac } = request;
  let wakesAtMs: number | null = null;
  try {
    wakesAtMs = isOrderSubject(subject)
      ? await subjects.order(orderName(ticket, orderRefOf(subject))).ensureAlarm()
      : await subjects.load(loadName(ticket, scac, loadNumberOf(subject))).ensureAlarm();
  } catch (thrown) {
    log('warn', 'subject_not_reached', { batchId: ticket.batchId, detail: messageOf(thrown) });
  }
  watch.storeEnsured(request, afterEnsuredAlarm(request, wakesAtMs, clock));
}
