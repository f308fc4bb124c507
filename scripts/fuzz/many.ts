/** Many inputs of many readers in several processes. */
import { join } from 'node:path';
import { type Block, blocksOf, runBlocks } from '../frame/blocks.ts';
import { say } from '../frame/command.ts';
import { READING_MS_MAX } from './attempt.ts';
import { READERS, type ReaderName, SHARES } from './targets.ts';

interface ManyInputs {
  reader: ReaderName | 'all';
  /** In all, shared among the readers; of a named reader, or where `each` says so, for every one. */
  inputs: number;
  each: boolean;
  from: number;
  jobs: number;
  fresh: boolean;
}

/** @property grownBytes memory held after a block, garbage collected, beyond that after the first one of its reader. */
export type FuzzCounts = Record<'grownBytes', number>;

/** Inputs per block. Ours: a second of work or two, so that little is lost. */
const BLOCK_INPUTS = 2_000;
const BLOCK_WORKBOOKS = 500;
/** What a process may hold after all blocks beyond what it held after the first, in bytes. Ours: caches of compiled code. */
const GROWTH_BYTES_MAX = 16 * 1024 * 1024;

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
  const shares = inputsOf(wanted);
  const lists = [...shares].map(([reader, count]) =>
    blocksOf(reader, wanted.from, count, reader === 'xlsx' ? BLOCK_WORKBOOKS : BLOCK_INPUTS),
  );
  let grownBytes = 0;
  const { tried, seconds, perSecond, broken } = await runBlocks<FuzzCounts>({
    blocks: interleaved(lists),
    jobs: wanted.jobs,
    noun: 'inputs',
    folder: '.fuzz',
    sources: ['src/formats', 'src/kernel', 'scripts/fuzz', 'mappings'],
    fresh: wanted.fresh,
    quiet: false,
    worker: join(import.meta.dirname, 'work.ts'),
    execArgv: ['--expose-gc'],
    hangMs: 12 * READING_MS_MAX,
    again: (reader, seed) => `npm run fuzz -- --reader ${reader} --seed ${seed}`,
    add: (counted) => {
      grownBytes = Math.max(grownBytes, counted.grownBytes);
    },
  });
  const isFlat = grownBytes <= GROWTH_BYTES_MAX;
  const each = [...shares].map(([reader, count]) => `${reader} ${count}`).join(', ');
  const grown = `memory grew by ${(grownBytes / 1_048_576).toFixed(1)} MB${isFlat ? '' : ', which is too much'}`;
  const kept = broken.length === 0 ? 'every promise was kept' : `broken by ${broken.length}: ${shown(broken)}`;
  say(`${tried} inputs in ${seconds.toFixed(1)} s, ${perSecond} a second (${each})`);
  say(`${grown}; ${kept}`);
  return isFlat && broken.length === 0;
}

const shown = (broken: readonly string[]): string => broken.slice(0, 20).join(', ');

/** Of every reader a part of its blocks, again and again: a run that is stopped has tried all of them. */
const interleaved = (lists: readonly Block[][]): Block[] =>
  lists
    .flatMap((list) => list.map((block, at) => ({ block, place: at / list.length })))
    .sort((left, right) => left.place - right.place)
    .map(({ block }) => block);
