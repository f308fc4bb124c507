/**
 * A process of its own for one reading by the readers and mappings of a checkout, which need not be this one:
 * `ours-side.ts ROOT KIND FILE`. Writes to its parent how long that took, or what the checkout has not.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as slices from '../../src/formats/slices.ts';
import type { EdiKind } from './edi-files.ts';
import type * as ediOurs from './edi-ours.ts';
import type { FileKind } from './generate.ts';
import { medianReading } from './reading.ts';
import type * as transforms from './transform.ts';

export type AgainstKind = FileKind | EdiKind;

/** @property items bodies or events. */
export type OursRead = { ms: number; items: number } | { missing: string };

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

async function readAsked(root: string, kind: AgainstKind, file: string): Promise<OursRead> {
  try {
    const read = await readingOf(root, kind, readFileSync(file));
    const { ms, value } = await medianReading(read, read);
    return { ms, items: value };
  } catch (thrown) {
    if (thrown instanceof Missing) return { missing: thrown.message };
    throw thrown;
  }
}

if (process.argv[1] === import.meta.filename) {
  const [root = '', kind = 'csv', file = ''] = process.argv.slice(2) as [string?, AgainstKind?, string?];
  process.send?.(await readAsked(root, kind, file));
}
