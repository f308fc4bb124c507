/** Files of a bridge that has ended, as small as they go: each database vacuumed, whatever its last process left beside it. */
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gunzipSync, gzipSync } from 'node:zlib';

/** What is kept in KV are copies. */
const STORED = ['do', 'd1', 'r2'];
const JOURNALS = /-(?:wal|shm|journal)$/;

const filesIn = (folder: string): string[] =>
  globSync('**/*', { cwd: folder, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();

/** @returns how many bytes that is. */
export function pack(persistTo: string, folder: string): number {
  let bytes = 0;
  for (const path of filesIn(persistTo)) {
    if (!STORED.includes(path.split('/')[1] ?? '') || JOURNALS.test(path)) continue;
    const from = join(persistTo, path);
    const packed = gzipSync(path.endsWith('.sqlite') ? vacuumed(from) : readFileSync(from), { level: 9 });
    const to = join(folder, `${path}.gz`);
    mkdirSync(dirname(to), { recursive: true });
    writeFileSync(to, packed);
    bytes += packed.length;
  }
  return bytes;
}

function vacuumed(path: string): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'transload-vacuum-'));
  const database = new DatabaseSync(path); // what a killed process left beside it is taken in
  try {
    const copy = join(folder, 'copy.sqlite');
    database.prepare('VACUUM INTO ?').run(copy);
    return readFileSync(copy);
  } finally {
    database.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

export function unpack(folder: string, persistTo: string): void {
  for (const path of filesIn(folder)) {
    if (!path.endsWith('.gz')) continue;
    const to = join(persistTo, path.slice(0, -'.gz'.length));
    mkdirSync(dirname(to), { recursive: true });
    writeFileSync(to, gunzipSync(readFileSync(join(folder, path))));
  }
}
