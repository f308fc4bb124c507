/**
 * The address and the body of an ops request → its environment, its options and what it contains, or what is wrong.
 * Nothing is guessed.
 */
import type { Context } from 'hono';
import * as z from 'zod';
import { BATCH_ID_FORM } from '../../kernel/ids.ts';
import { CHANGE_BYTES_MAX, DOCUMENT_BYTES_MAX, NOTE_CHARACTERS_MAX } from '../../kernel/limits.ts';
import { ENVIRONMENTS, type Environment } from '../../kernel/names.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import { didYouMean } from '../../mapping/document/nearest.ts';
import type { ChangeAuthor } from '../../ops/directory/directory.ts';
import { noteForAudit } from '../edge/audit-notes.ts';
import { readBody } from '../edge/body.ts';
import type { OpsContext } from '../edge/context.ts';
import type { AppPorts } from '../edge/ports.ts';
import { type ProblemMessages, problem } from '../edge/problem.ts';

export interface OpsQuery {
  environment: Environment;
  /** As given; a route reads its options from here by name. */
  get(name: string): string | undefined;
  dryRun: boolean;
  note: string;
  /** null: any version. */
  ifMatch: readonly string[] | null;
}

/** @param known the route's own parameters, besides `environment`. A misspelt `dryRun` must never publish for real. */
export function readOpsQuery(context: OpsContext, known: readonly string[] = []): Result<OpsQuery, ProblemMessages> {
  const given = context.req.query();
  const all = ['environment', ...known];
  const unknown = Object.keys(given).find((name) => !all.includes(name));
  if (unknown !== undefined) return err(parameterUnknown(unknown, all));
  const environment = environmentOf(given.environment, context.get('operator').environments);
  if (!environment.ok) return environment;
  const { dryRun = 'false', note = '' } = given;
  if (dryRun !== 'true' && dryRun !== 'false') return err(parameterInvalid('dryRun', dryRun, 'true or dryRun=false'));
  if (note.length > NOTE_CHARACTERS_MAX) {
    return err(parameterInvalid('note', note, `with at most ${NOTE_CHARACTERS_MAX} characters`));
  }
  noteForAudit(context, { environment: environment.value, ...(note === '' ? {} : { why: note }) });
  return ok({
    environment: environment.value,
    get: (name) => given[name],
    dryRun: dryRun === 'true',
    note,
    ifMatch: readIfMatch(context.req.header('If-Match')),
  });
}

/** A route that reads its address first, and answers with what is wrong with it. @param known as above. */
export const opsRoute =
  (
    ports: AppPorts,
    known: readonly string[],
    answer: (context: OpsContext, query: OpsQuery, ports: AppPorts) => Promise<Response>,
  ) =>
  async (context: OpsContext): Promise<Response> => {
    const query = readOpsQuery(context, known);
    return query.ok ? answer(context, query.value, ports) : problem(context, query.error);
  };

/** @returns the named versions, without their quotes; a weak tag, or a text that is no tag, matches nothing. */
function readIfMatch(header: string | undefined): string[] | null {
  if (header === undefined) return null;
  return [...header.matchAll(/(W\/)?"([^"]*)"/g)].flatMap(([, weak, tag = '']) => (weak === undefined ? [tag] : []));
}

function environmentOf(
  asked: string | undefined,
  allowed: readonly Environment[],
): Result<Environment, ProblemMessages> {
  const [only, ...others] = allowed;
  if (asked === undefined) {
    if (only !== undefined && others.length === 0) return ok(only);
    return err({
      status: 400,
      code: 'environment_required',
      title: 'No environment named',
      detail: 'Your key may act on several environments, and the address names none.',
      fix: `Add ?environment= with one of ${allowed.join(', ')}.`,
    });
  }
  const known = ENVIRONMENTS.find((environment) => environment === asked);
  if (known === undefined) return err(parameterInvalid('environment', asked, ENVIRONMENTS.join(' or environment=')));
  if (allowed.includes(known)) return ok(known);
  return err({
    status: 403,
    code: 'environment_not_allowed',
    title: 'Environment not allowed',
    detail: `Your key may not act on the environment "${known}".`,
    fix: `Use one of ${allowed.join(', ')}, or another key.`,
  });
}

const parameterUnknown = (name: string, known: readonly string[]): ProblemMessages => ({
  status: 400,
  code: 'parameter_unknown',
  title: 'Unknown parameter',
  detail: `There is no parameter "${name.slice(0, 40)}" here. Nothing was changed.`,
  fix: `Use ${known.join(', ')}, spelled like this.${didYouMean(name, known)}`,
});

const parameterInvalid = (name: string, value: string, wanted: string): ProblemMessages => ({
  status: 400,
  code: 'parameter_invalid',
  title: 'Parameter not readable',
  detail: `The parameter ${name} is "${value.slice(0, 40)}". Nothing was changed.`,
  fix: `Write ${name}=${wanted}.`,
});

