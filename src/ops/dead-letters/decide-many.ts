/** The plan of one decision about many held requests: which they are, and which may not be decided so and why. */

import type { DeadLetterFilter } from '../../batch/core/dead-letters.ts';
import type { DecisionsBegun, PlannedDecision } from '../../batch/core/decision-run.ts';
import { secondsFor } from '../../batch/core/replay-run.ts';
import type { Decision } from '../../delivery/decisions.ts';
import { DECISIONS_MAX, DECISIONS_PER_SECOND } from '../../kernel/limits.ts';
import type { Environment } from '../../kernel/names.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import { sha256Hex } from '../../kernel/secret.ts';
import type { RequestKind } from '../../mapping/request.ts';
import type { DecisionRefusal } from '../../tracking/decisions.ts';
import type { BatchList, BatchListCursor } from '../index/batch-list.ts';
import {
  type DeadLetterPorts,
  type DeadLettersRefusal,
  ownerOf,
  type PartnerDeadLetter,
  partnersRequested,
  subjectOf,
} from './dead-letters.ts';

/** @property batches the index says which have held rows, and whose they are: registers list all batches of two years. */
export type DecisionPorts = DeadLetterPorts & { batches: Pick<BatchList, 'list' | 'named'> };

/** @property named requests by batch, one by one; null: the filter decides. */
export interface ManyDecisionsRequest {
  environment: Environment;
  partner: string | null;
  batchId: string | null;
  filter: DeadLetterFilter;
  named: ReadonlyMap<string, readonly { record: number; request: number }[]> | null;
  decision: Exclude<Decision, 'adopt_id'>;
  outcome: 'not_applied' | 'unknown' | null;
}

/** @property leftOut why some may not be decided so, with how many of each. confirm: the token of exactly this plan. */
export interface PlannedDecisions {
  items: PlannedDecision[];
  kinds: Partial<Record<RequestKind, number>>;
  partners: string[];
  leftOut: Partial<Record<DecisionRefusal['code'], number>>;
  seconds: number;
  perSecond: number;
  confirm: string;
}

export type ManyDecisionsRefusal =
  | DeadLettersRefusal
  | { code: 'letter_unknown' | 'nothing_to_decide' }
  | { code: 'too_many_held'; requestsMax: number };

/** Batches with held rows that a plan looks into. Ours: a call each, far below 10,000 subrequests. */
const HELD_BATCHES_MAX = 5_000;
/** Of these, read from the index at once. */
const HELD_BATCHES_PAGE = 1_000;
/** Batches, loads and orders called at once: an invocation has 6 slots for calls awaiting an answer (Workers limits). */
const CALLED_AT_ONCE = 6;

export async function planDecisions(
  ports: DecisionPorts,
  wanted: ManyDecisionsRequest,
): Promise<Result<PlannedDecisions, ManyDecisionsRefusal>> {
  const held = wanted.named === null ? await heldByFilter(ports, wanted) : await heldByName(ports, wanted);
  if (!held.ok) return held;
  const plan: PlannedDecisions = {
    ...{ items: [], kinds: {}, partners: [], leftOut: {} },
    ...{ seconds: 0, perSecond: DECISIONS_PER_SECOND, confirm: '' },
  };
  const missing = wanted.named === null ? 0 : [...wanted.named.values()].flat().length - held.value.length;
  if (missing > 0) plan.leftOut.not_held = missing;
  for (let from = 0; from < held.value.length; from += CALLED_AT_ONCE) {
    const some = held.value.slice(from, from + CALLED_AT_ONCE);
    const tried = await Promise.all(
      some.map(async (letter) => ({ letter, tried: await tryOne(ports, wanted, letter) })),
    );
    for (const { letter, tried: result } of tried) {
      if (!result.ok) plan.leftOut[result.error] = (plan.leftOut[result.error] ?? 0) + 1;
      else {
        plan.items.push(result.value);
        if (letter.kind !== null) plan.kinds[letter.kind] = (plan.kinds[letter.kind] ?? 0) + 1;
      }
    }
  }
  plan.partners = [...new Set(plan.items.map(({ partner }) => partner))].sort();
  plan.seconds = secondsFor(plan.items.length, plan.perSecond);
  plan.confirm = sha256Hex(JSON.stringify([wanted.environment, wanted.decision, wanted.outcome, plan.items]));
  return ok(plan);
}

/** Whether it may be decided so, and in which version it is; nothing is written. */
async function tryOne(
  ports: DeadLetterPorts,
  { environment, decision, outcome }: ManyDecisionsRequest,
  { partner, batchId, record, request, subject, scac }: PartnerDeadLetter,
): Promise<Result<PlannedDecision, DecisionRefusal['code']>> {
  if (subject === null || scac === null) return err('request_unknown');
  const made = await subjectOf(ports, { environment, partner }, { subject, scac }).decide({
    ...{ id: '', who: '', name: '', why: '' },
    place: { batchId, record, request },
    ...{ decision, outcome, orderId: null, seen: null, dryRun: true },
  });
  if (!made.ok) return err(made.error.code);
  return ok({ partner, batchId, record, request, subject, scac, version: made.value.version });
}

