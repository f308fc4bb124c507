/**
 * Visits of a batch: each brings one load or order all that the look-ahead has for it, and comes back with what became
 * of it. What came back is stored before the checkpoint passes it, and before the subject is told so.
 *
 * A shell: what is next, how many and when is decided in `core/look-ahead.ts` and `core/pacing.ts`.
 */
import type { RequestOutcome } from '../../delivery/outcome.ts';
import { pause } from '../../kernel/clock.ts';
import { failpoint } from '../../kernel/failpoint.ts';
import { PAYLOAD_FORM, requireKnownForm } from '../../kernel/forms.ts';
import { log, messageOf } from '../../kernel/log.ts';
import { NO_USAGE, type Usage, usageOfBoth } from '../../kernel/usage.ts';
import type { VisitReport } from '../../tracking/request.ts';
import type { LookAhead, NextVisit } from '../core/look-ahead.ts';
import { type SubjectPace, takeVisitSlot, type Visitor, type Wave } from '../core/pacing.ts';
import {
  REPORTS_PAUSE_MS,
  SUBJECTS_REMEMBERED_MAX,
  VISIT_LOOK_MS,
  VISITING_LOOK_MS,
  VISITS_PER_BURST,
  VISITS_PER_WAKE_UP,
} from '../limits.ts';
import type { Subjects } from './dispatch.ts';

interface VisitsPort {
  ahead: LookAhead;
  wave: Wave;
  pace: SubjectPace;
  subjects: Subjects<'visit' | 'settled'>;
  visitor(): Visitor;
  /** How long a subject that cannot be reached is left alone. */
  pauseMs(): number;
  /** Asks for more new subjects. Never throws. */
  requestMore(): Promise<void>;
  /** Whether all of the file is read and in the look-ahead: no later visit brings a load more positions. */
  isWhole(): boolean;
  /** Whether the batch looks after the retention of its loads. */
  endsLoads(): boolean;
  /** One commit with the checkpoint. */
  store(outcomes: readonly RequestOutcome[], ended: readonly NextVisit[], usage: Usage): void;
}

interface Arrived {
  visit: NextVisit;
  report: VisitReport;
}

export class Visits {
  readonly #port: VisitsPort;
  /** None begins: the batch is withdrawn, or more is to be read first. */
  isHeld = true;
  /** None begins in this wake-up any more. */
  isEnding = true;
  /** Loads that were told that they have all positions of the batch. */
  readonly released = new Set<string>();
  #underWay = 0;
  #begun = 0;
  #inBurst = 0;
  #isBeginning = false;
  #arrived: Arrived[] = [];
  #isStoring = false;
  hasChanged = false;
  #resume: () => void = () => undefined;
  #failure: unknown;

  constructor(port: VisitsPort) {
    this.#port = port;
  }

  /** Whether a visit is under way or waits for a slot, or one came back and is not stored. */
  get isBusy(): boolean {
    return this.#underWay > 0 || this.#isBeginning || this.#arrived.length > 0 || this.#isStoring;
  }

  /** Whether this wake-up may begin no more of them. */
  get isSpent(): boolean {
    return this.#begun >= VISITS_PER_WAKE_UP;
  }

  beginWakeUp(): void {
    this.isEnding = false;
    this.isHeld = true;
    this.#begun = 0;
    this.#failure = undefined;
  }

  /** Call before looking at what there is to do: changes from here on end the next `change` at once. */
  look(): void {
    this.hasChanged = false;
  }

  /** Something came back, or came in: whoever waits looks again. */
  changed(): void {
    this.hasChanged = true;
    this.#resume();
  }

  /** Waits until something has changed, for `mostMs` at most. */
  async change(mostMs: number): Promise<void> {
    if (this.hasChanged) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, mostMs);
      this.#resume = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** No more begin, and those under way are stored. */
  async end(): Promise<void> {
    this.isEnding = true;
    while (this.isBusy) {
      this.look();
      await this.change(VISITING_LOOK_MS);
    }
  }

