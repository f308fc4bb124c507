/**
 * A mapping document that is being written, tried on a sample: `POST …/mappings/preview` and `…/mappings/example`, alike
 * for partners and operators. Nothing is stored.
 */
import type { Context } from 'hono';
import type { RequestLookups } from '../../fleet/lookup.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import { headOf } from '../../kernel/text.ts';
import { compileMapping } from '../../mapping/compile/compile.ts';
import { exampleOf, type NoExample, withExample } from '../../mapping/examples/save-example.ts';
import type { Catalog } from '../../ops/publishing/catalog.ts';
import { compareDraft } from '../../ops/publishing/compare-draft.ts';
import { PREVIEW_BYTES_MAX, TRY_BYTES_MAX, TRY_CODE_LISTS_MAX, TRY_MS_MAX } from '../../ops/publishing/limits.ts';
import type { MayGoOn } from '../../ops/publishing/preview.ts';
import { describeRefusal } from '../../ops/publishing/refusal.ts';
import { type AuthorsFacts, draftOf, type TriedDocument, tryMapping } from '../../ops/publishing/try-mapping.ts';
import { readBody } from '../edge/body.ts';
import { type ProblemMessages, problem } from '../edge/problem.ts';
import { differencesShown } from './mapping-views.ts';

interface DraftForm extends TriedDocument {
  /** What else the form says. */
  get(name: string): string;
}

/** @returns what stands in the form: `mapping`, `file`, and any number of `codeList`, each as a text or as a file. */
export async function readDraft({ req }: Context): Promise<Result<DraftForm, ProblemMessages>> {
  const type = req.header('Content-Type') ?? '';
  if (!/^multipart\/form-data\s*;/i.test(type)) return err(formWanted('The body is no form.'));
  const body = await readBody(req.raw.body as ReadableStream<Uint8Array> | null, TRY_BYTES_MAX);
  if (!body.ok)
    return err(body.error.code === 'too_large' ? tooLarge(TRY_BYTES_MAX) : formWanted('The form was cut off.'));
  let form: FormData;
  try {
    form = await new Response(body.value as BodyInit, { headers: { 'Content-Type': type } }).formData();
  } catch {
    return err(formWanted('The form cannot be read.'));
  }
  const text = async (value: string | Blob | null): Promise<string> =>
    value === null ? '' : typeof value === 'string' ? value : value.text();
  const codeLists = form.getAll('codeList');
  if (codeLists.length > TRY_CODE_LISTS_MAX)
    return err(formWanted(`There are more than ${TRY_CODE_LISTS_MAX} code lists.`));
  const written = await text(form.get('mapping'));
  if (written === '') return err(formWanted('The field "mapping" is missing.'));
  const file = form.get('file');
  const sample = file === null ? null : typeof file === 'string' ? new TextEncoder().encode(file) : await bytesOf(file);
  if (sample !== null && sample.byteLength > PREVIEW_BYTES_MAX) return err(tooLarge(PREVIEW_BYTES_MAX));
  return ok({
    written: written.replaceAll('\r\n', '\n'),
    sample: sample?.byteLength === 0 ? null : sample,
    codeLists: await Promise.all(codeLists.map(text)),
    get: (name) => {
      const value = form.get(name);
      return typeof value === 'string' ? value : '';
    },
  });
}

const bytesOf = async (file: Blob): Promise<Uint8Array> => new Uint8Array(await file.arrayBuffer());

const formWanted = (detail: string): ProblemMessages => ({
  status: 400,
  code: 'form_invalid',
  title: 'Form not readable',
  detail: `${detail} Nothing was stored.`,
  fix: `Send multipart/form-data with the fields mapping (the document, YAML), file (the sample) and, where wanted, codeList (YAML, up to ${TRY_CODE_LISTS_MAX} times).`,
});

const tooLarge = (bytesMax: number): ProblemMessages => ({
  status: 413,
  code: 'too_large',
  title: 'Sample too large',
  detail: `A sample has at most ${PREVIEW_BYTES_MAX} bytes, and all of the form at most ${TRY_BYTES_MAX}; this is more than ${bytesMax}.`,
  fix: 'Send the first rows of the file.',
});

