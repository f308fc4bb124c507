/** The plan of one decision about many held requests: which they are, and which may not be decided so and why. */

import type { DeadLetterFilter } from '../../batch/core/dead-letters.ts';
import type { DecisionsBegun, PlannedDecision } from '../../batch/core/decision-run.ts';
import { secondsFor } from '../../batch/core/replay-run.ts';
import type { Decision } from '../../delivery/decisions.ts';
import { DEAD_LETTERS_PAGE_MAX, DECISIONS_MAX, DECISIONS_PER_SECOND } from '../../kernel/limits.ts';
import type { Environment } from '../../kernel/names.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import { sha256Hex } from '../../kernel/secret.ts';
import type { RequestKind } from '../../mapping/request.ts';
import type { DecisionRefusal } from '../../tracking/decisions.ts';
import {
  type DeadLetterCursor,
  type DeadLetterPorts,
  type DeadLettersRefusal,
  listDeadLetters,
  ownerOf,
  type PartnerDeadLetter,
  subjectOf,
} from './dead-letters.ts';

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
  | { code: 'too_many_requests'; requestsMax: number };

/** Pages of the list that a plan reads. Ours: enough for the largest action in batches with one held row each. */
const PAGES_READ_MAX = 50;
/** Loads and orders called at once: an invocation has 6 slots for calls awaiting an answer (Workers limits). */
const CALLED_AT_ONCE = 6;

export async function planDecisions(
  ports: DeadLetterPorts,
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

async function heldByFilter(
  ports: DeadLetterPorts,
  { environment, partner, batchId, filter }: ManyDecisionsRequest,
): Promise<Result<PartnerDeadLetter[], ManyDecisionsRefusal>> {
  const held: PartnerDeadLetter[] = [];
  let cursor: DeadLetterCursor | null = null;
  for (let pages = 0; pages < PAGES_READ_MAX; pages += 1) {
    const limit = DEAD_LETTERS_PAGE_MAX;
    const page = await listDeadLetters(ports, { environment, partner, batchId, filter, cursor, limit });
    if (!page.ok) return page;
    held.push(...page.value.letters);
    if (held.length > DECISIONS_MAX) return err({ code: 'too_many_requests', requestsMax: DECISIONS_MAX });
    cursor = page.value.next;
    if (cursor === null) return ok(held);
  }
  return err({ code: 'too_many_requests', requestsMax: DECISIONS_MAX });
}

async function heldByName(
  ports: DeadLetterPorts,
  { environment, partner, filter, named }: ManyDecisionsRequest,
): Promise<Result<PartnerDeadLetter[], ManyDecisionsRefusal>> {
  const held: PartnerDeadLetter[] = [];
  for (const [batchId, locations] of named ?? []) {
    const owner = await ownerOf(ports, { environment, partner, batchId });
    if (!owner.ok) return owner;
    const own = { ...filter, places: locations };
    const found = await ports
      .batch({ environment, partner: owner.value }, batchId)
      .deadLetters(own, { record: 0, request: -1 }, DECISIONS_MAX);
    held.push(...found.map((letter) => ({ partner: owner.value, ...letter })));
  }
  return ok(held);
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
