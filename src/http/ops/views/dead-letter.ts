/** Dead letters, their answers and decisions → the API's shapes. Pure. */

import type { DeadLetter } from '../../../batch/core/dead-letters.ts';
import { recommendation } from '../../../delivery/decisions.ts';
import { RETRIABLE_STATES, retryOf } from '../../../delivery/retry.ts';
import { isoOrNull } from '../../../kernel/clock.ts';
import type { Environment, PartnerScope } from '../../../kernel/names.ts';
import type { FoundDeadLetter, PartnerDeadLetter } from '../../../ops/dead-letters/dead-letters.ts';
import type { RequestHistory } from '../../../tracking/decisions.ts';
import type { StoredAttempt, StoredDecision } from '../../../tracking/request.ts';
import { rowLinks } from '../../edge/reader.ts';

const parsed = (json: string | null): unknown => (json === null ? null : JSON.parse(json));

export const deadLetterPath = (
  environment: Environment,
  partner: string,
  at: Pick<DeadLetter, 'batchId' | 'record' | 'request'>,
): string =>
  `/v1/ops/letters/${at.batchId}/${at.record}/${at.request}?${new URLSearchParams({ environment, partner })}`;

/** Links to a dead letter, its batch and its row, in the API and as a page. */
function linksOf(scope: PartnerScope, at: Pick<DeadLetter, 'batchId' | 'record' | 'request'>) {
  const self = deadLetterPath(scope.environment, scope.partner, at);
  return { self, ...rowLinks({ ...scope, isOps: true }, at.batchId, at.record) };
}

export function deadLetterLine(environment: Environment, { decidedAtMs, partner, ...deadLetter }: PartnerDeadLetter) {
  return {
    partner,
    ...deadLetter,
    decidedAt: isoOrNull(decidedAtMs),
    recommended: adviceOf(deadLetter),
    links: linksOf({ environment, partner }, deadLetter),
  };
}

/** All that is known of one request, or of a row that never became one. */
export function deadLetterView(
  environment: Environment,
  locate: Pick<DeadLetter, 'batchId' | 'record' | 'request'>,
  { partner, whole, history }: FoundDeadLetter,
) {
  const { row, letter: deadLetter } = whole;
  const request = row.requests.find((each) => each.request === locate.request);
  const newest = history?.generations.at(-1);
  const standing = newest?.lead ?? newest?.request;
  return {
    environment,
    partner,
    ...locate,
    position: row.position,
    state: standing?.state ?? deadLetter?.state ?? request?.state ?? row.state,
    reason: standing?.reason ?? deadLetter?.reason ?? null,
    outcome: standing?.outcome ?? deadLetter?.outcome ?? null,
    kind: request?.kind ?? null,
    subject: request?.subject ?? null,
    scac: request?.scac ?? null,
    problems: row.errors,
    replaces: row.replaces,
    replacedBy: deadLetter?.replacedBy ?? null,
    /** As it is sent. */
    body: request?.body ?? null,
    /** What it changes of its order; null before that is known, and for anything else. */
    diff: request?.diff ?? parsed(standing?.diff ?? null),
    generation: newest?.request.generation ?? request?.generation ?? 1,
    /** For If-Match of a decision. */
    version: newest?.version ?? null,
    decisions: newest?.open ?? [],
    recommended: advice(deadLetter, newest),
    replay: replayOf(deadLetter),
    generations: history?.generations.map(generationView) ?? [],
    decided: history?.decisions.map(decisionView) ?? [],
    batchActions: whole.actions.map(({ atMs, who, what, detail }) => ({
      at: isoOrNull(atMs),
      who,
      what,
      detail: parsed(detail),
    })),
    links: {
      ...linksOf({ environment, partner }, locate),
      decisions: `/v1/ops/letters/${locate.batchId}/${locate.record}/${locate.request}/decisions`,
    },
  };
}

/** As far as the batch knows; the load or order may know more. */
const adviceOf = (deadLetter: Omit<DeadLetter, 'decidedAtMs'>): string =>
  deadLetter.state === 'held' && deadLetter.kind !== null
    ? recommendation(deadLetter.kind, deadLetter.reason)
    : advice({ ...deadLetter, decidedAtMs: null }, undefined);

function advice(deadLetter: DeadLetter | null, newest: RequestHistory | undefined): string {
  if (deadLetter?.state === 'invalid')
    return 'The row, or its mapping, is at fault: what is wrong was not sent. Correct it and have it sent in a new file.';
  if (newest !== undefined && newest.open.length > 0) {
    return recommendation(newest.request.kind, (newest.lead ?? newest.request).reason);
  }
  return REPLAY_ADVICE[replayOf(deadLetter) ?? 'none'];
}

const REPLAY_ADVICE: Record<NonNullable<ReturnType<typeof replayOf>> | 'none', string> = {
  none: 'Nothing is to be decided.',
  retried: 'Mend the cause, then send it again.',
  may_have_arrived:
    'It may have arrived. Ask the receiving system first: sent again (includeUnknown), it may arrive twice.',
  order_may_exist: 'Its order may exist. Look it up in the receiving system; it cannot be sent again from here.',
  order_exists: 'Its order exists with other content. Send it as a change, in a new file.',
  replaced: 'A corrected row came in its place; see that one.',
};

/** What a replay would do; null: it has not ended. */
function replayOf(deadLetter: DeadLetter | null) {
  if (deadLetter === null || deadLetter.kind === null) return null;
  const { kind, state, reason, outcome, possibleDuplicate } = deadLetter;
  if (state === 'held' || state === 'invalid') return null;
  if (deadLetter.replacedBy !== null) return 'replaced' as const;
  const ended = { kind, state, reason, mayHaveArrived: outcome === 'unknown' || possibleDuplicate };
  const verdict = retryOf(ended, { states: RETRIABLE_STATES, includeUnknown: false });
  return verdict === 'not_wanted' ? null : verdict;
}

const generationView = ({ request, lead, attempts }: RequestHistory) => ({
  generation: request.generation,
  state: request.state,
  reason: request.reason,
  outcome: request.outcome,
  evidence: request.evidence,
  status: request.status,
  possibleDuplicate: request.possible_duplicate === 1,
  late: request.late === 1,
  acceptedAt: isoOrNull(request.accepted_at_ms),
  deadline: isoOrNull(request.deadline_ms),
  nextAt: isoOrNull(request.at_ms),
  decidedAt: isoOrNull(request.decided_at_ms || null),
  travelsIn:
    lead === null
      ? null
      : {
          batchId: lead.batch_id,
          record: lead.record,
          request: lead.request,
          state: lead.state,
          reason: lead.reason,
          status: lead.status,
        },
  attempts: attempts.map(attemptView),
});

export const attemptView = (attempt: StoredAttempt) => ({
  attempt: attempt.attempt,
  /** A sending or a lookup. */
  purpose: attempt.purpose,
  startedAt: isoOrNull(attempt.started_at_ms),
  requestSha256: attempt.request_sha256,
  effect: attempt.effect,
  status: attempt.status,
  headers: parsed(attempt.headers),
  answer: attempt.body,
  answerEnd: attempt.body_end,
  detail: attempt.detail,
  latencyMs: attempt.latency_ms,
});

const decisionView = (made: StoredDecision) => ({
  at: isoOrNull(made.at_ms),
  who: made.who,
  name: made.name,
  why: made.why,
  decision: made.decision,
  orderId: made.order_id,
  outcome: made.outcome,
  before: parsed(made.before),
});
