/**
 * The most memory that reading an interchange takes, from 5 MB to 200 MB of it: our reader in a process of its own, slice by
 * slice from disk, under the flags of the `map` command. `edi-memory.ts KIND FILE` is that process.
 */
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { StoredBytes } from '../../src/formats/slices.ts';
import type { EdiKind } from './edi-files.ts';
import { readOurs } from './edi-ours.ts';
import { mapFlags, peakOfProcess } from './memory.ts';

export async function ediPeakBytes(kind: EdiKind, path: string): Promise<number> {
  const args = [...mapFlags(), '--import', join(import.meta.dirname, 'peak-at-exit.ts'), import.meta.filename];
  return peakOfProcess([...args, kind, path], 0);
}

function fileOnDisk(path: string): StoredBytes & { close(): void } {
  const descriptor = openSync(path, 'r');
  return {
    bytes: statSync(path).size,
    read: async (offset, length) => {
      const bytes = new Uint8Array(length);
      return bytes.subarray(0, readSync(descriptor, bytes, 0, length, offset));
    },
    close: () => closeSync(descriptor),
  };
}

if (process.argv[1] === import.meta.filename) {
  const [kind, path = ''] = process.argv.slice(2);
  const file = fileOnDisk(path);
  await readOurs(kind === 'edifact' ? 'edifact' : 'x12', file, () => {});
  file.close();
}
