/** Another commit of this repository, to run beside this one. */
import { execFileSync, spawnSync } from 'node:child_process';
import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { NotRun } from '../frame/command.ts';
import { PROJECT_ROOT } from '../frame/kept-file.ts';

/**
 * A folder with that commit and this checkout's packages.
 *
 * @param root the folder, which does not exist yet.
 * @throws NotRun where there is no such commit.
 */
export function checkOut(revision: string, root: string): void {
  const added = spawnSync('git', ['worktree', 'add', '--detach', '--quiet', root, revision], {
    cwd: PROJECT_ROOT,
    encoding: 'utf8',
  });
  if (added.status !== 0) throw new NotRun(`${revision} cannot be checked out: ${added.stderr.trim()}`);
  symlinkSync(join(PROJECT_ROOT, 'node_modules'), join(root, 'node_modules'));
}

export function removeCheckout(root: string): void {
  rmSync(root, { recursive: true, force: true });
  execFileSync('git', ['worktree', 'prune'], { cwd: PROJECT_ROOT });
}
