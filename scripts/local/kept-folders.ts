/**
 * What wrangler makes for starts on this machine, made once for what it is made of: who starts a Worker again and again would
 * otherwise wait for wrangler and esbuild each time, many times as long as for the Worker.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { unstable_readConfig } from 'wrangler';
import { PROJECT_ROOT } from '../frame/kept-file.ts';
import { bundleWorker } from './bundle.ts';

/** What every bundle depends on, beside its configuration and the folder of its entry. */
const SOURCES = ['src', 'mappings', 'package-lock.json'];

/**
 * @param config relative to the checkout, or absolute.
 * @param define words of the source and what stands for them, as wrangler takes them.
 * @returns the folder with `index.js` and text modules.
 */
export function keptBundle(config: string, define: Readonly<Record<string, string>> = {}): Promise<string> {
  const configPath = resolve(PROJECT_ROOT, config);
  const main = unstable_readConfig({ config: configPath }, { hideWarnings: true }).main ?? '';
  const sources = [...SOURCES.map((path) => join(PROJECT_ROOT, path)), configPath];
  if (!main.startsWith(join(PROJECT_ROOT, 'src'))) sources.push(dirname(main));
  return keptFolder('bundles', digestOf(sources, JSON.stringify(define)), async (folder) => {
    await bundleWorker(PROJECT_ROOT, config, folder, define);
    const entry = `${basename(main).replace(/\.tsx?$/, '')}.js`;
    if (entry !== 'index.js') renameSync(join(folder, entry), join(folder, 'index.js'));
  });
}

const KEPT = join(PROJECT_ROOT, '.transload');
/** What was made of sources that have changed since is of no use; a day, so that none goes while another process copies it. */
const KEPT_MS = 24 * 60 * 60 * 1_000;

/** @param make fills the new folder that it is given. @returns a folder that was made once for this name. */
export async function keptFolder(
  kind: 'bundles' | 'directories',
  name: string,
  make: (folder: string) => Promise<void>,
): Promise<string> {
  const kept = join(KEPT, kind);
  const folder = join(kept, name);
  if (existsSync(folder)) return folder;
  mkdirSync(kept, { recursive: true });
  removeOld(kept);
  const made = mkdtempSync(join(kept, 'being-made-'));
  await make(made);
  try {
    renameSync(made, folder);
  } catch (thrown) {
    if (!existsSync(folder)) throw thrown;
    rmSync(made, { recursive: true, force: true }); // another process was faster
  }
  return folder;
}

/** Of the contents of files, and of all files of folders. */
export function digestOf(paths: readonly string[], more: string): string {
  const hash = createHash('sha256').update(more);
  for (const path of paths.flatMap(filesIn)) hash.update(`\0${path}\0`).update(readFileSync(path));
  return hash.digest('hex').slice(0, 16);
}

const filesIn = (path: string): string[] =>
  statSync(path).isDirectory()
    ? readdirSync(path, { withFileTypes: true, recursive: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
        .sort()
    : [path];

function removeOld(kept: string): void {
  for (const name of readdirSync(kept)) {
    const path = join(kept, name);
    if (Date.now() - statSync(path).mtimeMs > KEPT_MS) rmSync(path, { recursive: true, force: true });
  }
}
