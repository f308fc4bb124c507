/**
 * What a batch says of itself to its partner's register while it is read and sent: how many of its rows are not final, and that
 * it wants to call more new loads and orders. The register's limits protect others and are no right: where it cannot be called,
 * the batch goes on.
 */
import { log, messageOf } from '../../kernel/log.ts';
import type { SubjectPace } from '../core/pacing.ts';
import { openRows } from '../core/tally.ts';
import { NEW_SUBJECTS_REQUESTED, ROWS_REPORTED_EVERY } from '../limits.ts';
import type { ActionPort } from '../object/ports.ts';

export class UnderWay {
  readonly #port: () => Pick<ActionPort, 'created' | 'register' | 'store'>;
  readonly #pace: SubjectPace;
  /** Null: not in this life of the object. */
  #rowsTold: number | null = null;

  constructor(port: () => Pick<ActionPort, 'created' | 'register' | 'store'>, pace: SubjectPace) {
    this.#port = port;
    this.#pace = pace;
  }

  /** When rows were read, or the batch rests. Never throws. */
  async rows(): Promise<void> {
    const rows = this.#rows();
    if (rows === null) return;
    const told = this.#rowsTold ?? (rows < ROWS_REPORTED_EVERY ? this.#port().store.lastRecord() : 0);
    if (Math.abs(rows - told) >= ROWS_REPORTED_EVERY) await this.#report(0);
  }

  /** Never throws. */
  requestMore = (): Promise<void> => this.#report(NEW_SUBJECTS_REQUESTED);

  /** Null where they do not count: a file with few counts as a file, and a batch of messages is open all day. */
  #rows(): number | null {
    const { created, store } = this.#port();
    const isLarge = created().ticket.message !== true && store.lastRecord() >= ROWS_REPORTED_EVERY;
    return isLarge ? openRows(store.tally()) : null;
  }

  async #report(subjects: number): Promise<void> {
    const { created, register } = this.#port();
    const { batchId } = created().ticket;
    const rows = this.#rows();
    try {
      this.#pace.grant(await register().underWay(batchId, { rows, subjects }), Date.now());
      this.#rowsTold = rows;
    } catch (thrown) {
      log('warn', 'under_way_not_reported', { batchId, detail: messageOf(thrown) });
      this.#pace.grant({ subjects, waitMs: 0 }, Date.now());
    }
  }
}
