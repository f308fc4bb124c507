/**
 * Runs the same work for many items, a few at once: an invocation has 6 slots for calls awaiting an answer (Workers
 * limits).
 */
const LANES = 6;

/**
 * Starts in the order of the items. What throws ends its lane, and then the whole: work that may fail catches its own
 * errors.
 */
export async function inLanes<T>(items: Iterable<T>, work: (item: T) => Promise<void>): Promise<void> {
  const waiting = Array.from(items, (item) => ({ item }));
  const lanes = Array.from({ length: Math.min(LANES, waiting.length) }, async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) await work(next.item);
  });
  await Promise.all(lanes);
}
