/**
 * A process of its own that reads a file with the readers and mappings of a checkout, which need not be this one:
 * `ours-side.ts ROOT KIND FILE`. It reads again and again until all is compiled, tells its parent that it is ready or what the
 * checkout has not, and then reads once for each message it gets.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as slices from '../../src/formats/slices.ts';
import type { EdiKind } from './edi-files.ts';
import type * as ediOurs from './edi-ours.ts';
import type { FileKind } from './generate.ts';
import { type Reading, timed, warmUp } from './reading.ts';
import type * as transforms from './transform.ts';

export type AgainstKind = FileKind | EdiKind;

export type Prepared = 'ready' | { missing: string };

/** @property value how many bodies or events there are. */
export type OursRead = Reading<number>;

class Missing extends Error {}

async function load<Module extends object>(root: string, path: string, name: keyof Module & string): Promise<Module> {
  if (!existsSync(join(root, path))) throw new Missing(`there is no ${path}`);
  const loaded = (await import(pathToFileURL(join(root, path)).href)) as Module;
  if (!(name in loaded)) throw new Missing(`${path} has no ${name}`);
  return loaded;
}

/** @returns a reading of these bytes, which yields how many bodies or events there are. */
async function readingOf(root: string, kind: AgainstKind, bytes: Buffer): Promise<() => Promise<number>> {
  if (kind === 'csv' || kind === 'json') {
    const { ours } = await load<typeof transforms>(root, 'scripts/bench/transform.ts', 'ours');
    const transform = ours(kind);
    return async () => {
      let bodies = 0;
      await transform(bytes, () => {
        bodies += 1;
      });
      return bodies;
    };
  }
  const { readOurs } = await load<typeof ediOurs>(root, 'scripts/bench/edi-ours.ts', 'readOurs');
  const { bytesInMemory } = await load<typeof slices>(root, 'src/formats/slices.ts', 'bytesInMemory');
  return () => readOurs(kind, bytesInMemory(bytes), () => {});
}

async function prepare(root: string, kind: AgainstKind, file: string): Promise<() => Promise<OursRead>> {
  const read = await readingOf(root, kind, readFileSync(file));
  await warmUp(read);
  return () => timed(read);
}

if (process.argv[1] === import.meta.filename) {
  const [root = '', kind = 'csv', file = ''] = process.argv.slice(2) as [string?, AgainstKind?, string?];
  process.once('disconnect', () => process.exit());
  try {
    const read = await prepare(root, kind, file);
    process.on('message', async () => process.send?.(await read()));
    process.send?.('ready' satisfies Prepared);
  } catch (thrown) {
    if (!(thrown instanceof Missing)) throw thrown;
    process.send?.({ missing: thrown.message } satisfies Prepared);
  }
}
