/** Runs wrangler's D1 commands: migrations and SQL, against a local folder or the deployed database. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROJECT_ROOT } from '../frame/kept-file.ts';
import { runWrangler } from './bundle.ts';

/** Where the database is: a folder of `wrangler dev`, or a deployment by its name in `wrangler.toml`. */
export type DirectoryPlace = { persistTo: string } | { remote: string };

const placeFlags = (place: DirectoryPlace): string[] =>
  'remote' in place ? ['--remote', '--env', place.remote] : ['--env', '', '--local', '--persist-to', place.persistTo];

export async function migrateDirectory(place: DirectoryPlace): Promise<void> {
  await runWrangler(['d1', 'migrations', 'apply', 'DIRECTORY', ...placeFlags(place)], PROJECT_ROOT);
}

/** SQL goes through a file of its own, so that no key hash stands in a process list. */
export async function executeOnDirectory(place: DirectoryPlace, sql: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'transload-sql-'));
  try {
    const path = join(folder, 'statements.sql');
    writeFileSync(path, sql);
    await runWrangler(['d1', 'execute', 'DIRECTORY', ...placeFlags(place), '--file', path, '--yes'], PROJECT_ROOT);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
