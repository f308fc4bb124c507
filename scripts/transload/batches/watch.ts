/** Waits for a batch to end, and shows how far it is. */
import type { BatchSummary } from '../../../src/batch/report/summary.ts';
import type { Bridge } from '../bridge.ts';
import type { Surroundings } from '../surroundings.ts';
import { watch } from '../watch.ts';
import { isOver, progressLine } from './messages.ts';

/** Between two looks: short at first, since most files are small. */
const POLL_MS_FIRST = 250;
const POLL_MS_MOST = 2_000;
const POLL_GROWTH = 1.2;

/** @returns how it is when it is over, or when Ctrl-C came. */
export function watchBatch(bridge: Bridge, batchId: string, surroundings: Surroundings): Promise<BatchSummary> {
  const path = `${bridge.root}/batches/${encodeURIComponent(batchId)}`;
  return watch<BatchSummary>(surroundings, {
    look: () => bridge.json<BatchSummary>({ path }),
    isOver,
    line: progressLine,
    pauseMs: (_, looks) => Math.min(POLL_MS_MOST, POLL_MS_FIRST * POLL_GROWTH ** looks),
  });
}