/* The body of an ops request → a document's text, or the expected JSON; or the problem that it is neither. */

const note = z.string().max(NOTE_CHARACTERS_MAX).default('');
/** A note that may not be left out. */
export const reason = z.string().trim().min(1).max(NOTE_CHARACTERS_MAX);
export const why = z.string().trim().min(1, 'must say why').max(NOTE_CHARACTERS_MAX);

/** As in the address of a dead letter: batch, record, request. */
export const requestLocation = z
  .string()
  .regex(
    new RegExp(`${BATCH_ID_FORM.source.slice(0, -1)}/[1-9]\\d{0,14}/[1-9]\\d{0,4}$`),
    'must be batch/record/request',
  );

export function locationsByBatch(requests: readonly string[]): Map<string, { record: number; request: number }[]> {
  const named = requests.map((text) => {
    const [batchId = '', record, request] = text.split('/');
    return { batchId, record: Number(record), request: Number(request) };
  });
  const byBatch = Map.groupBy(named, ({ batchId }) => batchId);
  return new Map(
    [...byBatch].map(([batchId, own]) => [batchId, own.map(({ record, request }) => ({ record, request }))]),
  );
}

/** Who changes something now, for its history. */
export function authorOf(context: OpsContext, note: string): ChangeAuthor {
  const { keyId, name: author } = context.get('operator');
  return { keyId, author, note, atMs: Date.now() };
}

/** As a Map from the start: a word may be spelled like a member of an object, and must not vanish. */
const codeTexts = z.preprocess(
  (value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value) ? new Map(Object.entries(value)) : value,
  z.map(z.string(), z.string({ error: 'every code is a text' }), { error: 'must be an object of words and codes' }),
);

export const rollbackBody = z.strictObject({ to: z.string().min(1), note });
export const codeListEditBody = z
  .strictObject({ set: codeTexts.default(new Map()), remove: z.array(z.string()).default([]), note })
  .refine(({ set, remove }) => set.size + remove.length > 0, 'must set or remove at least one word');

/** @returns the text of a document, UTF-8. */
export async function readText(context: Context): Promise<Result<string, ProblemMessages>> {
  return textOf(context, DOCUMENT_BYTES_MAX);
}

export async function readJson<Schema extends z.ZodType>(
  context: OpsContext,
  schema: Schema,
): Promise<Result<z.output<Schema>, ProblemMessages>> {
  const text = await textOf(context, CHANGE_BYTES_MAX);
  if (!text.ok) return text;
  let value: unknown;
  try {
    value = JSON.parse(text.value);
  } catch {
    return err(bodyInvalid('The body is no JSON.', 'Send one JSON object, and Content-Type: application/json.'));
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) {
    const why = whyIn(value);
    if (why !== undefined) noteForAudit(context, { why });
    return ok(parsed.data);
  }
  const places = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'the body'}: ${message}`);
  return err(bodyInvalid(`The body has not the form wanted here: ${places.join('; ')}.`, 'Correct these members.'));
}

/** Whatever a body calls its reason. */
function whyIn(body: unknown): string | undefined {
  const { why, reason: cause, note: remark } = Object(body) as Record<string, unknown>;
  return [why, cause, remark].find((text): text is string => typeof text === 'string' && text.trim() !== '')?.trim();
}

async function textOf(context: Context, bytesMax: number): Promise<Result<string, ProblemMessages>> {
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

const bodyInvalid = (detail: string, fix: string): ProblemMessages => ({
  status: 400,
  code: 'body_invalid',
  title: 'Body not readable',
  detail: `${detail} Nothing was changed.`,
  fix,
});

const tooLarge = (bytesMax: number): ProblemMessages => ({
  status: 413,
  code: 'too_large',
  title: 'Body too large',
  detail: `The body has more than ${bytesMax} bytes. Nothing was changed.`,
  fix: 'Send less; a large code list may be split into several lists.',
});

const bodyCut = (receivedBytes: number): ProblemMessages => ({
  status: 400,
  code: 'body_cut',
  title: 'Request incomplete',
  detail: `The connection ended, or stood still, after ${receivedBytes} bytes. Nothing was changed.`,
  fix: 'Send it again; a repeat is safe.',
});

/* A change whose outcome is not known: the directory may have made it, and its answer was lost. */

export const mayHaveChanged = ({ req }: OpsContext): boolean =>
  !['GET', 'HEAD'].includes(req.method) && req.query('dryRun') !== 'true';

export const OUTCOME_UNKNOWN: ProblemMessages = {
  status: 503,
  code: 'directory_unavailable',
  title: 'Directory unavailable',
  detail: 'The directory did not answer. If this was to change something, whether it was done is not known.',
  fix: 'Read first what it was about; operators GET /v1/ops/audit, which names each change. A key or a link that was made but not shown cannot be read: revoke it. Then send again what was not done.',
};
