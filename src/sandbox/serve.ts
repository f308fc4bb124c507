/**
 * One request from arrival to journal: late effects that have come due, decision, fault, effects, row. No I/O of its own.
 *
 * Everything in one step and in this order, so that the journal's order is the order in which requests took effect.
 */
import { decide } from './decide.ts';
import type { Effect, Look } from './decision.ts';
import { act, type Delivery } from './faults/actions.ts';
import { chooseFault, type FaultCount, type FaultRule } from './faults/faults.ts';
import { describe, type JournalEntry } from './journal.ts';
import type { Received } from './received.ts';
import { findRoute } from './routes.ts';

/** What the object keeps, as `serve` uses it. */
export interface Store extends Look {
  rules: readonly FaultRule[];
  faultCount(ruleId: string): FaultCount;
  saveFaultCount(ruleId: string, count: FaultCount): void;
  carryOut(effect: Effect, nowMs: number): void;
  /** @returns the entry's number; numbers rise by one. */
  addEntry(entry: JournalEntry): number;
  markApplied(seq: number, nowMs: number): void;
  postpone(seq: number, dueMs: number, effects: Effect[]): void;
  /** Takes out what is due, oldest first. */
  takeDue(nowMs: number): { seq: number; effects: Effect[] }[];
}

/**
 * @property tick an instant that was never given before, in real ms: late effects have one each, and the request one behind
 *   theirs, so that no two changes of an order look the same.
 */
export interface Steps {
  tick(): number;
  newId(): string;
}

export function serve(received: Received, store: Store, { tick, newId }: Steps): Delivery {
  const nowMs = settleDue(store, tick);
  const route = findRoute(received.method, received.path);
  const decision = decide(received, route, { nowMs, newId, look: store });
  const { rule, counts } = chooseFault(store.rules, (id) => store.faultCount(id), received, route.environment);
  for (const { id, count } of counts) store.saveFaultCount(id, count);
  const acted = act(decision, rule?.fault ?? null, received);
  for (const effect of acted.effects) store.carryOut(effect, nowMs);
  const fault = rule?.id ?? null;
  const seq = store.addEntry(describe(received, { environment: route.environment, decision, acted, fault, nowMs }));
  if (acted.late !== null) store.postpone(seq, nowMs + acted.late.afterMs, acted.late.effects);
  return acted.delivery;
}

/**
 * Late effects need no alarm: nobody can tell whether they happened before somebody asks.
 * @returns the instant of whoever asks, behind theirs.
 */
export function settleDue(store: Store, tick: Steps['tick']): number {
  let nowMs = tick();
  for (const { seq, effects } of store.takeDue(nowMs)) {
    for (const effect of effects) store.carryOut(effect, nowMs);
    store.markApplied(seq, nowMs);
    nowMs = tick();
  }
  return nowMs;
}
