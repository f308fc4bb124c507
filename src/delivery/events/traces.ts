/**
 * Packs waiting trace points into one trace request: which go together, in what order, and the exact body.
 *
 * Pure. What does not fit waits for the next set; a refused set is halved until each refused point is alone.
 */
import { TRACE_BODY_BYTES_MAX, TRACE_POINTS_MAX } from '../../kernel/limits.ts';
import type { TraceFields } from '../../mapping/request.ts';
import type { AttemptClass } from '../classify.ts';
import type { Move } from '../drain.ts';
import type { Past, StepDone } from '../next-step.ts';

/** An enqueued trace request, as mapped. */
export interface WaitingPoint {
  seq: number;
  channel: string;
  body: string;
  /**
   * 1: an earlier generation may have arrived. Such points go in sets of their own: the doubt is not about their
   * neighbours.
   */
  hadUnknown: number;
  /** Its mapping's delivery rules, as a number: points with other rules go apart. */
  rules: number;
}

/** @property seqs of its points, oldest first; the first one leads the set. */
export interface PackedSet {
  seqs: number[];
  body: string;
}

interface PackingLimits {
  pointsMax: number;
  bodyBytesMax: number;
}

const LIMITS: PackingLimits = { pointsMax: TRACE_POINTS_MAX, bodyBytesMax: TRACE_BODY_BYTES_MAX };
/** Halves were one set before, so they fit. */
const NO_LIMITS: PackingLimits = { pointsMax: Number.POSITIVE_INFINITY, bodyBytesMax: Number.POSITIVE_INFINITY };

/** @property atMs the instant of the first point; points all of them, as JSON text. */
interface ReadPoint {
  atMs: number;
  points: string;
}

/** @returns null if the text is no trace request. */
export function readPoint(body: string): ReadPoint | null {
  try {
    const traces = (JSON.parse(body) as Partial<TraceFields>).traces ?? [];
    const [first] = traces;
    const atMs = first === undefined ? Number.NaN : Date.parse(first.time.dateTime);
    return Number.isNaN(atMs) ? null : { atMs, points: JSON.stringify(traces) };
  } catch {
    return null;
  }
}

/**
 * @param waiting oldest event first; at least one. Its first always goes, alone if it must.
 * @returns the first ones that fit together: points of another channel (another key), doubtful ones and those with
 * other rules wait.
 */
export function packSet(waiting: readonly WaitingPoint[], limits: PackingLimits = LIMITS): PackedSet {
  const first = waiting[0];
  const isCounted = sizeAtMost(waiting) > limits.bodyBytesMax; // to write every point once more takes as long as the rest
  const taken: { seq: number; body: string; fields: TraceFields }[] = [];
  let [points, pointBytes, frameBytes] = [0, 0, 0];
  for (const { seq, body, ...point } of waiting) {
    if (first === undefined || !goTogether(point, first)) continue;
    const fields = JSON.parse(body) as TraceFields;
    points += fields.traces.length;
    if (isCounted) {
      pointBytes += bytesOf(fields.traces);
      frameBytes = Math.max(frameBytes, bytesOf({ ...fields, traces: [] }));
    }
    const fits = points <= limits.pointsMax && pointBytes + frameBytes <= limits.bodyBytesMax;
    if (!fits && taken.length > 0) break;
    taken.push({ seq, body, fields });
  }
  const [only] = taken;
  const body = taken.length === 1 && only ? only.body : packedBody(taken.map(({ fields }) => fields));
  return { seqs: taken.map(({ seq }) => seq), body };
}

type Apart = Pick<WaitingPoint, 'channel' | 'hadUnknown' | 'rules'>;
const goTogether = (one: Apart, other: Apart): boolean =>
  one.channel === other.channel && one.hadUnknown === other.hadUnknown && one.rules === other.rules;

/** A character of a body, as it is written anew: three bytes of UTF-8, or six of an escape. */
const CHARACTER_BYTES_MAX = 6;
const sizeAtMost = (waiting: readonly WaitingPoint[]): number =>
  waiting.reduce((sum, { body }) => sum + body.length * CHARACTER_BYTES_MAX, 0);

const encoder = new TextEncoder();
const bytesOf = (value: unknown): number => encoder.encode(JSON.stringify(value)).byteLength;

/** City and state are the load's last location. */
function packedBody(requests: readonly TraceFields[]): string {
  const newest = requests.at(-1);
  const packed: TraceFields = {
    loadNumber: newest?.loadNumber ?? '',
    ...(newest?.eventCity === undefined ? {} : { eventCity: newest.eventCity }),
    ...(newest?.eventState === undefined ? {} : { eventState: newest.eventState }),
    traces: requests.flatMap(({ traces }) => traces),
  };
  return JSON.stringify(packed);
}

/** @param points of one set of two or more, oldest first. @returns both halves, the older one first. */
export function halve(points: readonly WaitingPoint[]): [PackedSet, PackedSet] {
  const middle = Math.ceil(points.length / 2);
  return [packSet(points.slice(0, middle), NO_LIMITS), packSet(points.slice(middle), NO_LIMITS)];
}

/*
 * What a load's lane of traces does next.
 *
 * Sets go out one at a time like milestones; a new set is packed when nothing blocks, a point may leave and the window
 * is open.
 */

/** Points that are in no set yet. */
export interface LoosePoints {
  /** When the first of them may leave. */
  readyAtMs: number;
  /** When the first of them is given up. */
  deadlineMs: number;
}

export type TraceMove = Move | { move: 'pack' } | { move: 'expire_loose' };

/**
 * @param sets the next move of the packed sets.
 * @param loose null if every point is in a set.
 * @param windowOpensMs no new set leaves before this.
 */
export function nextTraceMove(sets: Move, loose: LoosePoints | null, windowOpensMs: number, nowMs: number): TraceMove {
  const isBlocked = sets.move === 'wait' && sets.isBlocked;
  if (loose === null || (sets.move !== 'wait' && sets.move !== 'idle')) return sets;
  if (nowMs > loose.deadlineMs) return { move: 'expire_loose' };
  if (isBlocked) return { ...sets, untilMs: Math.min(sets.untilMs, loose.deadlineMs + 1) };
  const packMs = Math.max(loose.readyAtMs, windowOpensMs);
  if (packMs <= nowMs) return { move: 'pack' };
  return { move: 'wait', untilMs: sets.move === 'wait' ? Math.min(sets.untilMs, packMs) : packMs, isBlocked: false };
}

/**
 * When the next set may leave.
 * @param lastStartedMs start of the last set's first attempt, null before the first; `overflowed`: it left ready points
 * behind.
 */
export const windowOpensMs = (lastStartedMs: number | null, overflowed: boolean, windowMs: number): number =>
  lastStartedMs === null || overflowed ? Number.NEGATIVE_INFINITY : lastStartedMs + windowMs;

/** One bad point never takes its neighbours along: only a point that is alone is refused. */
export const isHalved = (seen: AttemptClass, points: number): boolean =>
  seen.effect === 'refused' && seen.loadUnknown !== true && points > 1; // all of them are of one load

/** Both halves go at once, as separate requests; each keeps whether an earlier try may have arrived. */
export const afterHalving = (past: Past, nowMs: number): StepDone => ({
  tries: 0,
  hadUnknown: past.hadUnknown,
  step: { state: past.hadUnknown ? 'unknown' : 'waiting', atMs: nowMs, reason: 'set_refused' },
});
