/**
 * Closes corrections: once a row is delivered that replaces a row of an earlier batch, that batch is notified, and its
 * row is resolved. Every step can be repeated; delivery never waits for it.
 */

import { type Clock, scaledMs } from '../../kernel/clock.ts';
import { NOTIFICATION_PAUSE_MS } from '../../kernel/limits.ts';
import { log, messageOf } from '../../kernel/log.ts';
import { concerns, type FollowedReplaced, locationNamed, type Replaced } from '../core/replacing.ts';
import type { RowLocation } from '../core/row.ts';
import type { MappedRow } from '../core/run.ts';
import { addTo } from '../core/tally.ts';
import type { BatchTicket } from '../core/ticket.ts';
import type { ActionPort } from '../object/ports.ts';

/*
 * Queries earlier batches about the rows to be replaced: one call per batch, a few hops if replacements replace each
 * other.
 */

/** @property record of the batch queried; by the row that would replace it. */
export interface ReplacingRow {
  record: number;
  by: RowLocation;
}

export interface EarlierBatches {
  register: { knows(batchId: string): Promise<boolean> };
  batch(batchId: string): { classifyRows(asked: readonly ReplacingRow[], claim: boolean): Promise<Replaced[]> };
}

/** Corrections of corrections: nobody makes a longer chain. Ours. */
const HOPS_MAX = 20;

/** @returns an answer by number of each querying row. */
export async function queryReplaced(
  rows: readonly MappedRow[],
  { batchId, dryRun }: BatchTicket,
  earlier: EarlierBatches,
): Promise<Map<number, FollowedReplaced>> {
  const answers = new Map<number, FollowedReplaced>();
  let asking = concerns(rows).flatMap((row) => {
    const place = locationNamed(row);
    if (place === undefined) answers.set(row.position.record, { outcome: 'unknown' });
    return place === undefined ? [] : [{ place, own: row.position.record }];
  });
  for (let hop = 0; asking.length > 0 && hop < HOPS_MAX; hop += 1) {
    const next: typeof asking = [];
    for (const [asked, group] of Map.groupBy(asking, ({ place }) => place.batchId)) {
      const found = await queryBatch(asked, group, { batchId, dryRun }, earlier);
      for (const [index, { place, own }] of group.entries()) {
        const answer = found[index] ?? { outcome: 'unknown' };
        if (answer.outcome === 'replaced') next.push({ place: answer.by, own });
        else answers.set(own, answer.outcome === 'free' ? { outcome: 'free', at: place } : answer);
      }
    }
    asking = next;
  }
  return answers;
}

async function queryBatch(
  asked: string,
  group: readonly { place: RowLocation; own: number }[],
  { batchId, dryRun }: Pick<BatchTicket, 'batchId' | 'dryRun'>,
  { register, batch }: EarlierBatches,
): Promise<readonly Replaced[]> {
  // Another row of this very batch was first: its outcome is not known yet.
  if (asked === batchId) return group.map((): Replaced => ({ outcome: 'open', state: 'queued' }));
  if (!(await register.knows(asked))) return [];
  const rows = group.map(({ place, own }) => ({ record: place.record, by: { batchId, record: own } }));
  return batch(asked).classifyRows(rows, !dryRun);
}

/** How long a batch collects delivered replacements before it notifies the earlier batches, in ms. Ours. */
export const RESOLVING_PAUSE_MS = 5_000;
/** Batches notified per step, and rows of one. Ours: bounds the calls of a wake-up. */
const BATCHES_AT_ONCE = 6;
const ROWS_AT_ONCE = 1_000;

/** A row of the batch that is notified. @property by the row delivered in its place. */
export interface ResolvedRow {
  record: number;
  by: RowLocation;
}

/** Idempotent; one commit. All rows of a group are resolved together. */
export const resolveRows = (port: Pick<ActionPort, 'store' | 'claims'>, asked: readonly ResolvedRow[]): void =>
  port.store.commit(() => resolveEach(port, asked));

function resolveEach({ store, claims }: Pick<ActionPort, 'store' | 'claims'>, asked: readonly ResolvedRow[]): void {
  const tally = store.tally();
  const resolved = { ...tally.resolved };
  for (const { record, by } of asked) {
    const rows = store.resolve(record, by);
    for (const { state } of rows) addTo(resolved, state, 1);
    claims.resolved(
      rows.map((row) => row.record),
      by,
    );
  }
  store.keepTally({ ...tally, resolved });
}

interface ResolvingPort {
  register: Pick<EarlierBatches['register'], 'knows'>;
  batch(batchId: string): { resolveRows(asked: readonly ResolvedRow[]): Promise<void> };
}

/** When to retry a failed notification, and where the next step continues, are kept in memory only. */
export class Resolving {
  readonly #own: () => Pick<ActionPort, 'claims' | 'created'>;
  readonly #port: () => ResolvingPort;
  readonly #clock: Clock;
  #notBeforeMs = 0;
  #after = '';

  constructor(own: () => Pick<ActionPort, 'claims' | 'created'>, port: () => ResolvingPort, clock: Clock) {
    this.#own = own;
    this.#port = port;
    this.#clock = clock;
  }

  /** Never throws. @returns ms until the next try; null: all are notified. */
  async step(): Promise<number | null> {
    const { claims } = this.#own();
    if (!claims.hasDue()) return null;
    const restMs = this.#notBeforeMs - this.#clock.nowMs();
    if (restMs > 0) return restMs;
    const batches = claims.dueBatches(this.#after, BATCHES_AT_ONCE);
    this.#after = batches.length < BATCHES_AT_ONCE ? '' : (batches.at(-1) ?? '');
    let areTold = true;
    for (const batchId of batches) if (!(await this.#notify(batchId))) areTold = false;
    if (areTold) return claims.hasDue() ? 0 : null;
    const pauseMs = scaledMs(NOTIFICATION_PAUSE_MS, this.#clock);
    this.#notBeforeMs = this.#clock.nowMs() + pauseMs;
    return pauseMs;
  }

  /** A batch that is deleted, or another partner's, is not notified. */
  async #notify(batchId: string): Promise<boolean> {
    const { claims, created: born } = this.#own();
    const due = claims.due(batchId, ROWS_AT_ONCE);
    const { register, batch } = this.#port();
    try {
      if (await register.knows(batchId))
        await batch(batchId).resolveRows(due.map(({ record, by }) => ({ record, by })));
      claims.drop(due);
      return true;
    } catch (thrown) {
      log('warn', 'resolved_rows_not_told', { batchId: born().ticket.batchId, detail: messageOf(thrown) });
      return false;
    }
  }
}
