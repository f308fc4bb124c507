/** One input of one reader: drawn from its number, read to its end, and for some of them read twice in other slices. */
import { bytesInMemory } from '../../src/formats/slices.ts';
import { openSheet } from '../../src/formats/xlsx/convert.ts';
import { sheetOfXlsx } from '../../src/formats/xlsx/declaration.ts';
import { describeWorkbookProblem } from '../../src/formats/xlsx/problems.ts';
import { readerOnSheet } from '../../src/formats/xlsx/reader.ts';
import { warmDice } from '../frame/dice.ts';
import { type Dice, oneOf, whole } from './mutate.ts';
import { Breach, checkProblem, differenceOf, readThrough } from './read-through.ts';
import { READERS, type ReaderName, type Target, targetsOf } from './targets.ts';

interface Broken {
  reader: ReaderName;
  seed: number;
  /** What was not kept, and the input. */
  text: string;
}

/** Share of inputs that are read twice. */
const TWICE_SHARE = 0.3;
/** Longest reading of an input, in ms of processor time. Ours: the largest takes a second or two. */
export const READING_MS_MAX = 10_000;
/** Above this a file is read in slices that are not tiny: what tiny ones show, small files show sooner. */
const SMALL_FILE_BYTES = 16 * 1024;
const SLICE_BYTES_OF_LARGE = [4_096, 65_536, 262_144] as const;
/** Bytes of an input that are shown; of a longer one its seed says enough. */
const SHOWN_BYTES_MAX = 3_000;

const known = new Map<ReaderName, Target[]>();
const targetsFor = (name: ReaderName): Target[] => {
  const targets = known.get(name) ?? targetsOf(name);
  known.set(name, targets);
  return targets;
};

export function drawInput(name: ReaderName, seed: number): { target: Target; file: Uint8Array; random: Dice } {
  const random = warmDice(Math.imul(seed, READERS.length) + READERS.indexOf(name));
  const target = oneOf(random, targetsFor(name));
  return { target, file: target.draw(random), random };
}

/** @returns null when every promise was kept. */
export async function attempt(name: ReaderName, seed: number): Promise<Broken | null> {
  const { target, file, random } = drawInput(name, seed);
  try {
    const isWorkbook = name === 'xlsx' && file[0] === 0x50 && file[1] === 0x4b;
    if (isWorkbook) await readWorkbook(target, file, random);
    else readText(target, file, random);
    return null;
  } catch (error) {
    const why = error instanceof Breach ? error.message : error instanceof Error ? `${error.stack}` : String(error);
    return { reader: name, seed, text: describe(name, seed, target, file, why) };
  }
}

type TextTarget = Pick<Target, 'reader' | 'mayGoBack'>;

function readText({ reader, mayGoBack = false }: TextTarget, file: Uint8Array, random: Dice): void {
  const reading = { msMax: READING_MS_MAX, mayGoBack };
  const outcome = readThrough(reader, file, { ...reading, sliceBytes: slicing(file, random) });
  if (random() >= TWICE_SHARE) return;
  const again = readThrough(reader, file, { ...reading, sliceBytes: slicing(file, random) });
  const difference = differenceOf(outcome, again);
  if (difference !== null) throw new Breach(`two slicings of it are read otherwise: ${difference}`);
}

function slicing(file: Uint8Array, random: Dice): () => number {
  if (file.length > SMALL_FILE_BYTES) return () => oneOf(random, SLICE_BYTES_OF_LARGE);
  const kind = random();
  if (kind < 0.3) return () => file.length;
  const fixed = 1 + whole(random, kind < 0.5 ? 64 : 1_500);
  return kind < 0.7 ? () => fixed : () => 1 + whole(random, fixed);
}

async function readWorkbook({ source, reader }: Target, file: Uint8Array, random: Dice): Promise<void> {
  if (source.format !== 'xlsx') throw new Error('a workbook is given to a reader of text');
  const texts: string[] = [];
  for (let time = random() < TWICE_SHARE ? 0 : 1; time < 2; time++) {
    const before = process.cpuUsage();
    const { problem, csv, sheet } = await convert(file, source);
    const { user, system } = process.cpuUsage(before);
    const ms = (user + system) / 1_000;
    if (ms > READING_MS_MAX) throw new Breach(`the workbook takes ${ms} ms`);
    if (problem !== null) checkProblem(problem);
    if (problem === null && csv !== null) readText({ reader: readerOnSheet(reader, sheet) }, csv, random);
    texts.push(JSON.stringify(problem) + csv?.toString('base64'));
  }
  if (texts.some((text) => text !== texts[0]))
    throw new Breach(`a workbook gives two texts: ${texts.join('\n and: ')}`);
}

async function convert(file: Uint8Array, source: Extract<Target['source'], { format: 'xlsx' }>) {
  const opened = await openSheet(bytesInMemory(file), sheetOfXlsx(source));
  if (!opened.ok) return { problem: describeWorkbookProblem(opened.error), csv: null, sheet: '' };
  if (opened.value === null) return { problem: null, csv: null, sheet: '' }; // an archive of files
  const pieces: Uint8Array[] = [];
  const rows = opened.value.csv();
  for (;;) {
    const { done, value } = await rows.next();
    if (!done) pieces.push(value);
    else {
      const problem = value === null ? null : describeWorkbookProblem(value);
      return { problem, csv: Buffer.concat(pieces), sheet: opened.value.name };
    }
  }
}

function describe(name: ReaderName, seed: number, { source }: Target, file: Uint8Array, why: string): string {
  const shown = file.length > SHOWN_BYTES_MAX ? '(too long to show)' : Buffer.from(file).toString('base64');
  return [
    `${name} ${seed}: ${why}`,
    `  source: ${JSON.stringify(source)}`,
    `  input of ${file.length} bytes, base64: ${shown}`,
    `  again: npm run fuzz -- --reader ${name} --seed ${seed}`,
  ].join('\n');
}
