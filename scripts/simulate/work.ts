/** A process that runs blocks of seeds for another one. */

import { describeSeed } from './messages.ts';
import { openSimulator } from './open.ts';

export interface Block {
  from: number;
  count: number;
}

export interface BlockDone {
  turns: number;
  deaths: number;
  sendings: number;
  cpuMs: number;
  broken: { seed: number; text: string }[];
}

process.on('message', (block: Block) => void answer(block));

async function answer({ from, count }: Block): Promise<void> {
  const before = process.cpuUsage();
  const simulator = await openSimulator(null);
  const done: BlockDone = { turns: 0, deaths: 0, sendings: 0, cpuMs: 0, broken: [] };
  for (let seed = from; seed < from + count; seed += 1) {
    const result = await simulator.runSeed(seed);
    done.turns += result.turns;
    done.deaths += result.deaths;
    done.sendings += result.sendings;
    if (result.breaches.length > 0) done.broken.push({ seed, text: describeSeed(result, null, false) });
  }
  const { user, system } = process.cpuUsage(before);
  process.send?.({ ...done, cpuMs: (user + system) / 1_000 });
}
