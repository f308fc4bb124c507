/** Where the servers of these scripts keep their state. */
import { existsSync, mkdtempSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const IN_MEMORY = '/dev/shm';
/** Free at least, in bytes, before it is used: containers often have 64 MiB. */
const FREE_BYTES_MIN = 2 * 1024 ** 3;

/**
 * A new folder, in memory where there is room: every order and load is a database of its own, and on a disk each commit waits
 * for it, so that a thousand of them hold up all others. What is killed here loses as little as on a disk: power stays on.
 */
export const newStateFolder = (prefix: string): string => mkdtempSync(join(hasRoom() ? IN_MEMORY : tmpdir(), prefix));

function hasRoom(): boolean {
  if (!existsSync(IN_MEMORY)) return false;
  const { bavail, bsize } = statfsSync(IN_MEMORY);
  return bavail * bsize >= FREE_BYTES_MIN;
}
