/**
 * Replays that operators begin: plans which ended requests they include, and chooses those a few at a time.
 * The set is fixed at the start: no request is chosen twice, and one retried otherwise meanwhile is left alone.
 */

import { createHash } from 'node:crypto';
import { countedState } from '../../delivery/outcome.ts';
import { type LeftOut, RETRIABLE_STATES, type RetriableState, retryOf } from '../../delivery/retry.ts';
import type { RequestState } from '../../delivery/states.ts';
import { REPLAY_OUTCOMES_MAX, REPLAY_PAGE_REQUESTS } from '../../kernel/limits.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import type { RequestKind } from '../../mapping/request.ts';
import { type DeadLetterFilter, mayHaveDeadLetters } from '../core/dead-letters.ts';
import { START } from '../core/progress.ts';
import type { ActionPort } from '../object/ports.ts';
import type { ReplayCandidate } from '../store/dead-letter-store.ts';
import { beginRetrying, type FileSentAgain, openAgain } from './retry.ts';

/** @property includeUnknown also requests that may have arrived: they may then arrive twice. */
export interface ReplayWanted {
  filter: DeadLetterFilter;
  includeUnknown: boolean;
}

/** Why a wanted request is not resent; `held`: it waits for a decision. */
export type ReplayLeftOut = LeftOut | 'held' | 'replaced' | 'under_way';

export interface ReplayPlan {
  requests: number;
  states: Partial<Record<RetriableState, number>>;
  kinds: Partial<Record<RequestKind, number>>;
  mayHaveArrived: number;
  leftOut: Partial<Record<ReplayLeftOut, number>>;
  /** Changes with every request in the plan, and with its generation. */
  digest: string;
}

export interface ReplayRequest {
  actionId: string;
  who: string;
  name: string;
  why: string;
  wanted: ReplayWanted;
  /** Of the plan that was shown. */
  digest: string;
}

export type ReplayRefusal =
  /** `batch_gone`: its retention has ended since the plan was made, or it is being erased. */
  { code: 'batch_gone' | 'batch_unreadable' | 'cancel_under_way' | 'plan_changed' } | FileSentAgain;

/** Running counts of one replay in this batch. */
export interface ReplayProgress {
  chosen: number;
  skipped: number;
  left: number;
  /** The batch was cancelled after the replay began, or its file came in again: the rest stays as it ended. */
  isCancelled: boolean;
}

export function classify(candidate: ReplayCandidate, includeUnknown: boolean): 'replayed' | ReplayLeftOut {
  const { state } = candidate;
  if (state === 'held' || state === 'invalid') return 'held';
  if (candidate.isReplaced === 1) return 'replaced';
  if (candidate.isChosen === 1) return 'under_way';
  const ended = { ...candidate, state, mayHaveArrived: candidate.mayHaveArrived === 1 };
  const verdict = retryOf(ended, { states: RETRIABLE_STATES, includeUnknown });
  return verdict === 'retried' || verdict === 'not_wanted' ? 'replayed' : verdict;
}

/** What a plan is about, for a person. @property examples the first requests of it, each with where its row is. */
export interface ReplayedFrom {
  fileName: string | null;
  examples: { record: number; subject: string; line: number; place: string | null }[];
}

/** Ours: enough to know again what is sent. */
const REPLAY_EXAMPLES = 3;

/** Pure apart from its input: pages of candidates → the plan. */
export function replayPlan(
  pages: Iterable<readonly ReplayCandidate[]>,
  includeUnknown: boolean,
  each: (replayed: readonly ReplayCandidate[]) => void = () => undefined,
): ReplayPlan {
  const plan: ReplayPlan = { requests: 0, states: {}, kinds: {}, mayHaveArrived: 0, leftOut: {}, digest: '' };
  const hash = createHash('sha256');
  for (const page of pages) {
    const replayed: ReplayCandidate[] = [];
    for (const candidate of page) {
      const verdict = classify(candidate, includeUnknown);
      if (verdict === 'replayed') {
        replayed.push(candidate);
        count(plan, candidate);
        const { record, request, generation, state, mayHaveArrived } = candidate;
        hash.update(`${record}/${request}~${generation} ${state} ${mayHaveArrived}\n`);
      } else plan.leftOut[verdict] = (plan.leftOut[verdict] ?? 0) + 1;
    }
    each(replayed);
  }
  return { ...plan, digest: hash.digest('hex') };
}

function count(plan: ReplayPlan, { state, kind, mayHaveArrived }: ReplayCandidate): void {
  plan.requests += 1;
  plan.mayHaveArrived += mayHaveArrived;
  plan.kinds[kind] = (plan.kinds[kind] ?? 0) + 1;
  if (state !== 'held' && state !== 'invalid') plan.states[state] = (plan.states[state] ?? 0) + 1;
}

