/**
 * All that follows from what has just happened, at once: whatever promises have been kept is done when this returns. Only
 * outside of any promise's callback; nothing that waits for the real world goes on.
 */
import { setFlagsFromString } from 'node:v8';

setFlagsFromString('--allow-natives-syntax');
export const drainMicrotasks = new Function('%PerformMicrotaskCheckpoint()') as () => void;
setFlagsFromString('--no-allow-natives-syntax');

/** Runs it where no promise's callback runs; afterwards the process has heard of every promise that failed for nobody. */
export async function outsidePromises(run: () => void): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    setImmediate(() => {
      try {
        run();
        resolve();
      } catch (thrown) {
        reject(thrown);
      }
    });
  });
  await new Promise<void>((resolve) => void setImmediate(resolve));
}
