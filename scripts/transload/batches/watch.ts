/** Waits for a batch to end, and shows how far it is. */
import type { BatchSummary } from '../../../src/batch/report/summary.ts';
import { type Bridge, pauseUnless, Unreached } from '../bridge.ts';
import type { Surroundings } from '../surroundings.ts';
import { LiveLine } from '../terminal.ts';
import { isOver, progressLine } from './messages.ts';

/** Between two looks: short at first, since most files are small. */
const POLL_MS_FIRST = 250;
const POLL_MS_MOST = 2_000;
const POLL_GROWTH = 1.2;
/** So long a bridge may be away, as during a deploy, before it is given up. */
export const AWAY_MS_MAX = 120_000;

/** @returns how it is when it is over, or when Ctrl-C came. */
export async function watchBatch(bridge: Bridge, batchId: string, surroundings: Surroundings): Promise<BatchSummary> {
  const signal = surroundings.interrupted();
  const line = new LiveLine(surroundings.errors);
  const path = `${bridge.root}/batches/${encodeURIComponent(batchId)}`;
  let awaySinceMs: number | undefined;
  let last: BatchSummary | undefined;
  for (let ms = POLL_MS_FIRST; ; ms = Math.min(POLL_MS_MOST, ms * POLL_GROWTH)) {
    try {
      last = await bridge.json<BatchSummary>({ path });
      awaySinceMs = undefined;
      line.show(progressLine(last));
    } catch (thrown) {
      if (!(thrown instanceof Unreached)) throw thrown;
      awaySinceMs ??= Date.now();
      if (Date.now() - awaySinceMs > AWAY_MS_MAX || signal.aborted) throw thrown;
      line.show('The bridge does not answer; trying again …');
    }
    if (last !== undefined && (isOver(last) || signal.aborted)) {
      line.clear();
      return last;
    }
    await pauseUnless(signal, ms);
  }
}
