/** Wrangler's own commands, run to their end. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** @param root the checkout whose wrangler and configuration it is. @returns what it wrote. */
export async function runWrangler(args: readonly string[], root: string): Promise<string> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [join(root, 'node_modules/wrangler/bin/wrangler.js'), ...args],
    {
      cwd: root,
      env: { ...process.env, CI: '1', WRANGLER_SEND_METRICS: 'false' },
    },
  );
  return stdout;
}

/**
 * A Worker as one file of JavaScript beside its text modules, as a deploy would upload it.
 * @param config relative to the checkout, or absolute.
 * @param define words of the source and what stands for them.
 */
export const bundleWorker = async (
  root: string,
  config: string,
  folder: string,
  define: Readonly<Record<string, string>> = {},
): Promise<void> => {
  const words = Object.entries(define).flatMap(([name, value]) => ['--define', `${name}:${value}`]);
  await runWrangler(['deploy', '-c', config, '--dry-run', '--outdir', folder, ...words], root);
};
