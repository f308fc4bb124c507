/** What a bench is asked for. Pure: words in, settings or a reason out. */
import { parseArgs } from 'node:util';
import { NotRun, whole } from '../frame/command.ts';

export const PARTS = ['transform', 'edi', 'memory', 'delivery'] as const;
export type Part = (typeof PARTS)[number];

export interface Wanted {
  parts: readonly Part[];
  /** The revision that this checkout is compared with. */
  against: string | undefined;
  /** How many times as fast as that revision each line must be, at least. */
  floor: number;
  rows: number;
  /** Of each interchange that is compared; the largest whose memory is measured has four times as many. */
  megabytes: number;
  rounds: number;
  repeats: number;
  seed: number;
  /** Of the file that is delivered. */
  loads: number;
  rowsPerLoad: number;
  /** Texts in the names of the deliveries that are measured; all without any. */
  lines: readonly string[];
  json: string | undefined;
}

const NUMBERS = { rows: 20_000, megabytes: 50, repeats: 3, seed: 1, loads: 1_000, 'rows-per-load': 20 } as const;
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
      line: { type: 'string', multiple: true, default: [] },
      json: { type: 'string' },
    },
  });
  const { against } = values;
  const possible = against === undefined ? PARTS : PARTS_AGAINST;
  const unknown = values.part?.find((name) => !possible.some((part) => part === name));
  if (unknown !== undefined)
    throw new NotRun(
      `There is no part "${unknown}"${against === undefined ? '' : ' to compare'}. There are: ${possible.join(', ')}.`,
    );
  const numberOf = (name: keyof typeof NUMBERS | 'rounds', usual: number): number => {
    const text = values[name];
    if (text === undefined) return usual;
    try {
      return whole(text, 1);
    } catch (thrown) {
      throw new NotRun(`--${name}: ${thrown instanceof Error ? thrown.message : ''}`);
    }
  };
  const floor = Number(values.floor);
  if (!(floor > 0)) throw new NotRun('--floor takes a number above 0.');
  return {
    parts: possible.filter((part) => values.part?.includes(part) ?? true),
    against,
    floor,
    rounds: numberOf('rounds', against === undefined ? ROUNDS : ROUNDS_AGAINST),
    rows: numberOf('rows', NUMBERS.rows),
    megabytes: numberOf('megabytes', NUMBERS.megabytes),
    repeats: numberOf('repeats', NUMBERS.repeats),
    seed: numberOf('seed', NUMBERS.seed),
    loads: numberOf('loads', NUMBERS.loads),
    rowsPerLoad: numberOf('rows-per-load', NUMBERS['rows-per-load']),
    lines: values.line,
    json: values.json,
  };
}
