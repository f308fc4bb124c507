/**
 * Runs the examples inside a mapping document: every input becomes records as a file would, and the result must match
 * the document, request by request.
 *
 * All differences are returned, each with its path in the document, the wanted and the received value.
 */
import { encodedText } from '../../formats/encoding.ts';
import { encodingOf, type RecordSource } from '../../formats/reader.ts';
import { bytesInMemory } from '../../formats/slices.ts';
import { answered, type CompiledMapping, type LocatedRecord } from '../compile/compile.ts';
import { mapFile } from '../compile/map-file.ts';
import type { Json } from '../document/canonical.ts';
import type { ExampleSpec } from '../document/document.ts';
import { type DocumentPath, formatPath } from '../document/problems.ts';
import { answersFrom } from '../lookups/lookup.ts';
import { type JsonDifference, jsonDifferences } from './json-differences.ts';

/** @property path in the document. */
export type ExampleDifference = JsonDifference;

export async function runExamples(
  mapping: CompiledMapping,
  examples: readonly ExampleSpec[],
): Promise<ExampleDifference[]> {
  const differences: ExampleDifference[] = [];
  for (const [index, example] of examples.entries()) {
    differences.push(...(await runExample(mapping, example, ['examples', index])));
  }
  return differences;
}

async function runExample(
  mapping: CompiledMapping,
  example: ExampleSpec,
  at: DocumentPath,
): Promise<ExampleDifference[]> {
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
export const encode = (text: string, source: RecordSource): Uint8Array | undefined =>
  encodedText(text, encodingOf(source));

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
