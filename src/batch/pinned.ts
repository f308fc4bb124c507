/** What a batch was born with, from storage: its exact bytes and its mapping version. The bundle may hold another one by now. */
import type { StoredBytes } from '../formats/slices.ts';
import { contentKey, mappingKey, type PartnerScope, sourceKey } from '../kernel/names.ts';
import type { CompiledMapping } from '../mapping/compile.ts';
import { readVersion } from '../mapping/versions.ts';
import type { StoredContent } from './contents.ts';

/**
 * Memory that one reader uses again for every range it reads: what is left to the garbage collector instead grows with the
 * file, because it does not count such memory as it counts its own.
 */
export interface ReadMemory {
  buffer: ArrayBufferLike;
}

/**
 * The file's bytes by range. Throws when they are gone.
 * @param memory given: what was read is overwritten by the next read. @param content what a compressed upload was unpacked to, or one file of an archive; null: the upload is the file.
 */
export function storedSource(
  files: R2Bucket,
  batch: PartnerScope & { batchId: string; bytes: number },
  content: StoredContent | null,
  memory?: ReadMemory,
): StoredBytes {
  const key = content === null ? sourceKey(batch, batch.batchId) : contentKey(batch, batch.batchId, content.file);
  return {
    bytes: content?.bytes ?? batch.bytes,
    async read(offset, length) {
      if (length <= 0) return new Uint8Array();
      const stored = await files.get(key, { range: { offset, length } });
      if (!stored) throw new Error(`the stored bytes of ${batch.batchId} are missing`);
      return memory === undefined ? new Uint8Array(await stored.arrayBuffer()) : readInto(memory, stored.body, length);
    },
  };
}

async function readInto(memory: ReadMemory, body: ReadableStream, length: number): Promise<Uint8Array> {
  if (memory.buffer.byteLength < length) memory.buffer = new ArrayBuffer(length);
  const reader = body.getReader({ mode: 'byob' });
  // The stream takes the memory away while it reads and gives it back with what was read.
  const { value } = await reader.readAtLeast(length, new Uint8Array(memory.buffer as ArrayBuffer, 0, length));
  if (value === undefined) return new Uint8Array();
  memory.buffer = value.buffer;
  await reader.cancel();
  return value;
}

/** Compiled versions of this isolate by SHA-256: a pure function of the name, so sharing them between requests is safe. */
const compiled = new Map<string, CompiledMapping>();
/** Ours: more versions than are in use at once, few enough to stay small. */
const COMPILED_MAX = 100;

/** Throws when the version is gone or does not compile: it was checked before it was stored, so that is a bug. */
export async function pinnedMapping(files: R2Bucket, sha256: string): Promise<CompiledMapping> {
  const known = compiled.get(sha256);
  if (known) return known;
  const stored = await files.get(mappingKey(sha256));
  if (!stored) throw new Error(`mapping version ${sha256} is missing`);
  const mapping = readVersion(await stored.text());
  if (!mapping.ok) throw new Error(`mapping version ${sha256} does not compile`);
  if (compiled.size >= COMPILED_MAX) compiled.clear();
  compiled.set(sha256, mapping.value);
  return mapping.value;
}