/** A batch with whose it is, and what of it is wanted. */
interface WantedBatch {
  partner: string;
  batchId: string;
  filter: DeadLetterFilter;
}

/** Newest batch first. */
async function heldByFilter(
  ports: DecisionPorts,
  wanted: ManyDecisionsRequest,
): Promise<Result<PartnerDeadLetter[], ManyDecisionsRefusal>> {
  const batches = await batchesHolding(ports, wanted);
  if (!batches.ok) return batches;
  const held = await deadLettersIn(ports, wanted.environment, batches.value);
  return held.length > DECISIONS_MAX ? err({ code: 'too_many_held', requestsMax: DECISIONS_MAX }) : ok(held);
}

async function batchesHolding(
  ports: DecisionPorts,
  { environment, partner, batchId, filter }: ManyDecisionsRequest,
): Promise<Result<WantedBatch[], ManyDecisionsRefusal>> {
  if (batchId !== null) {
    const owner = await ownerOf(ports, { environment, partner, batchId });
    if (owner.ok) return ok([{ partner: owner.value, batchId, filter }]);
    return owner.error.code === 'letter_unknown' ? ok([]) : owner;
  }
  const known = await partnersRequested(ports, { environment, partner });
  if (!known.ok) return known;
  const any = { states: null, mapping: null, fileName: null, fromMs: null, toMs: null };
  const found: WantedBatch[] = [];
  for (let after: BatchListCursor | null = null; found.length < HELD_BATCHES_MAX; ) {
    const query = { ...any, environment, partner, needs: ['held'] as const, after, limit: HELD_BATCHES_PAGE };
    const page = await ports.batches.list(query);
    if (!page.ok) return page;
    found.push(...page.value.map((row) => ({ partner: row.partner, batchId: row.batch_id, filter })));
    const last = page.value.at(-1);
    if (last === undefined || page.value.length < HELD_BATCHES_PAGE) return ok(found);
    after = { receivedAtMs: last.received_at_ms, batchId: last.batch_id };
  }
  return err({ code: 'too_many_held', requestsMax: DECISIONS_MAX });
}

/** The register is called for what the index does not know, so that a made-up id never creates an object. */
async function heldByName(
  ports: DecisionPorts,
  { environment, partner, filter, named }: ManyDecisionsRequest,
): Promise<Result<PartnerDeadLetter[], ManyDecisionsRefusal>> {
  const locations = named ?? new Map<string, readonly { record: number; request: number }[]>();
  const known = await ports.batches.named(environment, [...locations.keys()]);
  if (!known.ok) return known;
  const batches: WantedBatch[] = [];
  for (const [batchId, places] of locations) {
    const listed = known.value.get(batchId)?.partner;
    const owner =
      listed !== undefined && (partner ?? listed) === listed
        ? ok(listed)
        : await ownerOf(ports, { environment, partner, batchId });
    if (!owner.ok) return owner;
    batches.push({ partner: owner.value, batchId, filter: { ...filter, places } });
  }
  return ok(await deadLettersIn(ports, environment, batches));
}

/** In the order of the batches; reads on until there are more than one action may decide. */
async function deadLettersIn(
  ports: DecisionPorts,
  environment: Environment,
  batches: readonly WantedBatch[],
): Promise<PartnerDeadLetter[]> {
  const held: PartnerDeadLetter[] = [];
  for (let from = 0; from < batches.length && held.length <= DECISIONS_MAX; from += CALLED_AT_ONCE) {
    const some = batches.slice(from, from + CALLED_AT_ONCE);
    const found = await Promise.all(
      some.map(async ({ partner, batchId, filter }) => {
        const batch = ports.batch({ environment, partner }, batchId);
        const letters = await batch.deadLetters(filter, { record: 0, request: -1 }, DECISIONS_MAX + 1);
        return letters.map((letter) => ({ partner, ...letter }));
      }),
    );
    held.push(...found.flat());
  }
  return held;
}

/** What a decision about many may not be begun for. @param confirm the token of the plan that the person saw. */
export function confirmedDecisions(
  { items, confirm: token }: PlannedDecisions,
  confirm: string | null,
): Result<null, { code: 'nothing_to_decide' | 'confirm_required' | 'plan_changed' }> {
  if (confirm !== null && confirm !== token) return err({ code: 'plan_changed' });
  if (items.length === 0) return err({ code: 'nothing_to_decide' });
  return confirm === null ? err({ code: 'confirm_required' }) : ok(null);
}

export const decisionsFingerprint = ({ named, ...wanted }: ManyDecisionsRequest, why: string): string =>
  sha256Hex(JSON.stringify({ ...wanted, named: named === null ? null : [...named], why }));

export const begunDecisions = (
  wanted: ManyDecisionsRequest,
  plan: PlannedDecisions,
  by: Pick<DecisionsBegun, 'actionId' | 'who' | 'name' | 'why'>,
): DecisionsBegun => ({
  ...by,
  fingerprint: decisionsFingerprint(wanted, by.why),
  environment: wanted.environment,
  partner: plan.partners.length === 1 ? (plan.partners[0] ?? null) : null,
  decision: wanted.decision,
  outcome: wanted.outcome,
  perSecond: plan.perSecond,
});
