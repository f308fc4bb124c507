/**
 * The readers and mappings of another commit next to those of this checkout: each round has a fresh process of either, and they
 * read the same file in turn. Above 1 the new ones are faster.
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Check } from './check.ts';
import { writeEdiFile } from './edi-files.ts';
import { temporaryFolder } from './folders.ts';
import { writeFile } from './generate.ts';
import type { AgainstKind } from './ours-side.ts';
import { Missing, ratioOf, readInTurn, Side } from './sides.ts';
import { median, type Spread, spreadOf } from './spread.ts';
import { hundredths, megabytes, table } from './table.ts';

interface AgainstLine {
  name: string;
  kind: AgainstKind;
  write(path: string): Promise<void>;
}

const MEGABYTE = 1024 * 1024;
/** Of interchanges as most partners send them. */
const SMALL_MEGABYTES = [1, 10] as const;

export const transformLines = ({ rows, seed }: { rows: number; seed: number }): AgainstLine[] =>
  (['csv', 'json'] as const).map((kind) => ({
    name: `transform, ${kind}, ${rows} rows`,
    kind,
    write: (path) => writeFile(path, kind, { rows }, seed),
  }));

/** Small ones, too: what is done once for each file counts there. None is larger than the one that is wanted. */
export const ediLines = ({ megabytes: most, seed }: { megabytes: number; seed: number }): AgainstLine[] =>
  (['x12', 'edifact'] as const).flatMap((kind) =>
    [...SMALL_MEGABYTES.filter((small) => small < most), most].map((size) => ({
      name: `edi, ${kind}, ${size} MB`,
      kind,
      write: (path) => writeEdiFile(path, kind, size * MEGABYTE, seed),
    })),
  );

type AgainstResult =
  | { line: string; bytes: number; oldMs: Spread; newMs: Spread; ratio: Spread }
  | { line: string; incomparable: string };

interface AgainstWanted {
  lines: readonly AgainstLine[];
  rounds: number;
  old: string;
  root: string;
  /** Told what is going on. */
  tell(text: string): void;
}

export async function compareCheckouts({ lines, rounds, old, root, tell }: AgainstWanted): Promise<AgainstResult[]> {
  const folder = temporaryFolder();
  const results: AgainstResult[] = [];
  for (const line of lines) {
    tell(`${line.name}, ${rounds} rounds`);
    const file = join(folder, line.kind);
    await line.write(file);
    results.push(await compareLine(line, file, { rounds, old, root }));
  }
  return results;
}

async function compareLine(
  { name, kind }: AgainstLine,
  file: string,
  { rounds, old, root }: Pick<AgainstWanted, 'rounds' | 'old' | 'root'>,
): Promise<AgainstResult> {
  const oldMs: number[] = [];
  const newMs: number[] = [];
  const ratios: number[] = [];
  const module = join(import.meta.dirname, 'ours-side.ts');
  const sideOf = (checkout: string): Side<number> => new Side({ module, args: [checkout, kind, file], cwd: checkout });
  for (let round = 0; round < rounds; round += 1) {
    const sides = [sideOf(old), sideOf(root)] as const;
    try {
      const turns = await readInTurn(...sides);
      const different = turns.find(({ first, second }) => first.value !== second.value);
      if (different)
        return { line: name, incomparable: `${different.first.value} were read, now ${different.second.value}` };
      oldMs.push(median(turns.map(({ first }) => first.ms)));
      newMs.push(median(turns.map(({ second }) => second.ms)));
      ratios.push(ratioOf(turns));
    } catch (thrown) {
      if (!(thrown instanceof Missing)) throw thrown;
      return { line: name, incomparable: thrown.message };
    } finally {
      for (const side of sides) side.end();
    }
  }
  const { size: bytes } = statSync(file);
  return { line: name, bytes, oldMs: spreadOf(oldMs), newMs: spreadOf(newMs), ratio: spreadOf(ratios) };
}

export function againstTable(results: readonly AgainstResult[]): string {
  const rows = results.flatMap((result) => {
    if ('incomparable' in result) return [];
    const { line, bytes, oldMs, newMs, ratio } = result;
    const speeds = [oldMs, newMs].map((ms) => ((bytes / MEGABYTE / ms.median) * 1_000).toFixed(1));
    return [[line, megabytes(bytes), ...speeds, ...[ratio.median, ratio.least, ratio.most].map(hundredths)]];
  });
  const incomparable = results.flatMap((result) =>
    'incomparable' in result ? [`${result.line} cannot be compared: ${result.incomparable}`] : [],
  );
  const head = ['line', 'size', 'old MB/s', 'new MB/s', 'new/old', 'least', 'most'];
  return [...(rows.length > 0 ? [table(head, rows)] : []), ...incomparable].join('\n');
}

/** @param floor how many times as fast as before it must be, at least. */
export const checkRatio = (line: string, { median }: Spread, floor: number): Check => ({
  name: `new/old, ${line}`,
  measured: hundredths(median),
  wanted: `at least ${hundredths(floor)}`,
  holds: median >= floor,
});
