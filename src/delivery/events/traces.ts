/**
 * Trace points that wait → one trace request: which of them go together, in what order, and the exact body.
 *
 * Pure. What does not fit is left for the next set; a refused set is halved until the refused points stand alone.
 */
import { TRACE_BODY_BYTES_MAX, TRACE_POINTS_MAX } from '../../kernel/limits.ts';
import type { TraceFields } from '../../mapping/request.ts';
import type { AttemptClass } from '../classify.ts';
import type { Move } from '../drain.ts';
import type { Past, StepDone } from '../next-step.ts';

/** A handed-over trace request, as a mapping yields it. */
export interface WaitingPoint {
  seq: number;
  channel: string;
  body: string;
  /** 1: an earlier generation may have arrived. Such points go apart: a doubt about one is none about its neighbours. */
  hadUnknown: number;
  /** What its mapping asks of delivery, as a number: points of other rules go apart. */
  rules: number;
}

/** @property seqs of the points it carries, oldest first; the first one leads the set. */
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

/** @returns null when the text is no trace request. */
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
 * @returns the first ones that fit together: points of another channel have another key and stay behind, as do doubtful ones and those of other rules.
 */
export function packSet(waiting: readonly WaitingPoint[], limits: PackingLimits = LIMITS): PackedSet {
  const first = waiting[0];
  const taken: { seq: number; body: string; fields: TraceFields }[] = [];
  let [points, pointBytes, frameBytes] = [0, 0, 0];
  for (const { seq, body, ...point } of waiting) {
    if (first === undefined || !goTogether(point, first)) continue;
    const fields = JSON.parse(body) as TraceFields;
    points += fields.traces.length;
    pointBytes += bytesOf(fields.traces);
    frameBytes = Math.max(frameBytes, bytesOf({ ...fields, traces: [] }));
    const fits = points <= limits.pointsMax && pointBytes + frameBytes <= limits.bodyBytesMax;
    if (!fits && taken.length > 0) break;
    taken.push({ seq, body, fields });
    if (!fits) break;
  }
  const [only] = taken;
  const body = taken.length === 1 && only ? only.body : packedBody(taken.map(({ fields }) => fields));
  return { seqs: taken.map(({ seq }) => seq), body };
}

type Apart = Pick<WaitingPoint, 'channel' | 'hadUnknown' | 'rules'>;
const goTogether = (one: Apart, other: Apart): boolean =>
  one.channel === other.channel && one.hadUnknown === other.hadUnknown && one.rules === other.rules;

const encoder = new TextEncoder();
const bytesOf = (value: unknown): number => encoder.encode(JSON.stringify(value)).byteLength;

/** City and state are where the load was last. */
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
 * What a load's lane of traces does next. Pure.
 *
 * Sets go out one at a time like milestones; a new set is packed when nothing blocks, a point may leave and the window is open.
 */

/** Points in no set yet. */
export interface LoosePoints {
  /** When the first of them may leave. */
  readyAtMs: number;
  /** When the first of them is given up. */
  deadlineMs: number;
}

export type TraceMove = Move | { move: 'pack' } | { move: 'expire_loose' };

/**
 * @param sets what the sets that are packed ask for.
 * @param loose null when every point is in a set.
 * @param windowOpensMs before this no new set leaves.
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
 * @param lastStartedMs start of the last set's first attempt, null before the first; `overflowed`: it left ready points behind.
 */
export const windowOpensMs = (lastStartedMs: number | null, overflowed: boolean, windowMs: number): number =>
  lastStartedMs === null || overflowed ? Number.NEGATIVE_INFINITY : lastStartedMs + windowMs;

/** One bad point never takes its neighbours along: only a point that stands alone is refused. */
export const isHalved = (seen: AttemptClass, points: number): boolean =>
  seen.effect === 'refused' && seen.loadUnknown !== true && points > 1; // all of them are of one load

/** Both halves go at once, as requests of their own; whether an earlier try may have landed stays with each. */
export const afterHalving = (past: Past, nowMs: number): StepDone => ({
  tries: 0,
  hadUnknown: past.hadUnknown,
  step: { state: past.hadUnknown ? 'unknown' : 'waiting', atMs: nowMs, reason: 'set_refused' },
});
