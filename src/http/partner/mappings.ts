/** `/v1/mappings`: the mappings a partner's key may use, their documents, and previews of files under them. */
import { type Context, Hono } from 'hono';
import { offeredMapping } from '../../batch/files/pinned.ts';
import { lookupResolver, type RequestLookups } from '../../fleet/lookup.ts';
import { looksLike } from '../../formats/magic.ts';
import { fileTypeOf } from '../../formats/reader.ts';
import { chooseMapping, contentTypeProblem } from '../../intake/admit.ts';
import type { OfferedMapping } from '../../intake/ports.ts';
import type { UploadError } from '../../intake/upload-error.ts';
import { log, messageOf } from '../../kernel/log.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import { sha256Hex } from '../../kernel/secret.ts';
import { type CompiledMapping, compileMapping } from '../../mapping/compile/compile.ts';
import { beginningOf } from '../../mapping/compile/map-file.ts';
import { openVersion } from '../../mapping/document/versions.ts';
import { sampleOf } from '../../mapping/examples/examples.ts';
import { MATCH_BYTES_MAX, PREVIEW_BYTES_MAX } from '../../ops/publishing/limits.ts';
import { formatsOfLook, matchFile } from '../../ops/publishing/match.ts';
import type { CurrentMapping } from '../../ops/publishing/names.ts';
import { type Preview, previewLookingUp } from '../../ops/publishing/preview.ts';
import type { Answered } from '../contract/contract.ts';
import { readBody } from '../edge/body.ts';
import { type HttpBindings, signIn } from '../edge/context.ts';
import type { AppPorts } from '../edge/ports.ts';
import { problem } from '../edge/problem.ts';
import { readFlag } from '../edge/query.ts';
import { trial } from '../edge/rates.ts';
import { fileHeaders } from '../views/downloads.ts';
import { compareAnswer, exampleAnswer, previewAnswer, publishedFor } from '../views/mapping-draft.ts';
import { mappingLine, mappingWhole, yamlAnswer } from '../views/mapping-views.ts';
import { suggestAnswer } from '../views/suggestion.ts';
import { refusedUpload } from './upload.ts';

/* An example of a mapping as a file: one that a partner can upload on the first day, and use as a model. */

async function sampleAnswer(
  context: Context<HttpBindings>,
  { name, sha256, text }: { name: string; sha256: string; text: string },
): Promise<Response> {
  const opened = openVersion(text);
  if (!opened.ok) throw new Error(`version ${sha256} does not compile`);
  const { document, lists } = opened.value;
  const sample = await sampleOf(compileMapping(document, lists), document.examples);
  if (!sample.ok) return noSample(context, name);
  const { ending, contentType } = fileTypeOf(document.source);
  return context.body(sample.value, 200, fileHeaders(contentType, `${name}-sample.${ending}`));
}

const noSample = (context: Context, name: string): Response =>
  problem(context, {
    status: 404,
    code: 'sample_impossible',
    title: 'No sample for this mapping',
    detail: `No example in the document of "${name}" maps without an error.`,
    fix: `Look at the examples in its document at /v1/mappings/${name}, or ask whoever set it up for a file.`,
  });

type Partner = Context<HttpBindings>;
type WholeMapping = CurrentMapping & { written: string; text: string };

export function mappingRoutes(ports: AppPorts): Hono<HttpBindings> {
  const routes = new Hono<HttpBindings>();
  routes.use(signIn(ports.directory));
  routes.get('/', (context) => list(context, ports));
  routes.post('/preview', trial, (context) => tryDraft(context, ports));
  routes.post('/example', trial, (context) => makeExample(context, ports));
  routes.post('/compare', trial, (context) => compareDrafted(context, ports));
  routes.post('/suggest', trial, (context) => suggest(context, ports));
  routes.post('/match', trial, (context) => match(context, ports));
  routes.get('/:name', (context) => show(context, ports));
  routes.get('/:name/sample', (context) => sample(context, ports));
  routes.post('/:name/preview', trial, (context) => preview(context, ports));
  return routes;
}

/* A document that is being written; what it may name is what the partner sees. */

async function tryDraft(context: Partner, ports: AppPorts): Promise<Response> {
  const { partner, channel, environment } = context.get('principal');
  const facts = await ports.catalog(context.env).authorsFacts({ environment, partner });
  if (!facts.ok) return refusedUpload(context, facts.error);
  const ask = lookupResolver(context.env, ports.settings(context.env), { partner, channel, subject: 'preview' });
  return previewAnswer(context, facts.value, ask);
}

