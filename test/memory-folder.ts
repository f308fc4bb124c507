/** Where tests keep what they throw away: in memory where there is room, since storage waits for the disk at every write. */
import { mkdirSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
const PREFIX = 'transload-tests-';
/** What all suites at once were seen to need at most is a quarter of it. */
const FREE_BYTES_MIN = 2 * 1024 ** 3;

/**
 * Names that folder to this process and all that it starts; the system's own one stays where there is no such memory. What
 * Node compiles is kept in it too: the many commands that tests start are then there in half the time.
 */
export function keepInMemory(): void {
  chooseFolder();
  process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'node-compile-cache');
}

function chooseFolder(): void {
  if (process.env.TMPDIR?.startsWith(join(MEMORY, PREFIX)) === true || !hasRoom()) return;
  sweep();
  const folder = join(MEMORY, `${PREFIX}${process.pid}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  process.env.TMPDIR = folder;
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
}

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= FREE_BYTES_MIN;
  } catch {
    return false;
  }
}

/** What runs left that were ended in the middle. */
function sweep(): void {
  for (const name of readdirSync(MEMORY).filter((each) => each.startsWith(PREFIX))) {
    if (!isRunning(Number(name.slice(PREFIX.length)))) rmSync(join(MEMORY, name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
