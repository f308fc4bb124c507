/** A process that tries blocks of inputs. */
import { answerBlocks } from '../frame/blocks.ts';
import { attempt } from './attempt.ts';
import type { FuzzCounts } from './many.ts';
import type { ReaderName } from './targets.ts';

/** What is compiled meanwhile is held for a while, so that a single look shows now and then what nobody keeps. */
const COLLECTIONS = 4;
/** By reader: memory held after its first block. */
const held = new Map<string, number>();

answerBlocks<FuzzCounts>({
  none: () => ({ grownBytes: 0 }),
  one: async (reader, seed) => (await attempt(reader as ReaderName, seed))?.text ?? null,
  async end(reader, counted) {
    const heldBytes = await bytesHeld();
    const first = held.get(reader) ?? heldBytes;
    held.set(reader, first);
    counted.grownBytes = heldBytes - first;
  },
});

async function bytesHeld(): Promise<number> {
  if (globalThis.gc === undefined) throw new Error('memory is measured after a collection: --expose-gc is missing');
  let leastBytes = Number.POSITIVE_INFINITY;
  for (let time = 0; time < COLLECTIONS; time += 1) {
    await new Promise((done) => setImmediate(done)); // streams that ended give their buffers back a turn later
    void globalThis.gc();
    const { heapUsed, external } = process.memoryUsage();
    leastBytes = Math.min(leastBytes, heapUsed + external);
  }
  return leastBytes;
}
