/** How far a batch is, while somebody waits for it: one line that is written over, or elsewhere one now and then. */
import type { BatchSummary } from '../../src/batch/report/summary.ts';
import { SHOWN_ORDER } from '../../src/console/messages.ts';
import { ROW_MESSAGES } from '../../src/delivery/messages.ts';

export function progressLine(batch: BatchSummary): string {
  const counts = SHOWN_ORDER.flatMap((state) => {
    const count = batch.rowStates[state];
    return count ? [`${ROW_MESSAGES[state].label.toLowerCase()} ${count}`] : [];
  });
  return `${batch.state}: ${batch.rows} rows – ${counts.join(', ') || 'none yet'}`;
}

/** Where no line can be written over, e.g. in a log. */
const PAUSE_MS = 10_000;

type Stream = Pick<NodeJS.WriteStream, 'isTTY' | 'write'>;

export function progressTeller(stream: Stream = process.stderr): (now: BatchSummary) => void {
  let lastMs = performance.now();
  return (now) => {
    if (stream.isTTY) stream.write(`\r\x1b[K  ${progressLine(now)}`);
    else if (performance.now() - lastMs > PAUSE_MS) {
      lastMs = performance.now();
      stream.write(`  ${progressLine(now)}\n`);
    }
  };
}