async function compareDrafted(context: Partner, ports: AppPorts): Promise<Response> {
  const { partner, channel, environment, mappings } = context.get('principal');
  const catalog = ports.catalog(context.env);
  const facts = await catalog.authorsFacts({ environment, partner });
  if (!facts.ok) return refusedUpload(context, facts.error);
  const ask = lookupResolver(context.env, ports.settings(context.env), { partner, channel, subject: 'preview' });
  const published = publishedFor(catalog, { environment, partner });
  // What the key is not for is to it as if there were nothing.
  const isOwn = (name: string): boolean => mappings === null || mappings.includes(name);
  return compareAnswer(context, facts.value, async (name) => (isOwn(name) ? published(name) : ok(undefined)), ask);
}

async function suggest(context: Partner, ports: AppPorts): Promise<Response> {
  const { partner, environment } = context.get('principal');
  const facts = await ports.catalog(context.env).authorsFacts({ environment, partner });
  return facts.ok ? suggestAnswer(context, facts.value) : refusedUpload(context, facts.error);
}

async function makeExample(context: Partner, ports: AppPorts): Promise<Response> {
  const { partner, environment } = context.get('principal');
  const facts = await ports.catalog(context.env).authorsFacts({ environment, partner });
  return facts.ok ? exampleAnswer(context, facts.value) : refusedUpload(context, facts.error);
}

const mappingLinks = (name: string) => ({
  self: `/v1/mappings/${name}`,
  sample: `/v1/mappings/${name}/sample`,
  preview: `/v1/mappings/${name}/preview`,
  upload: `/v1/batches?mapping=${name}`,
});

async function list(context: Partner, ports: AppPorts): Promise<Response> {
  const { mappings, ...reader } = context.get('principal');
  const listed = await ports.catalog(context.env).mappings(reader);
  if (!listed.ok) return refusedUpload(context, listed.error);
  const usable = listed.value.filter(({ name }) => mappings === null || mappings.includes(name));
  const shown: Answered<'GET /v1/mappings'> = {
    mappings: usable.map((mapping) => ({ ...mappingLine(mapping), links: mappingLinks(mapping.name) })),
  };
  return context.json(shown);
}

/** The mapping in the address, under the same rules as an upload's. */
const chosen = (context: Partner, ports: AppPorts): Promise<Result<OfferedMapping, UploadError>> =>
  namedMapping(context, ports, context.req.param('name') ?? '');

async function namedMapping(
  context: Partner,
  ports: AppPorts,
  name: string,
): Promise<Result<OfferedMapping, UploadError>> {
  const principal = context.get('principal');
  const offer = await ports.catalog(context.env).offer(principal, name);
  return offer.ok ? chooseMapping(name, principal, offer.value) : offer;
}

async function show(context: Partner, ports: AppPorts): Promise<Response> {
  const read = await current(context, ports);
  if (!read.ok) return refusedUpload(context, read.error);
  const { written } = read.value;
  const yaml = yamlAnswer(context, written, `"${sha256Hex(written)}"`);
  if (yaml) return yaml;
  const whole = { ...mappingWhole(read.value), links: mappingLinks(read.value.name) };
  return context.json(whole satisfies Answered<'GET /v1/mappings/{name}'>);
}

/** The mapping in the address with its current text. */
async function current(context: Partner, ports: AppPorts): Promise<Result<WholeMapping, UploadError>> {
  const mapping = await chosen(context, ports);
  if (!mapping.ok) return mapping;
  const { name } = mapping.value;
  const read = await ports.catalog(context.env).mapping(context.get('principal'), name);
  if (!read.ok) return read;
  return read.value ? ok(read.value) : err({ code: 'unknown_mapping', mapping: name, known: [] }); // removed meanwhile
}

async function sample(context: Partner, ports: AppPorts): Promise<Response> {
  const read = await current(context, ports);
  if (!read.ok) return refusedUpload(context, read.error);
  return await sampleAnswer(context, read.value);
}

