/** Between observations, stored rows and reports: plain translation, nothing decided. */
import type { RequestOutcome } from '../delivery/outcome.ts';
import { ANSWER_HEAD_CHARACTERS_MAX } from '../kernel/limits.ts';
import { headOf } from '../kernel/text.ts';
import type { Observation } from '../upstream/answer.ts';
import type { StoredAttempt, StoredRequest } from './load-store.ts';

/** What a Load needs of the Batch: a port of the caller, so that tracking knows nothing of batches. */
export interface OutcomeReceiver {
  recordOutcomes(outcomes: RequestOutcome[]): Promise<void>;
}

export function attemptRow(
  seq: number,
  observed: Exclude<Observation, { outcome: 'not_sent' }>,
  effect: string,
): Omit<StoredAttempt, 'attempt' | 'started_at_ms' | 'request_sha256' | 'token_fingerprint'> {
  if (observed.outcome === 'no_answer') {
    const { code, detail, latencyMs } = observed;
    const none = { status: null, headers: null, body: null, body_end: null, body_encoding: null };
    return { seq, effect, ...none, detail: `${code}: ${detail}`, latency_ms: latencyMs };
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

/** The head of the answer, or what happened instead of one. */
export function answerHead(observed: Observation): string {
  const text = observed.outcome === 'answered' ? observed.body : `${observed.code}: ${observed.detail}`;
  return headOf(text, ANSWER_HEAD_CHARACTERS_MAX);
}

export const outcomeOf = (row: StoredRequest): RequestOutcome => ({
  record: row.record,
  request: row.request,
  revision: row.revision,
  state: row.state,
  reason: row.reason,
  outcome: row.outcome,
  attempts: row.attempts,
  status: row.status,
  answer: row.answer,
  possibleDuplicate: row.possible_duplicate === 1,
  late: row.late === 1,
  nextAtMs: row.at_ms,
  decidedAtMs: row.decided_at_ms,
});
