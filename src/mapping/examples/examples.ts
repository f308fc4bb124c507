/**
 * Runs the examples inside a mapping document: every input becomes records as a file would, and the result must match
 * the document, request by request.
 *
 * All differences are returned, each with its path in the document, the wanted and the received value. An example that
 * maps without an error is also a file that a partner can upload on the first day.
 */
import { encodedText } from '../../formats/encoding.ts';
import { encodingOf, type RecordSource } from '../../formats/reader.ts';
import { bytesInMemory } from '../../formats/slices.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import { answered, type CompiledMapping, type LocatedRecord } from '../compile/compile.ts';
import { mapFile } from '../compile/map-file.ts';
import { type Json, type JsonDifference, jsonDifferences } from '../document/canonical.ts';
import type { ExampleSpec } from '../document/document.ts';
import { type DocumentPath, formatPath } from '../document/problems.ts';
import { answersFrom } from '../lookups/lookup.ts';

export async function runExamples(
  mapping: CompiledMapping,
  examples: readonly ExampleSpec[],
): Promise<JsonDifference[]> {
  const differences: JsonDifference[] = [];
  for (const [index, example] of examples.entries()) {
    differences.push(...(await runExample(mapping, example, ['examples', index])));
  }
  return differences;
}

async function runExample(mapping: CompiledMapping, example: ExampleSpec, at: DocumentPath): Promise<JsonDifference[]> {
  const bytes = encode(example.input, mapping.source);
  if (bytes === undefined) {
    const wanted = `text that ${encodingOf(mapping.source)} can write`;
    return [{ path: formatPath([...at, 'input']), wanted, received: 'other characters' }];
  }
  const records: LocatedRecord[] = [];
  const given = answered(mapping, answersFrom(example.lookUps ?? {}));
  for await (const slice of mapFile(given, bytesInMemory(bytes))) {
    if (slice.outcome === 'unreadable') {
      const received = slice.problems.map(({ code, message }) => `${code}: ${message}`).join(' ');
      return [{ path: formatPath([...at, 'input']), wanted: 'a file that can be read', received }];
    }
    if (slice.outcome === 'ends_early') {
      const received = `${slice.problem.code}: ${slice.problem.message}`;
      return [{ path: formatPath([...at, 'input']), wanted: 'a file that is whole', received }];
    }
    records.push(...slice.records);
  }
  return jsonDifferences(example.records.map(wantedRecord), records.map(receivedRecord), [...at, 'records']);
}

/** A text as the bytes a partner would send; undefined if the encoding cannot write it. */
const encode = (text: string, source: RecordSource): Uint8Array | undefined => encodedText(text, encodingOf(source));

/**
 * Errors are compared by code and path, in no particular order; messages and fixes may improve without touching
 * examples.
 */
const errorNames = (errors: readonly { code: string; path: string }[]): Json =>
  errors.map(({ code, path }) => `${code} at ${path}`).sort();

const wantedRecord = ({
  requests = [],
  errors = [],
  skipped = false,
  group,
}: ExampleSpec['records'][number]): Json => ({
  group,
  requests: requests as Json,
  errors: errorNames(errors),
  skipped,
});

const receivedRecord = ({ mapped: { requests, errors, skipped, group } }: LocatedRecord): Json => ({
  group,
  requests: requests as unknown as Json,
  errors: errorNames(errors),
  skipped,
});

/** @returns the bytes of the document's first example that maps without an error. */
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
