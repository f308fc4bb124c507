/** Many seeds in several processes. */
import { join } from 'node:path';
import { blocksOf, runBlocks } from '../frame/blocks.ts';
import { say } from '../frame/command.ts';
import { FOLDERS } from './modules.ts';

interface ManySeeds {
  seeds: number;
  from: number;
  jobs: number;
  fresh: boolean;
  /** Begins anew and keeps no progress. */
  quiet: boolean;
}

export type SeedCounts = Record<'turns' | 'deaths' | 'sendings' | 'cpuMs', number>;

/** Seeds per block. Ours: some seconds of work, so that little is lost and little is said. */
const BLOCK_SEEDS = 500;
/** Of each process, for objects that live shortly: with what node gives, more of the time goes into tidying up. */
const YOUNG_MB = 64;
/** Ours: the longest seed takes a few seconds. */
const HANG_MS = 120_000;

/** @returns whether every invariant held in every seed. */
export async function runMany({ seeds, from, jobs, fresh, quiet }: ManySeeds): Promise<boolean> {
  const sum: SeedCounts = { turns: 0, deaths: 0, sendings: 0, cpuMs: 0 };
  const blocks = blocksOf('', from, seeds, BLOCK_SEEDS);
  const { tried, seconds, perSecond, broken } = await runBlocks<SeedCounts>({
    blocks,
    jobs: Math.min(jobs, blocks.length),
    noun: 'seeds',
    folder: '.simulate',
    sources: [...FOLDERS.map((folder) => `src/${folder}`), 'scripts/simulate', 'scripts/invariants', 'mappings'],
    fresh,
    quiet,
    worker: join(import.meta.dirname, 'work.ts'),
    execArgv: [`--max-semi-space-size=${YOUNG_MB}`],
    hangMs: HANG_MS,
    again: (_, seed) => `npm run simulate -- --seed ${seed} --trace`,
    add: (counted) => {
      for (const name of ['turns', 'deaths', 'sendings', 'cpuMs'] as const) sum[name] += counted[name];
    },
  });
  const found =
    broken.length === 0 ? 'all invariants held' : `broken in ${broken.length}: ${broken.slice(0, 20).join(', ')}`;
  say(
    `${tried} seeds in ${seconds.toFixed(1)} s (${perSecond} a second, ${(sum.cpuMs / Math.max(1, tried)).toFixed(1)} ms of CPU each): ` +
      `${sum.turns} turns, ${sum.sendings} requests sent, ${sum.deaths} deaths; ${found}`,
  );
  return broken.length === 0;
}
