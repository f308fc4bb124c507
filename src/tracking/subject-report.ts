/** Outcomes of a subject → their Batches, from the outbox: each Batch hears of its own requests until it has confirmed. */
import type { RequestOutcome } from '../delivery/outcome.ts';
import { type Clock, scaledMs } from '../kernel/clock.ts';
import { failpoint } from '../kernel/failpoint.ts';
import { OUTCOME_PAUSE_MS, OUTCOMES_PER_CALL } from '../kernel/limits.ts';
import { log, messageOf } from '../kernel/log.ts';
import { batchName } from '../kernel/names.ts';
import { outcomeOf } from './store/subject-rows.ts';
import type { SubjectStore } from './store/subject-store.ts';
import type { StoredRequest } from './store/subject-tables.ts';

/** What a subject needs of the Batch: a port of the caller, so that tracking knows nothing of batches. */
export interface OutcomeReceiver {
  recordOutcomes(outcomes: RequestOutcome[]): Promise<void>;
}

/** How often a long drain reports on its way, in ms, so that a person sees progress. */
const REPORT_EVERY_MS = 1_000;

export class OutcomeReports {
  readonly #store: SubjectStore;
  readonly #receiver: (batchName: string) => OutcomeReceiver;
  #reportedAtMs = 0;

  constructor(store: SubjectStore, receiver: (batchName: string) => OutcomeReceiver) {
    this.#store = store;
    this.#receiver = receiver;
  }

  isDue = (clock: Clock): boolean => clock.nowMs() - this.#reportedAtMs > REPORT_EVERY_MS;

  /** @returns when to try again, null when all is told. */
  async tell(clock: Clock): Promise<number | null> {
    const identity = this.#store.identity();
    this.#reportedAtMs = clock.nowMs();
    if (!identity) return null;
    let allTold = true;
    for (const batchId of this.#store.unreportedBatches()) {
      // One Batch that cannot be reached keeps its outcomes here and holds up no other.
      if (!(await this.#tellBatch(batchId, batchName(identity, batchId)))) allTold = false;
    }
    return allTold ? null : clock.nowMs() + scaledMs(OUTCOME_PAUSE_MS, clock);
  }

  async #tellBatch(batchId: string, name: string): Promise<boolean> {
    const receiver = this.#receiver(name);
    try {
      for (;;) {
        const rows = this.#store.unreported(batchId, OUTCOMES_PER_CALL);
        if (rows.length === 0) return true;
        await receiver.recordOutcomes(this.#outcomesOf(rows));
        await failpoint('outcomes_told');
        this.#store.reported(rows);
      }
    } catch (thrown) {
      log('warn', 'outcome_not_reported', { batchId, detail: messageOf(thrown) });
      return false;
    }
  }

  /** Many points travel in few requests: each of those is read once. */
  #outcomesOf(rows: readonly StoredRequest[]): RequestOutcome[] {
    const read = new Map<number, StoredRequest>();
    const bySeq = (seq: number): StoredRequest => {
      const found = read.get(seq) ?? this.#store.bySeq(seq);
      read.set(seq, found);
      return found;
    };
    return rows.map((row) =>
      outcomeOf(row, row.into_seq === null || row.into_seq === row.seq ? null : bySeq(row.into_seq)),
    );
  }
}
