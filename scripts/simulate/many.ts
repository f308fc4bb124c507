/** Many seeds in several processes, block by block; what is done is kept, so that a long run goes on where it was stopped. */
import { fork } from 'node:child_process';
import { SEED_PROGRESS, type SeedProgress } from './progress.ts';
import type { Block, BlockDone } from './work.ts';

export interface ManySeeds {
  seeds: number;
  from: number;
  jobs: number;
  fresh: boolean;
  /** Begins anew and keeps no progress. */
  quiet: boolean;
}

/** Seeds per block. Ours: some seconds of work, so that little is lost and little is said. */
const BLOCK_SEEDS = 500;
const SHOWN_MAX = 5;
/** So many broken seeds say enough: the rest is not run. */
const BROKEN_MAX = 50;

/** @returns whether every invariant held in every seed. */
export async function runMany({ seeds, from, jobs, fresh, quiet }: ManySeeds): Promise<boolean> {
  const progress = SEED_PROGRESS.read(fresh || quiet);
  const known = new Set(progress.done);
  const blocks: Block[] = [];
  for (let first = from; first < from + seeds; first += BLOCK_SEEDS) {
    const block = { from: first, count: Math.min(BLOCK_SEEDS, from + seeds - first) };
    if (!known.has(nameOf(block))) blocks.push(block);
  }
  const startedMs = performance.now();
  const sum = { seeds: 0, turns: 0, deaths: 0, sendings: 0, cpuMs: 0 };
  const total = blocks.reduce((all, { count }) => all + count, 0);
  if (total < seeds) say(`${seeds - total} of these seeds were done before; --fresh starts over`);
  let saidMs = startedMs;
  const take = (block: Block, done: BlockDone): void => {
    sum.seeds += block.count;
    for (const name of ['turns', 'deaths', 'sendings', 'cpuMs'] as const) sum[name] += done[name];
    for (const { text } of done.broken.slice(0, Math.max(0, SHOWN_MAX - progress.broken.length))) say(text);
    progress.done.push(nameOf(block));
    progress.broken.push(...done.broken.map(({ seed }) => seed));
    if (!quiet) SEED_PROGRESS.write(progress);
    if (performance.now() - saidMs < 30_000) return;
    saidMs = performance.now();
    say(
      `  ${sum.seeds} of ${total} seeds, ${perSecond(sum.seeds, startedMs)} a second, ${progress.broken.length} broken`,
    );
  };
  const isHopeless = () => progress.broken.length > BROKEN_MAX;
  await Promise.all(Array.from({ length: Math.min(jobs, blocks.length) }, () => work(blocks, take, isHopeless)));
  const seconds = (performance.now() - startedMs) / 1_000;
  say(
    `${sum.seeds} seeds in ${seconds.toFixed(1)} s (${perSecond(sum.seeds, startedMs)} a second, ${(sum.cpuMs / Math.max(1, sum.seeds)).toFixed(1)} ms of CPU each): ` +
      `${sum.turns} turns, ${sum.sendings} requests sent, ${sum.deaths} deaths; ${describeBroken(progress)}`,
  );
  return progress.broken.length === 0;
}

const nameOf = ({ from, count }: Block): string => `${from}+${count}`;
const say = (text: string): void => void process.stdout.write(`${text}\n`);
const perSecond = (seeds: number, sinceMs: number): string =>
  (seeds / ((performance.now() - sinceMs) / 1_000)).toFixed(0);

const describeBroken = ({ broken }: SeedProgress): string =>
  broken.length === 0 ? 'all invariants held' : `broken in ${broken.length}: ${broken.slice(0, 20).join(', ')}`;

/** One process takes block after block until none is left. */
function work(
  blocks: Block[],
  take: (block: Block, done: BlockDone) => void,
  isHopeless: () => boolean,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = fork(`${import.meta.dirname}/work.ts`);
    let block: Block | undefined;
    const next = () => {
      block = isHopeless() ? undefined : blocks.shift();
      if (block === undefined) child.disconnect();
      else child.send(block);
    };
    child.on('message', (done: BlockDone) => {
      if (block !== undefined) take(block, done);
      next();
    });
    child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`a simulating process ended with ${code}`))));
    next();
  });
}
