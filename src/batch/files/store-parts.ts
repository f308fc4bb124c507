/**
 * A stream of unknown length (a chunked upload, an inflating file) → stored bytes, their number and SHA-256, in one
 * pass.
 * One part is in memory at a time; a body that breaks off or grows too large leaves no object.
 */
import { createHash } from 'node:crypto';
import { UPLOAD_PART_BYTES } from '../../kernel/limits.ts';
import { log, messageOf } from '../../kernel/log.ts';
import { readPaced } from '../../kernel/paced-read.ts';
import { err, ok, type Result } from '../../kernel/result.ts';

export interface StoredBody {
  sha256: string;
  bytes: number;
}

type PartsProblem =
  | { code: 'empty' }
  | { code: 'too_large'; bytes: number; bytesMax: number }
  /** The stream broke. */
  | { code: 'body_cut'; receivedBytes: number }
  | { code: 'storage_unavailable' };

type PartStore = Pick<R2Bucket, 'put' | 'createMultipartUpload'>;

interface PartsTarget {
  key: string;
  bytesMax: number;
  /** Gets every part once, in order, before it is checked or stored. */
  inspect?: (part: Uint8Array) => void;
}

/** @returns `empty`, `too_large`, `body_cut` when the stream broke, `storage_unavailable` when it could not be stored. */
export async function storeParts(
  files: PartStore,
  { key, bytesMax, inspect }: PartsTarget,
  body: ReadableStream<Uint8Array>,
): Promise<Result<StoredBody, PartsProblem>> {
  const reader = body.getReader({ mode: 'byob' });
  const hash = createHash('sha256');
  let upload: R2MultipartUpload | undefined;
  const parts: R2UploadedPart[] = [];
  const refuse = async (error: PartsProblem): Promise<Result<StoredBody, PartsProblem>> => {
    reader.cancel().catch(() => undefined);
    await upload?.abort().catch((thrown: unknown) => log('warn', 'upload_not_aborted', { detail: messageOf(thrown) }));
    return err(error);
  };
  for (let bytes = 0; ; ) {
    const part = await readPart(reader);
    if (part === undefined) return refuse({ code: 'body_cut', receivedBytes: bytes });
    bytes += part.bytes.byteLength;
    inspect?.(part.bytes);
    if (bytes > bytesMax) return refuse({ code: 'too_large', bytes, bytesMax });
    if (bytes === 0) return refuse({ code: 'empty' });
    hash.update(part.bytes);
    try {
      if (part.isLast && upload === undefined) {
        await files.put(key, part.bytes); // a single part is a single object
        return ok({ sha256: hash.digest('hex'), bytes });
      }
      upload ??= await files.createMultipartUpload(key);
      if (part.bytes.byteLength > 0) parts.push(await upload.uploadPart(parts.length + 1, part.bytes));
      if (!part.isLast) continue;
      await upload.complete(parts);
      return ok({ sha256: hash.digest('hex'), bytes });
    } catch (thrown) {
      log('error', 'upload_not_stored', { detail: messageOf(thrown) });
      return refuse({ code: 'storage_unavailable' });
    }
  }
}

/** All parts but the last have the same size, as R2 requires. @returns undefined when the connection broke. */
async function readPart(reader: ReadableStreamBYOBReader): Promise<{ bytes: Uint8Array; isLast: boolean } | undefined> {
  try {
    const { done, value } = await readPaced(reader, new ArrayBuffer(UPLOAD_PART_BYTES), UPLOAD_PART_BYTES);
    const bytes = value ?? new Uint8Array();
    return { bytes, isLast: done || bytes.byteLength < UPLOAD_PART_BYTES };
  } catch (thrown) {
    log('warn', 'upload_cut', { detail: messageOf(thrown) });
    return undefined;
  }
}
