/** Waits for a batch to end, and shows how far it is. */
import type { Bridge } from '../bridge.ts';
import type { Surroundings } from '../surroundings.ts';
import { watch } from '../watch.ts';
import { isOver, progressLine, type ShownBatch } from './messages.ts';

/** Between two looks: short at first, since most files are small. */
const POLL_MS_FIRST = 250;
const POLL_MS_MOST = 2_000;
const POLL_GROWTH = 1.2;

export const summaryOf = (bridge: Bridge, batchId: string): Promise<ShownBatch> =>
  bridge.call(bridge.own('GET /v1/batches/{id}'), { path: { id: batchId } });

/** @returns how it is when it is over, or when Ctrl-C came. */
export function watchBatch(bridge: Bridge, batchId: string, surroundings: Surroundings): Promise<ShownBatch> {
  return watch<ShownBatch>(surroundings, {
    look: () => summaryOf(bridge, batchId),
    isOver,
    line: progressLine,
    pauseMs: (_, looks) => Math.min(POLL_MS_MOST, POLL_MS_FIRST * POLL_GROWTH ** looks),
  });
}
