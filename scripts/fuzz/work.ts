/** A process that tries blocks of inputs for another one. Where it is stands in a file, so that a hang or a crash has a name. */
import { openSync, writeSync } from 'node:fs';
import { attempt, type Broken } from './attempt.ts';
import type { ReaderName } from './targets.ts';

export interface Block {
  reader: ReaderName;
  from: number;
  count: number;
}

export interface BlockDone {
  broken: Broken[];
  /** Memory held after the block, garbage collected, beyond that after the first one of the reader, in bytes. */
  grownBytes: number;
  cpuMs: number;
}

/** Seeds have up to this many digits: each is written over the one before it. */
const SEED_DIGITS = 10;
const place = openSync(process.argv[2] ?? '/dev/null', 'w');
const held = new Map<ReaderName, number>();

process.on('message', (block: Block) => void answer(block));

async function answer({ reader, from, count }: Block): Promise<void> {
  const before = process.cpuUsage();
  const broken: Broken[] = [];
  for (let seed = from; seed < from + count; seed += 1) {
    writeSync(place, String(seed).padStart(SEED_DIGITS), 0);
    const found = await attempt(reader, seed);
    if (found !== null) broken.push(found);
  }
  const { user, system } = process.cpuUsage(before);
  const heldBytes = await bytesHeld();
  const first = held.get(reader) ?? heldBytes;
  held.set(reader, first);
  process.send?.({ broken, grownBytes: heldBytes - first, cpuMs: (user + system) / 1_000 } satisfies BlockDone);
}

/** What is compiled meanwhile is held for a while, so that a single look shows now and then what nobody keeps. */
const COLLECTIONS = 4;

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
