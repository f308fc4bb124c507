/** Runs wrangler's D1 commands: migrations and SQL, against a local folder or the deployed database. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const ROOT = resolve(import.meta.dirname, '../..');
const WRANGLER = join(ROOT, 'node_modules/wrangler/bin/wrangler.js');

/** Where the database is: a folder of `wrangler dev`, or the deployed one. */
export type DirectoryPlace = { persistTo: string } | { remote: true };

const placeFlags = (place: DirectoryPlace): string[] =>
  'remote' in place ? ['--remote'] : ['--local', '--persist-to', place.persistTo];

async function wrangler(args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [WRANGLER, ...args], {
    cwd: ROOT,
    env: { ...process.env, CI: '1', WRANGLER_SEND_METRICS: 'false' },
  });
  return stdout;
}

export async function migrateDirectory(place: DirectoryPlace): Promise<void> {
  await wrangler(['d1', 'migrations', 'apply', 'DIRECTORY', ...placeFlags(place)]);
}

/** SQL goes through a file of its own, so that no key hash stands in a process list. */
export async function executeOnDirectory(place: DirectoryPlace, sql: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'transload-sql-'));
  try {
    const path = join(folder, 'statements.sql');
    writeFileSync(path, sql);
    await wrangler(['d1', 'execute', 'DIRECTORY', ...placeFlags(place), '--file', path, '--yes']);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
