/**
 * A request body of known length → stored bytes and their SHA-256, in one pass.
 * Bytes are counted as they pass, because Content-Length may be wrong; a cut body leaves no object.
 */
import { type StoredBody, storeParts } from '../batch/files/store-parts.ts';
import { UPLOAD_BYTES_MAX, UPLOAD_CHUNK_BYTES } from '../kernel/limits.ts';
import { log, messageOf } from '../kernel/log.ts';
import { err, ok, type Result } from '../kernel/result.ts';
import { hex } from '../kernel/secret.ts';
import type { Admission, AdmittedForm } from './admit.ts';
import type { FormPart } from './form-parts.ts';
import { formError, isFormField, type OpenedForm, readChunk } from './open-form.ts';
import { FILE_FIELD, type UploadError } from './upload-error.ts';

/** The file's bytes, however they come: inside a form, of declared length, or until they end. */
export async function storeUpload(
  files: UploadFiles,
  key: string,
  body: ReadableStream<Uint8Array>,
  { form, bytes }: Pick<Admission, 'form' | 'bytes'>,
  opened: OpenedForm | null,
): Promise<Result<StoredUpload, UploadError>> {
  if (form !== null && opened !== null) return storeForm(files, { key, ...form, opened });
  const stored = bytes === null ? await storePiped(files, key, body) : await storeBody(files, key, body, bytes);
  return stored.ok ? ok({ ...stored.value, fileName: null }) : stored;
}

/** Length unknown: bytes are counted as they arrive. */
async function storePiped(
  files: UploadFiles,
  key: string,
  body: ReadableStream<Uint8Array>,
): Promise<Result<StoredBody, UploadError>> {
  const stored = await storeParts(files, { key, bytesMax: UPLOAD_BYTES_MAX }, body);
  if (stored.ok) return stored;
  const { error } = stored;
  return err(error.code === 'body_cut' ? { ...error, declaredBytes: null } : error);
}

/** @returns `body_cut` when fewer bytes than declared arrived, `storage_unavailable` when they could not be stored. */
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
  // If storing fails while the body still arrives, the writes would wait forever.
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
  /** Fewer bytes arrived than declared, or more. */
  | { outcome: 'cut'; bytes: number }
  | { outcome: 'not_stored'; detail: string };

/** Copies the body to every sink and closes them; aborts them when it ends early, breaks off, or cannot be written. */
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

/** Deletes bytes that no batch will claim. If that fails, they only cost storage. */
export async function forgetBytes(files: Pick<R2Bucket, 'delete'>, key: string): Promise<void> {
  try {
    await files.delete(key);
  } catch (thrown) {
    log('warn', 'unclaimed_bytes_kept', { detail: messageOf(thrown) });
  }
}

/*
 * A form upload → the stored bytes of its one file, hashed and counted as if the file had come alone. What follows the
 * file is known only after it; then its bytes are deleted again.
 */

type UploadFiles = Pick<R2Bucket, 'put' | 'createMultipartUpload' | 'delete'>;

/** What is admitted, and the form that it came in. */
interface FormUpload extends AdmittedForm {
  key: string;
  opened: OpenedForm;
}

export interface StoredUpload extends StoredBody {
  /** As the form gives it. */
  fileName: string | null;
}

/** RFC 7578 4.7: any other encoding is deprecated, and the bytes would not be the file's. */
const PLAIN_ENCODINGS: readonly (string | null)[] = [null, '7bit', '8bit', 'binary'];

async function storeForm(files: UploadFiles, upload: FormUpload): Promise<Result<StoredUpload, UploadError>> {
  const stored = await storeFilePart(files, upload);
  if (!stored.ok) upload.opened.close();
  return stored;
}

async function storeFilePart(
  files: UploadFiles,
  { key, typeProblem, opened: { file, parts } }: FormUpload,
): Promise<Result<StoredUpload, UploadError>> {
  const refused = problemOfPart(file) ?? typeProblem(file.contentType);
  if (refused) return err(refused);
  const stored = await storeParts(files, { key, bytesMax: UPLOAD_BYTES_MAX }, file.body);
  if (!stored.ok) {
    const { error } = stored;
    return err(error.code === 'body_cut' ? formError(parts.fault, error.receivedBytes) : error);
  }
  const following = await parts.next();
  if (following.ok && following.value === null) return ok({ ...stored.value, fileName: file.fileName });
  await forgetBytes(files, key);
  return err(
    following.ok && following.value ? surplusPart(following.value) : formError(parts.fault, stored.value.bytes),
  );
}

/** Why a part cannot be the file, before its bytes are read. */
function problemOfPart(part: FormPart): UploadError | undefined {
  // `curl -F file=@a.csv,b.csv` sends several files as one part of parts.
  if (part.contentType?.toLowerCase().startsWith('multipart/')) return { code: 'form_two_files' };
  if (PLAIN_ENCODINGS.includes(part.transferEncoding)) return undefined;
  return { code: 'form_broken', fault: 'transfer_encoding' };
}

function surplusPart({ name }: FormPart): UploadError {
  if (name === FILE_FIELD) return { code: 'form_two_files' };
  return { code: isFormField(name) ? 'form_field_late' : 'form_field_unknown', name: name.slice(0, 40) };
}
