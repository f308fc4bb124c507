/** Samples of hand-made documents, read back with the mapping they were made for. */
import { expect } from 'vitest';
import type { Cells } from '../../../src/formats/record-reader.ts';
import { bytesInMemory } from '../../../src/formats/slices.ts';
import type { CodeLists } from '../../../src/mapping/code-list.ts';
import { answered, compileMapping } from '../../../src/mapping/compile.ts';
import type { MappingDocument } from '../../../src/mapping/document.ts';
import { answersOfExamples } from '../../../src/mapping/look-up-lists.ts';
import { mapFile } from '../../../src/mapping/map-file.ts';
import type { PlacedRecord } from '../../../src/mapping/map-record.ts';
import type { MappedRequest } from '../../../src/mapping/request.ts';
import { SAMPLE_DAY_MS, type SampleFault, sampleFile } from '../../../src/mapping/sample.ts';
import { documentOf, LISTS, type Loose } from './documents.ts';

export interface Sampled {
  bytes: Uint8Array;
  text: string;
  records: PlacedRecord[];
  requests: MappedRequest[];
  columns: readonly string[];
  rows: Cells[];
  uncovered: string[];
  /** All that stands in a column, row by row. */
  column(name: string): string[];
}

/** Fails unless there is a sample and every record of it maps. */
export async function sampleOf(
  document: MappingDocument,
  lists: CodeLists,
  wanted: Partial<{ dayMs: number; scacs: string[] }> = {},
): Promise<Sampled> {
  const made = await sampleFile(document, lists, { dayMs: SAMPLE_DAY_MS, scacs: [], ...wanted });
  if (!made.ok) throw new Error(JSON.stringify(made.error));
  const { bytes, uncovered } = made.value;
  const mapping = answered(compileMapping(document, lists), answersOfExamples(document.examples));
  const records: PlacedRecord[] = [];
  for await (const step of mapFile(mapping, bytesInMemory(bytes))) {
    if (step.outcome !== 'records') throw new Error(JSON.stringify(step));
    records.push(...step.records);
  }
  expect(records.flatMap(({ mapped }) => mapped.errors)).toEqual([]);
  expect(records.filter(({ mapped }) => mapped.skipped)).toEqual([]);
  expect(records.length).toBe(made.value.records);
  const read = mapping.reader.read(mapping.reader.start, bytes, true);
  if (read.outcome !== 'records') throw new Error(read.outcome);
  return {
    bytes,
    text: Buffer.from(bytes).toString('utf8'),
    records,
    requests: records.flatMap(({ mapped }) => mapped.requests),
    columns: read.columns,
    rows: read.records,
    uncovered,
    column: (name) => read.records.map(({ fields }) => fields[read.columns.indexOf(name)] ?? ''),
  };
}

/** Of the right document of documents.ts with some changes. */
export const sampled = (changes: Loose = {}, wanted: Partial<{ dayMs: number; scacs: string[] }> = {}) =>
  sampleOf(documentOf(changes), LISTS, wanted);

export async function faultOf(changes: Loose): Promise<SampleFault> {
  const made = await sampleFile(documentOf(changes), LISTS, { dayMs: SAMPLE_DAY_MS, scacs: [] });
  if (made.ok) throw new Error(Buffer.from(made.value.bytes).toString('utf8'));
  return made.error;
}
