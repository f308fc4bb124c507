/** A generated file that maps without an error, in the mapping's own form: what a partner can upload on the first day. */
import type { Context } from 'hono';
import { fileTypeOf } from '../formats/reader.ts';
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
  const { ending, contentType } = fileTypeOf(document.source);
  return context.body(bytes, 200, {
    'Content-Type': contentType,
    'Content-Disposition': `attachment; filename="${name}-sample.${ending}"`,
  });
}

const noSample = (context: Context, name: string): Response =>
  problem(context, {
    status: 404,
    code: 'sample_impossible',
    title: 'No sample for this mapping',
    detail: `No record could be made that "${name}" takes without an error.`,
    fix: `Look at the examples in its document at /v1/mappings/${name}; if they all end in errors, ask for the mapping to be corrected.`,
  });
