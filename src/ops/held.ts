/** What waits for a person in an environment, partner by partner: asked of their open batches alone, for no other holds anything. */
import type { HeldOfBatch } from '../batch/letters.ts';
import { HELD_BATCHES_MAX } from '../kernel/limits.ts';
import { log, messageOf } from '../kernel/log.ts';
import type { Environment, PartnerScope } from '../kernel/names.ts';
import { ok, type Result } from '../kernel/result.ts';
import type { PartnerList } from './partner-list.ts';

export interface HeldPorts {
  partners: PartnerList;
  register(scope: PartnerScope): { openBatches(limit: number): Promise<string[]> };
  batch(scope: PartnerScope, batchId: string): { held(): Promise<HeldOfBatch> };
}

export interface HeldOfPartner {
  partner: string;
  requests: number;
  oldestMs: number;
  /** Where the oldest is. */
  batchId: string;
}

/** @property isWhole false: there are more open batches than are asked, or one was not reached. */
export interface Held {
  held: HeldOfPartner[];
  isWhole: boolean;
}

/** Calls at once: an invocation has 6 slots for calls awaiting an answer (Workers limits). */
const PARALLEL = 6;

export async function heldOf(
  { partners, register, batch }: HeldPorts,
  environment: Environment,
): Promise<Result<Held, { code: 'directory_unavailable' }>> {
  const names = await partners.names(environment);
  if (!names.ok) return names;
  const waiting: { partner: string; batchId: string }[] = [];
  let isWhole = true;
  for (const partner of names.value) {
    const room = HELD_BATCHES_MAX - waiting.length;
    const open = await register({ environment, partner }).openBatches(room + 1);
    if (open.length > room) isWhole = false;
    waiting.push(...open.slice(0, room).map((batchId) => ({ partner, batchId })));
  }
  const found = new Map<string, HeldOfPartner>();
  const lanes = Array.from({ length: PARALLEL }, async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const { partner, batchId } = next;
      try {
        const { requests, oldestMs } = await batch({ environment, partner }, batchId).held();
        if (oldestMs === null) continue;
        const known = found.get(partner);
        const isOldest = known === undefined || oldestMs < known.oldestMs;
        const oldest = isOldest ? { oldestMs, batchId } : { oldestMs: known.oldestMs, batchId: known.batchId };
        found.set(partner, { partner, requests: requests + (known?.requests ?? 0), ...oldest });
      } catch (thrown) {
        log('warn', 'batch_not_reached', { batchId, detail: messageOf(thrown) });
        isWhole = false;
      }
    }
  });
  await Promise.all(lanes);
  return ok({ held: [...found.values()].sort((one, other) => one.oldestMs - other.oldestMs), isWhole });
}
