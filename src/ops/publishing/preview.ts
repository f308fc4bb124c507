/**
 * A small file under a mapping → what would be sent for it, record by record, beside the file's own cells.
 * Nothing is stored or sent. All records are mapped and counted; the first of them are shown.
 */
import { PREVIEW_LOOKUPS_MAX } from '../../fleet/limits.ts';
import type { RequestLookups } from '../../fleet/lookup.ts';
import { bytesInMemory } from '../../formats/slices.ts';
import type { Position, Problem } from '../../kernel/problem.ts';
import { answered, type CompiledMapping, type LocatedRecord } from '../../mapping/compile/compile.ts';
import { mapFile } from '../../mapping/compile/map-file.ts';
import { authorFix } from '../../mapping/document/author-fixes.ts';
import { type LookedUp, type Lookup, lookupKey } from '../../mapping/lookups/lookup.ts';
import type { MappedRecord, MappedRequest } from '../../mapping/request.ts';
import { PREVIEW_CAUSES_MAX, PREVIEW_RECORDS_MAX } from './limits.ts';

interface PreviewRecord {
  record: number;
  position: Omit<Position, 'record'>;
  /** Columns (paths, in a tree) with their cells, in the file's order; null where the record could not be read. */
  columns: [name: string, cell: string][] | null;
  requests: MappedRequest[];
  errors: Problem[];
  skipped: boolean;
  /** Number of the record that has the request of this one's group. */
  group?: number;
  /** Its lookups; absent: none. */
  lookedUp?: readonly LookedUp[];
}

interface PreviewCounts {
  records: number;
  /** Records that become requests, and how many requests these are. */
  mapped: number;
  requests: number;
  skipped: number;
  invalid: number;
}

/** What is wrong in the same way with some records. @property position of the first of them. */
interface PreviewCause {
  problem: Problem;
  position: Position;
  records: number;
}

/** @property causes of all records, also of those that are not shown. */
export interface Preview {
  counts: PreviewCounts;
  /** What is wrong with the file as a whole; the records are valid all the same. */
  fileProblems: Problem[];
  /** What the mapping's author can change, for each kind of problem found. */
  authorFixes: { code: string; fix: string }[];
  causes: PreviewCause[];
  records: PreviewRecord[];
  /** Present where time ran out: the records after those counted were not mapped. */
  stopped?: true;
}

/** Asked between steps of some hundred records. @returns whether there is time for another one. */
export type MayGoOn = () => Promise<boolean>;

const ALWAYS: MayGoOn = async () => true;

/**
 * As `previewFile`, with lookups: the file is mapped once to find the queries, and again with the answers. A query
 * without an answer is an error of its rows.
 */
export const previewLookingUp = async (
  mapping: CompiledMapping,
  bytes: Uint8Array,
  requestAnswer: RequestLookups,
  mayGoOn: MayGoOn = ALWAYS,
): Promise<Preview> => {
  const pass = (collecting: CompiledMapping) => previewFile(collecting, bytes, mayGoOn);
  return previewFile(await lookedUpFor(mapping, pass, requestAnswer), bytes, mayGoOn);
};

/** @param pass maps with the mapping that is given, to find what is to be looked up. @returns the mapping with answers. */
export async function lookedUpFor(
  mapping: CompiledMapping,
  pass: (collecting: CompiledMapping) => Promise<unknown>,
  requestAnswer: RequestLookups,
): Promise<CompiledMapping> {
  if (mapping.enrichment === null) return mapping;
  const wanted = new Map<string, Lookup>();
  await pass(
    answered(mapping, (asked) => {
      wanted.set(lookupKey(asked), asked);
      return undefined;
    }),
  );
  const { answers, trouble } = await requestAnswer([...wanted.values()].slice(0, PREVIEW_LOOKUPS_MAX));
  const why = trouble?.detail ?? `a preview looks up ${PREVIEW_LOOKUPS_MAX} of them at most`;
  const unavailable = { outcome: 'unavailable', why, atMs: 0 } as const;
  return answered(mapping, (asked) => answers.get(lookupKey(asked)) ?? unavailable);
}

