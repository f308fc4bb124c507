/**
 * A file that a partner can upload on the first day: the document's first example that maps without an error, as bytes.
 */
import { bytesInMemory } from '../../formats/slices.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import { answered, type CompiledMapping } from '../compile/compile.ts';
import { mapFile } from '../compile/map-file.ts';
import type { ExampleSpec } from '../document/document.ts';
import { answersFrom } from '../lookups/lookup.ts';
import { encode } from './examples.ts';

export async function sampleOf(
  mapping: CompiledMapping,
  examples: readonly ExampleSpec[],
): Promise<Result<Uint8Array<ArrayBuffer>, { code: 'sample_impossible' }>> {
  for (const { input, lookUps = {} } of examples) {
    const bytes = encode(input, mapping.source);
    if (bytes !== undefined && (await isRight(answered(mapping, answersFrom(lookUps)), bytes)))
      return ok(new Uint8Array(bytes));
  }
  return err({ code: 'sample_impossible' });
}

/** It is read to its end without an error, and something would be sent. */
async function isRight(mapping: CompiledMapping, bytes: Uint8Array): Promise<boolean> {
  let requests = 0;
  for await (const slice of mapFile(mapping, bytesInMemory(bytes))) {
    if (slice.outcome !== 'records') return false;
    if (slice.records.some(({ mapped }) => mapped.errors.length > 0)) return false;
    requests += slice.records.reduce((sum, { mapped }) => sum + mapped.requests.length, 0);
  }
  return requests > 0;
}
