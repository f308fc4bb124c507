/**
 * A request body of known length → stored bytes and their SHA-256, in one pass.
 *
 * Bytes are counted as they pass, because Content-Length may lie; a cut body leaves no object behind.
 */

import type { StoredBody } from '../batch/files/store-parts.ts';
import { UPLOAD_CHUNK_BYTES } from '../kernel/limits.ts';
import { log, messageOf } from '../kernel/log.ts';
import { err, ok, type Result } from '../kernel/result.ts';
import { hex } from '../kernel/secret.ts';
import type { UploadError } from './upload-error.ts';

/** @returns `body_cut` when fewer bytes than declared came, `storage_unavailable` when they could not be stored. */
export async function storeBody(
  files: Pick<R2Bucket, 'put'>,
  key: string,
  body: ReadableStream<Uint8Array>,
  declaredBytes: number,
): Promise<Result<StoredBody, UploadError>> {
  const toStore = new FixedLengthStream(declaredBytes);
  const digest = new crypto.DigestStream('SHA-256');
  digest.digest.catch(() => undefined); // aborted with the body
  const stored = files.put(key, toStore.readable).then(
    (): Passed => ({ outcome: 'whole', bytes: declaredBytes }),
    (thrown: unknown): Passed => ({ outcome: 'not_stored', detail: messageOf(thrown) }),
  );
  // A store that fails while the body still comes would leave the writes waiting for ever.
  const failed = stored.then((end) => (end.outcome === 'not_stored' ? end : new Promise<Passed>(() => undefined)));
  const passed = await Promise.race([pass(body, [toStore.writable, digest], declaredBytes), failed]);
  const end = passed.outcome === 'whole' ? await stored : passed;
  switch (end.outcome) {
    case 'whole':
      return ok({ sha256: hex(await digest.digest), bytes: declaredBytes });
    case 'cut':
      await stored; // settled by the abort; it leaves no object
      return err({ code: 'body_cut', declaredBytes, receivedBytes: end.bytes });
    case 'not_stored':
      log('error', 'upload_not_stored', { detail: end.detail });
      return err({ code: 'storage_unavailable' });
  }
}

type Passed =
  | { outcome: 'whole'; bytes: number }
  /** Fewer bytes came than declared, or more. */
  | { outcome: 'cut'; bytes: number }
  | { outcome: 'not_stored'; detail: string };

/** Copies the body to every sink and closes them; aborts them when it ends early, breaks, or cannot be written. */
async function pass(body: ReadableStream<Uint8Array>, sinks: WritableStream[], declaredBytes: number): Promise<Passed> {
  const writers = sinks.map((sink) => sink.getWriter());
  const abort = async (end: Passed): Promise<Passed> => {
    await Promise.allSettled(writers.map((writer) => writer.abort(new Error('upload ended early'))));
    return end;
  };
  const reader = body.getReader({ mode: 'byob' });
  let buffer: ArrayBufferLike = new ArrayBuffer(UPLOAD_CHUNK_BYTES);
  for (let bytes = 0; ; ) {
    const read = await readChunk(reader, buffer);
    if (read === undefined) return abort({ outcome: 'cut', bytes: Math.min(bytes, declaredBytes - 1) });
    bytes += read.value?.byteLength ?? 0;
    if (bytes > declaredBytes || (read.done && bytes < declaredBytes)) return abort({ outcome: 'cut', bytes });
    try {
      const { value } = read;
      if (value && value.byteLength > 0) await Promise.all(writers.map((writer) => writer.write(value)));
      if (value) buffer = value.buffer; // both sinks are done with it: one buffer serves the whole upload
      if (!read.done) continue;
      await Promise.all(writers.map((writer) => writer.close()));
      return { outcome: 'whole', bytes };
    } catch (thrown) {
      return abort({ outcome: 'not_stored', detail: messageOf(thrown) });
    }
  }
}

/** @returns undefined when the connection broke. */
export async function readChunk(
  reader: ReadableStreamBYOBReader,
  buffer: ArrayBufferLike = new ArrayBuffer(UPLOAD_CHUNK_BYTES),
): Promise<ReadableStreamReadResult<Uint8Array> | undefined> {
  try {
    return await reader.readAtLeast(UPLOAD_CHUNK_BYTES, new Uint8Array(buffer));
  } catch (thrown) {
    log('warn', 'upload_cut', { detail: messageOf(thrown) });
    return undefined;
  }
}

/** Deletes bytes that no batch will claim. What cannot be deleted harms nobody; it costs storage. */
export async function forgetBytes(files: Pick<R2Bucket, 'delete'>, key: string): Promise<void> {
  try {
    await files.delete(key);
  } catch (thrown) {
    log('warn', 'unclaimed_bytes_kept', { detail: messageOf(thrown) });
  }
}
