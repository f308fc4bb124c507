/**
 * Which loads and orders of a batch are overdue, and when to look again. Pure.
 * A subject reports each outcome, and when each request will be tried next. One that is silent past that time may have
 * lost its alarm: it is ensured. Requests that wait for a person are not overdue and cost nothing.
 */
import type { RequestState } from '../../delivery/states.ts';
import { isFinal } from '../../delivery/states.ts';
import { type Clock, scaledMs } from '../../kernel/clock.ts';
import {
  BATCH_PAUSE_MS,
  WATCH_BATCH_MS,
  WATCH_ENSURES_MAX,
  WATCH_GRACE_MS,
  WATCH_PAUSE_MS_MAX,
  WATCH_REQUESTS_MAX,
} from '../../kernel/limits.ts';
import { type BatchCheckpoint, START } from './progress.ts';
import type { Tally } from './row.ts';

/** A request as its batch knows it. */
export interface WatchedRequest extends BatchCheckpoint {
  subject: string;
  scac: string;
  /** Its state, or that of the request it travels in. */
  state: RequestState;
  toldAtMs: number | null;
  nextAtMs: number | null;
  /** The alarm last ensured on its subject; null: never. */
  poked: EnsuredAlarm | null;
}

/** A subject whose alarm was ensured is left alone until `quietUntilMs`. */
export interface EnsuredAlarm {
  pokes: number;
  atMs: number;
  quietUntilMs: number;
}

/** Progress of a pass over the requests. */
export interface WatchPass {
  /** Everything up to here is final. */
  from: BatchCheckpoint;
  /** Everything up to here was examined in this pass. */
  at: BatchCheckpoint;
  /** Whether this pass met anything that is not final. */
  metOpen: boolean;
  /** When the next request met in this pass will be overdue. */
  dueMs: number | null;
  /** When to look next. */
  lookAtMs: number;
  /** The batch's last retry: requests that were final are open again since. */
  retriedAtMs: number | null;
}

export interface Look {
  /** One request of each subject whose alarm is to be ensured, in the order met. */
  overdue: WatchedRequest[];
  pass: WatchPass;
}

export const firstPass = (lookAtMs: number, retriedAtMs: number | null): WatchPass => ({
  from: START,
  at: START,
  metOpen: false,
  dueMs: null,
  lookAtMs,
  retriedAtMs,
});

const MOVING: readonly RequestState[] = ['queued', 'sending', 'waiting', 'unknown'];

/** Whether anything is on its way: the rest is final or waits for a person. */
export const isMoving = ({ requests }: Tally): boolean => MOVING.some((state) => (requests[state] ?? 0) > 0);

/** Two requests with the same key have one subject. */
const subjectKey = ({ scac, subject }: Pick<WatchedRequest, 'scac' | 'subject'>): string =>
  JSON.stringify([scac, subject]);

/**
 * @param page the requests after `pass.at`, in order, at most WATCH_REQUESTS_MAX.
 * @param handedOverAtMs used where a subject has not reported on a request yet.
 */
export function lookAt(page: readonly WatchedRequest[], pass: WatchPass, handedOverAtMs: number, clock: Clock): Look {
  const nowMs = clock.nowMs();
  const graceMs = scaledMs(WATCH_GRACE_MS, clock);
  const overdue = new Map<string, WatchedRequest>();
  let { from, at, metOpen, dueMs } = pass;
  let isFull = false;
  for (const request of page) {
    const isMovingOne = MOVING.includes(request.state);
    if (isMovingOne) {
      const key = subjectKey(request);
      const due = Math.max(expectedMs(request, handedOverAtMs) + graceMs, request.poked?.quietUntilMs ?? 0);
      if (due > nowMs) dueMs = Math.min(dueMs ?? due, due);
      else if (!overdue.has(key)) {
        isFull = overdue.size >= WATCH_ENSURES_MAX;
        if (isFull) break; // left for the next look
        overdue.set(key, request);
      }
    }
    metOpen ||= !isFinal(request.state);
    at = { record: request.record, request: request.request };
    if (!metOpen) from = at;
  }
  const goesOn = isFull || page.length >= WATCH_REQUESTS_MAX;
  if (goesOn)
    return lookOf(overdue, { ...pass, from, at, metOpen, dueMs, lookAtMs: nowMs + scaledMs(BATCH_PAUSE_MS, clock) });
  const soonestMs = nowMs + scaledMs(WATCH_BATCH_MS, clock);
  const latestMs = nowMs + scaledMs(WATCH_PAUSE_MS_MAX, clock);
  const lookAtMs = overdue.size > 0 ? soonestMs : Math.min(Math.max(dueMs ?? latestMs, soonestMs), latestMs);
  return lookOf(overdue, { ...pass, from, at: from, metOpen: false, dueMs: null, lookAtMs });
}

const lookOf = (overdue: ReadonlyMap<string, WatchedRequest>, pass: WatchPass): Look => ({
  overdue: [...overdue.values()],
  pass,
});

/** When its subject should have reported on it. */
const expectedMs = ({ toldAtMs, nextAtMs }: WatchedRequest, handedOverAtMs: number): number =>
  Math.max(toldAtMs ?? handedOverAtMs, nextAtMs ?? 0);

/**
 * How long to leave a subject alone after its alarm was ensured: until that alarm plus a grace, doubled each time
 * without effect.
 * @param wakesAtMs its answer; null: only a person can move it on.
 */
export function afterEnsuredAlarm(
  { poked, toldAtMs }: Pick<WatchedRequest, 'poked' | 'toldAtMs'>,
  wakesAtMs: number | null,
  clock: Clock,
): EnsuredAlarm {
  const nowMs = clock.nowMs();
  const hasMoved = poked === null || (toldAtMs ?? 0) > poked.atMs;
  const pokes = hasMoved ? 1 : poked.pokes + 1;
  const pauseMs = Math.min(WATCH_GRACE_MS * 2 ** (pokes - 1), WATCH_PAUSE_MS_MAX);
  return { pokes, atMs: nowMs, quietUntilMs: Math.max(nowMs, wakesAtMs ?? nowMs) + scaledMs(pauseMs, clock) };
}
