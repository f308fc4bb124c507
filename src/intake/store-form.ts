/**
 * A form upload → the stored bytes of its one file, hashed and counted as if the file had come alone.
 *
 * What else the form holds is refused by its name: parameters come from the address alone, and nothing is left out in
 * silence. What follows the file is known only after it; then its bytes are deleted again.
 */
import { type StoredBody, storeParts } from '../batch/files/store-parts.ts';
import { UPLOAD_BYTES_MAX } from '../kernel/limits.ts';
import { err, ok, type Result } from '../kernel/result.ts';
import type { AdmittedForm } from './admit.ts';
import { type ChunkSource, type FormFault, type FormPart, FormParts } from './form-parts.ts';
import { forgetBytes, readChunk } from './store-body.ts';
import type { UploadError } from './upload-error.ts';

type FormFiles = Pick<R2Bucket, 'put' | 'createMultipartUpload' | 'delete'>;

export type FormUpload = AdmittedForm & { key: string };

export interface StoredForm extends StoredBody {
  /** As the form gives it. */
  fileName: string | null;
}

/** The field that holds the file. */
const FILE_FIELD = 'file';
/** RFC 7578 4.7: any other way of writing the bytes is deprecated, and they would not be the file's. */
const PLAIN_ENCODINGS: readonly (string | null)[] = [null, '7bit', '8bit', 'binary'];

export async function storeForm(
  files: FormFiles,
  body: ReadableStream<Uint8Array>,
  upload: FormUpload,
): Promise<Result<StoredForm, UploadError>> {
  const reader = body.getReader({ mode: 'byob' });
  const parts = new FormParts(chunksOf(reader, upload.declaredBytes), upload.boundary);
  const stored = await storeFilePart(files, parts, upload);
  if (!stored.ok) reader.cancel().catch(() => undefined); // nobody wants the rest
  return stored;
}

/** A body that ends before its declared length was cut, whatever the form lacks. */
function chunksOf(reader: ReadableStreamBYOBReader, declaredBytes: number | null): ChunkSource {
  let bytes = 0;
  return async () => {
    const read = await readChunk(reader);
    if (read === undefined) return 'cut';
    const chunk = read.value ?? new Uint8Array();
    bytes += chunk.byteLength;
    if (chunk.byteLength > 0 || !read.done) return chunk;
    return declaredBytes !== null && bytes < declaredBytes ? 'cut' : 'end';
  };
}

async function storeFilePart(
  files: FormFiles,
  parts: FormParts,
  { key, typeProblem }: FormUpload,
): Promise<Result<StoredForm, UploadError>> {
  const first = await parts.next();
  if (!first.ok) return err(formError(first.error, 0));
  const part = first.value;
  if (part === null) return err({ code: 'form_file_missing' });
  const refused = problemOfPart(part) ?? typeProblem(part.contentType);
  if (refused) return err(refused);
  const stored = await storeParts(files, { key, bytesMax: UPLOAD_BYTES_MAX }, part.body);
  if (!stored.ok) {
    const { error } = stored;
    return err(error.code === 'body_cut' ? formError(parts.fault, error.receivedBytes) : error);
  }
  const following = await parts.next();
  if (following.ok && following.value === null) return ok({ ...stored.value, fileName: part.fileName });
  await forgetBytes(files, key);
  return err(
    following.ok && following.value ? surplusPart(following.value) : formError(parts.fault, stored.value.bytes),
  );
}

/** What speaks against a part as the file before its bytes are read. */
function problemOfPart(part: FormPart): UploadError | undefined {
  if (part.name !== FILE_FIELD) return { code: 'form_field_unknown', name: part.name.slice(0, 40) };
  // `curl -F file=@a.csv,b.csv` sends several files as one part of parts.
  if (part.contentType?.toLowerCase().startsWith('multipart/')) return { code: 'form_two_files' };
  if (PLAIN_ENCODINGS.includes(part.transferEncoding)) return undefined;
  return { code: 'form_broken', fault: 'transfer_encoding' };
}

const surplusPart = ({ name }: FormPart): UploadError =>
  name === FILE_FIELD ? { code: 'form_two_files' } : { code: 'form_field_unknown', name: name.slice(0, 40) };

const formError = (fault: FormFault | undefined, receivedBytes: number): UploadError =>
  fault === undefined || fault === 'cut'
    ? { code: 'body_cut', declaredBytes: null, receivedBytes }
    : { code: 'form_broken', fault };
