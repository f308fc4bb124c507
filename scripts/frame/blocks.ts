/**
 * Many numbered inputs in several processes, block by block. What is done is kept, so that a long run goes on where it was
 * stopped. An input at which a process ends, or two hang, is broken; what is left of its block is tried by the next process.
 */
import { fork } from 'node:child_process';
import { mkdirSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { say } from './command.ts';
import { hashOfSources, keptFile, PROJECT_ROOT } from './kept-file.ts';

/** @property of what kind its inputs are; '' where there is one kind alone. */
export interface Block {
  of: string;
  from: number;
  count: number;
}

/** A block, or what is left of one at which a process ended. */
interface Part extends Block {
  /** Of its whole block. */
  name: string;
  /** A process hung at its first input: a machine that is busy, or sleeps, makes anything seem to hang. */
  hungOnce: boolean;
}

type Counts = Readonly<Record<string, number>>;

interface BlockDone<Counted extends Counts> {
  counted: Counted;
  broken: { input: number; text: string }[];
}

export interface LongRun<Counted extends Counts> {
  blocks: readonly Block[];
  jobs: number;
  /** What inputs are called. */
  noun: string;
  /** Below the project; there the run keeps what is done. */
  folder: string;
  /** Folders of all that the run is made of: of other code nothing is done. */
  sources: readonly string[];
  /** Begins anew. */
  fresh: boolean;
  /** Keeps nothing. */
  quiet: boolean;
  /** The module that calls `answerBlocks`, and the options of its process. */
  worker: string;
  execArgv: string[];
  /** At the same input for so long a process hangs in it. */
  hangMs: number;
  /** The command that runs one input once more. */
  again(of: string, input: number): string;
  /** What a block has counted. */
  add(counted: Counted): void;
}

interface RunEnd {
  /** In this run. */
  tried: number;
  seconds: number;
  perSecond: string;
  /** Of this run and those before it. */
  broken: readonly string[];
}

interface Progress {
  source: string;
  done: string[];
  broken: string[];
}

const SHOWN_MAX = 10;
/** So many broken inputs say enough: the rest is not run. */
const BROKEN_MAX = 50;
const LOOK_MS = 5_000;
const SAY_MS = 20_000;
/** Numbers of inputs have up to this many digits: each is written over the one before it. */
const INPUT_DIGITS = 10;

const blockName = ({ of, from, count }: Block): string => `${of} ${from}+${count}`.trim();
const inputName = (of: string, input: number): string => `${of} ${input}`.trim();

/** @param most inputs of one block: some seconds of work, so that little is lost. */
export function blocksOf(of: string, from: number, inputs: number, most: number): Block[] {
  const blocks: Block[] = [];
  for (let first = from; first < from + inputs; first += most) {
    blocks.push({ of, from: first, count: Math.min(most, from + inputs - first) });
  }
  return blocks;
}

const inputsIn = (blocks: readonly Block[]): number => blocks.reduce((sum, { count }) => sum + count, 0);

export async function runBlocks<Counted extends Counts>(run: LongRun<Counted>): Promise<RunEnd> {
  const { blocks, noun, folder } = run;
  const kept = keptFile<Progress>(`${folder}/progress.json`);
  const source = hashOfSources(run.sources);
  const before = run.fresh || run.quiet ? undefined : kept.read();
  const progress = before?.source === source ? before : { source, done: [], broken: [] };
  const known = new Set(progress.done);
  const left: Part[] = blocks
    .map((block) => ({ ...block, name: blockName(block), hungOnce: false }))
    .filter(({ name }) => !known.has(name));
  const total = inputsIn(left);
  if (total < inputsIn(blocks)) {
    say(`${inputsIn(blocks) - total} of these ${noun} were done before; --fresh starts over`);
  }
  const startedMs = performance.now();
  let [tried, saidMs, shown] = [0, startedMs, 0];
  const seconds = (): number => (performance.now() - startedMs) / 1_000;
  const perSecond = (): string => (tried / seconds()).toFixed(0);
  const write = (): void => {
    if (!run.quiet) kept.write(progress);
  };
  const tell = (of: string, broken: BlockDone<Counted>['broken']): void => {
    for (const { input, text } of broken) {
      progress.broken.push(inputName(of, input));
      if (shown < SHOWN_MAX) say(text);
      shown += 1;
    }
  };
  const crew: Crew<Counted> = {
    next: () => (progress.broken.length > BROKEN_MAX ? undefined : left.shift()),
    done({ of, count, name }, { counted, broken }) {
      tried += count;
      run.add(counted);
      tell(of, broken);
      progress.done.push(name);
      write();
      if (performance.now() - saidMs < SAY_MS) return;
      saidMs = performance.now();
      say(`  ${tried} of ${total} ${noun}, ${perSecond()} a second, ${progress.broken.length} broken`);
    },
    died({ part, input, hangs, why }) {
      const { of, from, count, name } = part;
      const hungOnce = hangs && !(part.hungOnce && input === from);
      if (!hungOnce) tell(of, [{ input, text: `${inputName(of, input)}: ${why}\n  again: ${run.again(of, input)}` }]);
      const next = hungOnce ? input : input + 1;
      if (next < from + count) left.unshift({ of, from: next, count: from + count - next, name, hungOnce });
      else progress.done.push(name);
      write();
    },
  };
  mkdirSync(join(PROJECT_ROOT, folder), { recursive: true });
  await Promise.all(Array.from({ length: run.jobs }, (_, job) => work(job, run, crew)));
  return { tried, seconds: seconds(), perSecond: perSecond(), broken: progress.broken };
}

interface Crew<Counted extends Counts> {
  next(): Part | undefined;
  done(part: Part, done: BlockDone<Counted>): void;
  /** What is left of the part is taken next. */
  died(died: Died): void;
}

/** A process ended, or hung and was ended, at an input. */
interface Died {
  part: Part;
  input: number;
  hangs: boolean;
  why: string;
}

/** One process after another until no block is left. */
async function work<Counted extends Counts>(job: number, run: LongRun<Counted>, crew: Crew<Counted>): Promise<void> {
  const file = join(PROJECT_ROOT, run.folder, `job-${job}`);
  for (let part = crew.next(); part !== undefined; part = crew.next()) {
    const died = await serve(file, part, run, crew);
    if (died === null) return;
    crew.died(died);
  }
}

function serve<Counted extends Counts>(
  file: string,
  first: Part,
  { worker, execArgv, hangMs }: LongRun<Counted>,
  crew: Crew<Counted>,
): Promise<Died | null> {
  return new Promise((resolve, reject) => {
    writeFileSync(file, '');
    const child = fork(worker, [file], { execArgv });
    let part = first;
    let hangs = false;
    const input = (): number => Number(readFileSync(file, 'utf8'));
    let [seen, seenMs] = [-1, performance.now()];
    const watch = setInterval(
      () => {
        const now = input();
        if (now !== seen) [seen, seenMs] = [now, performance.now()];
        if (performance.now() - seenMs < hangMs) return;
        hangs = true;
        child.kill('SIGKILL');
      },
      Math.min(LOOK_MS, hangMs),
    );
    child.on('message', (done: BlockDone<Counted>) => {
      crew.done(part, done);
      const next = crew.next();
      if (next === undefined) return child.disconnect();
      part = next;
      child.send(part);
    });
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      clearInterval(watch);
      if (code === 0) return resolve(null);
      const why = hangs ? 'it hangs' : `the process ended with ${code ?? signal}`;
      resolve({ part, input: Math.max(part.from, input()), hangs, why });
    });
    child.send(part);
  });
}

/** What a process does with its blocks. */
interface BlockWork<Counted extends Record<string, number>> {
  /** Made anew for each block. */
  none(): Counted;
  /** @returns what was broken, in words; null: everything held. */
  one(of: string, input: number, counted: Counted): Promise<string | null>;
  /** Once the whole block is tried. */
  end?(of: string, counted: Counted): Promise<void>;
}

/** In a process of `runBlocks`. At which input it is stands in a file, so that a hang or a crash has a name. */
export function answerBlocks<Counted extends Record<string, number>>({ none, one, end }: BlockWork<Counted>): void {
  const place = openSync(process.argv[2] ?? '/dev/null', 'w');
  const answer = async ({ of, from, count }: Block): Promise<void> => {
    const done: BlockDone<Counted> = { counted: none(), broken: [] };
    for (let input = from; input < from + count; input += 1) {
      writeSync(place, String(input).padStart(INPUT_DIGITS), 0);
      const text = await one(of, input, done.counted);
      if (text !== null) done.broken.push({ input, text });
    }
    await end?.(of, done.counted);
    process.send?.(done);
  };
  process.on('message', (block: Block) => void answer(block));
  process.once('disconnect', () => process.exit()); // who asked is gone, or wants nothing more
}
