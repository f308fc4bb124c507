/** Plans of replays and their progress → the API's shapes. Pure. */
import type { ReplayLeftOut, ReplayRefusal } from '../../../batch/actions/replay.ts';
import type { ReplayRun, ReplayTotals } from '../../../batch/core/replay-run.ts';
import type { PlannedReplay, ReplayAsked } from '../../../ops/letters/replays.ts';

const iso = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

export function planView(plan: PlannedReplay, { environment, partner }: Pick<ReplayAsked, 'environment' | 'partner'>) {
  const { batches, ...sums } = plan;
  return {
    environment,
    partner,
    ...sums,
    batches: batches.map(({ digest: _, ...batch }) => batch),
    notes: planNotes(plan),
  };
}

/** What a person should know beside the numbers. */
export function planNotes({
  requests,
  mayHaveArrived,
  leftOut,
}: Pick<PlannedReplay, 'requests' | 'mayHaveArrived' | 'leftOut'>): string[] {
  return [
    ...(requests > 0
      ? ['Each is sent with the body it had, under the mapping version its batch is pinned to, as its next generation.']
      : []),
    ...(mayHaveArrived > 0
      ? [`${mayHaveArrived} of them may have arrived already and may arrive twice: to go on, send "confirm" along.`]
      : []),
    ...Object.entries(leftOut).map(([why, count]) => `${count} left out: ${LEFT_OUT_WORDS[why as ReplayLeftOut]}`),
  ];
}

const LEFT_OUT_WORDS: Record<ReplayLeftOut, string> = {
  may_have_arrived: 'it may have arrived. includeUnknown takes it along; it may then arrive twice.',
  order_exists: 'its order exists with other content; a change of it is an update, in a new file.',
  order_may_exist: 'its order may exist. Look it up in the receiving system by its reference.',
  held: 'it is held: decide about it, or it never became a request.',
  replaced: 'a corrected row came in its place.',
  under_way: 'it is being sent again already.',
};

const REFUSAL_WORDS: Record<ReplayRefusal['code'], string> = {
  batch_gone: 'it has reached the end of its life since the plan was made',
  batch_unreadable: 'its file could not be read, so nothing of it can be sent',
  cancel_under_way: 'it is being cancelled',
  plan_changed: 'what would be sent again changed after the plan was made; plan it anew',
  file_sent_again: 'nothing of it was ever sent, and the same file came in again as another batch',
};

/** @param totals of the run, so that both are of one moment. */
export function runView(run: ReplayRun, totals: ReplayTotals) {
  const self = `/v1/ops/actions/${run.actionId}?environment=${run.environment}`;
  return {
    actionId: run.actionId,
    action: 'replay',
    state: run.state,
    environment: run.environment,
    partner: run.partner,
    ...totals,
    perSecond: run.perSecond,
    includeUnknown: run.wanted.includeUnknown,
    who: run.who,
    name: run.name,
    why: run.why,
    begunAt: iso(run.begunAtMs),
    endedAt: iso(run.endedAtMs),
    cancelledBy: run.cancelledBy && {
      who: run.cancelledBy.who,
      name: run.cancelledBy.name,
      at: iso(run.cancelledBy.atMs),
    },
    batches: run.batches.map(({ batchId, state, requests, chosen, skipped, left, refusal }) => ({
      batchId,
      state,
      requests,
      sentAgain: chosen,
      skipped,
      left,
      problem: refusal === null ? null : { code: refusal.code, detail: REFUSAL_WORDS[refusal.code] },
    })),
    links: { self, cancel: `/v1/ops/actions/${run.actionId}/cancel?environment=${run.environment}` },
  };
}
