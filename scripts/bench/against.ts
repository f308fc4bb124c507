/**
 * The readers and mappings of another commit next to those of this checkout: the same files, in turn, old and new, each in a
 * fresh process. Above 1 the new ones are faster.
 */
import { fork } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Check } from './check.ts';
import { writeEdiFile } from './edi-files.ts';
import { temporaryFolder } from './folders.ts';
import { writeFile } from './generate.ts';
import type { AgainstKind, OursRead } from './ours-side.ts';
import { type Spread, spreadOf, timesFaster } from './spread.ts';
import { hundredths, megabytes, table } from './table.ts';

export interface AgainstLine {
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

export type AgainstResult =
  | { line: string; bytes: number; oldMs: Spread; newMs: Spread; ratio: Spread }
  | { line: string; incomparable: string };

export interface AgainstWanted {
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
  for (let round = 0; round < rounds; round += 1) {
    const before = await readAs(old, kind, file);
    if ('missing' in before) return { line: name, incomparable: before.missing };
    const now = await readAs(root, kind, file);
    if ('missing' in now) return { line: name, incomparable: `here ${now.missing}` };
    if (before.items !== now.items) return { line: name, incomparable: `${before.items} were read, now ${now.items}` };
    oldMs.push(before.ms);
    newMs.push(now.ms);
  }
  const { size: bytes } = statSync(file);
  return { line: name, bytes, oldMs: spreadOf(oldMs), newMs: spreadOf(newMs), ratio: timesFaster(oldMs, newMs) };
}

function readAs(root: string, kind: AgainstKind, file: string): Promise<OursRead> {
  return new Promise((resolve, reject) => {
    const child = fork(join(import.meta.dirname, 'ours-side.ts'), [root, kind, file], { cwd: root });
    let read: OursRead | undefined;
    child.on('message', (message: OursRead) => {
      read = message;
    });
    child.on('error', reject);
    child.on('exit', (code) => {
      if (code === 0 && read !== undefined) resolve(read);
      else reject(new Error(`the reading of ${kind} in ${root} ended with ${code}`));
    });
  });
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
