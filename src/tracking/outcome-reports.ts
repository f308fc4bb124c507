/**
 * Reports outcomes from the outbox to their Batches: in the answer to a visit, or by a call. Each Batch is notified of its
 * own requests until it has confirmed.
 */
import type { RequestOutcome } from '../delivery/outcome.ts';
import { type Clock, scaledMs } from '../kernel/clock.ts';
import { failpoint } from '../kernel/failpoint.ts';
import { PAYLOAD_FORM } from '../kernel/forms.ts';
import { OUTCOME_PAUSE_MS, OUTCOMES_PER_CALL, OUTCOMES_PER_VISIT } from '../kernel/limits.ts';
import { log, messageOf } from '../kernel/log.ts';
import { batchName } from '../kernel/names.ts';
import type { Usage, UsageMeter } from '../kernel/usage.ts';
import type { StoredRequest, VisitReport } from './request.ts';
import { outcomeOf } from './store/subject-rows.ts';
import type { SubjectStore } from './store/subject-store.ts';

/** What a subject needs of the Batch: a port of the caller, so that tracking does not depend on batches. */
interface OutcomeReceiver {
  recordOutcomes(outcomes: RequestOutcome[], form: number, usage: Usage): Promise<void>;
}

type Reported = { seq: number; revision: number };

/** How often a long drain reports before its end, in ms, so that a person sees progress: each time costs some rows. */
const REPORT_EVERY_MS = 3_000;

/** Visits whose batch may still confirm what it was answered. Ours: a few batches visit a subject at once. */
const RECEIPTS_MAX = 8;

export class OutcomeReports {
  readonly #store: SubjectStore;
  readonly #receiver: (batchName: string) => OutcomeReceiver;
  readonly #meter: Pick<UsageMeter, 'take' | 'putBack'>;
  #reportedAtMs = 0;
  /** By receipt: what a visit was answered. Not stored: what nobody confirms is reported again. */
  readonly #answered = new Map<string, readonly Reported[]>();

  constructor(
    store: SubjectStore,
    receiver: (batchName: string) => OutcomeReceiver,
    meter: Pick<UsageMeter, 'take' | 'putBack'>,
  ) {
    this.#store = store;
    this.#receiver = receiver;
    this.#meter = meter;
  }

  /** A visit begins, whose answer reports: there is nothing to report before it. */
  beginVisit(clock: Clock): void {
    this.#reportedAtMs = clock.nowMs();
  }

  /** What a visit of this batch is answered. @property isAll false: there is more to report, to this batch or others. */
  answer(batchId: string): { report: VisitReport; isAll: boolean } {
    const rows = this.#store.unreported(batchId, OUTCOMES_PER_VISIT);
    const isAll = rows.length < OUTCOMES_PER_VISIT && this.#store.unreportedBatches().every((id) => id === batchId);
    if (rows.length === 0) return { report: { outcomes: [], receipt: null }, isAll };
    this.#store.flush(); // nobody hears of what is not stored
    const receipt = crypto.randomUUID(); // a later instance of this object must not take it for one of its own
    this.#answered.set(
      receipt,
      rows.map(({ seq, revision }) => ({ seq, revision })),
    );
    const [oldest] = this.#answered.keys();
    if (this.#answered.size > RECEIPTS_MAX && oldest !== undefined) this.#answered.delete(oldest);
    return { report: { form: PAYLOAD_FORM, outcomes: this.#outcomesOf(rows), receipt }, isAll };
  }

  /**
   * The batch has stored what this visit was answered. It is noted with the next commit: one of its own would cost as
   * much as a step.
   */
  confirm(receipt: string): void {
    const confirmed = this.#answered.get(receipt) ?? [];
    this.#answered.delete(receipt);
    if (confirmed.length > 0) this.#store.commitSoon(() => this.#store.reported(confirmed));
  }

  isDue = (clock: Clock): boolean => clock.nowMs() - this.#reportedAtMs > REPORT_EVERY_MS;

  /** @returns when to try again, null when all is reported. */
  async notify(clock: Clock): Promise<number | null> {
    const identity = this.#store.identity();
    this.#reportedAtMs = clock.nowMs();
    if (!identity) return null;
    let allTold = true;
    for (const batchId of this.#store.unreportedBatches()) {
      // A Batch that cannot be reached delays only its own outcomes.
      if (!(await this.#notifyBatch(batchId, batchName(identity, batchId)))) allTold = false;
    }
    return allTold ? null : clock.nowMs() + scaledMs(OUTCOME_PAUSE_MS, clock);
  }

  async #notifyBatch(batchId: string, name: string): Promise<boolean> {
    try {
      for (;;) {
        const rows = this.#store.unreported(batchId, OUTCOMES_PER_CALL);
        if (rows.length === 0) return true;
        this.#store.flush();
        await this.#report(this.#receiver(name), rows);
        await failpoint('outcomes_told');
        this.#store.commit(() => this.#store.reported(rows));
      }
    } catch (thrown) {
      log('warn', 'outcome_not_reported', { batchId, detail: messageOf(thrown) });
      return false;
    }
  }

  async #report(receiver: OutcomeReceiver, rows: readonly StoredRequest[]): Promise<void> {
    const usage = this.#meter.take();
    try {
      await receiver.recordOutcomes(this.#outcomesOf(rows), PAYLOAD_FORM, usage);
    } catch (thrown) {
      this.#meter.putBack(usage);
      throw thrown;
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
