/** Why an upload, or whatever else names a mapping, was refused, as an answer. */
import type { Context } from 'hono';
import { describeUploadError, type UploadError } from '../../intake/upload-error.ts';
import type { HttpBindings } from '../edge/bindings.ts';
import { problem } from '../edge/problem.ts';

export function refusedUpload(context: Context<HttpBindings>, error: UploadError): Response {
  const words = describeUploadError(error);
  if (words.status === 503) context.header('Retry-After', '60');
  if (error.code === 'key_in_flight') context.header('Retry-After', String(error.retryAfterSeconds));
  return problem(context, { ...words, code: error.code });
}