async function preview(context: Partner, ports: AppPorts): Promise<Response> {
  const mapping = await chosen(context, ports);
  if (!mapping.ok) return refusedUpload(context, mapping.error);
  const typeProblem = contentTypeProblem(context.req.header('Content-Type') ?? null, mapping.value.format);
  if (typeProblem) return refusedUpload(context, typeProblem);
  const body = await readBody(context.req.raw.body as ReadableStream<Uint8Array> | null, PREVIEW_BYTES_MAX);
  if (!body.ok) {
    const { error } = body;
    return error.code === 'too_large'
      ? previewTooLarge(context)
      : refusedUpload(context, { ...error, declaredBytes: null });
  }
  if (body.value.byteLength === 0) return refusedUpload(context, { code: 'empty' });
  const part = readFlag(context.req.query(), 'part');
  if (!part.ok) return problem(context, part.error);
  const made = await previewed(context, ports, mapping.value, { bytes: body.value, isPart: part.value });
  if (!made.ok) return refusedUpload(context, made.error);
  const shown = { mapping: mapping.value.name, sha256: mapping.value.sha256, ...made.value };
  return context.json(shown satisfies Answered<'POST /v1/mappings/{name}/preview'>);
}

async function previewed(
  context: Partner,
  ports: AppPorts,
  mapping: OfferedMapping,
  { bytes, isPart }: { bytes: Uint8Array; isPart: boolean },
): Promise<Result<Preview, UploadError>> {
  const compiled = await compiledMapping(context, mapping);
  if (!compiled.ok) return compiled;
  const ask = lookups(context, ports);
  return ok(await previewLookingUp(isPart ? beginningOf(compiled.value) : compiled.value, bytes, ask));
}

const lookups = (context: Partner, ports: AppPorts): RequestLookups => {
  const { partner, channel } = context.get('principal');
  return lookupResolver(context.env, ports.settings(context.env), { partner, channel, subject: 'preview' });
};

/** A mapping that the key may use, as an upload would be mapped with it, and what answers its lookups. */
export async function usableMapping(
  context: Partner,
  ports: AppPorts,
  name: string,
): Promise<Result<{ mapping: CompiledMapping; ask: RequestLookups }, UploadError>> {
  const offered = await namedMapping(context, ports, name);
  if (!offered.ok) return offered;
  const compiled = await compiledMapping(context, offered.value);
  return compiled.ok ? ok({ mapping: compiled.value, ask: lookups(context, ports) }) : compiled;
}

/** Which of the key's mappings a file fits, the best first. With `part=true` the body is only its beginning. */
async function match(context: Partner, ports: AppPorts): Promise<Response> {
  const part = readFlag(context.req.query(), 'part');
  if (!part.ok) return problem(context, part.error);
  const body = await readBody(context.req.raw.body as ReadableStream<Uint8Array> | null, PREVIEW_BYTES_MAX);
  if (!body.ok) {
    const { error } = body;
    return error.code === 'too_large'
      ? previewTooLarge(context)
      : refusedUpload(context, { ...error, declaredBytes: null });
  }
  if (body.value.byteLength === 0) return refusedUpload(context, { code: 'empty' });
  const { mappings: allowed, ...reader } = context.get('principal');
  const listed = await ports.catalog(context.env).mappings(reader);
  if (!listed.ok) return refusedUpload(context, listed.error);
  const formats = formatsOfLook(body.value);
  const names = listed.value
    .filter(({ name, summary }) => (allowed === null || allowed.includes(name)) && formats.includes(summary.format))
    .map(({ name }) => name);
  const compiled: CompiledMapping[] = [];
  for (const name of names) {
    const mapping = await namedMapping(context, ports, name);
    const read = mapping.ok ? await compiledMapping(context, mapping.value) : mapping;
    if (!read.ok) return refusedUpload(context, read.error);
    compiled.push(read.value);
  }
  // A workbook cannot be cut: the list of its parts is at its end.
  const isCut = looksLike(body.value) !== 'zip' && body.value.byteLength > MATCH_BYTES_MAX;
  const head = isCut ? body.value.subarray(0, MATCH_BYTES_MAX) : body.value;
  return context.json({ mappings: await matchFile(head, compiled, part.value || isCut) });
}

const previewTooLarge = (context: Context): Response =>
  problem(context, {
    status: 413,
    code: 'too_large',
    title: 'File too large for a preview',
    detail: `A preview takes files of at most ${PREVIEW_BYTES_MAX} bytes.`,
    fix: 'Send the first rows of the file, or upload it whole with dryRun=true.',
  });

/** A preview stores nothing. */
async function compiledMapping(
  context: Partner,
  offered: OfferedMapping,
): Promise<Result<CompiledMapping, UploadError>> {
  try {
    return ok(await offeredMapping(context.env.FILES, offered));
  } catch (thrown) {
    log('error', 'mapping_version_unread', { detail: messageOf(thrown) });
    return err({ code: 'storage_unavailable' });
  }
}
