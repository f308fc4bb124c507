/** An example of a mapping as a file: what a partner can upload on the first day, and build theirs by. */
import type { Context } from 'hono';
import { fileTypeOf } from '../../formats/reader.ts';
import { compileMapping } from '../../mapping/compile/compile.ts';
import { openVersion } from '../../mapping/document/versions.ts';
import { sampleOf } from '../../mapping/examples/sample.ts';
import type { HttpBindings } from '../edge/bindings.ts';
import { problem } from '../edge/problem.ts';

export async function sampleAnswer(
  context: Context<HttpBindings>,
  { name, sha256, text }: { name: string; sha256: string; text: string },
): Promise<Response> {
  const opened = openVersion(text);
  if (!opened.ok) throw new Error(`version ${sha256} does not compile`);
  const { document, lists } = opened.value;
  const sample = await sampleOf(compileMapping(document, lists), document.examples);
  if (!sample.ok) return noSample(context, name);
  const { ending, contentType } = fileTypeOf(document.source);
  return context.body(sample.value, 200, {
    'Content-Type': contentType,
    'Content-Disposition': `attachment; filename="${name}-sample.${ending}"`,
  });
}

const noSample = (context: Context, name: string): Response =>
  problem(context, {
    status: 404,
    code: 'sample_impossible',
    title: 'No sample for this mapping',
    detail: `No example in the document of "${name}" maps without an error.`,
    fix: `Look at the examples in its document at /v1/mappings/${name}, or ask whoever set it up for a file.`,
  });
