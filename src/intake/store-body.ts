/**
 * A request body of known length → stored bytes and their SHA-256, in one pass.
 *
 * Bytes are counted as they pass, because Content-Length may lie; a cut body leaves no object behind.
 */
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
): Promise<Result<{ sha256: string }, UploadError>> {
  const toStore = new FixedLengthStream(declaredBytes);
  const digest = new crypto.DigestStream('SHA-256');
  const stored = files.put(key, toStore.readable).then(
    () => undefined,
    (thrown: unknown) => messageOf(thrown),
  );
  const receivedBytes = await pass(body, [toStore.writable, digest], declaredBytes);
  if (receivedBytes !== declaredBytes) {
    digest.digest.catch(() => undefined); // aborted with the body
    await stored;
    return err({ code: 'body_cut', declaredBytes, receivedBytes });
  }
  const problem = await stored;
  if (problem !== undefined) {
    log('error', 'upload_not_stored', { detail: problem });
    return err({ code: 'storage_unavailable' });
  }
  return ok({ sha256: hex(await digest.digest) });
}

/** Copies to every sink; aborts them when the body ends early or breaks. @returns bytes copied. */
async function pass(body: ReadableStream<Uint8Array>, sinks: WritableStream[], declaredBytes: number): Promise<number> {
  const writers = sinks.map((sink) => sink.getWriter());
  const reader = body.getReader({ mode: 'byob' });
  let copied = 0;
  try {
    for (;;) {
      const { done, value } = await reader.readAtLeast(UPLOAD_CHUNK_BYTES, new Uint8Array(UPLOAD_CHUNK_BYTES));
      if (value && value.byteLength > 0) {
        copied += value.byteLength;
        if (copied > declaredBytes) break;
        await Promise.all(writers.map((writer) => writer.write(value)));
      }
      if (done) break;
    }
  } catch (thrown) {
    log('warn', 'upload_cut', { detail: messageOf(thrown) });
    copied = Math.min(copied, declaredBytes - 1);
  }
  const whole = copied === declaredBytes;
  await Promise.allSettled(writers.map((writer) => (whole ? writer.close() : writer.abort(new Error('body cut')))));
  return copied;
}
