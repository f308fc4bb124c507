/** Many inputs in several processes, block by block; what is done is kept, so that a long run goes on where it was stopped. */
import { type ChildProcess, fork } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { READING_MS_MAX } from './attempt.ts';
import { FOLDER, FUZZ_PROGRESS, type FuzzProgress } from './progress.ts';
import { READERS, type ReaderName, SHARES } from './targets.ts';
import type { Block, BlockDone } from './work.ts';

export interface ManyInputs {
  reader: ReaderName | 'all';
  /** In all, shared among the readers; of a named reader, or where `each` says so, for every one. */
  inputs: number;
  each: boolean;
  from: number;
  jobs: number;
  fresh: boolean;
}

/** Inputs per block. Ours: a second of work or two, so that little is lost. */
const BLOCK_INPUTS = 2_000;
const BLOCK_WORKBOOKS = 500;
/** What a process may hold after all blocks beyond what it held after the first, in bytes. Ours: caches of compiled code. */
const GROWTH_BYTES_MAX = 16 * 1024 * 1024;
const SHOWN_MAX = 10;
/** So many broken inputs say enough: the rest is not run. */
const BROKEN_MAX = 50;
const LOOK_MS = 5_000;
/** A process that is at the same input for so long hangs in it, however busy the machine is. */
const HANG_MS = 12 * READING_MS_MAX;
const SAY_MS = 20_000;

/** How many inputs each reader gets; whole numbers that add up. */
export function inputsOf({
  reader,
  inputs,
  each,
}: Pick<ManyInputs, 'reader' | 'inputs' | 'each'>): Map<ReaderName, number> {
  if (reader !== 'all') return new Map([[reader, inputs]]);
  if (each) return new Map(READERS.map((name) => [name, inputs]));
  const shares = new Map(READERS.map((name) => [name, Math.floor(inputs * SHARES[name])]));
  const left = inputs - [...shares.values()].reduce((sum, count) => sum + count, 0);
  return shares.set('x12', (shares.get('x12') ?? 0) + left);
}

/** @returns whether every reader kept every promise. */
export async function runMany(wanted: ManyInputs): Promise<boolean> {
  const progress = FUZZ_PROGRESS.read(wanted.fresh);
  const shares = inputsOf(wanted);
  const known = new Set(progress.done);
  const blocks = interleaved([...shares].map(([reader, count]) => blocksOf(reader, wanted.from, count)));
  const left = blocks.filter((block) => !known.has(nameOf(block)));
  const total = left.reduce((sum, { count }) => sum + count, 0);
  const asked = [...shares.values()].reduce((sum, count) => sum + count, 0);
  if (total < asked) say(`${asked - total} of these inputs were tried before; --fresh starts over`);
  const startedMs = performance.now();
  let [tried, grownBytes, saidMs, shown] = [0, 0, startedMs, 0];
  const perSecond = (): string => (tried / ((performance.now() - startedMs) / 1_000)).toFixed(0);
  const tell = (broken: readonly { reader: ReaderName; seed: number; text: string }[]): void => {
    for (const { reader, seed, text } of broken) {
      progress.broken.push(`${reader} ${seed}`);
      if (shown < SHOWN_MAX) say(text);
      shown += 1;
    }
  };
  const crew: Crew = {
    next: () => (progress.broken.length > BROKEN_MAX ? undefined : left.shift()),
    done: (block, done) => {
      tried += block.count;
      grownBytes = Math.max(grownBytes, done.grownBytes);
      tell(done.broken);
      progress.done.push(nameOf(block));
      FUZZ_PROGRESS.write(progress);
      if (performance.now() - saidMs < SAY_MS) return;
      saidMs = performance.now();
      say(`  ${tried} of ${total} inputs, ${perSecond()} a second, ${progress.broken.length} broken`);
    },
    died: ({ reader }, seed, why) => {
      tell([
        { reader, seed, text: `${reader} ${seed}: ${why}\n  again: npm run fuzz -- --reader ${reader} --seed ${seed}` },
      ]);
      FUZZ_PROGRESS.write(progress);
    },
  };
  await Promise.all(Array.from({ length: wanted.jobs }, (_, job) => work(job, crew)));
  const isFlat = grownBytes <= GROWTH_BYTES_MAX;
  const seconds = (performance.now() - startedMs) / 1_000;
  const each = [...shares].map(([reader, count]) => `${reader} ${count}`).join(', ');
  say(`${tried} inputs in ${seconds.toFixed(1)} s, ${perSecond()} a second (${each})`);
  say(
    `memory grew by ${(grownBytes / 1_048_576).toFixed(1)} MB${isFlat ? '' : ', which is too much'}; ${words(progress)}`,
  );
  return isFlat && progress.broken.length === 0;
}

