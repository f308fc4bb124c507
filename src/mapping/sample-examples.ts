/**
 * The examples of a document as a source of good values: their inputs are read with the mapping's own reader, and what
 * maps without an error is kept.
 */
import { bytesInMemory } from '../formats/slices.ts';
import type { Problem } from '../kernel/problem.ts';
import type { CompiledMapping } from './compile.ts';
import type { MappingDocument } from './document.ts';
import { encode } from './examples.ts';
import { mapFile } from './map-file.ts';
import type { PlacedRecord } from './map-record.ts';
import { type Draft, type DraftGroup, draftOf } from './sample-draft.ts';

export interface SampleExamples {
  /** As the first example with a readable record names them; none where there is none. */
  columns: readonly string[];
  groups: readonly DraftGroup[];
  /** All records of these. */
  drafts: readonly Draft[];
}

/** Records of examples, or groups of them, that are looked at: a sample is no longer than that. */
const GROUPS_MAX = 50;

export async function readExamples(mapping: CompiledMapping, document: MappingDocument): Promise<SampleExamples> {
  const groups: DraftGroup[] = [];
  let columns: readonly string[] = [];
  for (const { input } of document.examples) {
    if (groups.length >= GROUPS_MAX) break;
    const bytes = encode(input, mapping.source);
    if (bytes === undefined) continue;
    const read = await readExample(mapping, bytes);
    if (columns.length === 0) columns = read.columns;
    groups.push(...read.groups);
  }
  const kept = groups.slice(0, GROUPS_MAX);
  return { columns, groups: kept, drafts: kept.flat() };
}

async function readExample(
  mapping: CompiledMapping,
  bytes: Uint8Array,
): Promise<{ columns: readonly string[]; groups: DraftGroup[] }> {
  const drafts = new Map<number, Draft>();
  let columns: readonly string[] = [];
  const { reader, shape } = mapping;
  const observed: CompiledMapping = {
    ...mapping,
    reader: {
      start: reader.start,
      read(checkpoint, slice, atEnd) {
        const read = reader.read(checkpoint, slice, atEnd);
        if (read.outcome !== 'records') return read;
        columns = read.columns;
        for (const record of read.records) drafts.set(record.position.record, draftOf(record, columns, shape));
        return read;
      },
    },
  };
  const groups = new Map<number, Draft[]>();
  const records = await mappedRecords(observed, bytes);
  for (const { position, mapped } of records) {
    const draft = drafts.get(position.record);
    if (draft === undefined || mapped.errors.length > 0 || mapped.skipped) continue;
    const group = mapped.group ?? position.record;
    groups.set(group, [...(groups.get(group) ?? []), draft]);
  }
  return { columns: records.length === 0 ? [] : columns, groups: [...groups.values()] };
}

/** @returns the records of a small file, none when it cannot be read as a whole. */
export async function mappedRecords(mapping: CompiledMapping, bytes: Uint8Array): Promise<PlacedRecord[]> {
  const records: PlacedRecord[] = [];
  for await (const step of mapFile(mapping, bytesInMemory(bytes))) {
    if (step.outcome === 'records') records.push(...step.records);
  }
  return records;
}

/** @returns the first example that is whole and whose records all become requests; `problems` of the last one looked at. */
export async function firstSoundExample(
  mapping: CompiledMapping,
  document: MappingDocument,
): Promise<{ sound?: { bytes: Uint8Array; records: number }; problems: readonly Problem[] }> {
  let problems: readonly Problem[] = [];
  for (const { input } of document.examples) {
    const bytes = encode(input, mapping.source);
    if (bytes === undefined) continue;
    const read = await wholeExample(mapping, bytes);
    if (read.problems.length === 0 && read.records > 0 && read.skipped === 0)
      return { sound: { bytes, records: read.records }, problems: [] };
    problems = read.problems;
  }
  return { problems };
}

async function wholeExample(
  mapping: CompiledMapping,
  bytes: Uint8Array,
): Promise<{ records: number; skipped: number; problems: Problem[] }> {
  const problems: Problem[] = [];
  let records = 0;
  let skipped = 0;
  for await (const step of mapFile(mapping, bytesInMemory(bytes))) {
    if (step.outcome === 'unreadable') problems.push(...step.problems);
    else if (step.outcome === 'ends_early') problems.push(step.problem);
    else {
      records += step.records.length;
      skipped += step.records.filter(({ mapped }) => mapped.skipped).length;
      problems.push(...step.records.flatMap(({ mapped }) => mapped.errors));
    }
  }
  return { records, skipped, problems };
}
