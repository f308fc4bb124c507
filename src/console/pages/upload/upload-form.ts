/**
 * The form with a file, read as it arrives: its small fields, then the file as a stream. A file of any size is in memory
 * nowhere, and what lacks the token of its session is refused before a byte of the file is read.
 */
import { readBody } from '../../../http/edge/body.ts';
import { type ChunkSource, FormParts, readHeaderValue } from '../../../intake/form-parts.ts';
import { err, ok, type Result } from '../../../kernel/result.ts';
import type { ApiProblem } from '../../api.ts';
import { UPLOAD_FIELD_BYTES_MAX } from '../../limits.ts';
import type { Page } from '../../page.ts';

interface UploadForm {
  /** Those before the file. */
  fields: Readonly<Record<string, string>>;
  fileName: string;
  file: ReadableStream<Uint8Array>;
}

export async function readUploadForm(page: Page): Promise<Result<UploadForm, ApiProblem>> {
  const { req } = page.context;
  const { value, parameters } = readHeaderValue(req.header('Content-Type') ?? '');
  const boundary = parameters.get('boundary') ?? '';
  const body = req.raw.body as ReadableStream<Uint8Array> | null;
  if (value !== 'multipart/form-data' || boundary === '' || body === null) return err(BROKEN);
  const parts = new FormParts(chunksOf(body), boundary);
  const fields: Record<string, string> = {};
  for (;;) {
    const part = await parts.next();
    if (!part.ok || part.value === null) return err(BROKEN);
    const { name, fileName, body: content } = part.value;
    if (name === 'file') {
      if (fields.csrf !== page.session.csrf) return err(FOREIGN);
      return ok({ fields, fileName: fileName ?? '', file: content });
    }
    const text = await readBody(content, UPLOAD_FIELD_BYTES_MAX);
    if (!text.ok || Object.keys(fields).length >= FIELDS_MAX) return err(BROKEN);
    fields[name] = new TextDecoder().decode(text.value);
  }
}

/** The form has fewer. Ours. */
const FIELDS_MAX = 10;

function chunksOf(body: ReadableStream<Uint8Array>): ChunkSource {
  const reader = body.getReader();
  return async () => {
    const read = await reader.read().catch(() => undefined);
    if (read === undefined) return 'cut';
    return read.done ? 'end' : read.value;
  };
}

const BROKEN: ApiProblem = {
  status: 400,
  code: 'form_broken',
  title: 'The file did not arrive whole',
  detail: 'The connection broke off, or the form has no file. Nothing was stored or sent.',
  fix: 'Choose the file once more and send it again.',
};

const FOREIGN: ApiProblem = {
  status: 403,
  code: 'cross_site_refused',
  title: 'Not from this page',
  detail: 'The request does not come from a page of the console. Nothing was done.',
  fix: 'Open the page again and send the file from there.',
};
