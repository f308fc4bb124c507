/** The code of a release as it is kept beside what it stored: what its deploy uploaded, as one compressed file. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import { PROJECT_ROOT } from '../frame/kept-file.ts';
import { digestOf, keptFolder } from '../local/kept-folders.ts';

const CODE = 'code.json.br';

/** @param bundle folder with `index.js` and text modules. @returns how many bytes that is. */
export function packCode(bundle: string, folder: string): number {
  const names = readdirSync(bundle).filter((name) => name === 'index.js' || name.endsWith('.yaml'));
  const files = Object.fromEntries(names.map((name) => [name, readFileSync(join(bundle, name), 'utf8')]));
  const packed = brotliCompressSync(JSON.stringify(files), { params: { [constants.BROTLI_PARAM_LGWIN]: 24 } });
  writeFileSync(join(folder, CODE), packed);
  return packed.length;
}

/** @returns the folder of a bundle that a bridge can be started from. */
export function codeOf(release: string): Promise<string> {
  const path = join(PROJECT_ROOT, 'fixtures/stored', release, CODE);
  return keptFolder('bundles', `release-${digestOf([path], '')}`, async (folder) => {
    const files = JSON.parse(brotliDecompressSync(readFileSync(path)).toString()) as Record<string, string>;
    mkdirSync(folder, { recursive: true });
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  });
}
