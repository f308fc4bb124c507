/**
 * The batch's one row in the index of all batches (D1), for lists across partners. Written at creation, at most every
 * few seconds while open, and at the end; never per row, and nothing waits for it. Any difference from what was written
 * last is written later.
 */

import type { RecordState } from '../../delivery/outcome.ts';
import { type Clock, scaledMs } from '../../kernel/clock.ts';
import { INDEX_PAUSE_MS, INDEX_RETRY_MS, INDEX_RETRY_MS_MAX, INDEX_WRITE_MS_MAX } from '../../kernel/limits.ts';
import { log, messageOf } from '../../kernel/log.ts';
import type { PartnerScope } from '../../kernel/names.ts';
import type { BatchCost } from '../core/cost.ts';
import { minuteTotalsMs } from '../core/minutes.ts';
import type { IndexCheckpoint } from '../core/progress.ts';
import type { BatchSummary } from '../report/summary.ts';
import {
  type ChangedParts,
  changedParts,
  forgottenIssues,
  type IndexParts,
  partStatements,
  removeParts,
} from './index-parts.ts';

/** A row of the index, as it is stored. */
export type IndexedBatch = {
  environment: string;
  batch_id: string;
  partner: string;
  mapping: string;
  mapping_sha256: string;
  scac: string | null;
  file_name: string | null;
  messages: number | null;
  bytes: number;
  is_dry_run: number;
  received_at_ms: number;
  settled_at_ms: number | null;
  state: string;
  is_cancelled: number;
  row_count: number;
  /** JSON. */
  row_states: string;
  held: number;
  refused: number;
  trouble: string | null;
  needs_somebody: number;
  /** At list price; null: it began before this was counted. */
  dollars: number | null;
  /** null: it wrote its row before this was listed. */
  channel: string | null;
};

/** Undelivered rows that only a person can move on, except those delivered in corrected form. */
export const REFUSED_STATES: readonly RecordState[] = ['invalid', 'rejected', 'dead'];

/** @param trouble why the last wake-up failed; null: it succeeded. */
export function indexedBatch(
  summary: BatchSummary,
  trouble: string | null,
  cost: BatchCost | null,
  channel: string,
): IndexedBatch {
  const { rowStates, state, dryRun } = summary;
  const held = rowStates.held ?? 0;
  const { resolvedStates } = summary;
  const refused = REFUSED_STATES.reduce((sum, each) => sum + (rowStates[each] ?? 0) - (resolvedStates[each] ?? 0), 0);
  const needsSomebody = held > 0 || trouble !== null || (!dryRun && (refused > 0 || state === 'unreadable'));
  return {
    environment: summary.environment,
    batch_id: summary.batchId,
    partner: summary.partner,
    mapping: summary.mapping,
    mapping_sha256: summary.mappingSha256,
    scac: summary.scac,
    file_name: summary.fileName,
    messages: summary.messages,
    bytes: summary.bytes,
    is_dry_run: Number(dryRun),
    received_at_ms: Date.parse(summary.receivedAt),
    settled_at_ms: summary.settledAt === null ? null : Date.parse(summary.settledAt),
    state,
    is_cancelled: Number(summary.cancelledAt !== null),
    row_count: summary.rows,
    row_states: JSON.stringify(rowStates),
    held,
    refused,
    trouble,
    needs_somebody: Number(needsSomebody),
    dollars: cost?.dollars ?? null,
    channel,
  };
}

/** What a Batch needs of the index. */
interface BatchIndex {
  /** Idempotent; no effect if a later revision is written. One transaction. */
  write(row: IndexedBatch, stamp: { revision: number; written_at_ms: number }, parts: ChangedParts): Promise<void>;
  /** Idempotent. What they say of their rows; those that no batch has are deleted. */
  forgetIssues(environment: string, ids: readonly string[]): Promise<void>;
  /** Idempotent. */
  remove(environment: string, batchId: string, nowMs: number): Promise<void>;
}

/** @param minutesKeptMs how long totals are kept by the minute: older ones are left as they are. */
export function batchIndex(database: D1Database, minutesKeptMs = minuteTotalsMs()): BatchIndex {
  return {
    async write(row, stamp, parts) {
      const columns = Object.entries({ ...row, ...stamp });
      const names = columns.map(([name]) => name);
      const changes = names.map((name) => `${name} = excluded.${name}`);
      const sql = `INSERT INTO batch_index (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})
                   ON CONFLICT (environment, batch_id) DO UPDATE SET ${changes.join(', ')}
                   WHERE excluded.revision >= batch_index.revision`;
      const own = database.prepare(sql).bind(...columns.map(([, value]) => value));
      const owner = { ...row, channel: row.channel ?? '' };
      await database.batch([own, ...partStatements(database, owner, parts, stamp, minutesKeptMs)]);
    },
    async forgetIssues(environment, ids) {
      await database.batch(forgottenIssues(database, environment, ids));
    },
    async remove(environment, batchId, nowMs) {
      const sql = 'DELETE FROM batch_index WHERE environment = ? AND batch_id = ?';
      const own = database.prepare(sql).bind(environment, batchId);
      await database.batch([own, ...removeParts(database, environment, batchId, nowMs)]);
    },
  };
}

