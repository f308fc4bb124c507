/**
 * Which request of a subject lane goes next. Pure.
 *
 * One at a time, in dispatch order: an undecided request blocks the later ones for an hour after its first try, then
 * steps aside and keeps its own schedule.
 */
import type { RequestState } from './states.ts';

/** @property atMs when it may be sent (again); null: at once. firstTriedAtMs null: never tried. */
export interface LaneRequest {
  key: string;
  state: RequestState;
  atMs: number | null;
  firstTriedAtMs: number | null;
  deadlineMs: number;
  /** An equal earlier request is not final: this one is skipped until it is. */
  awaitsEqual?: boolean;
  /** No later request passes it before it is decided, however long that takes. */
  isStrict?: boolean;
}

export type Move =
  | { move: 'send'; key: string }
  | { move: 'expire'; key: string }
  /** Nothing to do before `untilMs`; `isBlocked`: later requests in the lane wait too. */
  | { move: 'wait'; untilMs: number; isBlocked: boolean }
  /** A request is on the wire; its answer leads to the next move. */
  | { move: 'busy' }
  | { move: 'idle' };

/** @param open the lane's requests that are not final, in dispatch order; held ones block only if they are strict. */
export function nextMove(open: readonly LaneRequest[], nowMs: number, stepAsideMs: number): Move {
  if (open.some(({ state }) => state === 'sending')) return { move: 'busy' };
  let untilMs = Number.POSITIVE_INFINITY;
  for (const [index, request] of open.entries()) {
    switch (request.state) {
      case 'queued':
      case 'waiting':
      case 'unknown': {
        const dueMs = request.atMs ?? nowMs;
        if (nowMs > request.deadlineMs) return { move: 'expire', key: request.key };
        if (request.awaitsEqual === true) {
          untilMs = Math.min(untilMs, request.deadlineMs + 1);
          if (request.isStrict === true) return { move: 'wait', untilMs, isBlocked: true };
          break;
        }
        if (dueMs <= nowMs) return { move: 'send', key: request.key };
        untilMs = Math.min(untilMs, dueMs);
        const passableMs =
          request.firstTriedAtMs === null || request.isStrict === true
            ? Number.POSITIVE_INFINITY
            : request.firstTriedAtMs + stepAsideMs;
        if (nowMs < passableMs) return { move: 'wait', untilMs: Math.min(untilMs, passableMs), isBlocked: true };
        break;
      }
      case 'held': // a person decides, later milestones pass
        if (request.isStrict === true) return afterHeld(open.slice(index + 1), untilMs, nowMs);
        break;
      default:
        break;
    }
  }
  return Number.isFinite(untilMs) ? { move: 'wait', untilMs, isBlocked: false } : { move: 'idle' };
}

/** A person's decision has no known time, so the deadlines of the requests that wait for it come first. */
function afterHeld(behind: readonly LaneRequest[], untilMs: number, nowMs: number): Move {
  const late = behind.find(({ state, deadlineMs }) => state !== 'held' && nowMs > deadlineMs);
  if (late) return { move: 'expire', key: late.key };
  const deadlines = behind.flatMap(({ state, deadlineMs }) => (state === 'held' ? [] : [deadlineMs + 1]));
  const nextMs = Math.min(untilMs, ...deadlines);
  return Number.isFinite(nextMs) ? { move: 'wait', untilMs: nextMs, isBlocked: true } : { move: 'idle' };
}
