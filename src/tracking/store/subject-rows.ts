/** Translates between observations, stored rows and reports; decides nothing. */
import type { AttemptClass } from '../../delivery/classify.ts';
import type { Anomaly } from '../../delivery/events/anomalies.ts';
import type { NextStep, Past, StepDone } from '../../delivery/next-step.ts';
import type { ShownDifference } from '../../delivery/orders/merge-messages.ts';
import type { RequestOutcome } from '../../delivery/outcome.ts';
import { isFinal, type StateReason } from '../../delivery/states.ts';
import { ANSWER_HEAD_CHARACTERS_MAX } from '../../kernel/limits.ts';
import { headOf } from '../../kernel/text.ts';
import type { Observation } from '../../upstream/answer.ts';
import type { Deferred } from '../../upstream/permits.ts';
import type { StoredRequest } from '../request.ts';
import type { Decided, EndedAttempt } from './subject-store.ts';

/** What an attempt, or the lack of one, showed; `observation` is null where the process died before an answer. */
export interface Seen {
  class: AttemptClass;
  observation: Observation | null;
  status: number | null;
  answer: string;
  /** It probed a breaker: a failure costs the request no try. */
  isProbe?: boolean;
}

/** A process died with the request on the wire. */
export const INTERRUPTED_ANSWER = 'interrupted before an answer was recorded';

const NO_ANSWER = { status: null, headers: null, body: null, body_end: null, body_encoding: null } as const;

export const interruptedRow = (seq: number, effect: 'unknown' | 'unanswered'): EndedAttempt => ({
  ...NO_ANSWER,
  seq,
  effect,
  detail: 'interrupted: the bridge stopped before the answer was recorded',
  latency_ms: null,
});

export function attemptRow(
  seq: number,
  observed: Exclude<Observation, { outcome: 'not_sent' }>,
  effect: string,
): EndedAttempt {
  if (observed.outcome === 'no_answer') {
    const { code, detail, latencyMs } = observed;
    return { ...NO_ANSWER, seq, effect, detail: `${code}: ${detail}`, latency_ms: latencyMs };
  }
  return {
    seq,
    effect,
    status: observed.status,
    headers: JSON.stringify(observed.headers),
    body: observed.body,
    body_end: observed.bodyEnd,
    body_encoding: observed.bodyEncoding,
    detail: null,
    latency_ms: observed.latencyMs,
  };
}

export const seenIn = (observation: Observation, seen: AttemptClass): Seen => ({
  class: seen,
  observation,
  status: observation.outcome === 'answered' ? observation.status : null,
  answer: answerHead(observation),
});

/** The head of the answer, or why there is none. */
function answerHead(observed: Observation): string {
  const text = observed.outcome === 'answered' ? observed.body : `${observed.code}: ${observed.detail}`;
  return headOf(text, ANSWER_HEAD_CHARACTERS_MAX);
}

export const pastOf = (request: StoredRequest): Past => ({
  tries: request.tries,
  hadUnknown: request.had_unknown === 1,
  // A point that travelled in another request was sent, though it has no attempt of its own.
  attempted: request.attempts > 0 || request.had_unknown === 1,
  deadlineMs: request.deadline_ms,
  holdsUnclear: request.hold_unclear === 1,
  loadWaitUntilMs: request.load_wait_until_ms,
});

export type GivenUpReason = StateReason;

/** Given up without another attempt. */
export function givenUp(request: StoredRequest, reason: GivenUpReason): StepDone {
  const past = pastOf(request);
  return { ...past, step: { state: 'dead', outcome: past.hadUnknown ? 'unknown' : 'not_applied', reason } };
}

export function decidedRow(
  request: StoredRequest,
  accepted: StepDone,
  seen: { status: number | null; answer: string; isProbe?: boolean },
  nowMs: number,
): Decided {
  const { step } = accepted;
  const isFree = seen.isProbe === true && !isFinal(step.state);
  return {
    seq: request.seq,
    state: step.state,
    reason: reasonOf(step),
    outcome: step.state === 'dead' ? step.outcome : null,
    evidence: step.state === 'delivered' ? (step.evidence ?? 'answer') : null,
    at_ms: 'atMs' in step ? step.atMs : null,
    tries: isFree ? request.tries : accepted.tries,
    had_unknown: Number(accepted.hadUnknown),
    status: seen.status,
    answer: seen.answer,
    decided_at_ms: nowMs,
  };
}

const reasonOf = (step: NextStep) => ('reason' in step ? (step.reason ?? null) : null);

/** The reason shown for a request that the gate defers; null where it is a matter of moments. */
export function deferredReason(why: Deferred['why']): StateReason | null {
  switch (why) {
    case 'channel':
    case 'partner':
      return 'upstream_unwell';
    case 'auth':
      return 'credentials_refused';
    case 'scac':
      return 'scac_refused';
    case 'rate':
    case 'gate':
      return null;
  }
}

/** @param into the request it travels in or repeats; that one's answer is reported for this one too. */
export function outcomeOf(row: StoredRequest, into: StoredRequest | null): RequestOutcome {
  const told = row.state === 'coalesced' && into !== null ? into : row;
  return {
    record: row.record,
    request: row.request,
    generation: row.generation,
    revision: row.revision,
    state: row.state,
    reason: told.reason,
    outcome: told.outcome,
    evidence: told.evidence,
    attempts: row.attempts,
    status: told.status,
    answer: told.answer,
    possibleDuplicate: told.possible_duplicate === 1,
    late: told.late === 1,
    into: into === null ? null : { batchId: into.batch_id, record: into.record, request: into.request },
    intoState: into?.state ?? null,
    nextAtMs: told.at_ms,
    decidedAtMs: row.decided_at_ms,
    action: row.action,
    diff: row.diff === null ? null : (JSON.parse(row.diff) as ShownDifference[]),
    ...(row.surprises === null ? {} : { surprises: anomaliesIn(row.surprises) }),
  };
}

/** Written by the load itself. */
export const anomaliesIn = (json: string | null): Anomaly[] => (json === null ? [] : (JSON.parse(json) as Anomaly[]));
