/** The plan of a replay over batches of one partner, and the check before it begins. */

import type { ReplayedFrom, ReplayPlan, ReplayWanted } from '../../batch/actions/replay.ts';
import type { ReplayBegun } from '../../batch/core/replay-run.ts';
import { secondsFor } from '../../batch/core/replay-run.ts';
import { REPLAY_BATCHES_MAX } from '../../kernel/limits.ts';
import type { Environment } from '../../kernel/names.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import { sha256Hex } from '../../kernel/secret.ts';
import type { BatchList, BatchListCursor } from '../index/batch-list.ts';
import { type DeadLetterPorts, partnersRequested } from './dead-letters.ts';

/** @property batches the index says which may have something to send again: registers list all batches of two years. */
export type ReplayPorts = DeadLetterPorts & { batches: Pick<BatchList, 'replayable'> };

/** @property batchIds null: all of the partner's. confirm: the token of the plan that the person saw. */
export interface ReplayRequest {
  environment: Environment;
  partner: string;
  batchIds: readonly string[] | null;
  /** Id of an issue: all that failed like that. Its key and its batches are looked up when the plan is made. */
  issue?: string;
  wanted: ReplayWanted;
  /** Requests named one by one, by batch; they narrow the filter. */
  places: ReadonlyMap<string, readonly { record: number; request: number }[]> | null;
  perSecond: number;
}

export interface PlannedReplay extends Omit<ReplayPlan, 'digest'> {
  batches: (ReplayPlan & ReplayedFrom & { batchId: string })[];
  /** About how long dispatching takes. */
  seconds: number;
  perSecond: number;
  /** Identifies exactly this plan. */
  confirm: string;
}

export type ReplayPlanRefusal =
  | { code: 'directory_unavailable' }
  | { code: 'partner_unknown'; partner: string }
  | { code: 'batch_unknown'; batchId: string }
  | { code: 'too_many_batches' };

/** Batches read from the index at once. */
const BATCHES_PAGE = 1_000;
/** Batches called at once: an invocation has 6 slots for calls awaiting an answer (Workers limits). */
const BATCHES_CALLED_AT_ONCE = 6;

export async function planReplays(
  ports: ReplayPorts,
  asked: ReplayRequest,
): Promise<Result<PlannedReplay, ReplayPlanRefusal>> {
  const known = await partnersRequested(ports, asked);
  if (!known.ok) return known;
  const batchIds = await batchesRequested(ports, asked);
  if (!batchIds.ok) return batchIds;
  const batches: PlannedReplay['batches'] = [];
  for (let from = 0; from < batchIds.value.length; from += BATCHES_CALLED_AT_ONCE) {
    const plans = batchIds.value.slice(from, from + BATCHES_CALLED_AT_ONCE).map(async (batchId) => {
      const plan = await ports.batch(asked, batchId).planReplay(wantedOf(asked, batchId));
      return { batchId, ...plan };
    });
    batches.push(...(await Promise.all(plans)).filter(isConcerned));
    if (batches.length > REPLAY_BATCHES_MAX) return err({ code: 'too_many_batches' });
  }
  return ok(plannedReplay(batches, asked));
}

const isConcerned = ({ requests, leftOut }: ReplayPlan): boolean => requests > 0 || Object.keys(leftOut).length > 0;

/** The part of the replay for one batch: of requests named one by one, its own. */
export function wantedOf({ wanted, places }: Pick<ReplayRequest, 'wanted' | 'places'>, batchId: string): ReplayWanted {
  if (places === null) return wanted;
  return { ...wanted, filter: { ...wanted.filter, places: places.get(batchId) ?? [] } };
}