export async function previewAnswer(
  context: Context,
  facts: AuthorsFacts,
  requestAnswer: RequestLookups,
): Promise<Response> {
  const form = await readDraft(context);
  if (!form.ok) return problem(context, form.error);
  return context.json(await tryMapping(form.value, facts, { requestAnswer, mayGoOn: forAWhile(() => Date.now()) }));
}

type Published = (name: string) => ReturnType<Catalog['mapping']>;

/** @returns the version that a name points at for this reader; undefined: none. */
export const publishedFor =
  (catalog: Catalog, reader: Parameters<Catalog['mapping']>[0]): Published =>
  (name) =>
    catalog.mapping(reader, name);

export async function compareAnswer(
  context: Context,
  facts: AuthorsFacts,
  published: Published,
  requestAnswer: RequestLookups,
): Promise<Response> {
  const form = await readDraft(context);
  if (!form.ok) return problem(context, form.error);
  const { document, problems, lists } = draftOf(form.value, facts);
  if (document === null) return problem(context, NOT_YET, { problems });
  const now = await published(document.mapping);
  if (!now.ok) return problem(context, { ...describeRefusal(now.error), code: now.error.code });
  if (now.value === undefined) return context.json({ name: document.mapping, sha256: null });
  const { name, sha256, text } = now.value;
  const asked = { draft: { document, lists }, published: text, sample: form.value.sample };
  const { differences, sample } = await compareDraft(
    asked,
    requestAnswer,
    forAWhile(() => Date.now()),
  );
  return context.json({ name, sha256, ...differencesShown(differences), sample });
}

/** The clock of a Worker moves only while something is waited for. */
function forAWhile(nowMs: () => number): MayGoOn {
  const untilMs = nowMs() + TRY_MS_MAX;
  return async () => {
    await new Promise((resolve) => setTimeout(resolve, 0));
    return nowMs() < untilMs;
  };
}

/** An operator has no channel of its own. */
export const nobodyAnswers: RequestLookups = async () => ({
  answers: new Map(),
  trouble: {
    code: 'fleet_down',
    api: 'fleet',
    status: null,
    detail: 'the workbench of operators looks nothing up: it knows no partner',
    retryAfterMs: null,
  },
});

/** The document with one example more: a record of the sample, and what becomes of it now. */
export async function exampleAnswer(context: Context, facts: AuthorsFacts): Promise<Response> {
  const form = await readDraft(context);
  if (!form.ok) return problem(context, form.error);
  const { written, sample, get } = form.value;
  const { document, problems, lists } = draftOf(form.value, facts);
  if (document === null) return problem(context, NOT_YET, { problems });
  const record = Number(get('record'));
  const about = get('about').trim();
  const made = await exampleOf(compileMapping(document, lists), sample ?? new Uint8Array(), { record, about });
  if (!made.ok) return problem(context, describeNoExample(made.error, get('record')));
  return context.json({ mapping: withExample(written, made.value), example: made.value });
}

export const NOT_YET: ProblemMessages = {
  status: 422,
  code: 'mapping_invalid',
  title: 'Mapping has problems',
  detail: 'The document cannot be tried as it is, so that no example can be made of it.',
  fix: 'Correct the problems first; they are listed.',
};

function describeNoExample(found: NoExample, record: string): ProblemMessages {
  const title = 'No example made';
  switch (found.code) {
    case 'record_unknown':
      return {
        ...{ status: 422, code: found.code, title },
        detail: `The sample has no record ${headOf(record, 20) || 'of that number'} that can be read on its own.`,
        fix: 'Name a record that the preview shows.',
      };
    case 'example_too_large':
      return {
        ...{ status: 422, code: found.code, title },
        detail: `An example has at most ${found.charactersMax} characters; what this record needs around it is longer.`,
        fix: 'Use a sample with fewer records.',
      };
    case 'example_unwritable':
      return {
        ...{ status: 422, code: found.code, title },
        detail: 'An example is a text, and this sample does not map alike when it is written as one.',
        fix: 'Save the sample in the encoding that the mapping declares, whole, and try again.',
      };
    case 'example_looks_up':
      return {
        ...{ status: 422, code: found.code, title },
        detail: 'The mapping looks vehicles or locations up, and an example must say what is known of them.',
        fix: 'Write this example by hand, with lookUps beside its input.',
      };
  }
}
