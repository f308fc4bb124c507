/** Makes this process a simulator: clock, dice and network are taken over, and the bridge is loaded, whole or with a bug. */
import { BUGS } from './bugs.ts';
import { loadWith, SMALL_LIMITS, specifierOf } from './modules.ts';
import type { LargeFile } from './partner.ts';
import type { SeedResult } from './seed.ts';

interface Simulator {
  runSeed(seed: number): Promise<SeedResult>;
  runLarge(file: LargeFile): Promise<SeedResult>;
  realNowMs(): number;
}

let shared: { realNowMs: () => number } | undefined;

/**
 * @param bug the name of a planted one; null: the bridge as it is.
 * @param limits what of the bridge's own limits is changed; the first call in a process decides for all.
 */
export async function openSimulator(bug: string | null, limits = SMALL_LIMITS): Promise<Simulator> {
  if (shared === undefined) {
    loadWith(limits, BUGS);
    const loaded = await import('../../src/kernel/limits.ts');
    // What is imported here before this, and imports the bridge, would have it with its own limits: files of one slice alone.
    if (limits === SMALL_LIMITS && !('lookRarely' in loaded))
      throw new Error('the bridge was loaded before its limits');
    const { takeGlobals, realNowMs } = await import('./globals.ts');
    takeGlobals();
    shared = { realNowMs };
  }
  const seeds = (await import(specifierOf('./seed.ts', bug))) as typeof import('./seed.ts');
  return {
    runSeed: seeds.runSeed,
    runLarge: seeds.runLarge,
    realNowMs: shared.realNowMs,
  };
}