export function plannedReplay(
  batches: PlannedReplay['batches'],
  asked: Pick<ReplayRequest, 'environment' | 'partner' | 'wanted' | 'perSecond'>,
): PlannedReplay {
  const sum: Omit<ReplayPlan, 'digest'> = { requests: 0, states: {}, kinds: {}, mayHaveArrived: 0, leftOut: {} };
  for (const plan of batches) {
    sum.requests += plan.requests;
    sum.mayHaveArrived += plan.mayHaveArrived;
    addAll(sum.states, plan.states);
    addAll(sum.kinds, plan.kinds);
    addAll(sum.leftOut, plan.leftOut);
  }
  const sent = batches.filter(({ requests }) => requests > 0).map(({ batchId, digest }) => [batchId, digest]);
  const { environment, partner, wanted, perSecond } = asked;
  const named = JSON.stringify([environment, partner, wanted.includeUnknown, sent.sort()]);
  const confirm = sha256Hex(named);
  return { ...sum, batches, seconds: secondsFor(sum.requests, perSecond), perSecond, confirm };
}

function addAll(to: Partial<Record<string, number>>, counts: Partial<Record<string, number>>): void {
  for (const [name, count = 0] of Object.entries(counts)) to[name] = (to[name] ?? 0) + count;
}

export type ConfirmRefusal = { code: 'nothing_to_replay' | 'confirm_required' | 'plan_changed' };

/**
 * @param confirm the token of the plan that the person saw; null: none. What may arrive twice is never begun unseen.
 */
export function confirmed(plan: PlannedReplay, confirm: string | null): Result<null, ConfirmRefusal> {
  if (confirm !== null && confirm !== plan.confirm) return err({ code: 'plan_changed' });
  if (plan.requests === 0) return err({ code: 'nothing_to_replay' });
  if (plan.mayHaveArrived > 0 && confirm === null) return err({ code: 'confirm_required' });
  return ok(null);
}

/** The same key of the same operator is the same replay, even when it comes twice at once. */
export const actionIdOf = (environment: Environment, keyId: string, idempotencyKey: string): string =>
  `a_${sha256Hex(JSON.stringify([environment, keyId, idempotencyKey])).slice(0, 32)}`;

/** Of an issue the batches that have it now do not count: a repeat comes when some have it no more. */
export function fingerprintOf(asked: ReplayRequest, why: string): string {
  const { wanted } = asked;
  const { issues: _, ...filter } = wanted.filter;
  const same = asked.issue === undefined ? {} : { batchIds: null, wanted: { ...wanted, filter } };
  return sha256Hex(
    JSON.stringify({ ...asked, ...same, places: asked.places === null ? null : [...asked.places], why }),
  );
}

export const begunReplay = (
  plan: PlannedReplay,
  asked: ReplayRequest,
  by: Pick<ReplayBegun, 'actionId' | 'who' | 'name' | 'why'>,
): ReplayBegun => ({
  ...by,
  fingerprint: fingerprintOf(asked, by.why),
  environment: asked.environment,
  partner: asked.partner,
  wanted: asked.wanted,
  perSecond: asked.perSecond,
  batches: plan.batches
    .filter(({ requests }) => requests > 0)
    .map(({ batchId, requests, digest }) => ({
      batchId,
      requests,
      digest,
      places: asked.places?.get(batchId) ?? null,
    })),
});

/** Oldest first, in the order of dispatch: ids sort by time. */
async function batchesRequested(
  ports: ReplayPorts,
  asked: ReplayRequest,
): Promise<Result<string[], ReplayPlanRefusal>> {
  const named = asked.batchIds ?? (asked.places === null ? null : [...asked.places.keys()]);
  if (named === null) return replayableBatches(ports, asked);
  if (named.length > REPLAY_BATCHES_MAX) return err({ code: 'too_many_batches' });
  const register = ports.register(asked);
  for (const batchId of named) if (!(await register.knows(batchId))) return err({ code: 'batch_unknown', batchId });
  return ok([...new Set(named)].sort());
}

async function replayableBatches(
  { batches }: ReplayPorts,
  { environment, partner }: ReplayRequest,
): Promise<Result<string[], ReplayPlanRefusal>> {
  const ids: string[] = [];
  for (let after: BatchListCursor | null = null; ; ) {
    const page = await batches.replayable({ environment, partner }, after, BATCHES_PAGE);
    if (!page.ok) return page;
    ids.push(...page.value.map(({ batch_id }) => batch_id));
    const last = page.value.at(-1);
    if (last === undefined || page.value.length < BATCHES_PAGE) return ok(ids.sort());
    after = { receivedAtMs: last.received_at_ms, batchId: last.batch_id };
  }
}
