/**
 * What a batch says of itself to its partner's register while it is read and sent: how many rows it has, and that it wants to
 * call more new loads and orders. The register's limits protect others and are no right: where it cannot be called, the batch
 * goes on.
 */
import { log, messageOf } from '../../kernel/log.ts';
import type { SubjectPace } from '../core/pacing.ts';
import { NEW_SUBJECTS_REQUESTED, ROWS_REPORTED_EVERY } from '../limits.ts';
import type { ActionPort } from '../object/ports.ts';

export class UnderWay {
  readonly #port: () => Pick<ActionPort, 'created' | 'register' | 'store'>;
  readonly #pace: SubjectPace;
  /** In this life of the object. */
  #rowsReported = 0;

  constructor(port: () => Pick<ActionPort, 'created' | 'register' | 'store'>, pace: SubjectPace) {
    this.#port = port;
    this.#pace = pace;
  }

  /** Rows of messages do not count: their batch is open all day. Never throws. */
  async rowsRead(): Promise<void> {
    const { created, store } = this.#port();
    if (created().ticket.message === true || store.lastRecord() < this.#rowsReported + ROWS_REPORTED_EVERY) return;
    await this.#report(0);
  }

  /** Never throws. */
  requestMore = (): Promise<void> => this.#report(NEW_SUBJECTS_REQUESTED);

  async #report(subjects: number): Promise<void> {
    const { created, register, store } = this.#port();
    const { ticket } = created();
    const rows = ticket.message === true ? null : store.lastRecord();
    this.#rowsReported = rows ?? 0;
    try {
      this.#pace.grant(await register().underWay(ticket.batchId, { rows, subjects }), Date.now());
    } catch (thrown) {
      log('warn', 'under_way_not_reported', { batchId: ticket.batchId, detail: messageOf(thrown) });
      this.#pace.grant({ subjects, waitMs: 0 }, Date.now());
    }
  }
}
