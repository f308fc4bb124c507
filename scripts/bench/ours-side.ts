/**
 * A process of its own that reads a file with the readers and mappings of a checkout, which need not be this one:
 * `ours-side.ts ROOT KIND FILE`.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as slices from '../../src/formats/slices.ts';
import type { EdiKind } from './edi-files.ts';
import type * as ediOurs from './edi-ours.ts';
import type { FileKind } from './generate.ts';
import { countingBodies } from './reading.ts';
import { Missing, takeTurns } from './sides.ts';
import type * as transforms from './transform.ts';

export type AgainstKind = FileKind | EdiKind;

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
    return countingBodies(ours(kind), bytes);
  }
  const { readOurs } = await load<typeof ediOurs>(root, 'scripts/bench/edi-ours.ts', 'readOurs');
  const { bytesInMemory } = await load<typeof slices>(root, 'src/formats/slices.ts', 'bytesInMemory');
  return () => readOurs(kind, bytesInMemory(bytes), () => {});
}

if (process.argv[1] === import.meta.filename) {
  const [root = '', kind = 'csv', file = ''] = process.argv.slice(2) as [string?, AgainstKind?, string?];
  await takeTurns(async () => ({ read: await readingOf(root, kind, readFileSync(file)) }));
}
