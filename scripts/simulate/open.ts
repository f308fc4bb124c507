/** Makes this process a simulator: clock, dice and network are taken over, and the bridge is loaded, whole or with a bug. */
import { BUGS } from './bugs.ts';
import { loadWith, SMALL_LIMITS, specifierOf } from './modules.ts';
import type { SeedResult } from './seed.ts';

export interface Simulator {
  runSeed(seed: number): Promise<SeedResult>;
  realNowMs(): number;
  say(text: string): void;
}

let shared: { realNowMs: () => number } | undefined;

/** @param bug the name of a planted one; null: the bridge as it is. */
export async function openSimulator(bug: string | null): Promise<Simulator> {
  if (shared === undefined) {
    loadWith(SMALL_LIMITS, BUGS);
    const { takeGlobals, realNowMs } = await import('./globals.ts');
    takeGlobals();
    shared = { realNowMs };
  }
  const seeds = (await import(specifierOf('./seed.ts', bug))) as typeof import('./seed.ts');
  return { runSeed: seeds.runSeed, realNowMs: shared.realNowMs, say: (text) => void process.stdout.write(`${text}\n`) };
}
