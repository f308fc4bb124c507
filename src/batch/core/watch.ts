/**
 * Which loads and orders of a batch are overdue, and when to look again. Pure.
 *
 * A subject tells what becomes of its requests, and when each will be tried next. One that is silent past that time may have lost
 * its alarm: it is woken. Requests that wait for a person are nobody's fault, and cost nothing.
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
import type { BatchCheckpoint } from './progress.ts';
import type { Tally } from './row.ts';

/** A request as its batch knows it. */
export interface WatchedRequest extends BatchCheckpoint {
  subject: string;
  scac: string;
  /** Where it is, or where the one it travels in is. */
  state: RequestState;
  toldAtMs: number | null;
  nextAtMs: number | null;
  /** Its subject was woken before; null: never. */
  poked: EnsuredAlarm | null;
}

/** A subject that was woken: it is left alone until `quietUntilMs`. */
export interface EnsuredAlarm {
  pokes: number;
  atMs: number;
  quietUntilMs: number;
}

/** How far a pass over the requests is. */
export interface WatchPass {
  /** Everything up to here is final. */
  from: BatchCheckpoint;
  /** Everything up to here was looked at in this pass. */
  at: BatchCheckpoint;
  /** Whether something that is not final was met in this pass. */
  metOpen: boolean;
  /** When the next request met in this pass will be overdue. */
  dueMs: number | null;
  /** When the next look is due. */
  lookAtMs: number;
  /** The batch's last retry: requests that were final are open again since. */
  retriedAtMs: number | null;
}

export interface Look {
  /** One request of each subject to wake, in the order met. */
  overdue: WatchedRequest[];
  pass: WatchPass;
}

export const START: BatchCheckpoint = { record: 0, request: 0 };

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
 * @param page the requests behind `pass.at`, in order, WATCH_REQUESTS_MAX at most.
 * @param handedOverAtMs stands for when a subject told of a request, where none has.
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
        if (isFull) break; // its turn comes with the next look
        overdue.set(key, request);
      }
    }
    metOpen ||= !isEnded(request.state);
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

/** A coalesced request whose lead is not known yet is no end. */
const isEnded = (state: RequestState): boolean => state !== 'coalesced' && isFinal(state);

/** When its subject should have told something of it. */
export const expectedMs = ({ toldAtMs, nextAtMs }: WatchedRequest, handedOverAtMs: number): number =>
  Math.max(toldAtMs ?? handedOverAtMs, nextAtMs ?? 0);

/**
 * How long a subject is left alone that was woken: to its own alarm and a grace, twice as long each time nothing came of it.
 * @param wakesAtMs what it answered; null: nothing there moves but by a person.
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
