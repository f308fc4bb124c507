/** Another commit of this repository, to run beside this one. */
import { execFileSync } from 'node:child_process';
import { existsSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');

/** A folder with that commit and this checkout's packages; what it is to be called is `root`, which does not exist yet. */
export function checkOut(revision: string, root: string): void {
  execFileSync('git', ['worktree', 'add', '--detach', '--quiet', root, revision], { cwd: ROOT });
  symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
}

/** Nothing happens where it was not made. */
export function removeCheckout(root: string): void {
  if (existsSync(root)) execFileSync('git', ['worktree', 'remove', '--force', root], { cwd: ROOT });
}
