/** What a run of kills has counted, kept for the next one: what was counted with other code says nothing of this. */
import { join } from 'node:path';
import { keptFile, PROJECT_ROOT } from '../frame/kept-file.ts';
import { digestOf } from '../local/kept-folders.ts';
import type { RoundCount } from './random.ts';
import { NOTHING_COUNTED } from './round-ends.ts';

interface Count extends Omit<RoundCount, 'violations'> {
  /** Of all that was killed and that checked it. */
  source: string;
  rounds: number;
  violations: string[];
}

/** The bridge and its sandbox, and what kills and checks them. */
const SOURCES = [
  ...['src', 'mappings', 'package-lock.json', 'wrangler.toml', 'wrangler.sandbox.toml'],
  ...['scripts/kill.ts', ...['kill', 'invariants', 'lives', 'local', 'frame'].map((folder) => `scripts/${folder}`)],
];

export const sourceKilled = (): string =>
  digestOf(
    SOURCES.map((path) => join(PROJECT_ROOT, path)),
    '',
  );

interface CountWanted {
  /** Below the project. */
  path: string;
  kills: number;
  source: string;
  fresh: boolean;
}

/** @returns what goes on, how to keep it, and what of this run is not plain from its end; null: nothing. */
export function countFor({ path, kills, source, fresh }: CountWanted): {
  count: Count;
  keep(): void;
  note: string | null;
} {
  const file = keptFile<Partial<Count>>(path);
  const none: Count = { source, rounds: 0, kills: 0, points: {}, violations: [], ...NOTHING_COUNTED };
  const before = fresh ? undefined : file.read();
  const isOfThis = before?.source === source;
  const count: Count = isOfThis ? { ...none, ...before } : none;
  return { count, keep: () => file.write(count), note: noteOf(before?.kills ?? 0, isOfThis, kills) };
}

function noteOf(before: number, isOfThis: boolean, kills: number): string | null {
  if (before === 0) return null;
  if (!isOfThis) return `${before} kills were counted with other code: the count begins anew`;
  return before >= kills
    ? `NOTHING is killed in this run: with this code, ${before} kills were counted before; --fresh starts over`
    : `with this code, ${before} of these kills were counted before; --fresh starts over`;
}
