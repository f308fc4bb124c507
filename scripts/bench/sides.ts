/**
 * Two ways to read a file, each in a process of its own, so that neither collects the other's garbage or compiles for the
 * other's objects. They share the time in small pieces: on a shared machine a processor is now twice as fast as a second
 * later, and so both are measured at every speed that it has.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { meanReading, type Reading, sumMs, timed, warmUp } from './reading.ts';
import { median } from './spread.ts';

type Prepared = 'ready' | { missing: string };

/** What a side cannot run, said by its process instead of `ready`. */
export class Missing extends Error {}

interface SideOf {
  /** Module of its process, and what it is told. */
  module: string;
  args: readonly string[];
  cwd?: string;
  /** More memory than the engine takes by itself. */
  heapMegabytes?: number;
}

export class Side<Value> {
  readonly prepared: Promise<Prepared>;
  readonly #child: ChildProcess;

  constructor({ module, args, cwd, heapMegabytes }: SideOf) {
    const execArgv = heapMegabytes === undefined ? [] : [`--max-old-space-size=${heapMegabytes}`];
    this.#child = fork(module, args, { cwd, execArgv });
    this.prepared = this.#message() as Promise<Prepared>;
  }

  read(): Promise<Reading<Value>> {
    const answer = this.#message() as Promise<Reading<Value>>;
    this.#child.send('read');
    return answer;
  }

  /** It stands still, in the middle of a reading too, until it goes on. */
  pause(): void {
    this.#child.kill('SIGSTOP');
  }

  goOn(): void {
    this.#child.kill('SIGCONT');
  }

  end(): void {
    this.#child.kill();
  }

  #message(): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const fail = (code: number | null): void => reject(new Error(`a reading ended with ${code}`));
    this.#child.once('exit', fail);
    this.#child.once('message', (message) => {
      this.#child.off('exit', fail);
      resolve(message);
    });
    return promise;
  }
}

export interface Turn<Value> {
  first: Reading<Value>;
  second: Reading<Value>;
}

/** Of each round: the middle one counts. The slowest package takes 20 s for one. */
const TURNS = 3;
/** Each side reads for so long at least, and at least once. */
const TURN_MS = 1_000;
/** How long one side runs before the other does. Ours: speeds of a machine last longer, and caches are filled sooner. */
const PIECE_MS = 20;

/** Throws where a side is not prepared. */
export async function readInTurn<Value>(first: Side<Value>, second: Side<Value>): Promise<Turn<Value>[]> {
  for (const prepared of await Promise.all([first.prepared, second.prepared]))
    if (prepared !== 'ready') throw new Missing(prepared.missing);
  const turns: Turn<Value>[] = [];
  while (turns.length < TURNS) turns.push(await readSideBySide(first, second));
  return turns;
}

async function readSideBySide<Value>(first: Side<Value>, second: Side<Value>): Promise<Turn<Value>> {
  const sides = [first, second].map((side) => ({ side, readings: [] as Reading<Value>[] }));
  const isDone = (): boolean => sides.every(({ readings }) => sumMs(readings) >= TURN_MS);
  let [running, standing] = [first, second];
  standing.pause();
  const change = setInterval(() => {
    [running, standing] = [standing, running];
    standing.pause();
    running.goOn();
  }, PIECE_MS);
  try {
    // The faster one reads until the slower one is done.
    const all = sides.map(async ({ side, readings }) => {
      while (!isDone()) readings.push(await side.read());
    });
    await Promise.all(all);
  } finally {
    clearInterval(change);
    standing.goOn();
  }
  const [one, other] = sides.map(({ readings }) => meanReading(readings)) as [Reading<Value>, Reading<Value>];
  return { first: one, second: other };
}

/** How many times faster the second side is than the first: the median of the turns. */
export const ratioOf = (turns: readonly Turn<unknown>[]): number =>
  median(turns.map(({ first, second }) => first.ms / second.ms));

/** Runs in the side's process: reads until all is compiled, tells its parent, and then reads once for each message. */
export async function takeTurns<Value>(
  prepare: () => Promise<{ read: () => Promise<Value>; warm?: () => Promise<unknown> }>,
): Promise<void> {
  process.once('disconnect', () => process.exit());
  try {
    const { read, warm = read } = await prepare();
    await warmUp(warm);
    process.on('message', async () => process.send?.(await timed(read)));
    process.send?.('ready' satisfies Prepared);
  } catch (thrown) {
    if (!(thrown instanceof Missing)) throw thrown;
    process.send?.({ missing: thrown.message } satisfies Prepared);
  }
}
