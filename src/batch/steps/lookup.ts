/**
 * Maps with answers to the mapping's lookups: unanswered ones are queried, once each, and recorded, and the step is
 * mapped again. Without an answer the batch waits: nothing of the step is stored, so nothing is lost or doubled.
 */

import type { FleetTrouble } from '../../fleet/answer.ts';
import { LOOKUP_PATIENCE_MS, LOOKUP_PAUSE_MAX_MS, LOOKUP_PAUSE_MS, LOOKUPS_PER_STEP } from '../../fleet/limits.ts';
import type { RequestedLookups } from '../../fleet/lookup.ts';
import { type Clock, scaledMs } from '../../kernel/clock.ts';
import type { EnrichmentRules } from '../../mapping/lookups/enrichment.ts';
import { type Answers, type Lookup, type LookupAnswer, lookupKey } from '../../mapping/lookups/lookup.ts';
import type { AwaitedLookup } from '../core/progress.ts';

/* Recorded lookups of a batch with their answers: its requests can be made again from them at any time. SQL only. */

export interface RecordedLookup {
  asked: Lookup;
  answer: LookupAnswer;
}

export class LookupStore {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** @param message of a rolling batch: each has answers of its own; 0: the batch is of one upload. */
  answer(message: number, key: string): LookupAnswer | undefined {
    const sql = 'SELECT answer FROM look_up WHERE message = ? AND key = ?';
    const row = this.#sql.exec<{ answer: string }>(sql, message, key).toArray()[0];
    return row && (JSON.parse(row.answer) as LookupAnswer);
  }

  /** The first answer is final. */
  keep(message: number, { asked, answer }: RecordedLookup): void {
    const sql = 'INSERT OR IGNORE INTO look_up (message, key, asked, answer) VALUES (?, ?, ?, ?)';
    this.#sql.exec(sql, message, lookupKey(asked), JSON.stringify(asked), JSON.stringify(answer));
  }

  /** Sorted by key. @param after the last key of the previous page. */
  recorded(message: number, after: string, limit: number): (RecordedLookup & { key: string })[] {
    const sql = 'SELECT key, asked, answer FROM look_up WHERE message = ? AND key > ? ORDER BY key LIMIT ?';
    return this.#sql
      .exec<{ key: string; asked: string; answer: string }>(sql, message, after, limit)
      .toArray()
      .map(({ key, asked, answer }) => ({
        key,
        asked: JSON.parse(asked) as Lookup,
        answer: JSON.parse(answer) as LookupAnswer,
      }));
  }
}

export interface LookingPort {
  store: Pick<LookupStore, 'answer' | 'keep'>;
  clock: Clock;
  request(wanted: readonly Lookup[]): Promise<RequestedLookups>;
  awaited(): AwaitedLookup | undefined;
  /** @param awaited undefined: it no longer waits. */
  keep(awaited: AwaitedLookup | undefined): void;
}

type Looked<Value> = { outcome: 'mapped'; value: Value } | { outcome: 'later'; waitMs: number };

/**
 * @param map has no side effects. @param message whose answers they are; 0: the batch is of one upload.
 * @throws when a recorded answer cannot be read back: a step would query it forever.
 */
export async function mapLookingUp<Value>(
  port: LookingPort,
  rules: EnrichmentRules | null,
  message: number,
  map: (answers?: Answers) => Promise<Value> | Value,
): Promise<Looked<Value>> {
  if (rules === null) return { outcome: 'mapped', value: await map() };
  const { store } = port;
  const known = new Map<string, LookupAnswer | undefined>();
  const recorded = new Set<string>();
  for (;;) {
    const wanted = new Map<string, Lookup>();
    const value = await map((asked) => {
      const key = lookupKey(asked);
      if (!known.has(key)) known.set(key, store.answer(message, key));
      const answer = known.get(key);
      if (answer === undefined) wanted.set(key, asked);
      return answer;
    });
    if (wanted.size === 0) {
      if (port.awaited() !== undefined) port.keep(undefined);
      return { outcome: 'mapped', value };
    }
    const step = [...wanted.values()].slice(0, LOOKUPS_PER_STEP);
    const again = step.map(lookupKey).find((key) => recorded.has(key));
    if (again !== undefined) throw new Error(`the answer to ${again} was recorded and is not found`);
    const { answers, trouble } = await port.request(step);
    const waitMs = trouble === null ? null : waitFor(port, trouble);
    const isPatient = rules.whenDown === 'wait' && waitMs !== null;
    for (const asked of step) {
      const answer =
        answers.get(lookupKey(asked)) ?? (isPatient || trouble === null ? undefined : unavailable(port, trouble));
      if (answer === undefined) continue;
      store.keep(message, { asked, answer });
      recorded.add(lookupKey(asked));
      known.delete(lookupKey(asked));
    }
    if (isPatient) return { outcome: 'later', waitMs };
    if (step.length < wanted.size) return { outcome: 'later', waitMs: 0 };
  }
}

const unavailable = ({ clock }: LookingPort, { api, status, detail }: FleetTrouble): LookupAnswer => ({
  outcome: 'unavailable',
  why: `the ${api} API ${status === null ? 'gave no answer' : `answered with status ${status}`} (${detail})`,
  atMs: clock.nowMs(),
});

/** @returns ms to the next try; null: it has waited long enough. */
function waitFor(port: LookingPort, { api, status, detail, retryAfterMs }: FleetTrouble): number | null {
  const { clock } = port;
  const before = port.awaited();
  const nowMs = clock.nowMs();
  const sinceMs = before?.sinceMs ?? nowMs;
  if (nowMs - sinceMs >= scaledMs(LOOKUP_PATIENCE_MS, clock)) return null;
  const tries = (before?.tries ?? 0) + 1;
  const pauseMs = Math.max(retryAfterMs ?? 0, LOOKUP_PAUSE_MS * 2 ** Math.min(tries - 1, 10));
  const waitMs = scaledMs(Math.min(LOOKUP_PAUSE_MAX_MS, pauseMs), clock);
  port.keep({ api, status, detail, sinceMs, tries, nextMs: nowMs + waitMs });
  return waitMs;
}