interface IndexingPort {
  index(): BatchIndex;
  /** The batch's current row; null: it was never created, or is deleted. */
  row(): IndexedBatch | null;
  /** Of the same moment. */
  parts(): IndexParts;
  mark(): IndexCheckpoint;
  storeCheckpoint(mark: IndexCheckpoint): void;
  clock: Clock;
}

/** What a row must be written for again. Not for what it cost: writing it costs something, too. */
const textOf = ({ dollars: _, ...row }: IndexedBatch): string => JSON.stringify(row);

const withoutParts = ({ revision, written }: IndexCheckpoint): IndexCheckpoint => ({ revision, written });

export class Indexing {
  readonly #port: IndexingPort;
  #notBeforeMs = 0;
  #failures = 0;
  /** The write under way, and when it began; null: none. */
  #current: { beganMs: number } | null = null;
  #running: Promise<boolean> = Promise.resolve(true);

  constructor(port: IndexingPort) {
    this.#port = port;
  }

  /**
   * Begins a write if the index is out of date. Never throws, waits for nothing. @returns ms to the next step; null: it
   * is up to date.
   */
  step(): number | null {
    const { clock } = this.#port;
    const restMs = this.#notBeforeMs - clock.nowMs();
    if (restMs > 0) return Math.min(restMs, scaledMs(INDEX_RETRY_MS_MAX, clock)); // the clock may have been set back
    try {
      const row = this.#port.row();
      if (row === null || textOf(row) === this.#port.mark().written) return null;
      if (this.#isUnderWay()) return scaledMs(INDEX_PAUSE_MS, clock);
      void this.#write(row);
    } catch (thrown) {
      log('warn', 'batch_not_indexed', { detail: messageOf(thrown) });
    }
    return scaledMs(INDEX_RETRY_MS, clock);
  }

  /**
   * Writes the row again, whatever the index has. @returns whether there is one; throws when it could not be written.
   */
  async rewrite(): Promise<boolean> {
    await this.#running;
    const row = this.#port.row();
    if (row === null) return false;
    this.#port.storeCheckpoint(withoutParts(this.#port.mark())); // the index may have lost some of them
    if (!(await this.#write(row))) throw new Error('the index could not be written');
    return true;
  }

  /** Some of what it has of these issues was erased. Throws when that could not be written. */
  async forgetIssues(ids: readonly string[]): Promise<void> {
    await this.rewrite(); // after a write under way that has them still
    const row = this.#port.row();
    if (row !== null) await this.#port.index().forgetIssues(row.environment, ids);
  }

  /** The batch is about to be deleted. @param issues that are forgotten. @returns whether its row is deleted; the batch stays until it is. */
  async remove({ environment }: PartnerScope, batchId: string, issues: readonly string[] = []): Promise<boolean> {
    if (this.#isUnderWay()) return false; // a late write would bring the row back
    this.#current = null;
    try {
      await this.#port.index().remove(environment, batchId, this.#port.clock.nowMs());
      if (issues.length > 0) await this.#port.index().forgetIssues(environment, issues);
    } catch (thrown) {
      log('warn', 'batch_not_indexed', { environment, batchId, detail: messageOf(thrown) });
      return false;
    }
    if (this.#current !== null) return false; // one began meanwhile
    this.#port.storeCheckpoint({ ...withoutParts(this.#port.mark()), written: null });
    return true;
  }

  #isUnderWay(): boolean {
    const { clock } = this.#port;
    return this.#current !== null && clock.nowMs() - this.#current.beganMs < scaledMs(INDEX_WRITE_MS_MAX, clock);
  }

  #write(row: IndexedBatch): Promise<boolean> {
    const { clock, mark, storeCheckpoint, index, parts } = this.#port;
    const own = { beganMs: clock.nowMs() };
    const known = mark();
    const revision = known.revision + 1;
    const changed = changedParts(parts(), known.revision === 0 ? null : known.parts);
    storeCheckpoint({ revision, written: null }); // until the result is known, the index may have either
    this.#current = own;
    this.#notBeforeMs = own.beganMs + scaledMs(INDEX_PAUSE_MS, clock);
    this.#running = index()
      .write(row, { revision, written_at_ms: own.beganMs }, changed)
      .then(() => {
        if (this.#current === own) storeCheckpoint({ revision, written: textOf(row), parts: changed.all }); // else it may be deleted
        this.#failures = 0;
        return true;
      })
      .catch((thrown: unknown) => {
        const pauseMs = Math.min(INDEX_RETRY_MS * 2 ** this.#failures, INDEX_RETRY_MS_MAX);
        this.#failures += 1;
        this.#notBeforeMs = clock.nowMs() + scaledMs(pauseMs, clock);
        log('warn', 'batch_not_indexed', { batchId: row.batch_id, detail: messageOf(thrown) });
        return false;
      })
      .finally(() => {
        if (this.#current === own) this.#current = null;
      });
    return this.#running;
  }
}
