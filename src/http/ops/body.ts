/** The body of an ops request → a document's text, or the JSON that was asked for; or the problem that it is neither. */
import type { Context } from 'hono';
import { z } from 'zod';
import { CHANGE_BYTES_MAX, DOCUMENT_BYTES_MAX, NOTE_CHARACTERS_MAX } from '../../kernel/limits.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import { readBody } from '../edge/body.ts';
import type { ProblemWords } from '../edge/problem.ts';

const note = z.string().max(NOTE_CHARACTERS_MAX).default('');

/** As a Map, and by way of one: a word may be spelled like a member of an object, and must not vanish. */
const words = z.preprocess(
  (value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value) ? new Map(Object.entries(value)) : value,
  z.map(z.string(), z.string({ error: 'every code is a text' }), { error: 'must be an object of words and codes' }),
);

export const rollbackBody = z.strictObject({ to: z.string().min(1), note });
export const codeListEditBody = z
  .strictObject({ set: words.default(new Map()), remove: z.array(z.string()).default([]), note })
  .refine(({ set, remove }) => set.size + remove.length > 0, 'must set or remove at least one word');

/** @returns the text of a document, UTF-8. */
export async function readText(context: Context): Promise<Result<string, ProblemWords>> {
  return textOf(context, DOCUMENT_BYTES_MAX);
}

export async function readJson<Schema extends z.ZodType>(
  context: Context,
  schema: Schema,
): Promise<Result<z.output<Schema>, ProblemWords>> {
  const text = await textOf(context, CHANGE_BYTES_MAX);
  if (!text.ok) return text;
  let value: unknown;
  try {
    value = JSON.parse(text.value);
  } catch {
    return err(bodyInvalid('The body is no JSON.', 'Send one JSON object, and Content-Type: application/json.'));
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return ok(parsed.data);
  const places = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'the body'}: ${message}`);
  return err(bodyInvalid(`The body has not the form wanted here: ${places.join('; ')}.`, 'Correct these members.'));
}

async function textOf(context: Context, bytesMax: number): Promise<Result<string, ProblemWords>> {
  const read = await readBody(context.req.raw.body as ReadableStream<Uint8Array> | null, bytesMax);
  if (!read.ok) return err(read.error.code === 'too_large' ? tooLarge(bytesMax) : bodyCut(read.error.receivedBytes));
  if (read.value.byteLength === 0)
    return err(bodyInvalid('The request has no body.', 'Send the document as the body.'));
  try {
    return ok(new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(read.value));
  } catch {
    return err(bodyInvalid('The body is not UTF-8.', 'Save the file as UTF-8 and send it again.'));
  }
}

const bodyInvalid = (detail: string, fix: string): ProblemWords => ({
  status: 400,
  code: 'body_invalid',
  title: 'Body not readable',
  detail: `${detail} Nothing was changed.`,
  fix,
});

const tooLarge = (bytesMax: number): ProblemWords => ({
  status: 413,
  code: 'too_large',
  title: 'Body too large',
  detail: `The body has more than ${bytesMax} bytes. Nothing was changed.`,
  fix: 'Send less; a large code list may be split into several lists.',
});

const bodyCut = (receivedBytes: number): ProblemWords => ({
  status: 400,
  code: 'body_cut',
  title: 'Request incomplete',
  detail: `The connection ended after ${receivedBytes} bytes. Nothing was changed.`,
  fix: 'Send it again; a repeat is safe.',
});
