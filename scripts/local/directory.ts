/** The directory's database: its migrations and SQL, in a local folder or deployed. */
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { PROJECT_ROOT } from '../frame/kept-file.ts';
import { runWrangler } from './bundle.ts';
import { digestOf, keptFolder } from './kept-folders.ts';

/** Where the database is: a folder of `wrangler dev`, or a deployment by its name in `wrangler.toml`. */
export type DirectoryPlace = { persistTo: string } | { remote: string };

const placeFlags = (place: DirectoryPlace): string[] =>
  'remote' in place ? ['--remote', '--env', place.remote] : ['--env', '', '--local', '--persist-to', place.persistTo];

export async function migrateDirectory(place: DirectoryPlace): Promise<void> {
  await runWrangler(['d1', 'migrations', 'apply', 'DIRECTORY', ...placeFlags(place)], PROJECT_ROOT);
}

/**
 * `wrangler d1 export --local`, into a file of SQL. It knows only the folder that it makes itself beside its configuration:
 * there a link stands, in a folder of its own.
 */
export async function exportDirectory(persistTo: string, output: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'transload-export-'));
  try {
    mkdirSync(join(folder, '.wrangler'));
    symlinkSync(persistTo, join(folder, '.wrangler/state'));
    copyFileSync(join(PROJECT_ROOT, 'wrangler.toml'), join(folder, 'wrangler.toml'));
    const flags = ['--env', '', '--local', '--config', join(folder, 'wrangler.toml'), '--output', output];
    await runWrangler(['d1', 'export', 'DIRECTORY', ...flags], PROJECT_ROOT);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** `wrangler d1 execute --local --file`, into a database that is not there yet. */
export async function importDirectory(persistTo: string, path: string): Promise<void> {
  await runWrangler(
    ['d1', 'execute', 'DIRECTORY', ...placeFlags({ persistTo }), '--file', path, '--yes'],
    PROJECT_ROOT,
  );
}

/** Under the folder of `wrangler dev`. */
const D1 = 'v3/d1';

/** A new directory with its tables: copied from one that wrangler made, once for the migrations that there are. */
export async function newDirectory(persistTo: string): Promise<void> {
  const migrations = join(PROJECT_ROOT, 'src/ops/migrations');
  const made = await keptFolder('directories', digestOf([migrations], ''), (folder) =>
    migrateDirectory({ persistTo: folder }),
  );
  cpSync(join(made, D1), join(persistTo, D1), { recursive: true });
}

/** SQL for a deployment goes through a file of its own, so that no key hash stands in a process list. */
export async function executeOnDirectory(place: DirectoryPlace, sql: string): Promise<void> {
  if ('persistTo' in place) return inFile(place.persistTo, (database) => database.exec(sql));
  const folder = mkdtempSync(join(tmpdir(), 'transload-sql-'));
  try {
    const path = join(folder, 'statements.sql');
    writeFileSync(path, sql);
    await runWrangler(['d1', 'execute', 'DIRECTORY', ...placeFlags(place), '--file', path, '--yes'], PROJECT_ROOT);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** One statement that holds no secret: in a deployment it stands in a process list. @returns its rows. */
export async function queryDirectory(place: DirectoryPlace, sql: string): Promise<object[]> {
  if ('persistTo' in place) return inFile(place.persistTo, (database) => database.prepare(sql).all());
  const text = await runWrangler(
    ['d1', 'execute', 'DIRECTORY', ...placeFlags(place), '--command', sql, '--json'],
    PROJECT_ROOT,
  );
  const [answer] = JSON.parse(text) as { results: object[] }[];
  return answer?.results ?? [];
}

/** In the database's file; a bridge that runs on it sees what is written. */
async function inFile<Found>(persistTo: string, act: (database: DatabaseSync) => Found): Promise<Found> {
  const folder = join(persistTo, D1);
  const files = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [];
  const path = files.find((file) => file.endsWith('.sqlite') && !file.endsWith('metadata.sqlite'));
  if (path === undefined) {
    throw new Error(
      `There is no directory below ${persistTo}. Make it: npx wrangler d1 migrations apply DIRECTORY --local`,
    );
  }
  const sqlite = await import('node:sqlite'); // not in every Node that the packed command runs on
  const database = new sqlite.DatabaseSync(join(folder, path), { timeout: BUSY_MS });
  try {
    return act(database);
  } finally {
    database.close();
  }
}

/** Ours: what the bridge writes meanwhile takes milliseconds. */
const BUSY_MS = 5_000;
