/** What the history of one order (seed 4.4), asked for to close a gap, showed. Pure: a GET of one order changes nothing upstream. */
import { type Clock, scaledMs } from '../kernel/clock.ts';
import { NOT_FOUND_AFTER_MS } from '../kernel/limits.ts';
import type { Observation } from '../upstream/answer.ts';
import { REPAIR_WAITS_MS } from './limits.ts';

export type RepairVerdict =
  | { verdict: 'answered'; text: string }
  /** The upstream does not know the order: nothing was lost of it. */
  | { verdict: 'nothing' }
  | { verdict: 'failed'; detail: string }
  /** It costs the order no try. */
  | { verdict: 'not_sent'; detail: string };

/** @param mustExist something was learned of this order, and more is expected: that it is unknown is no answer then. */
export function judgeRepair(observed: Observation, mustExist: boolean): RepairVerdict {
  if (observed.outcome === 'not_sent') return { verdict: 'not_sent', detail: `${observed.code}: ${observed.detail}` };
  if (observed.outcome === 'no_answer') return { verdict: 'failed', detail: `${observed.code}: ${observed.detail}` };
  const { status, bodyEnd, bodyEncoding, body } = observed;
  if ((status === 404 || status === 410) && !mustExist) return { verdict: 'nothing' };
  if (status < 200 || status > 299) return { verdict: 'failed', detail: `status ${status}` };
  if (bodyEnd !== 'whole' || bodyEncoding !== 'utf-8') return { verdict: 'failed', detail: `answer ${bodyEnd}` };
  if (status === 204) return { verdict: 'nothing' };
  return { verdict: 'answered', text: body };
}

/** @param tries failed ones, this one among them. @returns the wait in real ms. */
export const repairWaitMs = (tries: number, clock: Clock): number =>
  scaledMs(REPAIR_WAITS_MS[Math.min(tries, REPAIR_WAITS_MS.length) - 1] ?? REPAIR_WAITS_MS[0], clock);

/** Between two orders, in real ms. */
export const repairPaceMs = (perMinute: number, clock: Clock): number => scaledMs(60_000 / perMinute, clock);

/** Whether an order of which nothing is found may merely not be listed yet. */
export const isYoung = (registeredAtMs: number, clock: Clock): boolean =>
  clock.nowMs() < registeredAtMs + scaledMs(NOT_FOUND_AFTER_MS, clock);
