/** Which blocks of a long run are done, in a file. Of other code nothing is done: the file bears the hash of its sources. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');

export interface Progress<Broken> {
  source: string;
  done: string[];
  broken: Broken[];
}

export interface ProgressFile<Broken> {
  read(fresh: boolean): Progress<Broken>;
  write(progress: Progress<Broken>): void;
}

/** @param folder of the project in which the file lies; sources folders of all that the run is made of. */
export function progressFile<Broken>(folder: string, sources: readonly string[]): ProgressFile<Broken> {
  const place = join(ROOT, folder);
  const file = join(place, 'progress.json');
  return {
    read(fresh) {
      const source = hashOf(sources);
      const empty: Progress<Broken> = { source, done: [], broken: [] };
      if (fresh || !existsSync(file)) return empty;
      const kept = JSON.parse(readFileSync(file, 'utf8')) as Progress<Broken>;
      return kept.source === source ? kept : empty;
    },
    /** Moved into its place whole, so that a stop never leaves half of it. */
    write(progress) {
      mkdirSync(place, { recursive: true });
      writeFileSync(`${file}.new`, JSON.stringify(progress));
      renameSync(`${file}.new`, file);
    },
  };
}

function hashOf(sources: readonly string[]): string {
  const hash = createHash('sha256');
  for (const folder of sources) {
    const place = join(ROOT, folder);
    for (const name of readdirSync(place, { recursive: true, encoding: 'utf8' }).sort()) {
      if (/\.(?:ts|yaml)$/.test(name)) hash.update(name).update(readFileSync(join(place, name)));
    }
  }
  return hash.digest('hex');
}
