/** Configuration of the bridge as its next release might be (`next-release.ts`): what is shipped, with another entry. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_ROOT } from '../frame/kept-file.ts';

/** @returns its path: always the same, so that its bundle is kept, too. */
export function nextReleaseConfig(): string {
  const folder = join(PROJECT_ROOT, '.transload');
  const path = join(folder, 'next-release.toml');
  const shipped = readFileSync(join(PROJECT_ROOT, 'wrangler.toml'), 'utf8');
  const entry = join(PROJECT_ROOT, 'scripts/keep/next-release.ts');
  mkdirSync(folder, { recursive: true });
  writeFileSync(path, shipped.replace('main = "src/index.ts"', `main = ${JSON.stringify(entry)}`));
  return path;
}
