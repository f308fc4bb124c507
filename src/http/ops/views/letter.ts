/** Letters, their answers and decisions → the API's shapes. Pure. */
import type { Letter } from '../../../batch/core/letters.ts';
import { RETRIABLE_STATES, retryOf } from '../../../delivery/retry.ts';
import { recommendation } from '../../../delivery/ruling.ts';
import type { Environment, PartnerScope } from '../../../kernel/names.ts';
import type { FoundLetter, PartnerLetter } from '../../../ops/letters/letters.ts';
import type { StoredDecision } from '../../../tracking/store/decision-store.ts';
import type { StoredAttempt } from '../../../tracking/store/subject-tables.ts';
import type { RequestHistory } from '../../../tracking/subject-decision.ts';
import { rowLinks } from '../../edge/reader.ts';

const iso = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());
const parsed = (json: string | null): unknown => (json === null ? null : JSON.parse(json));

export const letterPath = (
  environment: Environment,
  partner: string,
  at: Pick<Letter, 'batchId' | 'record' | 'request'>,
): string =>
  `/v1/ops/letters/${at.batchId}/${at.record}/${at.request}?${new URLSearchParams({ environment, partner })}`;

/** Of a letter: itself, its batch and its row, by the API and as a page. */
function linksOf(scope: PartnerScope, at: Pick<Letter, 'batchId' | 'record' | 'request'>) {
  const self = letterPath(scope.environment, scope.partner, at);
  return { self, ...rowLinks({ ...scope, isOps: true }, at.batchId, at.record) };
}

export function letterLine(environment: Environment, { decidedAtMs, partner, ...letter }: PartnerLetter) {
  return {
    partner,
    ...letter,
    decidedAt: iso(decidedAtMs),
    links: linksOf({ environment, partner }, letter),
  };
}

/** Everything that is known of one request, or of a row that never became one. */
export function letterView(
  environment: Environment,
  place: Pick<Letter, 'batchId' | 'record' | 'request'>,
  { partner, whole, history }: FoundLetter,
) {
  const { row, letter } = whole;
  const request = row.requests.find((each) => each.request === place.request);
  const newest = history?.generations.at(-1);
  const standing = newest?.lead ?? newest?.request;
  return {
    environment,
    partner,
    ...place,
    position: row.position,
    state: standing?.state ?? letter?.state ?? request?.state ?? row.state,
    reason: standing?.reason ?? letter?.reason ?? null,
    outcome: standing?.outcome ?? letter?.outcome ?? null,
    kind: request?.kind ?? null,
    subject: request?.subject ?? null,
    scac: request?.scac ?? null,
    problems: row.errors,
    replaces: row.replaces,
    replacedBy: letter?.replacedBy ?? null,
    /** As it is sent. */
    body: request?.body ?? null,
    /** What it changes of its order; null before that is known, and of all else. */
    diff: request?.diff ?? parsed(standing?.diff ?? null),
    generation: newest?.request.generation ?? request?.generation ?? 1,
    /** For If-Match of a decision. */
    version: newest?.version ?? null,
    decisions: newest?.open ?? [],
    recommended: advice(letter, newest),
    replay: replayOf(letter),
    generations: history?.generations.map(generationView) ?? [],
    decided: history?.decisions.map(decisionView) ?? [],
    batchActions: whole.actions.map(({ atMs, who, what, detail }) => ({
      at: iso(atMs),
      who,
      what,
      detail: parsed(detail),
    })),
    links: {
      ...linksOf({ environment, partner }, place),
      decisions: `/v1/ops/letters/${place.batchId}/${place.record}/${place.request}/decisions`,
    },
  };
}

function advice(letter: Letter | null, newest: RequestHistory | undefined): string {
  if (letter?.state === 'invalid')
    return 'The row, or its mapping, is at fault: what is wrong was not sent. Correct it and have it sent in a new file.';
  if (newest !== undefined && newest.open.length > 0) {
    return recommendation(newest.request.kind, (newest.lead ?? newest.request).reason);
  }
  switch (replayOf(letter)) {
    case null:
      return 'Nothing is to be decided.';
    case 'retried':
      return 'Mend the cause, then replay it.';
    case 'may_have_arrived':
      return 'It may have arrived. Ask the receiving system; a replay with includeUnknown may send it twice.';
    case 'order_may_exist':
      return 'Its order may exist. Look it up in the receiving system; it cannot be replayed.';
    case 'order_exists':
      return 'Its order exists with other content. A change is an update, in a new file.';
    case 'replaced':
      return 'A corrected row came in its place; see that one.';
  }
}

/** What a replay would do about it; null: it has not ended. */
function replayOf(letter: Letter | null) {
  if (letter === null || letter.kind === null) return null;
  const { kind, state, reason, outcome, possibleDuplicate } = letter;
  if (state === 'held' || state === 'invalid') return null;
  if (letter.replacedBy !== null) return 'replaced' as const;
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
  acceptedAt: iso(request.accepted_at_ms),
  deadline: iso(request.deadline_ms),
  nextAt: iso(request.at_ms),
  decidedAt: iso(request.decided_at_ms || null),
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
  /** Sent, or only asked. */
  purpose: attempt.purpose,
  startedAt: iso(attempt.started_at_ms),
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
  at: iso(made.at_ms),
  who: made.who,
  name: made.name,
  why: made.why,
  decision: made.decision,
  orderId: made.order_id,
  outcome: made.outcome,
  before: parsed(made.before),
});
