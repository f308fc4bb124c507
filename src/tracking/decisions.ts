/** What people decide about the held requests of a subject: checked and written with its audit entry in one commit. */
import {
  type Decision,
  type DecisionWanted,
  decide,
  decisionsFor,
  type HoldDecisionRefusal,
} from '../delivery/decisions.ts';
import type { RequestLocation } from '../delivery/outcome.ts';
import type { RequestState, StateReason } from '../delivery/states.ts';
import type { Clock } from '../kernel/clock.ts';
import { requestKey } from '../kernel/names.ts';
import { err, ok, type Result } from '../kernel/result.ts';
import type { RequestKind } from '../mapping/request.ts';
import type { SubjectLane } from './lanes/subject-lane.ts';
import type { StoredAttempt, StoredDecision, StoredRequest } from './request.ts';
import { pastOf } from './store/subject-rows.ts';
import type { SubjectStore } from './store/subject-store.ts';

/**
 * @property id of the decision: repeating it changes nothing. who: id of the key; name: its holder's. A dry run writes
 * nothing.
 */
export interface DecisionRequest extends DecisionWanted {
  id: string;
  place: RequestLocation;
  who: string;
  name: string;
  why: string;
  dryRun: boolean;
}

export interface DecisionMade {
  /** It was made before, under the same id. */
  replayed: boolean;
  decision: Decision;
  /** State of the request right after the decision. */
  state: RequestState;
  version: string;
  /** How many requests it covers: for a set of positions, all that travel in it. */
  requests: number;
}

export type DecisionRefusal = HoldDecisionRefusal | { code: 'request_unknown' | 'decision_id_reused' };

/** One generation of a request, with the decisions that are possible and those that were made. */
export interface RequestHistory {
  request: Omit<StoredRequest, 'body'>;
  /** The request it travels in, when that is another one. */
  lead: Omit<StoredRequest, 'body'> | null;
  attempts: StoredAttempt[];
  version: string;
  open: Decision[];
}

export interface SubjectHistory {
  /** Oldest first. */
  generations: RequestHistory[];
  decisions: StoredDecision[];
}

interface Parts {
  store: SubjectStore;
  lanes: readonly SubjectLane[];
}

/** Synchronous, within a commit: nothing can change between the check and the write. */
export function decideIn(
  { store, lanes }: Parts,
  asked: DecisionRequest,
  clock: Clock,
): Result<DecisionMade, DecisionRefusal> {
  const newest = store.generationsOf(asked.place).at(-1);
  if (newest === undefined) return err({ code: 'request_unknown' });
  const request = leadOf(store, newest);
  const { request: requests, decision: decisions } = store.tables;
  const earlier = decisions.get(asked.id);
  if (earlier) return again(earlier, request, asked, store.travelling(request.seq));
  const version = versionOf(newest);
  const lane = lanes.find(({ name }) => name === request.lane);
  const held = { ...request, ...pastOf(request), kind: goesAs(lanes, request), version };
  const ruled = decide(held, asked, clock);
  if (!ruled.ok) return ruled;
  const { taken, orderId, deadlineMs } = ruled.value;
  const made = { replayed: false, decision: asked.decision, requests: store.travelling(request.seq) };
  const { state } = (lane?.afterDecision(request, taken, orderId, clock) ?? taken).step;
  if (asked.dryRun) return ok({ ...made, state, version });
  // It gets a new deadline, and may arrive twice.
  if (deadlineMs !== null) requests.patch(request.seq, { deadline_ms: deadlineMs, possible_duplicate: 1 });
  lane?.decide(request, taken, orderId, clock);
  const after = { ...made, state, version: versionOf(store.bySeq(newest.seq)) };
  decisions.put({
    id: asked.id,
    seq: request.seq,
    at_ms: clock.nowMs(),
    who: asked.who,
    name: asked.name,
    why: asked.why,
    decision: asked.decision,
    order_id: asked.orderId,
    outcome: asked.outcome,
    before: JSON.stringify(current(request)),
    after: JSON.stringify(after),
  });
  return ok(after);
}

function again(
  earlier: StoredDecision,
  request: StoredRequest,
  asked: DecisionRequest,
  requests: number,
): Result<DecisionMade, DecisionRefusal> {
  const isSame =
    earlier.seq === request.seq &&
    earlier.decision === asked.decision &&
    earlier.order_id === asked.orderId &&
    earlier.outcome === asked.outcome;
  if (!isSame) return err({ code: 'decision_id_reused' });
  const { state, version } = JSON.parse(earlier.after) as { state: RequestState; version: string };
  return ok({ replayed: true, decision: earlier.decision, state, version, requests });
}

export function historyIn({ store, lanes }: Parts, locate: RequestLocation): SubjectHistory {
  const newestKey = store.generationsOf(locate).at(-1)?.key;
  const generations = store.generationsOf(locate).map((request): RequestHistory => {
    const lead = leadOf(store, request);
    const state = lead.state;
    return {
      request: withoutBody(request),
      lead: lead === request ? null : withoutBody(lead),
      attempts: store.attemptsOf(lead.seq),
      version: versionOf(request),
      open: request.key === newestKey ? [...decisionsFor(goesAs(lanes, request), state, lead.reason)] : [],
    };
  });
  const seqs = generations.map(({ request, lead }) => (lead ?? request).seq);
  return { generations, decisions: [...store.tables.decision.values()].filter(({ seq }) => seqs.includes(seq)) };
}

const goesAs = (lanes: readonly SubjectLane[], request: StoredRequest): RequestKind =>
  lanes.find(({ name }) => name === request.lane)?.goesAs(request) ?? request.kind;

/** A position has the state of the request it travels in. */
const leadOf = (store: SubjectStore, request: StoredRequest): StoredRequest =>
  request.state === 'coalesced' && request.into_seq !== null && request.into_seq !== request.seq
    ? store.bySeq(request.into_seq)
    : request;

const versionOf = ({ generation, revision }: StoredRequest): string => `${generation}.${revision}`;

const current = (request: StoredRequest): Record<string, string | number | StateReason | null> => ({
  key: requestKey(request.batch_id, request.record, request.request, request.generation),
  state: request.state,
  reason: request.reason,
  revision: request.revision,
  attempts: request.attempts,
  status: request.status,
});

const withoutBody = ({ body: _, ...request }: StoredRequest): Omit<StoredRequest, 'body'> => request;
