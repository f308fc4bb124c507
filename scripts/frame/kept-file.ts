/** What a command keeps of a run for the next one, as JSON in a file of the project. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export const PROJECT_ROOT = join(import.meta.dirname, '..', '..');

interface KeptFile<T> {
  /** undefined: nothing is kept. */
  read(): T | undefined;
  write(value: T): void;
}

/** @param path below the project. */
export function keptFile<T>(path: string): KeptFile<T> {
  const file = join(PROJECT_ROOT, path);
  return {
    read: () => (existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as T) : undefined),
    /** Moved into its place whole, so that a stop never leaves half of it. */
    write(value) {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(`${file}.new`, JSON.stringify(value));
      renameSync(`${file}.new`, file);
    },
  };
}

/** Of all code and mappings in these folders: what was found with other ones says nothing. */
export function hashOfSources(folders: readonly string[]): string {
  const hash = createHash('sha256');
  for (const folder of folders) {
    const place = join(PROJECT_ROOT, folder);
    for (const name of readdirSync(place, { recursive: true, encoding: 'utf8' }).sort()) {
      if (/\.(?:ts|yaml)$/.test(name)) hash.update(name).update(readFileSync(join(place, name)));
    }
  }
  return hash.digest('hex');
}
