/** A document and the lists it would use → a version that may be published: checked whole, and every example of it holds. Pure. */
import { err, ok, type Result } from '../kernel/result.ts';
import { checkMapping } from '../mapping/check.ts';
import type { CodeLists } from '../mapping/code-list.ts';
import { compileMapping } from '../mapping/compile.ts';
import { runExamples } from '../mapping/examples.ts';
import { type MappingVersion, mappingVersion, readVersion } from '../mapping/versions.ts';
import type { FailedExample, FoundProblem } from './refusal.ts';
import { type MappingSummary, mappingSummary } from './summary.ts';
import { versionContent } from './version-content.ts';

export interface ProvenMapping {
  name: string;
  written: string;
  version: MappingVersion;
  summary: MappingSummary;
}

export interface Disproof {
  problems: FoundProblem[];
  examples: FailedExample[];
}

export async function proveMapping(
  name: string,
  written: string,
  lists: CodeLists,
): Promise<Result<ProvenMapping, Disproof>> {
  const checked = checkMapping(written, lists, name);
  if (!checked.ok) return err({ problems: checked.error, examples: [] });
  const document = checked.value;
  const failed = await runExamples(compileMapping(document, lists), document.examples);
  if (failed.length > 0) return err(failures(name, failed));
  const version = await mappingVersion(document, lists);
  return ok({ name, written, version, summary: mappingSummary(document) });
}

/** A version of old, under the program of today: it was proved when it was stored, by a program that may have judged otherwise. */
export async function proveVersion(name: string, text: string): Promise<Result<MappingSummary, Disproof>> {
  const compiled = readVersion(text);
  if (!compiled.ok) return err({ problems: compiled.error, examples: [] });
  const { document } = versionContent(text);
  const failed = await runExamples(compiled.value, document.examples);
  return failed.length > 0 ? err(failures(name, failed)) : ok(mappingSummary(document));
}

const failures = (mapping: string, failed: readonly Omit<FailedExample, 'mapping'>[]): Disproof => ({
  problems: [],
  examples: failed.map((each) => ({ mapping, ...each })),
});
