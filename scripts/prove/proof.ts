/** What a proof hands back, and what those about a file of milestones look at. */

import type { EventEvidence } from '../invariants/events.ts';
import { type BatchEvidence, type Sending, seenAt, sendingsOf, type Violation } from '../invariants/evidence.ts';
import type { HarnessClient } from '../local/client.ts';
import type { JournalEntry, Stack } from '../local/stack.ts';
import { storedSubjects } from '../local/stored-objects.ts';

export interface Proof {
  /** What was run and seen, a line each; the timeScale is among it. */
  figures: string[];
  /** None means that everything held. */
  violations: Violation[];
}

/** The partner of all proofs. */
export const PROVE = { partner: 'prove', auth: 'key' } as const;

interface MilestoneEvidence extends EventEvidence {
  seen: readonly JournalEntry[];
  batch: BatchEvidence;
  journal: readonly JournalEntry[];
  /** Of all loads. */
  sendings: readonly Sending[];
  /** When each attempt began, and when each request was received, in ascending order. */
  begunMs: readonly number[];
  arrivedMs: readonly number[];
}

/** Waits for the batch, then stops the bridge and reads its files. */
export async function milestonesOf(
  stack: Stack,
  client: HarnessClient,
  { batchId, rowsUploaded }: { batchId: string; rowsUploaded: number },
  { isDone, msMax }: { isDone: Parameters<HarnessClient['drain']>[1]; msMax: number },
): Promise<MilestoneEvidence & { endedMs: number }> {
  const [summary] = await client.drain([batchId], isDone, msMax);
  if (summary === undefined) throw new Error('no batch to look at');
  const endedMs = Date.now();
  const batch = { summary, rows: await client.rows(batchId), rowsUploaded };
  await stack.bridge.stop();
  const journal = await stack.journal();
  const seen = seenAt(journal, 'milestone');
  const loads = storedSubjects(stack.persistTo, 'Load').map(sendingsOf);
  const sendings = loads.flat();
  const ascending = (times: number[]): number[] => times.sort((one, other) => one - other);
  return {
    seen,
    loads,
    batches: [batch],
    batch,
    journal,
    sendings,
    begunMs: ascending(sendings.flatMap(({ attempts }) => attempts.map(({ startedAtMs }) => startedAtMs))),
    arrivedMs: ascending(seen.map(({ receivedAtMs }) => receivedAtMs)),
    endedMs,
  };
}
