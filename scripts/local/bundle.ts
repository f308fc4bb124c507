/** A Worker as one file of JavaScript beside its text modules, as a deploy would upload it. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** @param root the checkout whose Worker it is. @param config relative to it. */
export async function bundleWorker(root: string, config: string, folder: string): Promise<void> {
  const wrangler = join(root, 'node_modules/wrangler/bin/wrangler.js');
  await promisify(execFile)(process.execPath, [wrangler, 'deploy', '-c', config, '--dry-run', '--outdir', folder], {
    cwd: root,
    env: { ...process.env, CI: '1', WRANGLER_SEND_METRICS: 'false' },
  });
}
