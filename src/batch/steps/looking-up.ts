/**
 * Maps with answers to what the mapping looks up: what is not answered yet is asked for, each once, recorded, and the step is
 * mapped again. Where nobody answers, the batch waits: nothing of the step is kept, so nothing is lost or doubled.
 */

import type { FleetTrouble } from '../../fleet/judge.ts';
import { LOOK_UP_PATIENCE_MS, LOOK_UP_PAUSE_MAX_MS, LOOK_UP_PAUSE_MS, LOOK_UPS_PER_STEP } from '../../fleet/limits.ts';
import type { AskedLookUps } from '../../fleet/look-up-asking.ts';
import { type Clock, scaledMs } from '../../kernel/clock.ts';
import { type Answers, type LookUp, type LookUpAnswer, lookUpKey } from '../../mapping/lookups/look-up.ts';
import type { EnrichmentRules } from '../../mapping/lookups/rules.ts';
import type { LookUpStore } from '../store/look-up-store.ts';

/** Since when a batch waits for answers, and what it was told last. Times are epoch milliseconds. */
export interface AwaitedLookUp extends Pick<FleetTrouble, 'api' | 'status' | 'detail'> {
  sinceMs: number;
  tries: number;
  nextMs: number;
}

export interface LookingPort {
  store: Pick<LookUpStore, 'answer' | 'keep'>;
  clock: Clock;
  ask(wanted: readonly LookUp[]): Promise<AskedLookUps>;
  awaited(): AwaitedLookUp | undefined;
  /** @param awaited undefined: it waits no more. */
  keep(awaited: AwaitedLookUp | undefined): void;
}

export type Looked<Value> = { outcome: 'mapped'; value: Value } | { outcome: 'later'; waitMs: number };

/**
 * @param map has no effect but its value. @param message whose answers they are; 0: the batch is of one upload.
 * @throws where an answer does not come back from where it was recorded: a step would ask for it without end.
 */
export async function mapLookingUp<Value>(
  port: LookingPort,
  rules: EnrichmentRules | null,
  message: number,
  map: (answers?: Answers) => Promise<Value> | Value,
): Promise<Looked<Value>> {
  if (rules === null) return { outcome: 'mapped', value: await map() };
  const { store } = port;
  const known = new Map<string, LookUpAnswer | undefined>();
  const recorded = new Set<string>();
  for (;;) {
    const wanted = new Map<string, LookUp>();
    const value = await map((asked) => {
      const key = lookUpKey(asked);
      if (!known.has(key)) known.set(key, store.answer(message, key));
      const answer = known.get(key);
      if (answer === undefined) wanted.set(key, asked);
      return answer;
    });
    if (wanted.size === 0) {
      if (port.awaited() !== undefined) port.keep(undefined);
      return { outcome: 'mapped', value };
    }
    const step = [...wanted.values()].slice(0, LOOK_UPS_PER_STEP);
    const again = step.map(lookUpKey).find((key) => recorded.has(key));
    if (again !== undefined) throw new Error(`the answer to ${again} was recorded and is not found`);
    const { answers, trouble } = await port.ask(step);
    const waitMs = trouble === null ? null : waitFor(port, trouble);
    const isPatient = rules.whenDown === 'wait' && waitMs !== null;
    for (const asked of step) {
      const answer =
        answers.get(lookUpKey(asked)) ?? (isPatient || trouble === null ? undefined : unavailable(port, trouble));
      if (answer === undefined) continue;
      store.keep(message, { asked, answer });
      recorded.add(lookUpKey(asked));
      known.delete(lookUpKey(asked));
    }
    if (isPatient) return { outcome: 'later', waitMs };
    if (step.length < wanted.size) return { outcome: 'later', waitMs: 0 };
  }
}

const unavailable = ({ clock }: LookingPort, { api, status, detail }: FleetTrouble): LookUpAnswer => ({
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
  if (nowMs - sinceMs >= scaledMs(LOOK_UP_PATIENCE_MS, clock)) return null;
  const tries = (before?.tries ?? 0) + 1;
  const pauseMs = Math.max(retryAfterMs ?? 0, LOOK_UP_PAUSE_MS * 2 ** Math.min(tries - 1, 10));
  const waitMs = scaledMs(Math.min(LOOK_UP_PAUSE_MAX_MS, pauseMs), clock);
  port.keep({ api, status, detail, sinceMs, tries, nextMs: nowMs + waitMs });
  return waitMs;
}
