/** What a Batch answers to later batches of its partner whose rows come in the place of its own. */
import type { ReplacingRow } from '../actions/ask-replaced.ts';
import { type ResolvedRow, resolveRows } from '../actions/resolving.ts';
import { judgeRow, type Replaced } from '../core/replacing.ts';
import { SharedBatch } from './shared-batch.ts';

export abstract class ReplacedBatch extends SharedBatch {
  /** What may become of own rows that rows of a later batch would replace. @param claim whether they are replaced by this. */
  async judgeRows(asked: readonly ReplacingRow[], claim: boolean): Promise<Replaced[]> {
    const { store, actions } = this.operated();
    return asked.map(({ record, by }) => {
      const state = actions.isChosen(record) ? 'queued' : store.recordState(record);
      const judged = judgeRow(state, store.replacedBy(record), by);
      if (claim && judged.outcome === 'free') store.writeReplacedBy(record, by);
      return judged;
    });
  }

  /** Rows of a later batch were delivered in the place of own ones. Idempotent. */
  async resolveRows(asked: readonly ResolvedRow[]): Promise<void> {
    const port = this.operated();
    if (!port.store.ticket()) return; // its life has ended
    resolveRows(port, asked);
    if (port.claims.hasDue()) await this.ctx.storage.setAlarm(Date.now());
  }
}