const nameOf = ({ reader, from, count }: Block): string => `${reader} ${from}+${count}`;
const say = (text: string): void => void process.stdout.write(`${text}\n`);
const words = ({ broken }: FuzzProgress): string =>
  broken.length === 0 ? 'every promise was kept' : `broken by ${broken.length}: ${broken.slice(0, 20).join(', ')}`;

function blocksOf(reader: ReaderName, from: number, inputs: number): Block[] {
  const most = reader === 'xlsx' ? BLOCK_WORKBOOKS : BLOCK_INPUTS;
  const blocks: Block[] = [];
  for (let first = from; first < from + inputs; first += most) {
    blocks.push({ reader, from: first, count: Math.min(most, from + inputs - first) });
  }
  return blocks;
}

/** Of every reader a part of its blocks, again and again: a run that is stopped has tried all of them. */
const interleaved = (lists: readonly Block[][]): Block[] =>
  lists
    .flatMap((list) => list.map((block, at) => ({ block, place: at / list.length })))
    .sort((left, right) => left.place - right.place)
    .map(({ block }) => block);

interface Crew {
  next(): Block | undefined;
  done(block: Block, done: BlockDone): void;
  /** The process ended, or hung and was ended, at an input. */
  died(block: Block, seed: number, why: string): void;
}

/** One process after another until no block is left: what is left of a block in which one died is tried by the next. */
async function work(job: number, crew: Crew): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  const file = join(FOLDER, `job-${job}`);
  let rest: Block | undefined;
  for (;;) {
    const block = rest ?? crew.next();
    if (block === undefined) return;
    const died = await serve(file, block, crew);
    if (died === null) return;
    const { reader, from, count } = died.block;
    crew.died(died.block, died.seed, died.why);
    const behind = died.seed + 1;
    rest = behind < from + count ? { reader, from: behind, count: from + count - behind } : undefined;
  }
}

function serve(file: string, first: Block, crew: Crew): Promise<{ block: Block; seed: number; why: string } | null> {
  return new Promise((resolve, reject) => {
    const child: ChildProcess = fork(join(import.meta.dirname, 'work.ts'), [file], { execArgv: ['--expose-gc'] });
    let block = first;
    let hangs = false;
    const seed = (): number => Number(readFileSync(file, 'utf8'));
    let [seen, seenMs] = [-1, performance.now()];
    const watch = setInterval(() => {
      const now = seed();
      if (now !== seen) [seen, seenMs] = [now, performance.now()];
      if (performance.now() - seenMs < HANG_MS) return;
      hangs = true;
      child.kill('SIGKILL');
    }, LOOK_MS);
    child.on('message', (done: BlockDone) => {
      crew.done(block, done);
      const next = crew.next();
      if (next === undefined) {
        child.disconnect();
        return;
      }
      block = next;
      child.send(block);
    });
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      clearInterval(watch);
      if (code === 0) resolve(null);
      else
        resolve({
          block,
          seed: Math.max(block.from, seed()),
          why: hangs ? 'it hangs' : `the process ended with ${code ?? signal}`,
        });
    });
    child.send(block);
  });
}