  /** @throws what a visit of this wake-up met, if one failed. */
  check(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Begins as many as there is room for; those that come back begin others. */
  async begin(): Promise<void> {
    if (this.#isBeginning) return;
    this.#isBeginning = true;
    let hasWaited = false;
    try {
      while (this.#mayBegin()) {
        if (this.#port.pace.isSpent && this.#port.ahead.hasNext(Date.now())) {
          hasWaited = true;
          await this.#port.requestMore();
          continue;
        }
        const waitMs = this.#beginNext();
        if (waitMs === null) break;
        if (waitMs > 0 || this.#inBurst >= VISITS_PER_BURST) {
          this.#inBurst = 0;
          hasWaited = true;
          await pause(waitMs);
        }
      }
    } finally {
      this.#isBeginning = false;
    }
    if (hasWaited) this.changed();
  }

  #mayBegin(): boolean {
    const { wave, pace } = this.#port;
    const nowMs = Date.now();
    return !this.isHeld && !this.isEnding && !this.isSpent && wave.hasRoom(nowMs) && pace.heldMs(nowMs) === 0;
  }

  /** @returns ms to wait before the next; null: nothing is to be visited now. */
  #beginNext(): number | null {
    const { ahead, pace, visitor } = this.#port;
    const nowMs = Date.now();
    if (!ahead.hasNext(nowMs)) return null;
    const restMs = pace.restMs(nowMs);
    if (restMs > 0) return restMs;
    const giveBack = takeVisitSlot(visitor(), nowMs);
    if (giveBack === null) return VISIT_LOOK_MS;
    const visit = ahead.next(nowMs);
    if (visit === null) giveBack();
    else void this.#visit(visit, giveBack);
    return 0;
  }

  async #visit(visit: NextVisit, giveBack: () => void): Promise<void> {
    const { wave } = this.#port;
    this.#underWay += 1;
    this.#begun += 1;
    this.#inBurst += 1;
    wave.wake(visit.name, visit.part.requests, Date.now());
    try {
      const report = await this.#call(visit);
      this.#arrived.push({ visit, report });
    } catch (thrown) {
      this.#failed(visit, thrown);
    }
    giveBack();
    this.#underWay -= 1;
    void this.#store();
    this.changed();
    void this.begin();
  }

  /** An object that was reset, or let go of in this moment, is there again at the next call: that one counts. */
  async #call({ name, part, isLast }: NextVisit): Promise<VisitReport> {
    const { subjects, isWhole, endsLoads, visitor } = this.#port;
    const hasPositions = part.requests.some(({ kind }) => kind === 'trace');
    const parcel = { form: PAYLOAD_FORM, batchId: visitor().batch, isLast: hasPositions && isLast && isWhole() };
    const visit = (): Promise<VisitReport> =>
      part.subject === 'load'
        ? subjects.load(name).visit({
            ...{ ...parcel, identity: part.identity, requests: part.requests },
            ...(endsLoads() ? { endsLoads: true as const } : {}),
          })
        : subjects.order(name).visit({ ...parcel, identity: part.identity, requests: part.requests });
    const report = await visit().catch(visit);
    requireKnownForm('report', report.form);
    if (parcel.isLast) this.#noteReleased(name);
    return report;
  }

  #noteReleased(name: string): void {
    if (this.released.size >= SUBJECTS_REMEMBERED_MAX) this.released.clear();
    this.released.add(name);
  }

  #failed(visit: NextVisit, thrown: unknown): void {
    log('warn', 'subject_not_reached', { batchId: this.#port.visitor().batch, detail: messageOf(thrown) });
    this.#failure = thrown;
    this.#port.wave.sleep(visit.name);
    this.#port.ahead.failed(visit, Date.now() + this.#port.pauseMs());
  }

  /** Reports are grouped for a moment, in which no slot is held; the last ones are not kept waiting. */
  async #store(): Promise<void> {
    if (this.#isStoring) return;
    this.#isStoring = true;
    while (this.#arrived.length > 0) {
      if (this.#underWay > 0) await pause(REPORTS_PAUSE_MS);
      await failpoint('handed_over');
      const arrived = this.#arrived;
      this.#arrived = [];
      if (!this.#storeNow(arrived)) continue;
      await failpoint('outcomes_told');
      for (const each of arrived) this.#confirm(each);
    }
    this.#isStoring = false;
    this.changed();
  }

  #storeNow(arrived: readonly Arrived[]): boolean {
    try {
      this.#port.store(
        arrived.flatMap(({ report }) => report.outcomes),
        arrived.map(({ visit }) => visit),
        arrived.reduce((sum, { report }) => usageOfBoth(sum, report.usage ?? NO_USAGE), NO_USAGE),
      );
      return true;
    } catch (thrown) {
      for (const { visit } of arrived) this.#failed(visit, thrown);
      return false;
    }
  }

  /** Nothing depends on it: what is not confirmed is reported again. */
  #confirm({ visit, report: { receipt } }: Arrived): void {
    if (receipt === null) return;
    const { subjects } = this.#port;
    const subject = visit.part.subject === 'load' ? subjects.load(visit.name) : subjects.order(visit.name);
    subject.settled(receipt).catch(() => undefined);
  }
}
