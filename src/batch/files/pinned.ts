/**
 * What a batch is pinned to, from storage: its exact bytes and its mapping version. The bundle may have another one by
 * now.
 */
import type { StoredBytes } from '../../formats/slices.ts';
import { READ_AHEAD_BYTES } from '../../kernel/limits.ts';
import { log, messageOf } from '../../kernel/log.ts';
import { contentKey, mappingKey, type PartnerScope, sourceKey } from '../../kernel/names.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import { sha256Hex } from '../../kernel/secret.ts';
import type { CompiledMapping } from '../../mapping/compile/compile.ts';
import { readVersion } from '../../mapping/document/versions.ts';
import type { StoredContent } from '../core/contents.ts';

/**
 * Memory that one reader reuses for every range it reads: left to the garbage collector it grows with the file, because
 * the collector does not count such memory as its own. It has what was read last, `key` from `offset` on.
 */
export interface ReadMemory {
  buffer: ArrayBufferLike;
  key: string;
  offset: number;
  bytes: number;
  /** Short messages whose bytes came with them, by key, so that they need not be read from storage. */
  readonly arrived: Map<string, Uint8Array>;
}

export const emptyReadMemory = (): ReadMemory => ({
  buffer: new ArrayBuffer(0),
  key: '',
  offset: 0,
  bytes: 0,
  arrived: new Map(),
});

/** Messages whose bytes wait in memory to be read. Ours: those of some seconds; what is left out is in storage. */
const ARRIVED_MAX = 32;

/** @param uploadId of a message; its bytes are in storage, too. */
export function keepArrived({ arrived }: ReadMemory, scope: PartnerScope, uploadId: string, bytes: Uint8Array): void {
  for (const oldest of arrived.keys()) if (arrived.size >= ARRIVED_MAX) arrived.delete(oldest);
  arrived.set(sourceKey(scope, uploadId), bytes);
}

/** It was read to its end. */
export const forgetArrived = ({ arrived }: ReadMemory, { batchId, ...scope }: PartnerScope & { batchId: string }) =>
  arrived.delete(sourceKey(scope, batchId));

/**
 * The file's bytes by range. Throws when they are deleted.
 * @param memory set: more than requested is read at once, and a later read overwrites what an earlier one returned.
 * @param content what a compressed upload was unpacked to, or one file of an archive; null: the upload is the file.
 */
export function storedSource(
  files: Pick<R2Bucket, 'get'>,
  batch: PartnerScope & { batchId: string; bytes: number },
  content: StoredContent | null,
  memory?: ReadMemory,
): StoredBytes {
  const key = content === null ? sourceKey(batch, batch.batchId) : contentKey(batch, batch.batchId, content.file);
  const bytes = content?.bytes ?? batch.bytes;
  const get = async (offset: number, length: number): Promise<R2ObjectBody> => {
    const stored = await files.get(key, { range: { offset, length } });
    if (!stored) throw new Error(`the stored bytes of ${batch.batchId} are missing`);
    return stored;
  };
  return {
    bytes,
    async read(offset, length) {
      if (length <= 0) return new Uint8Array();
      const arrived = memory?.arrived.get(key);
      if (arrived !== undefined) return arrived.slice(offset, offset + length);
      if (memory === undefined) return new Uint8Array(await (await get(offset, length)).arrayBuffer());
      const isHeld = memory.key === key && offset >= memory.offset && offset + length <= memory.offset + memory.bytes;
      if (!isHeld) {
        const ahead = Math.max(length, Math.min(READ_AHEAD_BYTES, bytes - offset));
        await readInto(memory, (await get(offset, ahead)).body, ahead);
        Object.assign(memory, { key, offset });
      }
      const from = offset - memory.offset;
      return new Uint8Array(memory.buffer, from, Math.min(length, memory.bytes - from));
    },
  };
}

/** Reads the stream to its end: an abandoned one keeps its memory until it is collected. */
async function readInto(memory: ReadMemory, body: ReadableStream, length: number): Promise<void> {
  const buffer = memory.buffer.byteLength < length ? new ArrayBuffer(length) : memory.buffer;
  Object.assign(memory, { ...emptyReadMemory(), arrived: memory.arrived });
  const reader = body.getReader({ mode: 'byob' });
  // The stream takes the buffer while it reads and returns it with the bytes.
  const { value } = await reader.readAtLeast(length, new Uint8Array(buffer as ArrayBuffer, 0, length));
  if (value === undefined) return;
  memory.buffer = value.buffer;
  memory.bytes = value.byteLength;
  await reader.read(new Uint8Array(1));
}

/** Compiled versions of this isolate by SHA-256: a pure function of the name, so sharing them between requests is safe. */
const compiled = new Map<string, CompiledMapping>();
/** Ours: more versions than are in use at once, few enough to stay small. */
const COMPILED_MAX = 100;

/** Throws when the version is missing or does not compile: it was checked before it was stored, so that is a bug. */
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

/** A version as its name resolves now: one that is bundled need not be in storage. Throws as above. */
export async function offeredMapping(
  files: R2Bucket,
  { sha256, text }: { sha256: string; text: string | null },
): Promise<CompiledMapping> {
  if (text === null || compiled.has(sha256)) return pinnedMapping(files, sha256);
  const read = readVersion(text);
  if (!read.ok) throw new Error(`bundled version ${sha256} does not compile`);
  return read.value;
}

/*
 * Stores a mapping version under its SHA-256, before anything refers to it. Versions are immutable, so writing one
 * twice is harmless.
 */

/** @param version its text; null: it must already be stored. The hash is checked before anything is stored under it. */
export async function pinVersion(
  files: Pick<R2Bucket, 'put' | 'head'>,
  version: { sha256: string; text: string | null },
): Promise<Result<void, { code: 'storage_unavailable' }>> {
  const { sha256, text } = version;
  const bytes = text === null ? null : new TextEncoder().encode(text);
  if (bytes && sha256Hex(bytes) !== sha256) throw new Error(`mapping version ${sha256} does not match its name`);
  try {
    if (await files.head(mappingKey(sha256))) return ok(undefined);
    if (bytes) {
      await files.put(mappingKey(sha256), bytes);
      return ok(undefined);
    }
    log('error', 'mapping_version_missing', { detail: sha256 });
  } catch (thrown) {
    log('error', 'mapping_not_stored', { detail: messageOf(thrown) });
  }
  return err({ code: 'storage_unavailable' });
}

/** Versions that this isolate knows to be stored: nothing deletes one. */
const pinnedBefore = new Set<string>();

/** The same for messages, of which many come: a version is looked for once. */
export async function pinVersionOnce(
  files: Pick<R2Bucket, 'put' | 'head'>,
  version: { sha256: string; text: string | null },
): ReturnType<typeof pinVersion> {
  if (pinnedBefore.has(version.sha256)) return ok(undefined);
  const pinned = await pinVersion(files, version);
  if (!pinned.ok) return pinned;
  if (pinnedBefore.size >= COMPILED_MAX) pinnedBefore.clear();
  pinnedBefore.add(version.sha256);
  return pinned;
}
