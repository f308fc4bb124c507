/**
 * The beginning of a form upload: its small fields, which say what the address may say, and then its file, still unread.
 * Nothing is ignored silently: a field that is unknown, or comes twice, refuses the upload by name.
 */
import { FORM_BOUNDARY_CHARACTERS_MAX, FORM_FIELD_BYTES_MAX, UPLOAD_CHUNK_BYTES } from '../kernel/limits.ts';
import { log, messageOf } from '../kernel/log.ts';
import { readPaced } from '../kernel/paced-read.ts';
import { err, ok, type Result } from '../kernel/result.ts';
import type { UploadRequest } from './admit.ts';
import { type ChunkSource, type FormFault, type FormPart, FormParts, readHeaderValue } from './form-parts.ts';
import { FILE_FIELD, UPLOAD_PARAMETERS, type UploadError } from './upload-error.ts';

type FormField = (typeof UPLOAD_PARAMETERS)[number];

export interface OpenedForm {
  fields: Readonly<Partial<Record<FormField, string>>>;
  file: FormPart;
  /** What follows the file is read from here, after the file. */
  parts: FormParts;
  /** The rest of the body is not needed. */
  close(): void;
}

/** @returns null when the body is no form, or one that cannot be opened for what its type says: `admit` says why. */
export async function openForm(
  { contentType, contentLength }: Pick<UploadRequest, 'contentType' | 'contentLength'>,
  body: ReadableStream<Uint8Array>,
): Promise<Result<OpenedForm | null, UploadError>> {
  const { value, parameters } = readHeaderValue(contentType ?? '');
  const boundary = parameters.get('boundary') ?? '';
  if (value !== 'multipart/form-data' || boundary === '' || boundary.length > FORM_BOUNDARY_CHARACTERS_MAX)
    return ok(null);
  const reader = body.getReader({ mode: 'byob' });
  const close = (): void => void reader.cancel().catch(() => undefined);
  const declaredBytes = /^\d{1,15}$/.test(contentLength ?? '') ? Number(contentLength) : null;
  const opened = await leading(new FormParts(chunksOf(reader, declaredBytes), boundary));
  if (opened.ok) return ok({ ...opened.value, close });
  close();
  return opened;
}

async function leading(parts: FormParts): Promise<Result<Omit<OpenedForm, 'close'>, UploadError>> {
  const fields: Partial<Record<FormField, string>> = {};
  for (;;) {
    const next = await parts.next();
    if (!next.ok) return err(formError(next.error, 0));
    const part = next.value;
    if (part === null) return err({ code: 'form_file_missing' });
    if (part.name === FILE_FIELD) return ok({ fields, file: part, parts });
    if (!isFormField(part.name)) return err({ code: 'form_field_unknown', name: part.name.slice(0, 40) });
    if (fields[part.name] !== undefined) return err({ code: 'form_field_twice', name: part.name });
    const text = await smallText(part);
    if (text === undefined) return err(formError(parts.fault ?? 'field_too_long', 0));
    fields[part.name] = text;
  }
}

export const isFormField = (name: string): name is FormField => UPLOAD_PARAMETERS.some((each) => each === name);

/** @returns undefined when it is too long, or breaks off. */
async function smallText({ body }: FormPart): Promise<string | undefined> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  try {
    for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
      bytes += chunk.byteLength;
      if (bytes > FORM_FIELD_BYTES_MAX) return undefined;
      text += decoder.decode(chunk, { stream: true });
    }
  } catch {
    return undefined; // `fault` says why
  }
  return (text + decoder.decode()).trim();
}

/** What the form says is added to what the address says; where both say it, they must agree. */
export function withFields(asked: UploadRequest, form: OpenedForm | null): Result<UploadRequest, UploadError> {
  const fields = form?.fields ?? {};
  const twice = UPLOAD_PARAMETERS.find((name) => {
    const own = fields[name];
    return own !== undefined && asked[name] !== null && asked[name] !== own;
  });
  return twice === undefined ? ok({ ...asked, ...fields }) : err({ code: 'form_field_twice', name: twice });
}

export const formError = (fault: FormFault | 'field_too_long' | undefined, receivedBytes: number): UploadError =>
  fault === undefined || fault === 'cut'
    ? { code: 'body_cut', declaredBytes: null, receivedBytes }
    : { code: 'form_broken', fault };

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

/** @returns undefined when the connection broke, or stood still. */
export async function readChunk(
  reader: ReadableStreamBYOBReader,
  buffer: ArrayBufferLike = new ArrayBuffer(UPLOAD_CHUNK_BYTES),
): Promise<ReadableStreamReadResult<Uint8Array> | undefined> {
  try {
    return await readPaced(reader, buffer, UPLOAD_CHUNK_BYTES);
  } catch (thrown) {
    log('warn', 'upload_cut', { detail: messageOf(thrown) });
    return undefined;
  }
}
