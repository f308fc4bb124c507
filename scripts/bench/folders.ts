/** Folders that go with the process, however it ends: some of them are in memory. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folders = new Set<string>();
process.once('exit', () => folders.forEach(removeFolder));

export function temporaryFolder(parent: string = tmpdir()): string {
  const path = mkdtempSync(join(parent, 'transload-bench-'));
  folders.add(path);
  return path;
}

/** Earlier than it would go. */
export function removeFolder(path: string): void {
  rmSync(path, { recursive: true, force: true });
  folders.delete(path);
}