/** The current candidates; nothing is awaited between pages. */
function* candidates({ store, replays }: ActionPort, filter: DeadLetterFilter): Generator<ReplayCandidate[]> {
  if (!mayHaveDeadLetters(store.tally(), filter.states)) return;
  for (let after = START; ; ) {
    const page = replays.candidates(filter, after, REPLAY_PAGE_REQUESTS);
    yield page;
    const last = page.at(-1);
    if (last === undefined || page.length < REPLAY_PAGE_REQUESTS) return;
    after = { record: last.record, request: last.request };
  }
}

export function planReplay(port: ActionPort, { filter, includeUnknown }: ReplayWanted): ReplayPlan & ReplayedFrom {
  const first: ReplayCandidate[] = [];
  const plan = replayPlan(candidates(port, filter), includeUnknown, (replayed) => {
    first.push(...replayed.slice(0, REPLAY_EXAMPLES - first.length));
  });
  const { store } = port;
  const examples = first.map(({ record, request }) => {
    const row = store.row(record);
    const subject = row?.requests.find((each) => each.request === request)?.subject ?? '';
    return { record, subject, line: row?.line ?? record, place: row?.place ?? null };
  });
  return { ...plan, fileName: store.ticket()?.fileName ?? null, examples };
}

/** Fixes the requests of a replay; idempotent by its id. @returns how many. */
export async function beginReplay(port: ActionPort, asked: ReplayRequest): Promise<Result<number, ReplayRefusal>> {
  if (port.store.ticket() === undefined) return err({ code: 'batch_gone' });
  const sentAgain = await openAgain(port);
  const known = port.replays.find(asked.actionId);
  if (known) return ok(known.requests);
  const refusal = sentAgain ?? refusalOf(port, asked);
  return refusal ? err(refusal) : ok(port.store.commit(() => fix(port, asked)));
}

function refusalOf(port: ActionPort, { wanted, digest }: ReplayRequest): ReplayRefusal | null {
  const { progress } = port.created();
  if (progress.state === 'unreadable') return { code: 'batch_unreadable' };
  if (progress.erasing !== undefined) return { code: 'batch_gone' };
  if (progress.withdrawal !== undefined) return { code: 'cancel_under_way' };
  return planReplay(port, wanted).digest === digest ? null : { code: 'plan_changed' };
}

function fix(port: ActionPort, { actionId, who, name, why, wanted }: ReplayRequest): number {
  const atMs = port.nowMs();
  port.replays.begin(actionId, atMs);
  const { digest: _, ...plan } = replayPlan(candidates(port, wanted.filter), wanted.includeUnknown, (replayed) =>
    port.replays.add(actionId, replayed),
  );
  port.actions.note({ atMs, who, what: 'replay', detail: { actionId, name, why, ...plan } });
  return plan.requests;
}

/** Chooses the next ones. Idempotent by the step's number. */
export async function stepReplay(
  port: ActionPort,
  actionId: string,
  step: number,
  limit: number,
): Promise<ReplayProgress> {
  if (port.store.ticket() === undefined) return progressOf(port, actionId, true); // the batch is deleted
  const sentAgain = await openAgain(port);
  const replay = port.replays.find(actionId);
  if (!replay) return progressOf(port, actionId, true);
  if (replay.step >= step) return progressOf(port, actionId, false);
  const { progress } = port.created();
  const isCancelled = progress.withdrawal !== undefined || (progress.cancelledAtMs ?? 0) >= replay.begun_at_ms;
  if (isCancelled || sentAgain !== null || progress.erasing !== undefined) {
    port.replays.drop(actionId);
    return progressOf(port, actionId, true);
  }
  const items = port.replays.items(actionId, limit);
  const due = items.filter(({ isDue }) => isDue === 1);
  port.store.commit(() => {
    if (due.length > 0) {
      port.replays.choose(due);
      beginRetrying(port, port.nowMs());
    }
    port.replays.stepped(actionId, step, items);
  });
  return progressOf(port, actionId, false);
}

/** Requests not chosen yet stay as they ended. Idempotent. */
export function stopReplay(port: ActionPort, actionId: string): ReplayProgress {
  port.replays.drop(actionId);
  return progressOf(port, actionId, true);
}

/** What became of the requests that a replay chose: how many are in which state by now. */
export type ReplayOutcome = Partial<Record<RequestState, number>>;

export function replayOutcome({ replays, store }: ActionPort, actionId: string): ReplayOutcome {
  const outcome: ReplayOutcome = {};
  for (const { record, request, generation } of replays.chosen(actionId, REPLAY_OUTCOMES_MAX)) {
    const known = store.request(record, request);
    if (known === undefined) continue;
    // One that has not left yet is still as it ended before.
    const state = known.generation <= generation ? 'queued' : countedState(known.state, known.into_state);
    outcome[state] = (outcome[state] ?? 0) + 1;
  }
  return outcome;
}

function progressOf(port: ActionPort, actionId: string, isCancelled: boolean): ReplayProgress {
  const { chosen = 0, skipped = 0 } = port.replays.find(actionId) ?? {};
  return { chosen, skipped, left: port.replays.left(actionId), isCancelled };
}
