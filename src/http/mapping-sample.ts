/** A generated file that maps without an error, in the mapping's own form: what a partner can upload on the first day. */
import type { Context } from 'hono';
import { encodingOf, type RecordSource, textEnding } from '../formats/reader.ts';
import { SAMPLE_DAY_MS, sampleFile } from '../mapping/sample.ts';
import { openVersion } from '../mapping/versions.ts';
import type { HttpBindings } from './bindings.ts';
import { problem } from './problem.ts';

/** Made anew at every call: it takes milliseconds, and what it shows depends on the SCACs that an upload may use. */
export async function sampleAnswer(
  context: Context<HttpBindings>,
  { name, sha256, text }: { name: string; sha256: string; text: string },
  scacs: readonly string[],
): Promise<Response> {
  const opened = openVersion(text);
  if (!opened.ok) throw new Error(`version ${sha256} does not compile`);
  const { document, lists } = opened.value;
  const sample = await sampleFile(document, lists, { dayMs: SAMPLE_DAY_MS, scacs });
  if (!sample.ok) return noSample(context, name);
  const { bytes } = sample.value;
  return context.body(bytes, 200, {
    'Content-Type': typeOf(document.source),
    'Content-Disposition': `attachment; filename="${name}-sample.${textEnding(document.source)}"`,
  });
}

/** Such as an upload of the file may be sent with. */
function typeOf(source: RecordSource): string {
  switch (source.format) {
    case 'csv':
    case 'xlsx':
      return `text/csv; charset=${encodingOf(source)}`;
    case 'json':
      return 'application/json';
    case 'ndjson':
      return 'application/x-ndjson';
  }
}

const noSample = (context: Context, name: string): Response =>
  problem(context, {
    status: 404,
    code: 'sample_impossible',
    title: 'No sample for this mapping',
    detail: `No record could be made that "${name}" takes without an error.`,
    fix: `Look at the examples in its document at /v1/mappings/${name}; if they all end in errors, ask for the mapping to be corrected.`,
  });
