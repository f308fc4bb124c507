/**
 * A document that is being written, beside the version that its name points at: what differs in the document, and in
 * what becomes of a sample. Nothing is stored.
 */

import type { RequestLookups } from '../../fleet/lookup.ts';
import { bytesInMemory } from '../../formats/slices.ts';
import { type CompiledMapping, compileMapping, type LocatedRecord } from '../../mapping/compile/compile.ts';
import { mapFile } from '../../mapping/compile/map-file.ts';
import { canonicalJson, type Json, jsonDifferences } from '../../mapping/document/canonical.ts';
import type { CodeLists } from '../../mapping/document/code-list.ts';
import type { MappingDocument } from '../../mapping/document/document.ts';
import { readVersion, versionText } from '../../mapping/document/versions.ts';
import { type Difference, versionDifferences } from './diff.ts';
import { COMPARED_RECORDS_SHOWN_MAX } from './limits.ts';
import { lookedUpFor, type MayGoOn } from './preview.ts';
import { contentOf } from './version-content.ts';

interface RecordDifference {
  record: number;
  line: number;
  /** Places in its requests and errors; texts as JSON. */
  differences: { path: string; before: string; after: string }[];
}

interface SampleCompared {
  counts: { rows: number; same: number; different: number };
  /** The first of them; all are counted. */
  different: RecordDifference[];
  /** Present where time ran out: what follows was not compared. */
  stopped?: true;
}

interface DraftCompared {
  differences: Difference[];
  /** null: there is no sample. */
  sample: SampleCompared | null;
}

interface Compared {
  draft: { document: MappingDocument; lists: CodeLists };
  /** Text of the version that the name points at. */
  published: string;
  sample: Uint8Array | null;
}

export async function compareDraft(
  { draft: { document, lists }, published, sample }: Compared,
  requestAnswer: RequestLookups,
  mayGoOn: MayGoOn,
): Promise<DraftCompared> {
  const differences = versionDifferences(contentOf(published), contentOf(versionText(document, lists)));
  if (sample === null) return { differences, sample: null };
  const before = readVersion(published);
  if (!before.ok) throw new Error('the published version does not compile');
  const made = { before: before.value, after: compileMapping(document, lists) };
  return { differences, sample: await compareOn(made, sample, requestAnswer, mayGoOn) };
}

interface Made {
  line: number;
  what: Json;
}

async function compareOn(
  made: { before: CompiledMapping; after: CompiledMapping },
  sample: Uint8Array,
  requestAnswer: RequestLookups,
  mayGoOn: MayGoOn,
): Promise<SampleCompared> {
  const rows = async (mapping: CompiledMapping) => {
    const pass = (collecting: CompiledMapping) => madeOf(collecting, sample, mayGoOn);
    return pass(await lookedUpFor(mapping, pass, requestAnswer));
  };
  const [before, after] = [await rows(made.before), await rows(made.after)];
  const result: SampleCompared = { counts: { rows: 0, same: 0, different: 0 }, different: [] };
  const numbers = [...new Set([...before.rows.keys(), ...after.rows.keys()])].sort((one, other) => one - other);
  for (const record of numbers) {
    const [was, is] = [before.rows.get(record), after.rows.get(record)];
    result.counts.rows += 1;
    if (canonicalJson(was?.what ?? null) === canonicalJson(is?.what ?? null)) {
      result.counts.same += 1;
      continue;
    }
    result.counts.different += 1;
    if (result.different.length === COMPARED_RECORDS_SHOWN_MAX) continue;
    const differences = jsonDifferences(was?.what ?? null, is?.what ?? null, []);
    result.different.push({
      record,
      line: (is ?? was)?.line ?? 0,
      differences: differences.map(({ path, wanted, received }) => ({ path, before: wanted, after: received })),
    });
  }
  if (before.isStopped || after.isStopped) result.stopped = true;
  return result;
}

async function madeOf(mapping: CompiledMapping, sample: Uint8Array, mayGoOn: MayGoOn) {
  const rows = new Map<number, Made>();
  for await (const step of mapFile(mapping, bytesInMemory(sample))) {
    if (step.outcome === 'records') for (const each of step.records) rows.set(each.position.record, madeFrom(each));
    if (!(await mayGoOn())) return { rows, isStopped: true };
  }
  return { rows, isStopped: false };
}

/** What a row becomes: requests, or the paths of its errors, as a rerun compares them. */
function madeFrom({ position, mapped: { requests, errors, skipped } }: LocatedRecord): Made {
  const what = {
    requests,
    errors: errors.map(({ code, path, value }) => ({ code, path, value })),
    ...(skipped ? { skipped } : {}),
  };
  return { line: position.line, what: JSON.parse(JSON.stringify(what)) as Json };
}