export async function previewFile(
  mapping: CompiledMapping,
  bytes: Uint8Array,
  mayGoOn: MayGoOn = ALWAYS,
): Promise<Preview> {
  const { observed, columnsOf } = observing(mapping);
  const preview: Preview = {
    counts: { records: 0, mapped: 0, requests: 0, skipped: 0, invalid: 0 },
    fileProblems: [],
    authorFixes: [],
    causes: [],
    records: [],
  };
  const codes = new Set<string>();
  const causes = new Map<string, PreviewCause>();
  for await (const step of mapFile(observed, bytesInMemory(bytes))) {
    if (step.outcome === 'unreadable') preview.fileProblems.push(...step.problems);
    else if (step.outcome === 'ends_early') preview.fileProblems.push(step.problem);
    else {
      for (const record of step.records) {
        for (const { code } of record.mapped.errors) codes.add(code);
        addCauses(causes, record);
        count(preview.counts, record.mapped);
        if (preview.records.length < PREVIEW_RECORDS_MAX) preview.records.push(shown(record, columnsOf));
      }
    }
    if (!(await mayGoOn())) {
      preview.stopped = true;
      break;
    }
  }
  preview.causes.push(...causes.values());
  for (const { code } of preview.fileProblems) codes.add(code);
  preview.authorFixes = [...codes].flatMap((code) => {
    const fix = authorFix(mapping.source.format, code);
    return fix === undefined ? [] : [{ code, fix }];
  });
  return preview;
}

function count(counts: PreviewCounts, { requests, errors, skipped }: MappedRecord): void {
  counts.records += 1;
  counts.requests += requests.length;
  if (errors.length > 0) counts.invalid += 1;
  else if (skipped) counts.skipped += 1;
  else counts.mapped += 1;
}

function addCauses(causes: Map<string, PreviewCause>, { position, mapped: { errors } }: LocatedRecord): void {
  const own = new Map(errors.map((problem) => [JSON.stringify([problem.code, problem.path, problem.value]), problem]));
  for (const [key, problem] of own) {
    const isFull = causes.size >= PREVIEW_CAUSES_MAX && !causes.has(key);
    // Beyond that, one for all other values of a place.
    const counted = isFull ? JSON.stringify([problem.code, problem.path]) : key;
    const known = causes.get(counted);
    if (known !== undefined) known.records += 1;
    else causes.set(counted, { problem, position, records: 1 });
  }
}

type ColumnsOf = (record: number) => PreviewRecord['columns'];

function shown({ position: { record, ...position }, mapped }: LocatedRecord, columnsOf: ColumnsOf): PreviewRecord {
  const { requests, errors, skipped, group, lookedUp } = mapped;
  const more = { ...(group === undefined ? {} : { group }), ...(lookedUp === undefined ? {} : { lookedUp }) };
  return { record, position, columns: columnsOf(record), requests, errors, skipped, ...more };
}

/** The same mapping, recording which cells the first records were read from. */
function observing(mapping: CompiledMapping): { observed: CompiledMapping; columnsOf: ColumnsOf } {
  const cellsOf = new Map<number, readonly string[]>();
  let names: readonly string[] = [];
  const { reader } = mapping;
  return {
    observed: {
      ...mapping,
      reader: {
        start: reader.start,
        read(checkpoint, bytes, atEnd) {
          const read = reader.read(checkpoint, bytes, atEnd);
          if (read.outcome !== 'records') return read;
          names = read.columns;
          for (const { position, fields, problem } of read.records) {
            if (position.record > PREVIEW_RECORDS_MAX) break;
            if (problem === undefined) cellsOf.set(position.record, fields);
          }
          return read;
        },
      },
    },
    columnsOf(record) {
      const cells = cellsOf.get(record);
      return cells === undefined ? null : names.map((name, index) => [name, cells[index] ?? '']);
    },
  };
}
