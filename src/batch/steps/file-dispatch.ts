/**
 * How what a batch has read gets to its loads and orders: the look-ahead is filled from the stored rows, visits empty it,
 * and the checkpoint follows them. Nothing here is stored but rows and checkpoint: a restarted object begins at that.
 */
import type { RequestOutcome } from '../../delivery/outcome.ts';
import { type Clock, scaledMs } from '../../kernel/clock.ts';
import { BATCH_PAUSE_MS } from '../../kernel/limits.ts';
import { registerName } from '../../kernel/names.ts';
import type { Usage } from '../../kernel/usage.ts';
import { LookAhead, type NextVisit } from '../core/look-ahead.ts';
import { type SubjectPace, Wave } from '../core/pacing.ts';
import { isAfter, isWithdrawn, START } from '../core/progress.ts';
import { total } from '../core/tally.ts';
import type { BatchTicket } from '../core/ticket.ts';
import { LOOK_AHEAD_REQUESTS } from '../limits.ts';
import type { ActionPort } from '../object/ports.ts';
import { addAhead } from './dispatch.ts';
import { settleIfDone } from './ending.ts';
import { hasNotifications } from './notify.ts';
import { Visits } from './visits.ts';

type FileDispatchPort = Pick<ActionPort, 'store' | 'created' | 'keep' | 'move' | 'subjects' | 'nowMs'>;

export class FileDispatch {
  readonly visits: Visits;
  readonly #ahead: LookAhead;
  readonly #wave = new Wave();
  readonly #port: FileDispatchPort;
  readonly #pace: SubjectPace;
  /** Requests may be stored that the look-ahead has not seen. */
  #hasMore = true;
  /** The last one it has seen, and how many there were: rows without requests are not looked at again and again. */
  #seen = START;
  #counted = -1;

  /** @param requestMore asks for more new subjects; never throws. */
  constructor(port: FileDispatchPort, pace: SubjectPace, clock: Clock, requestMore: () => Promise<void>) {
    this.#port = port;
    this.#pace = pace;
    // What subjects may have of an earlier life of this object is everything that was stored then.
    this.#ahead = new LookAhead({ record: port.store.lastRecord() + 1, request: 0 });
    this.visits = new Visits({
      ahead: this.#ahead,
      wave: this.#wave,
      pace,
      subjects: port.subjects,
      visitor: () => {
        const { ticket } = port.created();
        return { partner: registerName(ticket), batch: ticket.batchId };
      },
      pauseMs: () => scaledMs(BATCH_PAUSE_MS, clock),
      requestMore,
      endsLoads: () => port.created().progress.endsLoads === true,
      isWhole: () => !this.#hasMore && port.created().progress.readingFinished,
      store: (outcomes, ended, usage) => this.#store(outcomes, ended, usage),
    });
  }

  get isFull(): boolean {
    return this.#ahead.isFull;
  }

  /** Nothing waits for a visit. */
  get isDone(): boolean {
    return this.#ahead.isEmpty;
  }

  get hasRoom(): boolean {
    return this.#wave.hasRoom(this.#port.nowMs());
  }

  doubtful = (): ReturnType<LookAhead['doubtful']> => this.#ahead.doubtful();

  /** A withdrawal knows what subjects may have: what was read before is not dispatched, also if a retry follows at once. */
  empty(): void {
    this.#ahead.empty();
    this.#hasMore = true;
    this.#seen = START;
    this.#counted = -1;
  }

  /** Rows were stored. */
  addMore(): void {
    this.#hasMore = true;
  }

  /** Rows that are stored and not dispatched come into the look-ahead. @returns whether there were some. */
  fill(ticket: BatchTicket): boolean {
    const { progress } = this.#port.created();
    if (isWithdrawn(progress) || !this.#hasMore || this.#ahead.isFull) return false;
    const { store } = this.#port;
    const count = total(store.tally().requests);
    this.#hasMore = count !== this.#counted;
    if (!this.#hasMore) return false;
    const after = isAfter(this.#seen, progress.handedOver) ? this.#seen : progress.handedOver;
    const rows = store.requestsAfter(after, LOOK_AHEAD_REQUESTS);
    for (const row of rows) addAhead(this.#ahead, row, ticket, progress.rules);
    const last = rows.at(-1);
    if (last === undefined) {
      this.#counted = count;
      this.#hasMore = false;
    } else this.#seen = { record: last.record, request: last.request };
    return this.#hasMore;
  }

  /** Begins what there is room for. */
  go(): void {
    this.visits.isHeld = isWithdrawn(this.#port.created().progress);
    void this.visits.begin();
  }

  /** @returns ms until visits may go on that do not now. */
  roomMs(): number {
    const nowMs = this.#port.nowMs();
    const repeatMs = this.#wave.hasRoom(nowMs) ? this.#ahead.repeatMs() : nowMs + this.#wave.restMs(nowMs);
    return Math.max(0, (repeatMs ?? nowMs) - nowMs, this.#pace.heldMs(nowMs));
  }

  /** What subjects report, in the answer to a visit or by themselves. Call it once that is stored. */
  note(outcomes: readonly RequestOutcome[]): void {
    this.#wave.note(outcomes);
  }

  /**
   * One commit; nothing is awaited, and the look-ahead follows it: where it fails, the visits are repeated. A withdrawal
   * moves the checkpoint itself.
   */
  #store(outcomes: readonly RequestOutcome[], ended: readonly NextVisit[], usage: Usage): void {
    const { store, created, keep, move, nowMs } = this.#port;
    const handedOver = isWithdrawn(created().progress) ? undefined : this.#ahead.endedUpTo(ended);
    store.commit(() => {
      store.uses(usage);
      move(outcomes);
      if (handedOver !== undefined) keep({ handedOver, handedOverAtMs: nowMs() });
      if (settleIfDone(store, nowMs())) hasNotifications(this.#port, nowMs());
    });
    this.note(outcomes);
    this.#ahead.ended(ended, handedOver);
  }
}
