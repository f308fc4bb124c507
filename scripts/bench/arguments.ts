/** What a bench is asked for. Pure: words in, settings or a reason out. */
import { parseArgs } from 'node:util';
import { NotRun, whole } from '../frame/command.ts';

const PARTS = ['transform', 'edi', 'memory', 'delivery', 'cost', 'steady', 'pages'] as const;
type Part = (typeof PARTS)[number];

export interface Wanted {
  parts: readonly Part[];
  /** The revision that this checkout is compared with. */
  against: string | undefined;
  /** How many times as fast as that revision each line must be, at least. */
  floor: number;
  rows: number;
  /** Of each interchange that is compared; the largest whose memory is measured has four times as many. */
  megabytes: number;
  /** Whose reading of interchanges ours is compared with; with all without any. */
  rivals: readonly string[];
  rounds: number;
  repeats: number;
  seed: number;
  /** Of the files that are delivered; each part has a usual number. */
  loads: Readonly<Record<keyof typeof LOADS, number>>;
  rowsPerLoad: number;
  /** Of `steady`: how many such files are sent at once, and whether they are compressed. */
  files: number;
  isGzip: boolean;
  /** Texts in the names of the deliveries that are measured; all without any. */
  lines: readonly string[];
  /** Of `pages`: rows of the batches, and how often each page is opened. */
  pages: { sizes: readonly number[]; looks: number };
  json: string | undefined;
  /** What is measured becomes what is held to. */
  isRenewed: boolean;
}

const NUMBERS = { rows: 5_000, megabytes: 50, repeats: 3, seed: 1, 'rows-per-load': 20, files: 1 } as const;
/** What is counted needs fewer loads than what is timed. */
const LOADS = { delivery: 1_000, cost: 100, steady: 1_000 } as const;
/** Small, and of what a change could spoil the most: in memory, where no disk hides it. */
const QUICK = {
  parts: ['transform', 'edi', 'delivery', 'cost', 'pages'],
  rounds: 3,
  rows: 5_000,
  megabytes: 2,
  rivals: ['x12-parser', 'node-x12, segments', 'edifact'],
  loads: { delivery: 100, cost: 50, steady: 100 },
  lines: ['memory, 0 ms'],
  pages: { sizes: [20_000], looks: 9 },
} as const;
/** Of the batches whose pages are opened. */
const PAGES = { sizes: [10_000, 1_000_000], looks: 25 } as const;
const ROUNDS = 5;
/** Two commits are often as good as equal. */
const ROUNDS_AGAINST = 9;
/** What is compared with another commit. The memory of a file is not: it has a bound of its own. */
const PARTS_AGAINST: readonly Part[] = ['transform', 'edi', 'delivery'];

export function readArguments(args: readonly string[]): Wanted {
  const number = { type: 'string' } as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      part: { type: 'string', multiple: true },
      against: { type: 'string' },
      floor: { type: 'string', default: '0.95' },
      rounds: number,
      rows: number,
      megabytes: number,
      repeats: number,
      seed: number,
      loads: number,
      'rows-per-load': number,
      files: number,
      gzip: { type: 'boolean', default: false },
      line: { type: 'string', multiple: true },
      json: { type: 'string' },
      quick: { type: 'boolean', default: false },
      renew: { type: 'boolean', default: false },
    },
  });
  const { against, quick: isQuick, renew: isRenewed } = values;
  if (against !== undefined && (isQuick || isRenewed))
    throw new NotRun('--quick and --renew are for this checkout alone: leave --against out.');
  const possible = against === undefined ? PARTS : PARTS_AGAINST;
  const unknown = values.part?.find((name) => !possible.some((part) => part === name));
  if (unknown !== undefined)
    throw new NotRun(
      `There is no part "${unknown}"${against === undefined ? '' : ' to compare'}. There are: ${possible.join(', ')}.`,
    );
  const numberOf = (name: keyof typeof NUMBERS | 'rounds' | 'loads', usual: number): number => {
    const text = values[name];
    if (text === undefined) return usual;
    try {
      return whole(text, 1);
    } catch (thrown) {
      throw new NotRun(`--${name}: ${thrown instanceof Error ? thrown.message : ''}`);
    }
  };
  const wantedParts: readonly string[] = values.part ?? (isQuick ? QUICK.parts : possible);
  const usualLoads = isQuick ? QUICK.loads : LOADS;
  const floor = Number(values.floor);
  if (!(floor > 0)) throw new NotRun('--floor takes a number above 0.');
  return {
    parts: possible.filter((part) => wantedParts.includes(part)),
    against,
    floor,
    rounds: numberOf('rounds', against !== undefined ? ROUNDS_AGAINST : isQuick ? QUICK.rounds : ROUNDS),
    rows: numberOf('rows', (isQuick ? QUICK : NUMBERS).rows),
    megabytes: numberOf('megabytes', (isQuick ? QUICK : NUMBERS).megabytes),
    rivals: isQuick ? QUICK.rivals : [],
    repeats: numberOf('repeats', NUMBERS.repeats),
    seed: numberOf('seed', NUMBERS.seed),
    loads: {
      delivery: numberOf('loads', usualLoads.delivery),
      cost: numberOf('loads', usualLoads.cost),
      steady: numberOf('loads', usualLoads.steady),
    },
    rowsPerLoad: numberOf('rows-per-load', NUMBERS['rows-per-load']),
    files: numberOf('files', NUMBERS.files),
    isGzip: values.gzip,
    lines: values.line ?? (isQuick ? QUICK.lines : []),
    pages: (isQuick ? QUICK : { pages: PAGES }).pages,
    json: values.json,
    isRenewed,
  };
}
