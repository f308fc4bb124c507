/** A process that runs blocks of seeds. */
import { answerBlocks } from '../frame/blocks.ts';
import type { SeedCounts } from './many.ts';
import { describeSeed } from './messages.ts';
import { openSimulator } from './open.ts';

answerBlocks<SeedCounts>({
  none: () => ({ turns: 0, deaths: 0, sendings: 0, cpuMs: 0 }),
  async one(_, seed, counted) {
    const simulator = await openSimulator(null);
    const before = process.cpuUsage();
    const result = await simulator.runSeed(seed);
    const { user, system } = process.cpuUsage(before);
    counted.turns += result.turns;
    counted.deaths += result.deaths;
    counted.sendings += result.sendings;
    counted.cpuMs += (user + system) / 1_000;
    return result.breaches.length === 0 ? null : describeSeed(result, null, false);
  },
});
